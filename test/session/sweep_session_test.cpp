// Sweeps from request to store: the same rows for any number of workers, killed ones gone on with,
// points again as ordinary runs.
#include "cardan/session/sweep_session.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "cardan/session/memory_run.h"
#include "cardan/session/verify.h"
#include "test/places.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

class SweepSession : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cardan-sweep-XXXXXX";
    folder_ = mkdtemp(name);
  }

  void TearDown() override { fs::remove_all(folder_); }

  std::string place(const char* name) const { return (folder_ / name).string(); }

  static SweepRequest tolerances(long count) {
    SweepRequest request;
    request.model.path = std::string(test::source_dir) + "/models/slider-crank";
    request.model.give("until", "0.05");
    request.vary = {"crank=normal(80 mm, 0.05 mm)", "rod=uniform(199 mm, 201 mm)"};
    request.measures = {"peak = max(abs(\"wrist pin.force\"))", "x = final(\"piston.x\")"};
    request.design = {DesignKind::latin_hypercube, count, 7};
    return request;
  }

  static std::vector<std::uint64_t> bits(const std::string& store) {
    std::vector<std::uint64_t> out;
    const auto opened = SweepStore::open(store);
    EXPECT_TRUE(opened);
    if (!opened) return out;
    EXPECT_FALSE(opened.value().each([&](const SweepRow& row) {
      out.push_back(static_cast<std::uint64_t>(row.number));
      EXPECT_EQ(row.result.status, "complete");
      for (const double x : row.values) out.push_back(std::bit_cast<std::uint64_t>(x));
      for (const double x : row.result.measures) out.push_back(std::bit_cast<std::uint64_t>(x));
      return true;
    }));
    return out;
  }

  fs::path folder_;
};

TEST_F(SweepSession, same_bits_for_any_number_of_workers) {
  const auto request = tolerances(40);
  SweepControl control;
  control.workers = 1;
  ASSERT_TRUE(run_sweep(request, {place("one")}, control));
  control.workers = 3;
  ASSERT_TRUE(run_sweep(request, {place("three")}, control));
  EXPECT_EQ(bits(place("one")), bits(place("three")));
  EXPECT_EQ(bits(place("one")).size(), 40U * 5);
}

TEST_F(SweepSession, what_was_stopped_is_gone_on_with) {
  const auto request = tolerances(60);
  ASSERT_TRUE(run_sweep(request, {place("whole")}, {}));
  SweepControl control;
  std::atomic<long> seen = 0;
  control.workers = 2;
  control.progress = [&](const SweepTally& tally) {
    seen = tally.done();
  };
  control.cancelled = [&] {
    return seen >= 20;
  };
  const auto part = run_sweep(request, {place("part")}, control);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part.value().tally.interrupted);
  EXPECT_LT(part.value().tally.done(), 60);
  const auto rest = resume_sweep(place("part"), {});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest.value().tally.before, part.value().tally.done());
  EXPECT_EQ(bits(place("whole")), bits(place("part")));
  const auto again = resume_sweep(place("part"), {});  // nothing is left
  ASSERT_TRUE(again);
  EXPECT_EQ(again.value().tally.before, 60);
  const auto twice = run_sweep(request, {place("part")}, {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.why().front().id, "io.exists");
  EXPECT_TRUE(run_sweep(request, {place("part"), true}, {}));
}

TEST_F(SweepSession, a_point_again_is_an_ordinary_run_with_the_same_bits) {
  ASSERT_TRUE(run_sweep(tolerances(12), {place("sweep")}, {}));
  for (const long number : {0, 11}) {
    OutputSetting output;
    output.folder = place("run") + std::to_string(number);
    output.report = false;
    const auto again = run_point_again(place("sweep"), number, output, {});
    ASSERT_TRUE(again);
    EXPECT_TRUE(again.value().same);
    EXPECT_TRUE(fs::exists(fs::path(output.folder) / "run.db"));
  }
  const auto beyond = run_point_again(place("sweep"), 12, {}, {});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.why().front().expected, "one of 0 to 11");
}

// x = r cos a + sqrt(l^2 - r^2 sin^2 a): the spread of the piston's place in a given pose, to first order
// sigma^2 = (x_r sigma_r)^2 + (x_l sigma_l)^2.
TEST_F(SweepSession, tolerances_spread_as_the_closed_form_says) {
  const bool full = std::getenv("CARDAN_FULL") != nullptr;
  const long count = full ? 10000 : 2000;
  SweepRequest request;
  request.model.path = "slider.toml";
  request.model.text = R"toml(
[parameters]
crank = "80 mm"
rod = "200 mm"
angle = "70 deg"
[[body]]
name = "crank"
from = [0, 0]
to = ["crank*cos(angle)", "crank*sin(angle)"]
mass = 1
[[body]]
name = "rod"
from = ["crank*cos(angle)", "crank*sin(angle)"]
to = ["crank*cos(angle) + sqrt(rod^2 - (crank*sin(angle))^2)", 0]
mass = 1
[[body]]
name = "piston"
at = ["crank*cos(angle) + 0.19", 0]
mass = 1
inertia = 1
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["crank", "rod"]
at = ["crank*cos(angle)", "crank*sin(angle)"]
[[joint]]
type = "revolute"
name = "wrist"
between = ["rod", "piston"]
points = [["rod", 0], [0, 0]]
[[joint]]
type = "translational"
name = "cylinder"
between = ["ground", "piston"]
axis = [1, 0]
[[initial]]
joint = "bearing"
angle = "angle"
)toml";
  request.vary = {"crank=normal(80 mm, 0.05 mm)", "rod=normal(200 mm, 0.1 mm)"};
  request.measures = {"x = final(\"piston.x\")"};
  request.design = {DesignKind::latin_hypercube, count, 1};
  const auto done = run_sweep(request, {place("sweep")}, {});
  ASSERT_TRUE(done) << to_text(done.why().front());
  const auto store = SweepStore::open(place("sweep"));
  ASSERT_TRUE(store);
  double n = 0, sum = 0, squares = 0;
  ASSERT_FALSE(store.value().each([&](const SweepRow& row) {
    const double x = row.result.measures[0];
    n += 1, sum += x, squares += x * x;
    return true;
  }));
  ASSERT_EQ(n, static_cast<double>(count));
  const double a = 70 * 3.141592653589793 / 180, r = 0.08, l = 0.2;
  const double along = std::sqrt(l * l - r * r * std::sin(a) * std::sin(a));
  const double x_r = std::cos(a) - r * std::sin(a) * std::sin(a) / along, x_l = l / along;
  const double expected = std::hypot(x_r * 5e-5, x_l * 1e-4);
  const double found = std::sqrt(squares / n - (sum / n) * (sum / n));
  EXPECT_NEAR(found / expected, 1, 3 / std::sqrt(2 * n));
  EXPECT_NEAR(sum / n, r * std::cos(a) + along, 3 * expected / std::sqrt(n));
}

TEST_F(SweepSession, failed_points_do_not_end_it) {
  SweepRequest request = tolerances(0);
  request.model.path = std::string(test::source_dir) + "/models/four-bar";
  request.model.options.clear();
  const auto model = read(request.model);
  ASSERT_TRUE(model);
  const auto& [name, value] = model.value().parameters.front();
  request.vary = {name + "=" + std::to_string(value) + "," + std::to_string(50 * value)};
  request.measures = {"r = max(\"residual.position\")"};
  request.design = {};
  const auto done = run_sweep(request, {place("sweep")}, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done.value().tally.failed, 1);
  ASSERT_EQ(done.value().tally.causes.size(), 1U);
  EXPECT_EQ(done.value().tally.causes.begin()->first, "model.not-finite");
}

TEST_F(SweepSession, other_files_and_other_versions_are_refused) {
  EXPECT_FALSE(SweepStore::open(place("nothing")));
  const auto ready = ReadySweep::make(tolerances(3));
  ASSERT_TRUE(ready);
  auto about = ready.value().about();
  about["version"] = "0.0.1";
  ASSERT_TRUE(SweepStore::create(place("old"), about, ready.value().columns(), false));
  const auto resumed = resume_sweep(place("old"), {});
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.why().front().id, "io.other-version");
}

TEST_F(SweepSession, a_run_in_memory_is_the_stored_one) {
  RunRequest request;
  request.model.path = std::string(test::source_dir) + "/models/slider-crank";
  request.model.give("until", "0.1");
  request.model.give("error_estimate", "true");
  const auto here = run_in_memory(request);
  ASSERT_TRUE(here);
  OutputSetting output;
  output.folder = place("run");
  output.report = false;
  ASSERT_TRUE(store_run(
      *here.value().run, here.value().outcome.summary, model_file(request.model.path), output));
  const auto verified = verify_run(place("run"), "", {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified.value().difference.none());
}

}  // namespace
}  // namespace cardan
