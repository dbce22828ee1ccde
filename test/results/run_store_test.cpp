#include <chrono>
#include <cstdlib>
#include <thread>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardan/results/database.h"
#include "cardan/results/hash.h"
#include "cardan/results/manifest.h"
#include "cardan/results/run_folder.h"
#include "support.h"

namespace cardan::test {

namespace {

nlohmann::ordered_json small_manifest() {
  return make_manifest({"pendulum/model.toml", "title = \"Pendulum\"\n", {{"part.toml", "x"}}},
                       {{"rtol", 1e-6}});
}

std::unique_ptr<RunWriter> new_store(const std::filesystem::path& path) {
  return value_of(RunWriter::create(path, small_manifest()));
}

TEST(RunStore, GivesBackWhatWasWritten) {
  const Folder folder;
  {
    auto writer = new_store(folder / "run.db");
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 5000, 100));
    ASSERT_FALSE(writer->event({0.25, "event", "joint stop", "engaged"}));
    Diagnostic d;
    d.id = "numeric.drift";
    d.severity = Severity::warning;
    d.found = "0.1 + 0.2 of a metre";
    d.t = 0.1 + 0.2;
    d.worst = {{"revolute 'pin', y", 1e-3}};
    ASSERT_FALSE(writer->diagnostic(d));
    ASSERT_FALSE(writer->close());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db-wal"));
  const auto reader = value_of(RunReader::open(folder.path()));
  ASSERT_EQ(reader.segments().size(), 1u);
  EXPECT_EQ(reader.segments()[0].channels[2].element, "joint main bearing");
  EXPECT_EQ(reader.segments()[0].rows, 5000);
  EXPECT_EQ(count_right_rows(reader), 5000);

  const auto log = value_of(reader.log());
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(log.events[0].text, "engaged");
  EXPECT_EQ(log.events[0].analysis, 0);
  ASSERT_EQ(log.diagnostics.size(), 1u);
  EXPECT_EQ(log.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(log.diagnostics[0].t, 0.1 + 0.2);
  EXPECT_EQ(log.diagnostics[0].worst[0].equation, "revolute 'pin', y");

  const auto manifest = value_of(reader.manifest());
  EXPECT_EQ(manifest["model"]["text"], "title = \"Pendulum\"\n");
  EXPECT_EQ(manifest["model"]["sha256"], sha256("title = \"Pendulum\"\n"));
  EXPECT_EQ(manifest["model"]["included"][0]["sha256"], sha256("x"));
  EXPECT_EQ(manifest["settings"]["rtol"], 1e-6);
  EXPECT_EQ(manifest["versions"]["cardan"], version());

  const auto checkpoint = value_of(reader.checkpoint());
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(number_in(checkpoint->data), 5000);
}

TEST(RunStore, ReadsChannelsByPattern) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 100, 10));
  ASSERT_FALSE(writer->close());
  const auto reader = value_of(RunReader::open(folder / "run.db"));
  const auto& channels = reader.segments()[0].channels;

  const std::vector<std::string> patterns{"*.force_?", "crank.x"};
  const auto chosen = value_of(select_channels(channels, patterns));
  EXPECT_EQ(chosen, (std::vector<int>{0, 2}));
  const auto columns = value_of(reader.read(0, chosen));
  EXPECT_EQ(columns.t.size(), 100u);
  EXPECT_EQ(columns.values[1][7], row_values(7)[2]);

  const std::vector<std::string> wrong{"crnk.x"};
  const auto none = select_channels(channels, wrong);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.why().front().id, "usage.unknown-channel");
  EXPECT_NE(none.why().front().hint.find("crank.x"), std::string::npos);

  const auto ranges = value_of(reader.ranges(0, chosen));
  const auto largest = std::max_element(columns.values[0].begin(), columns.values[0].end());
  EXPECT_EQ(ranges[0].largest, *largest);
  EXPECT_EQ(ranges[0].t_largest,
            columns.t[static_cast<std::size_t>(largest - columns.values[0].begin())]);
}

TEST(RunStore, KeepsAnalysesApart) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 7, 100));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 3000, 50));
  ASSERT_FALSE(writer->open(std::span(three_channels).first(1)));
  ASSERT_FALSE(writer->sample(0, row_values(0, 1)));
  ASSERT_FALSE(writer->close());
  const auto reader = value_of(RunReader::open(folder / "run.db"));
  ASSERT_EQ(reader.segments().size(), 3u);
  EXPECT_EQ(count_right_rows(reader, 0), 7);
  EXPECT_EQ(count_right_rows(reader, 1), 3000);
  EXPECT_EQ(reader.segments()[2].channels.size(), 1u);
  EXPECT_EQ(count_right_rows(reader, 2), 1);
}

// What follows the last checkpoint is dropped on resuming, whether it was committed by close() or
// not.
TEST(RunStore, ContinuesAtTheCheckpoint) {
  for (const bool closed : {true, false}) {
    const Folder folder;
    {
      auto writer = new_store(folder / "run.db");
      ASSERT_FALSE(writer->open(three_channels));
      ASSERT_FALSE(write_rows(*writer, 0, 4321, 1000));
      ASSERT_FALSE(writer->event({4.3, "event", "", "after the checkpoint"}));
      if (closed) {
        ASSERT_FALSE(writer->close());
      }
    }
    const auto before = value_of(RunReader::open(folder / "run.db"));
    EXPECT_EQ(count_right_rows(before), closed ? 4321 : 4000);
    auto writer = value_of(RunWriter::append(folder / "run.db"));
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 4000, 6000, 1000));
    ASSERT_FALSE(writer->close());
    const auto after = value_of(RunReader::open(folder / "run.db"));
    EXPECT_EQ(count_right_rows(after), 6000);
    EXPECT_TRUE(value_of(after.log()).events.empty());
  }
}

TEST(RunStore, ContinuesInALaterAnalysis) {
  const Folder folder;
  {
    auto writer = new_store(folder / "run.db");
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 10, 10));
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 25, 10));
    ASSERT_FALSE(writer->open(three_channels));  // never reached a checkpoint
    ASSERT_FALSE(writer->close());
  }
  auto writer = value_of(RunWriter::append(folder / "run.db"));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 20, 40, 10));
  ASSERT_FALSE(writer->close());
  const auto reader = value_of(RunReader::open(folder / "run.db"));
  ASSERT_EQ(reader.segments().size(), 2u);
  EXPECT_EQ(count_right_rows(reader, 0), 10);
  EXPECT_EQ(count_right_rows(reader, 1), 40);
}

TEST(RunStore, StartsAgainWithoutACheckpoint) {
  const Folder folder;
  {
    auto writer = new_store(folder / "run.db");
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 5, 100));
    ASSERT_FALSE(writer->close());
  }
  auto writer = value_of(RunWriter::append(folder / "run.db"));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 8, 4));
  ASSERT_FALSE(writer->close());
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(folder / "run.db"))), 8);
}

TEST(RunStore, RefusesOtherChannelsOnContinuing) {
  const Folder folder;
  {
    auto writer = new_store(folder / "run.db");
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 0, 10, 10));
    ASSERT_FALSE(writer->close());
  }
  auto writer = value_of(RunWriter::append(folder / "run.db"));
  const auto fault = writer->open(std::span(three_channels).first(2));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->id, "corrupt.store");
}

TEST(RunStore, IsReadWhileItIsWritten) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 150, 100));
  auto reader = value_of(RunReader::open(folder / "run.db"));
  EXPECT_EQ(count_right_rows(reader), 100);  // what the last checkpoint made durable
  ASSERT_FALSE(write_rows(*writer, 150, 900, 100));
  EXPECT_EQ(count_right_rows(reader), 100);  // still the moment of opening
  ASSERT_FALSE(reader.refresh());
  EXPECT_EQ(count_right_rows(reader), 900);
  ASSERT_FALSE(writer->close());
  ASSERT_FALSE(reader.refresh());
  EXPECT_EQ(count_right_rows(reader), 900);
}

// Reading what a kill left behind also puts it in order.
TEST(RunStore, LeavesOneFile) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 500, 100));
  EXPECT_TRUE(std::filesystem::exists(folder / "run.db-wal"));
  ASSERT_FALSE(writer->close());
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(folder / "run.db"))), 500);
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db-shm"));
}

// A writer killed after it began the log, and before it wrote anything there.
TEST(RunStore, IsReadWithALogThatHasOnlyBegun) {
  const Folder folder;
  const auto path = folder / "run.db";
  const pid_t child = fork();
  if (child == 0) {
    auto writer = new_store(path);
    const bool wrong = writer->open(three_channels) || write_rows(*writer, 0, 500, 100);
    Database other(path, Database::Access::write);
    _exit(!wrong && other.run("PRAGMA wal_checkpoint(PASSIVE)") ? 0 : 1);  // nothing is closed
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(folder / "run.db-shm"));
  std::filesystem::resize_file(folder / "run.db-wal", 32);
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(path))), 500);
}

TEST(RunStore, HasOneWriterAtATime) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  const auto second = RunWriter::append(folder / "run.db");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.why().front().id, "io.busy");
  const auto again = RunWriter::create(folder / "run.db", small_manifest());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.why().front().id, "io.exists");
}

TEST(RunStore, WantsACheckpointAfterAWhile) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  EXPECT_FALSE(writer->checkpoint_due());
  std::int64_t rows = 0;
  for (; !writer->checkpoint_due() && rows < 10'000'000; ++rows)
    ASSERT_FALSE(writer->sample(0, row_values(0)));
  EXPECT_LT(rows, 10'000'000);
  ASSERT_FALSE(writer->checkpoint(0, {}));
  EXPECT_FALSE(writer->checkpoint_due());
}

// One that takes long is not made after every step: it takes a small share of a run whatever its size.
TEST(RunStore, LargeCheckpointsAreFarApart) {
  using Clock = std::chrono::steady_clock;
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  ASSERT_FALSE(writer->open(three_channels));
  const std::vector<std::byte> large(std::size_t{32} << 20, std::byte{1});
  const auto start = Clock::now();
  ASSERT_FALSE(writer->checkpoint(0, large));
  const auto took = Clock::now() - start;
  while (!writer->checkpoint_due() && Clock::now() - start < 6 * took)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(Clock::now() - start, 6 * took);
}

TEST(RunStore, RefusesARowOfTheWrongLength) {
  const Folder folder;
  auto writer = new_store(folder / "run.db");
  EXPECT_THROW((void)writer->sample(0, row_values(0)), std::logic_error);
  ASSERT_FALSE(writer->open(three_channels));
  EXPECT_THROW((void)writer->sample(0, row_values(0, 2)), std::logic_error);
}

TEST(RunStore, TellsWhatIsNotARun) {
  const Folder folder;
  const auto id_of = [](const std::filesystem::path& path) {
    const auto reader = RunReader::open(path);
    return reader ? "a run" : reader.why().front().id;
  };
  EXPECT_EQ(id_of(folder / "nothing.db"), "io.open");
  EXPECT_EQ(id_of(folder.path()), "io.not-a-run");
  std::ofstream(folder / "empty.db").close();
  EXPECT_EQ(id_of(folder / "empty.db"), "io.not-a-run");
  std::ofstream(folder / "text.db")
      << "title = \"this is a model, not a run, and long enough to be looked at\"\n";
  EXPECT_EQ(id_of(folder / "text.db"), "io.not-a-run");

  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "other.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(id_of(folder / "other.db"), "io.not-a-run");
  const auto writer = RunWriter::append(folder / "other.db");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.why().front().id, "io.not-a-run");

  new_store(folder / "newer.db")->close();
  ASSERT_EQ(sqlite3_open((folder / "newer.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(id_of(folder / "newer.db"), "io.not-a-run");
}

}  // namespace

}  // namespace cardan::test
