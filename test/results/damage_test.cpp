// What must not lose or falsify results: kills at any moment, a full disk, a damaged file.
#include <csignal>
#include <random>

#include <sys/resource.h>
#include <sys/wait.h>

#include "cardan/results/database.h"
#include "support.h"

namespace cardan::test {

namespace {

std::int64_t environment_count(int quick, int full) {
  return std::getenv("CARDAN_FULL") != nullptr ? full : quick;
}

// Continues the store from its checkpoint up to `rows` rows; tells through the pipe what was
// acknowledged.
[[noreturn]] void write_in_child(const std::filesystem::path& path, std::int64_t rows, int pipe) {
  std::int64_t done = 0;
  if (std::filesystem::exists(path)) {
    auto reader = RunReader::open(path);
    if (!reader) _exit(3);
    auto checkpoint = reader.value().checkpoint();
    if (!checkpoint) _exit(4);
    if (checkpoint.value()) done = number_in(checkpoint.value()->data);
  }
  auto writer = std::filesystem::exists(path) ? RunWriter::append(path)
                                              : RunWriter::create(path, {{"model", "m"}});
  if (!writer || writer.value()->open(three_channels)) _exit(5);
  for (std::int64_t i = done; i < rows; ++i) {
    if (writer.value()->sample(row_time(i), row_values(i))) _exit(6);
    if ((i + 1) % 7 != 0) continue;
    if (writer.value()->checkpoint(row_time(i), bytes_of(i + 1))) _exit(7);
    const std::int64_t acknowledged = i + 1;
    if (write(pipe, &acknowledged, sizeof acknowledged) != sizeof acknowledged) _exit(8);
  }
  _exit(writer.value()->close() ? 9 : 0);
}

TEST(Damage, KilledWritersLoseNothingAcknowledged) {
  const Folder folder;
  const auto path = folder / "run.db";
  constexpr std::int64_t rows = 70'000;
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 60'000);
  std::int64_t acknowledged = 0;
  int kills = 0;
  const std::int64_t wanted = environment_count(30, 300);
  for (bool finished = false; !finished && kills < wanted; ++kills) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) write_in_child(path, rows, ends[1]);
    close(ends[1]);
    usleep(static_cast<useconds_t>(microseconds(random)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    finished = WIFEXITED(status);
    if (finished) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
    }
    for (std::int64_t n = 0; read(ends[0], &n, sizeof n) == sizeof n;) acknowledged = n;
    close(ends[0]);

    if (!std::filesystem::exists(path)) {
      ASSERT_EQ(acknowledged, 0);
      continue;
    }
    const auto reader = value_of(RunReader::open(path));
    const std::int64_t there = reader.segments().empty() ? 0 : count_right_rows(reader);
    ASSERT_GE(there, acknowledged);
    const auto checkpoint = value_of(reader.checkpoint());
    if (!finished) {
      ASSERT_EQ(there, checkpoint ? number_in(checkpoint->data) : 0);
    }
  }
  EXPECT_GT(acknowledged, 0);
  EXPECT_GT(kills, 5);
}

// A file that may not grow stands for a disk that is full.
TEST(Damage, AFullDiskKeepsWhatWasStored) {
  for (const rlim_t limit : {200'000u, 500'000u, 1'200'000u}) {
    const Folder folder;
    const auto path = folder / "run.db";
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit small{limit, limit};
      setrlimit(RLIMIT_FSIZE, &small);
      auto writer = RunWriter::create(path, {{"model", "m"}});
      if (!writer || writer.value()->open(three_channels)) _exit(1);
      const auto fault = write_rows(*writer.value(), 0, 1'000'000, 100);
      if (!fault || fault->id != "io.write" || exit_code(*fault) != 7) _exit(2);
      if (!writer.value()->sample(0, row_values(0))) _exit(3);  // stays failed
      _exit(writer.value()->close() ? 0 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    auto reader = value_of(RunReader::open(path));
    const std::int64_t there = count_right_rows(reader);
    EXPECT_GE(there, 100);
    EXPECT_EQ(number_in(value_of(reader.checkpoint())->data), there);
    // With room again the run goes on.
    auto writer = value_of(RunWriter::append(path));
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, there, there + 5000, 100));
    ASSERT_FALSE(writer->close());
    ASSERT_FALSE(reader.refresh());
    EXPECT_EQ(count_right_rows(reader), there + 5000);
  }
}

TEST(Damage, NoRoomForANewStore) {
  const Folder folder;
  const auto path = folder / "run.db";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{5000, 5000};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto writer = RunWriter::create(path, {{"model", std::string(100'000, 'x')}});
    _exit(!writer && writer.why().front().id == "io.write" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads everything; the id of the first fault, or nothing when all was as written.
std::string read_all(const std::filesystem::path& path, std::int64_t rows) {
  auto reader = RunReader::open(path);
  if (!reader) return reader.why().front().id;
  if (reader.value().segments().size() != 1) return "wrong segments";
  if (reader.value().segments()[0].channels[2].name != three_channels[2].name)
    return "wrong channel";
  std::int64_t i = 0;
  bool right = true;
  const auto fault = reader.value().each_row(0, [&](double t, std::span<const double> row) {
    const auto expected = row_values(i);
    right = right && t == row_time(i) && std::equal(row.begin(), row.end(), expected.begin());
    ++i;
    return true;
  });
  if (fault) return fault->id;
  const auto checkpoint = reader.value().checkpoint();
  if (!checkpoint) return checkpoint.why().front().id;
  if (auto log = reader.value().log(); !log) return log.why().front().id;
  if (auto manifest = reader.value().manifest(); !manifest) return manifest.why().front().id;
  const bool same =
      right && i == rows && checkpoint.value() && number_in(checkpoint.value()->data) == rows;
  return same ? "" : "wrong numbers";
}

// One changed byte anywhere: either nothing that matters changed, or the damage is told. Never
// other numbers.
TEST(Damage, AChangedByteIsFound) {
  const Folder folder;
  const auto path = folder / "run.db";
  auto writer = value_of(RunWriter::create(path, {{"model", "m"}}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 8000, 100));
  ASSERT_FALSE(writer->close());
  const std::string good = content_of(path);
  ASSERT_EQ(read_all(path, 8000), "");

  std::mt19937 random(2);
  std::uniform_int_distribution<std::size_t> place(0, good.size() - 1);
  int found = 0;
  const auto tries = static_cast<int>(environment_count(200, 20'000));
  for (int k = 0; k < tries; ++k) {
    std::string bad = good;
    const std::size_t at = k < 100 ? static_cast<std::size_t>(k) : place(random);
    bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1 << (k % 8)));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    const std::string id = read_all(path, 8000);
    ASSERT_TRUE(id.empty() || id == "corrupt.store" || id == "io.not-a-run" || id == "io.open")
        << id << " after a change of byte " << at;
    found += id == "corrupt.store";
  }
  EXPECT_GT(found, tries / 4);
}

TEST(Damage, ACutFileIsFound) {
  const Folder folder;
  const auto path = folder / "run.db";
  auto writer = value_of(RunWriter::create(path, {{"model", "m"}}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 8000, 100));
  ASSERT_FALSE(writer->close());
  const std::string good = content_of(path);
  for (const double part : {0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const auto length = static_cast<std::streamsize>(part * static_cast<double>(good.size()));
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(good.data(), length);
    EXPECT_EQ(read_all(path, 8000), "corrupt.store") << "cut to " << part;
  }
}

// A store that may not grow is a full disk, whether one writes it or opens it to read.
TEST(FullDisk, IsCalledThat) {
  const Folder folder;
  const std::filesystem::path path = folder / "full.db";
  Database store(path, Database::Access::create);
  ASSERT_TRUE(store.run("CREATE TABLE x (y); PRAGMA max_page_count = 2;"));
  ASSERT_FALSE(store.run("INSERT INTO x VALUES (zeroblob(1000000));"));
  for (const bool writing : {true, false}) {
    const Diagnostic told = store_fault(store, path, writing);
    EXPECT_EQ(told.id, "io.write");
    EXPECT_NE(told.found.find("disk is full"), std::string::npos) << told.found;
  }
}

}  // namespace

}  // namespace cardan::test
