// A model with other values of its parameters, without reading it again: to the bit what the changed
// file gives.
#include "cardan/io/parametric_model.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/system/compile_like.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

ParametricModel parametric_model(const fs::path& path) {
  auto read = ParametricModel::read(path);
  if (!read) {
    for (const auto& d : read.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(read).value();
}

std::vector<fs::path> example_models() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir) / "models"))
    if (fs::exists(entry.path() / "model.toml")) all.push_back(entry.path() / "model.toml");
  std::sort(all.begin(), all.end());
  return all;
}

double changed(const ParameterInfo& p) {
  if (p.structural) return p.value + 1;
  return p.value == 0 ? 0.001 : p.value * 1.001;
}

void expect_same_bits(const State& a, const State& b) {
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.a, b.a);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.z, b.z);
}

// A few steps, wherever the model has a motion.
State short_run(const System& system, const Model& model, const Assembly& assembly) {
  DynamicOptions options;
  for (const Analysis& analysis : model.analyses)
    if (const auto* dynamic = std::get_if<DynamicOptions>(&analysis)) options = *dynamic;
  const double until = std::min(options.until, 1e-3);
  options.until = until;
  Simulation s(system, assembly.mobility, options, assembly.state);
  if (s.prepare() || s.start()) return {};
  (void)s.step_to(until);
  return s.state();
}

TEST(ParametricModel, GivesTheBitsOfTheChangedFile) {
  int parameters = 0, runs = 0;
  for (const fs::path& path : example_models()) {
    const ParametricModel model = parametric_model(path);
    const auto base = compile(model.model());
    ASSERT_TRUE(base) << path;
    bool ran = false;
    for (const ParameterInfo& p : model.parameters()) {
      SCOPED_TRACE(path.parent_path().filename().string() + ", " + p.name);
      const ParameterValue value{p.name, changed(p)};
      const auto patched = model.with({&value, 1});
      ReadOptions set;
      set.set.emplace_back(p.name, fmt::format("{}", value.second));
      const auto read = read_model(path, set);
      ASSERT_EQ(static_cast<bool>(patched), static_cast<bool>(read));
      if (!read) continue;
      EXPECT_EQ(patched.value().parameters, read.value().parameters);
      const auto other = compile(read.value());
      const auto like = compile_like(patched.value(), base.value());
      ASSERT_EQ(static_cast<bool>(other), static_cast<bool>(like));
      if (!other) continue;
      const System &a = like.value().system, &b = other.value();
      if (!p.structural) {
        EXPECT_TRUE(like.value().same_structure);
        EXPECT_EQ(a.schur_plan(), base.value().schur_plan());
      }
      expect_same_bits(a.given_state(), b.given_state());
      const Assembly one = assemble(a, 0, a.given_state()), two = assemble(b, 0, b.given_state());
      EXPECT_EQ(one.ok, two.ok);
      expect_same_bits(one.state, two.state);
      ++parameters;
      if (a.body_count() > 60) break;  // one parameter of a large model says as much
      if (!one.ok || ran || a.body_count() > 10) continue;
      ran = true;  // one short run of each model
      expect_same_bits(short_run(a, patched.value(), one), short_run(b, read.value(), two));
      ++runs;
    }
  }
  EXPECT_GT(parameters, 100);
  EXPECT_GT(runs, 20);
}

// The text itself, not --set.
TEST(ParametricModel, GivesTheBitsOfTheChangedText) {
  const std::string text = R"toml(
gravity = [0, "-9.81 m/s^2"]
[parameters]
length = "400 mm"
half = "length/2"
stiffness = 12
[[body]]
name = "rod"
from = [0, 0]
to = ["length", 0]
mass = "0.7 kg * length/(1 m)"
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rod"]
at = [0, 0]
[[force]]
type = "rotational-spring"
between = ["ground", "rod"]
name = "coil"
stiffness = "stiffness"
[[force]]
type = "force"
name = "push"
body = "rod"
point = ["half", 0]
value = ["stiffness*half*sin(3 rad/s*t)*(1 N/m)", 0]
)toml";
  auto read = ParametricModel::read_text(text, "a.toml");
  ASSERT_TRUE(read) << to_text(read.why().front());
  std::string other = text;
  other.replace(other.find("400 mm"), 6, "0.412 m");
  const auto changed_text = read_model_text(other, "a.toml");
  ASSERT_TRUE(changed_text);
  const ParameterValue value{"length", 0.412};
  const auto patched = read.value().with({&value, 1});
  ASSERT_TRUE(patched);
  const auto a = compile(patched.value()), b = compile(changed_text.value());
  ASSERT_TRUE(a) << to_text(a.why());
  ASSERT_TRUE(b) << to_text(b.why());
  Assembly one = assemble(a.value(), 0, a.value().given_state()),
           two = assemble(b.value(), 0, b.value().given_state());
  one.state.t = two.state.t = 0;
  expect_same_bits(one.state, two.state);
  expect_same_bits(short_run(a.value(), patched.value(), one),
                   short_run(b.value(), changed_text.value(), two));
}

TEST(ParametricModel, KnowsWhereParametersAreUsed) {
  const ParametricModel model =
      parametric_model(fs::path(test::source_dir) / "models/slider-crank/model.toml");
  ASSERT_FALSE(model.parameters().empty());
  EXPECT_FALSE(model.model().parameter_uses.empty());
  for (const ParameterUse& use : model.model().parameter_uses) {
    EXPECT_FALSE(use.element.empty() && use.key != "gravity") << use.formula;
    EXPECT_FALSE(use.parameters.empty());
    EXPECT_GT(use.where.line, 0);
  }
}

TEST(ParametricModel, RefusesWhatIsUnknown) {
  const ParametricModel model =
      parametric_model(fs::path(test::source_dir) / "models/slider-crank/model.toml");
  const ParameterValue unknown{"no such", 1}, infinite{model.parameters().front().name, INFINITY};
  const auto a = model.with({&unknown, 1}), b = model.with({&infinite, 1});
  ASSERT_FALSE(a);
  EXPECT_EQ(a.why().front().id, "usage.unknown-parameter");
  ASSERT_FALSE(b);
  EXPECT_EQ(b.why().front().id, "model.not-finite");
}

TEST(ParametricModel, SaysWhatChangesTheStructure) {
  const ParametricModel model =
      parametric_model(fs::path(test::source_dir) / "models/n-four-bar/model.toml");
  const auto counts = [](const ParameterInfo& p) {
    return p.structural;
  };
  const auto& all = model.parameters();
  const auto found = std::find_if(all.begin(), all.end(), counts);
  ASSERT_NE(found, all.end());
  const auto base = compile(model.model());
  ASSERT_TRUE(base);
  const ParameterValue value{found->name, found->value + 1};
  const auto more = model.with({&value, 1});
  ASSERT_TRUE(more);
  const auto like = compile_like(more.value(), base.value());
  ASSERT_TRUE(like);
  EXPECT_FALSE(like.value().same_structure);
}

}  // namespace
}  // namespace cardan
