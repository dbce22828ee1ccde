// Inverse dynamics of a motion that a table of measurements gives.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

// Two links of an arm; both angles as functions of time.
double shoulder(double t) {
  return 0.4 + 0.5 * std::sin(2 * t);
}

double elbow(double t) {
  return 0.9 - 0.3 * std::cos(3 * t);
}

std::string arm(const std::string& curves, const std::string& one, const std::string& other) {
  return fmt::format(R"(gravity = [0, -9.81]

[[body]]
name = "upper"
from = [0, 0]
to   = [0.3, 0]
mass = 2

[[body]]
name = "lower"
from = [0.3, 0]
to   = [0.55, 0]
mass = 1.2

[[joint]]
type = "revolute"
name = "shoulder"
between = ["ground", "upper"]
at = [0, 0]

[[joint]]
type = "revolute"
name = "elbow"
between = ["upper", "lower"]
at = [0.3, 0]

[[driver]]
joint = "shoulder"
name = "one"
motion = "{}"

[[driver]]
joint = "elbow"
name = "other"
motion = "{}"

[[analysis]]
type = "inverse"
until = 2
output_step = 0.05
)",
                     one,
                     other) +
         curves;
}

class MeasuredMotion : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "cardan_measured";
    fs::create_directories(folder_);
  }

  void TearDown() override { fs::remove_all(folder_); }

  // In degrees, with a column that is no number.
  void write_table(double noise) {
    std::mt19937 random(7);
    std::normal_distribution<double> error(0, 1);
    std::ofstream file(folder_ / "arm.csv");
    file << "frame,time,shoulder (deg),note,elbow (deg)\n";
    for (int k = 0; k <= 400; ++k) {
      const double t = k * 0.005, degrees = 180 / std::acos(-1.0);
      file << fmt::format("{},{:.6f},{:.10f},ok,{:.10f}\n",
                          k,
                          t,
                          degrees * (shoulder(t) + noise * error(random)),
                          degrees * (elbow(t) + noise * error(random)));
    }
  }

  static std::string curve(const std::string& name,
                           const std::string& column,
                           const std::string& more) {
    return fmt::format(
        "[[curve]]\nname = \"{}\"\ntype = \"spline\"\nfile = \"arm.csv\"\nunits = [\"s\", "
        "\"deg\"]\ncolumns = [\"time\", \"{}\"]\n{}\n",
        name,
        column,
        more);
  }

  Result<Model> read(const std::string& text) const {
    ReadOptions options;
    options.folder = folder_;
    return read_model_text(text, "arm.toml", options);
  }

  test::Memory run(const std::string& text) const {
    const auto model = read(text);
    EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
    test::Memory memory;
    if (!model) return memory;
    const Outcome outcome = run_model(model.value(), memory, {});
    EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
    return memory;
  }

  std::string measured(const std::string& more) const {
    return arm(curve("a", "shoulder (deg)", more) + curve("b", "5", more), "a", "b");
  }

  static std::string exact() { return arm("", "0.4 + 0.5*sin(2*t)", "0.9 - 0.3*cos(3*t)"); }

  fs::path folder_;
};

// Torques follow from second derivatives, so they show whether those are of the curve itself.
TEST_F(MeasuredMotion, GivesTheTorquesOfTheMotion) {
  write_table(0);
  const test::Memory table = run(measured("smoothing = 0")), formula = run(exact());
  ASSERT_EQ(table.rows.size(), formula.rows.size());
  for (std::size_t k = 4; k + 4 < table.rows.size(); ++k)
    for (const char* channel : {"one.torque", "other.torque", "shoulder.second.fx"})
      EXPECT_NEAR(table.value(channel, k), formula.value(channel, k), 2e-5) << channel << " " << k;
}

TEST_F(MeasuredMotion, IsSmoothedOnRequest) {
  const double noise = 1e-3;
  write_table(noise);
  const test::Memory smooth = run(measured(fmt::format("smoothing = \"{} rad\"", noise))),
                     rough = run(measured("smoothing = 0")), formula = run(exact());
  double with = 0, without = 0, largest = 0;
  for (std::size_t k = 4; k + 4 < formula.rows.size(); ++k) {
    const double right = formula.value("one.torque", k);
    largest = std::max(largest, std::abs(right));
    with = std::max(with, std::abs(smooth.value("one.torque", k) - right));
    without = std::max(without, std::abs(rough.value("one.torque", k) - right));
  }
  EXPECT_LT(with, 0.05 * largest);
  EXPECT_GT(without, largest);
}

TEST_F(MeasuredMotion, TellsWhatIsWrong) {
  write_table(0);
  const auto why = [&](const std::string& curves) {
    const auto model = read(arm(curves, "a", "0.9"));
    EXPECT_FALSE(model) << curves;
    return model ? std::string() : to_text(model.why());
  };
  EXPECT_NE(why(curve("a", "knee", "")).find("knee"), std::string::npos);
  EXPECT_NE(why(curve("a", "9", "")).find("'9'"), std::string::npos);
  EXPECT_NE(why(curve("a", "note", "")).find("not numbers"), std::string::npos);
  EXPECT_NE(why(curve("a", "3", "smoothing = -1")).find("smoothing"), std::string::npos);
  EXPECT_NE(why(curve("a", "3", "smoothing = 1\nslopes = [0, 0]")).find("smoothing"),
            std::string::npos);
}

}  // namespace
}  // namespace cardan
