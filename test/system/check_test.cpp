// A Model made by program is checked like one that was read: compile refuses what the reader would, in
// the same words.
#include <gtest/gtest.h>

#include "cardan/system/system.h"
#include "test/io/read_text.h"

namespace cardan {
namespace {

const std::string oscillator = R"toml(
gravity = [0, -9.81]
[[body]]
name = "b"
mass = 1
inertia = 1
[[joint]]
type = "translational"
name = "g"
between = ["ground", "b"]
axis = [0, 1]
[[force]]
type = "spring"
name = "s"
between = ["ground", "b"]
points = [[0, 1], [0, 0]]
stiffness = 100
free_length = 1
[[force]]
type = "force"
name = "f"
body = "b"
value = [0, 0]
[[driver]]
joint = "g"
motion = "0.1*t"
)toml";

// The faults of the model after the change.
Diagnostics faults(const std::function<void(Model&)>& change) {
  Model model = read_good(oscillator);
  change(model);
  const auto system = compile(model);
  return system ? Diagnostics{} : system.why();
}

// What the reader says of the same fault.
Diagnostics read_faults(const std::string& from, const std::string& to) {
  std::string text = oscillator;
  text.replace(text.find(from), from.size(), to);
  const auto model = read_model_text(text, "text");
  return model ? Diagnostics{} : model.why();
}

void expect_alike(const Diagnostics& made, const Diagnostics& read) {
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(made[0].id, read[0].id);
  EXPECT_EQ(made[0].element, read[0].element);
  EXPECT_EQ(made[0].found, read[0].found);
  EXPECT_EQ(made[0].expected, read[0].expected);
  EXPECT_EQ(made[0].hint, read[0].hint);
}

Setting& setting(Element& e, std::string_view key) {
  for (auto& [name, value] : e.settings)
    if (name == key) return value;
  throw std::invalid_argument("no such setting");
}

TEST(Check, a_good_model_passes) {
  EXPECT_TRUE(faults([](Model&) {}).empty());
}

// Formulas read states, inputs and the coordinates of points beside requests.
TEST(Check, all_that_formulas_read_is_known) {
  const Model model = read_good(oscillator + R"toml(
[[request]]
type = "point"
name = "p"
body = "b"
[[state]]
name = "z"
unit = "N"
rate = "u/1 s - z/1 s"
[[input]]
name = "u"
unit = "N"
value = 1
[[force]]
type = "force"
name = "controlled"
body = "b"
value = ["z + u", "p.y*1 N/m"]
)toml");
  EXPECT_EQ(model.forces.back().inputs.size(), 3u);
  const auto system = compile(model);
  EXPECT_TRUE(system) << to_text(system.why()[0]);
}

TEST(Check, a_misspelt_key_is_told_as_by_the_reader) {
  const auto made = faults([](Model& m) {
    for (auto& [name, value] : m.forces[0].settings)
      if (name == "stiffness") name = "stifness";
  });
  expect_alike(made, read_faults("stiffness", "stifness"));
  EXPECT_EQ(made[0].hint, "did you mean 'stiffness'?");
}

TEST(Check, a_missing_key) {
  expect_alike(faults([](Model& m) { m.drivers[0].settings.clear(); }),
               read_faults("motion = \"0.1*t\"", ""));
  const auto components = faults([](Model& m) { m.forces[1].settings.clear(); });
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[0].id, "model.missing-key");
  EXPECT_EQ(components[0].found, "no 'fx'");
}

TEST(Check, a_value_of_the_wrong_kind_or_out_of_range) {
  expect_alike(faults([](Model& m) { setting(m.forces[0], "stiffness") = true; }),
               read_faults("stiffness = 100", "stiffness = true"));
  expect_alike(faults([](Model& m) { setting(m.forces[0], "stiffness") = -1.0; }),
               read_faults("stiffness = 100", "stiffness = -1"));
  expect_alike(faults([](Model& m) { setting(m.forces[0], "stiffness") = NAN; }),
               read_faults("stiffness = 100", "stiffness = nan"));
  expect_alike(
      faults([](Model& m) { m.forces[1].settings.emplace_back("frame", std::string("boddy")); }),
      read_faults("value = [0, 0]", "value = [0, 0]\nframe = \"boddy\""));
  const auto null = faults([](Model& m) { setting(m.drivers[0], "motion") = FunctionPtr(); });
  ASSERT_EQ(null.size(), 1u);
  EXPECT_EQ(null[0].id, "model.wrong-type");
}

TEST(Check, friction_of_a_type_without_a_rule_is_refused) {
  const auto found = faults([](Model& m) {
    Element e = m.joints[0];
    e.type = "pin-in-slot";
    e.name = "slot";
    e.settings = {{"friction", 0.3}};
    m.joints.push_back(e);
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "model.unknown-key");
}

TEST(Check, numbers_that_point_nowhere) {
  EXPECT_EQ(faults([](Model& m) { m.forces[0].sides[1].body = 7; })[0].id, "model.unknown-name");
  EXPECT_EQ(faults([](Model& m) { m.forces[0].inputs = {0}; })[0].id, "model.unknown-name");
  EXPECT_EQ(faults([](Model& m) { m.forces[0].sides.pop_back(); })[0].id, "model.missing-key");
  EXPECT_EQ(faults([](Model& m) { m.forces[0].type = "sprong"; })[0].id, "model.unknown-type");
}

}  // namespace
}  // namespace cardan
