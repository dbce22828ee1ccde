#include "cardan/base/diagnostic.h"

#include <gtest/gtest.h>

#include "cardan/base/result.h"

namespace cardan {
namespace {

Diagnostic fault(std::string id, Severity severity = Severity::error) {
  Diagnostic d;
  d.id = std::move(id);
  d.severity = severity;
  return d;
}

TEST(Diagnostic, ExitCodes) {
  const std::pair<const char*, int> codes[] = {{"usage.x", 2},
                                               {"syntax.x", 3},
                                               {"model.x", 4},
                                               {"assembly.x", 5},
                                               {"numeric.x", 6},
                                               {"io.x", 7},
                                               {"limit.x", 8},
                                               {"corrupt.x", 9},
                                               {"defect.x", 70},
                                               {"interrupted.x", 130},
                                               {"nonsense", 70}};
  for (const auto& [id, code] : codes) EXPECT_EQ(exit_code(fault(id)), code) << id;
  EXPECT_EQ(exit_code(fault("model.x", Severity::warning)), 0);
}

TEST(Diagnostic, TheFirstErrorDecides) {
  const Diagnostics all{fault("model.x", Severity::note), fault("syntax.x"), fault("model.x")};
  EXPECT_TRUE(has_error(all));
  EXPECT_EQ(exit_code(all), 3);
  EXPECT_FALSE(has_error({fault("model.x", Severity::warning)}));
  EXPECT_EQ(exit_code(Diagnostics{}), 0);
}

TEST(Diagnostic, Text) {
  Diagnostic d = fault("model.unknown-key");
  d.where = {std::make_shared<std::string>("a.toml"), 12, 3};
  d.element = "joint 'pin'";
  d.found = "'widht'";
  d.expected = "a key of a joint";
  d.hint = "width";
  d.worst = {{"revolute 'pin', x", 0.5}};
  const std::string text = to_text(d);
  EXPECT_EQ(
      text.find(
          "a.toml:12:3: error [model.unknown-key] joint 'pin': 'widht'; expected a key of a joint"),
      0u);
  EXPECT_NE(text.find("revolute 'pin', x"), std::string::npos);
  EXPECT_NE(text.find("width"), std::string::npos);
}

TEST(Diagnostic, NearestName) {
  const std::vector<std::string> names{"stiffness", "damping", "free_length"};
  EXPECT_EQ(nearest_name("stifness", names), "stiffness");
  EXPECT_EQ(nearest_name("dampin", names), "damping");
  EXPECT_EQ(nearest_name("colour", names), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'x'), names), "");
  // Parts of names, where only one is meant.
  const std::vector<std::string> parts{
      "pin_radius", "friction", "transition_speed", "stribeck_speed"};
  EXPECT_EQ(nearest_name("radius", parts), "pin_radius");
  EXPECT_EQ(nearest_name("joint_friction", parts), "friction");
  EXPECT_EQ(nearest_name("speed", parts), "");
  EXPECT_EQ(nearest_name("adi", parts), "");
}

TEST(Result, HoldsAValueOrReasons) {
  const Result<int> good(3);
  ASSERT_TRUE(good);
  EXPECT_EQ(good.value(), 3);
  const Result<int> bad(fault("model.x"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.why().front().id, "model.x");
}

TEST(Result, holds_a_reason_of_its_own_kind) {
  struct Place {
    int line = 0;
  };

  const auto half = [](int n) -> Result<int, Place> {
    if (n % 2 != 0) return Place{n};
    return n / 2;
  };
  EXPECT_EQ(half(6).value(), 3);
  ASSERT_FALSE(half(7));
  EXPECT_EQ(half(7).why().line, 7);
}

}  // namespace
}  // namespace cardan
