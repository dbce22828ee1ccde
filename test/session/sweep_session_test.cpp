// Sweeps from request to store: the same rows for any number of workers, killed ones gone on with,
// points again as ordinary runs.
#include "cardan/session/sweep_session.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "cardan/session/memory_run.h"
#include "cardan/session/sweep_page.h"
#include "cardan/session/verify.h"
#include "cardan/study/sweep_statistics.h"
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

// Readers leave nothing beside a store, so that it is read from folders that may not be written.
// Initial and final values are those of the steps, whether rows lie between them or not.
TEST_F(SweepSession, measures_of_ends_need_no_rows) {
  SweepRequest request = tolerances(8);
  request.measures = {"x = final(\"piston.x\")", "v = initial(\"crank.omega\")"};
  ASSERT_TRUE(run_sweep(request, {place("ends"), false}, {}));
  request.measures.emplace_back("top = max(\"piston.x\")");
  ASSERT_TRUE(run_sweep(request, {place("rows"), false}, {}));
  const auto ends = SweepStore::open(place("ends")), rows = SweepStore::open(place("rows"));
  ASSERT_TRUE(ends && rows);
  for (long number = 0; number < 8; ++number) {
    const auto a = ends.value().row(number), b = rows.value().row(number);
    ASSERT_TRUE(a && b && a.value() && b.value());
    EXPECT_EQ(a.value()->result.status, "complete");
    EXPECT_NEAR(a.value()->result.measures[0], b.value()->result.measures[0], 1e-14);
    EXPECT_EQ(a.value()->result.measures[1], b.value()->result.measures[1]);
  }
  const auto again = run_point_again(place("ends"), 5, {place("run"), false, false, false}, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again.value().same);
}

TEST_F(SweepSession, a_store_is_one_file) {
  ASSERT_TRUE(run_sweep(tolerances(3), {place("sweep")}, {}));
  EXPECT_EQ(bits(place("sweep")).size(), 3U * 5);
  for (const auto& entry : fs::directory_iterator(place("sweep")))
    EXPECT_EQ(entry.path().filename(), "sweep.db");
  const auto none = SweepStore::open(folder_);
  ASSERT_FALSE(none);
  EXPECT_NE(none.why().front().expected.find("sweep"), std::string::npos);
}

// Names that differ in their letters' case only, which SQLite does not tell apart.
TEST_F(SweepSession, names_of_one_sound) {
  SweepRequest request;
  request.model.path = "model.toml";
  request.model.text = R"toml(
[parameters]
r = "1 m"
R = "2 m"
[[body]]
name = "ball"
at = ["r", "R"]
mass = 1
inertia = 1
[[analysis]]
type = "dynamic"
until = "1 ms"
)toml";
  request.vary = {"r=1:1:2 m", "R=3:1:4 m"};
  request.measures = {"x = initial(\"ball.x\")", "X = initial(\"ball.y\")"};
  ASSERT_TRUE(run_sweep(request, {place("sweep")}, {}));
  const auto store = SweepStore::open(place("sweep"));
  ASSERT_TRUE(store);
  EXPECT_FALSE(store.value().each([&](const SweepRow& row) {
    EXPECT_EQ(row.values, row.result.measures);
    EXPECT_EQ(row.values,
              (std::vector<double>{1.0 + static_cast<double>(row.number / 2),
                                   3.0 + static_cast<double>(row.number % 2)}));
    return true;
  }));
  request.measures = {"r = initial(\"ball.x\")", "status = initial(\"ball.y\")"};
  const auto taken = run_sweep(request, {place("other")}, {});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.why().size(), 2U);
}

// A sweep has the files of its model: they may change, or be gone, before it goes on.
TEST_F(SweepSession, files_of_the_model_stay_as_they_were) {
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  };
  write("model.toml", R"toml(
include = ["part.toml"]
[parameters]
pull = "1 N"
[[curve]]
name = "law"
type = "linear"
file = "law.csv"
[[force]]
type = "force"
name = "force"
body = "ball"
value = ["pull * law(t)", 0]
[[analysis]]
type = "dynamic"
until = "1 s"
)toml");
  write("part.toml", "[[body]]\nname = \"ball\"\nat = [0, 0]\nmass = 1\ninertia = 1\n");
  write("law.csv", "0,1\n1,2\n2,2\n");
  SweepRequest request;
  request.model.path = place("model.toml");
  request.vary = {"pull=uniform(1 N, 2 N)"};
  request.measures = {"x = final(\"ball.x\")"};
  request.design = {DesignKind::latin_hypercube, 30, 1};
  ASSERT_TRUE(run_sweep(request, {place("whole")}, {}));
  SweepControl control;
  std::atomic<long> seen = 0;
  control.workers = 1;
  control.progress = [&](const SweepTally& tally) {
    seen = tally.done();
  };
  control.cancelled = [&] {
    return seen >= 10;
  };
  ASSERT_TRUE(run_sweep(request, {place("part")}, control));
  write("law.csv", "0,5\n1,5\n2,5\n");
  fs::remove(folder_ / "part.toml");
  ASSERT_TRUE(resume_sweep(place("part"), {}));
  EXPECT_EQ(bits(place("part")), bits(place("whole")));
  OutputSetting output;
  output.folder = place("run");
  output.report = false;
  const auto again = run_point_again(place("part"), 29, output, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again.value().same);
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

// Rows that are kept are those of any worker, also after a stop, and of the channels asked for.
TEST_F(SweepSession, rows_are_kept_where_they_are_asked_for) {
  SweepRequest request = tolerances(300);
  request.samples = {"piston.?", "crank.angle"};
  SweepControl control;
  control.workers = 2;
  ASSERT_TRUE(run_sweep(request, {place("whole")}, control));
  std::atomic<long> seen = 0;
  control.progress = [&](const SweepTally& tally) {
    seen = tally.done();
  };
  control.cancelled = [&] {
    return seen > 100;
  };
  ASSERT_TRUE(run_sweep(request, {place("stopped")}, control));
  ASSERT_TRUE(resume_sweep(place("stopped"), {}));
  const auto whole = SweepStore::open(place("whole")), again = SweepStore::open(place("stopped"));
  ASSERT_TRUE(whole && again);
  std::vector<std::string> names;
  for (const Channel& c : whole.value().columns().samples) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"crank.angle", "piston.x", "piston.y"}));
  for (const long number : {0L, 255L, 256L, 299L}) {
    const auto rows = whole.value().samples(number), other = again.value().samples(number);
    ASSERT_TRUE(rows && other);
    ASSERT_GT(rows.value().size(), 40U);
    ASSERT_EQ(rows.value().size() % 4, 0U);
    EXPECT_EQ(rows.value(), other.value()) << number;
    EXPECT_EQ(rows.value().front(), 0);
    EXPECT_DOUBLE_EQ(rows.value()[rows.value().size() - 4], 0.05);  // t of the last row
    const auto row = whole.value().row(number);
    ASSERT_TRUE(row && row.value());
    EXPECT_EQ(row.value()->result.measures[1], rows.value()[rows.value().size() - 2]);
  }
  EXPECT_TRUE(fs::exists(folder_ / "whole/samples/000000.db"));
  EXPECT_TRUE(fs::exists(folder_ / "whole/samples/000256.db"));
  request.samples = {"pistn.x"};
  const auto wrong = run_sweep(request, {place("wrong")}, {});
  ASSERT_FALSE(wrong);
  EXPECT_NE((wrong.why().front().found + wrong.why().front().hint).find("pist"), std::string::npos);
}

// x = r + l of a centric slider-crank in line: effects, correlations and quantiles are known.
TEST_F(SweepSession, statistics_are_those_of_known_effects) {
  SweepRequest request = tolerances(400);
  request.model.give("until", "0.001");
  request.measures = {"x = initial(\"piston.x\")"};
  ASSERT_TRUE(run_sweep(request, {place("sweep")}, {}));
  const auto store = SweepStore::open(place("sweep"));
  ASSERT_TRUE(store);
  const auto found = sweep_statistics(store.value());
  ASSERT_TRUE(found);
  const MeasureStatistics& x = found.value().front();
  EXPECT_EQ(x.count, 400);
  EXPECT_NEAR(x.mean, 0.28, 1e-6);
  const double rod = 2e-3 / std::sqrt(12.0), crank = 0.05e-3, both = std::hypot(rod, crank);
  EXPECT_NEAR(x.deviation, both, 0.02 * both);
  EXPECT_NEAR(x.correlation[0], crank / both, 4 / std::sqrt(400.0));  // its sampling error
  EXPECT_NEAR(x.correlation[1], rod / both, 0.05);
  EXPECT_NEAR(x.quantiles[2], 0.28, 2e-5);
  ASSERT_EQ(x.effects[1].size(), 10U);  // groups
  for (const auto& [value, mean] : x.effects[1]) EXPECT_NEAR(mean, 0.08 + value, 3e-5);
  request.vary = {"crank=60:10:90 mm", "rod=190 mm,210 mm"};
  request.design = {};
  ASSERT_TRUE(run_sweep(request, {place("grid")}, {}));
  const auto grid = SweepStore::open(place("grid"));
  ASSERT_TRUE(grid);
  const auto effects = sweep_statistics(grid.value());
  ASSERT_TRUE(effects);
  ASSERT_EQ(effects.value().front().effects[0].size(), 4U);
  for (const auto& [value, mean] : effects.value().front().effects[0])
    EXPECT_NEAR(mean, value + 0.2, 1e-9);
}

TEST_F(SweepSession, its_page_has_the_reports_of_its_extremes) {
  SweepRequest request = tolerances(12);
  ASSERT_TRUE(run_sweep(request, {place("sweep")}, {}));
  const fs::path target = folder_ / "page/sweep.html";
  const auto shown = write_sweep_page(place("sweep"), target, {}, false, {});
  ASSERT_TRUE(shown);
  ASSERT_GE(shown.value().size(), 2U);
  EXPECT_FALSE(write_sweep_page(place("sweep"), target, {}, false, {}));  // it is there
  for (const long number : shown.value())
    EXPECT_GT(fs::file_size(folder_ / "page/sweep-points" / (std::to_string(number) + ".html")),
              10000U);
  const auto first = std::to_string(shown.value()[0]) + "-" + std::to_string(shown.value()[1]);
  EXPECT_TRUE(fs::exists(folder_ / "page/sweep-points" / (first + ".html")));
  const auto none = write_sweep_page(place("sweep"), target, std::vector<long>{99}, true, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.why().front().found, "point 99");
  SweepPoints live(place("sweep"));
  const auto page = live.page();
  ASSERT_TRUE(page);
  EXPECT_NE(page.value().find("\"live\":true"), std::string::npos);
  EXPECT_EQ(page.value().find("@DATA@"), std::string::npos);
  EXPECT_TRUE(live.report({3}, {}));
  EXPECT_TRUE(live.report({3, 4}, {}));
  EXPECT_FALSE(live.report({40}, {}));
}

}  // namespace
}  // namespace cardan
