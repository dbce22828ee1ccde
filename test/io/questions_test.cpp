// Numbers of motions that are asked about, and those that are not.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "test/io/read_text.h"

namespace cardan {
namespace {

std::ptrdiff_t questions(const std::string& motion, const std::string& more = "") {
  const Model m = read_good(two_bodies + more + R"(
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "a"]
at = [1, 1]
[[driver]]
joint = "hinge"
motion = ")" + motion + "\"\n");
  return std::count_if(
      m.notes.begin(), m.notes.end(), [](const Diagnostic& d) { return d.id == "model.unlikely"; });
}

TEST(Questions, AskAboutDegreesInMotions) {
  for (const char* motion : {"720*t", "360*t", "-90*t", "30*t + 0.2", "45*sin(t/(1 s))", "1500*t"})
    EXPECT_EQ(questions(motion), 1) << motion;
  EXPECT_EQ(questions("speed*t", "[parameters]\nspeed = 720\n"), 1);
  EXPECT_EQ(
      questions("c", "[[curve]]\nname = \"c\"\ntype = \"linear\"\ntable = [[0, 0], [1, 90]]\n"), 1);
}

TEST(Questions, LeaveRadiansAlone) {
  for (const char* motion : {"10*t",
                             "100*t",
                             "2*pi*t",
                             "2*pi*30*t",
                             "314.159*t",
                             "0.3 + 8*t",
                             "0.5*sin(60*t)",
                             "60 deg + 100 rpm*t",
                             "720 deg/s*t",
                             "720 rad/s*t",
                             "90 deg*step5(t, 0 s, 0, 30 s, 1)",
                             "0.2*(t - 45 s)"})
    EXPECT_EQ(questions(motion), 0) << motion;
  EXPECT_EQ(questions("speed*t", "[parameters]\nspeed = \"1500 rpm\"\n"), 0);
  EXPECT_EQ(
      questions("c",
                "[[curve]]\nname = \"c\"\ntype = \"linear\"\ntable = [[0, 0], [1, 6.2832], [2, "
                "12.5664]]\n"),
      0);
  EXPECT_EQ(
      questions("c",
                "[[curve]]\nname = \"c\"\ntype = \"linear\"\ntable = [[0, \"0 deg\"], [1, \"90 "
                "deg\"]]\n"),
      0);
}

// A number in place of a quantity: in SI units, which may be far from what the model has.
TEST(Questions, AskAboutALostUnit) {
  const auto asked = [](const std::string& value) {
    ReadOptions options;
    options.set = {{"width", value}};
    const Model m = read_good(two_bodies + "[parameters]\nwidth = \"80 mm\"\n", options);
    return std::count_if(m.notes.begin(), m.notes.end(), [](const Diagnostic& d) {
      return d.found.find("without a unit") != std::string::npos;
    });
  };
  EXPECT_EQ(asked("70"), 1);
  EXPECT_EQ(asked("120"), 1);
  EXPECT_EQ(asked("0.07"), 0);
  EXPECT_EQ(asked("70 mm"), 0);
  EXPECT_EQ(asked("0"), 0);
}

}  // namespace
}  // namespace cardan
