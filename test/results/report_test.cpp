#include "cardan/report/report.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "cardan/results/run_process.h"
#include "test/results/support.h"

namespace cardan::test {
namespace {

using Json = nlohmann::ordered_json;

Json some_manifest() {
  return {
      {"model", {{"path", "models/crank/model.toml"}, {"text", "title = \"</script><b>\"\n"}}},
      {"scene", {{"title", "Crank </script>"}, {"space", "planar"}, {"bodies", Json::array()}}}};
}

std::unique_ptr<RunWriter> new_store(const Folder& folder) {
  return value_of(RunWriter::create(folder / "run.db", some_manifest()));
}

// One channel sampled at t = 0, 1, 2, ...
RunReader store_of(const Folder& folder, const std::vector<double>& values) {
  auto writer = new_store(folder);
  EXPECT_FALSE(writer->open(std::vector<Channel>{{"c", "m", "body b", "position"}}));
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_FALSE(writer->sample(static_cast<double>(i), std::span(&values[i], 1)));
  EXPECT_FALSE(writer->close());
  return value_of(RunReader::open(folder.path()));
}

struct Unpacked {
  std::vector<double> t, at, extra_t, extra;
};

Unpacked unpack(const PackedColumns& packed) {
  const auto raw = inflate_bytes(packed.data, packed.bytes);
  const auto kept = static_cast<std::size_t>(packed.kept);
  std::size_t from = 0;
  const auto next = [&](std::size_t n) {
    const auto column = unshuffle_column(std::span(raw).subspan(from, 8 * n));
    from += 8 * n;
    return column;
  };
  Unpacked out{next(kept), next(kept), {}, {}};
  if (packed.thinned()) out.extra_t = next(2 * (kept - 1)), out.extra = next(2 * (kept - 1));
  EXPECT_EQ(from, raw.size());
  return out;
}

TEST(ReportColumns, ShuffleKeepsEveryBit) {
  const std::vector<double> values{
      0.0, -0.0, 1.0, -1.0, 0.1 + 0.2, 5e-324, 1e308, std::numeric_limits<double>::infinity()};
  std::vector<std::byte> bytes;
  shuffle_column(values, bytes);
  const auto back = unshuffle_column(bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(back[i], values[i]);
    EXPECT_EQ(std::signbit(back[i]), std::signbit(values[i]));
  }
}

TEST(ReportColumns, Base64) {
  const auto text = [](const char* s) {
    return base64(std::as_bytes(std::span(s, std::strlen(s))));
  };
  EXPECT_EQ(text("M"), "TQ==");
  EXPECT_EQ(text("Ma"), "TWE=");
  EXPECT_EQ(text("Man"), "TWFu");
}

TEST(ReportColumns, ShortRunsAreKeptWhole) {
  const Folder folder;
  const auto run = store_of(folder, {1.5, 2.5, -3.5});
  const auto packed = value_of(pack_columns(run, 0, {}));
  EXPECT_FALSE(packed.thinned());
  EXPECT_EQ(unpack(packed).at, (std::vector<double>{1.5, 2.5, -3.5}));
}

TEST(ReportColumns, ThinningKeepsTheExtremesOfEveryInterval) {
  const Folder folder;
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(std::sin(0.37 * i) + 1e-3 * std::cos(91.0 * i));
  values[4321] = 77.25;  // one sample of 5,000
  const auto run = store_of(folder, values);
  const auto packed = value_of(pack_columns(run, 0, {.packed_limit = 9000, .fewest = 20}));
  ASSERT_TRUE(packed.thinned());
  const Unpacked u = unpack(packed);
  for (std::size_t g = 0; g + 1 < u.t.size(); ++g) {
    const auto first = static_cast<std::size_t>(u.t[g]),
               last = static_cast<std::size_t>(u.t[g + 1]);
    const auto [low, high] = std::minmax_element(values.begin() + first, values.begin() + last + 1);
    double least = std::min(u.at[g], u.at[g + 1]), most = std::max(u.at[g], u.at[g + 1]);
    for (const std::size_t k : {2 * g, 2 * g + 1}) {
      if (std::isnan(u.extra_t[k])) continue;
      EXPECT_EQ(u.extra[k], values[static_cast<std::size_t>(u.extra_t[k])]);
      least = std::min(least, u.extra[k]), most = std::max(most, u.extra[k]);
    }
    EXPECT_EQ(least, *low);
    EXPECT_EQ(most, *high);
  }
  EXPECT_NE(std::find(u.extra.begin(), u.extra.end(), 77.25), u.extra.end());
}

TEST(ReportColumns, ValuesThatAreNotFiniteAreCountedWhenThinned) {
  const Folder folder;
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(1.7 * static_cast<double>(i * i));
  values[1234] = std::nan("");
  const auto packed =
      value_of(pack_columns(store_of(folder, values), 0, {.packed_limit = 9000, .fewest = 20}));
  ASSERT_TRUE(packed.thinned());
  EXPECT_EQ(packed.not_finite.at(0), 1);
}

TEST(RunStatus, IsTheStoresWordAndElseTheProcess) {
  const Folder folder;
  const auto status = [&] {
    return run_status(value_of(RunReader::open(folder.path())));
  };
  {
    auto writer = new_store(folder);
    EXPECT_EQ(status(), "running");  // this process writes it
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 20, 10));
    EXPECT_EQ(status(), "running");
    ASSERT_FALSE(writer->set("status", "interrupted"));
    ASSERT_FALSE(writer->close());
  }
  EXPECT_EQ(status(), "interrupted");
  {
    std::ofstream(folder / "summary.json") << R"({"status": "interrupted"})";
    const auto writer = value_of(RunWriter::append(folder / "run.db"));
    EXPECT_EQ(status(), "running");  // resumed: the summary is that of the first part
    ASSERT_FALSE(writer->set("status", "complete"));
    ASSERT_FALSE(writer->close());
  }
  EXPECT_EQ(status(), "completed");
}

TEST(RunStatus, ARunWhoseProcessIsGoneWasInterrupted) {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto writer = new_store(folder);
    (void)writer->open(three_channels);
    (void)write_rows(*writer, 0, 20, 10);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(run_status(value_of(RunReader::open(folder.path()))), "interrupted");
}

TEST(RunStatus, AProcessElsewhereIsNotKnown) {
  Json facts = process_facts();
  EXPECT_EQ(still_there(facts), true);
  EXPECT_EQ(still_there({{"pid", facts["pid"]}, {"start", 1}, {"system", facts["system"]}}), false);
  facts["system"] = "another";
  EXPECT_EQ(still_there(facts), std::nullopt);
  EXPECT_EQ(still_there(Json()), std::nullopt);
}

TEST(Report, PageHoldsTheRunAndNothingCanBreakOut) {
  const Folder folder;
  const auto run = store_of(folder, {1, 2, 3});
  const auto html = value_of(report_html({&run}, {}));
  EXPECT_NE(html.find("cardan-run"), std::string::npos);
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
  EXPECT_EQ(html.find(viewer_data_mark), std::string::npos);
}

TEST(Report, SaysWhatIsMissingWithoutTheViewer) {
  const Folder folder;
  const auto run = store_of(folder, {1, 2, 3});
  std::ofstream(folder / "summary.json") << R"({"status": "complete", "integrator": "ode45 <b>"})";
  const auto html = value_of(report_html({&run}, {}, ""));
  for (const char* words : {"Plots and animation are missing", "Node.js", "18", "cardan plot"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
  EXPECT_NE(html.find("ode45 &lt;b>"), std::string::npos);    // the facts are there
  EXPECT_NE(html.find("cardan-columns"), std::string::npos);  // and so are the numbers
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
}

TEST(Report, DocumentSaysWhatTheStoreHolds) {
  const Folder folder;
  {
    auto writer = new_store(folder);
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 50, 10));
    ASSERT_FALSE(writer->event({0.02, "stop", "joint pin", "hit"}));
    Diagnostic d;
    d.id = "analysis.lock-up";
    d.t = 0.03;
    ASSERT_FALSE(writer->diagnostic(d));
    ASSERT_FALSE(writer->close());
  }
  const auto run = value_of(RunReader::open(folder.path()));
  const auto packed = value_of(pack_columns(run, 0, {}));
  const Json doc = value_of(report_document({&run, 0, "7"}, packed));
  EXPECT_EQ(doc["title"], "Crank </script>");
  EXPECT_EQ(doc["rows"], 50);
  EXPECT_EQ(doc["channels"].size(), 3u);
  EXPECT_EQ(doc["channels"][2]["unit"], "N");
  EXPECT_EQ(doc["events"][0]["element"], "joint pin");
  EXPECT_EQ(doc["diagnostics"][0]["t"], 0.03);
  EXPECT_TRUE(doc["diagnostics"][0]["h"].is_null());
  EXPECT_EQ(doc["model"]["text"], "title = \"</script><b>\"\n");
  EXPECT_FALSE(doc["manifest"].contains("scene"));
}

TEST(Report, RunWithoutAnyAnalysisStillHasAReport) {
  const Folder folder;
  EXPECT_FALSE(new_store(folder)->close());
  const auto run = value_of(RunReader::open(folder.path()));
  const auto html = value_of(report_html({&run}, {}));
  EXPECT_NE(html.find("\"channels\":[]"), std::string::npos);
}

}  // namespace
}  // namespace cardan::test
