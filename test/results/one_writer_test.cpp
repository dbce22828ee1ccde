// One writer of a run for the life of a process, and readers that disturb nobody.
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cardan/results/run_folder.h"
#include "cardan/results/run_lock.h"
#include "support.h"

namespace cardan::test {

namespace {

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class T> std::string id_of(const Result<T>& result) {
  return result ? "" : result.why().front().id;
}

// A writer in another process that stores rows, with a checkpoint every ten, until it is killed.
class OtherWriter {
 public:
  explicit OtherWriter(const std::filesystem::path& path) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      auto writer = RunWriter::create(path, {{"model", "m"}});
      if (!writer || writer.value()->open(three_channels)) _exit(1);
      for (std::int64_t i = 0;; i += 10) {
        if (write_rows(*writer.value(), i, i + 10, 10)) _exit(2);
        if (i == 100 && write(ends[1], "x", 1) != 1) _exit(3);
        usleep(200);
      }
    }
    close(ends[1]);
    char started = 0;
    EXPECT_EQ(read(ends[0], &started, 1), 1);
    close(ends[0]);
  }

  OtherWriter(const OtherWriter&) = delete;
  OtherWriter& operator=(const OtherWriter&) = delete;

  ~OtherWriter() { stop(); }

  bool runs() const { return waitpid(child_, nullptr, WNOHANG) == 0; }

  void stop() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

TEST(OneWriter, IsNotDisplacedBetweenCheckpoints) {
  const Folder folder;
  OtherWriter other(folder / "run.db");
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(id_of(RunWriter::append(folder / "run.db")), "io.busy");
    ASSERT_EQ(id_of(prepare_run_folder(folder.path(), true)), "io.busy");
  }
  ASSERT_TRUE(other.runs());
  other.stop();
  EXPECT_GT(count_right_rows(value_of(RunReader::open(folder / "run.db"))), 100);
}

TEST(OneWriter, LetsGoWhenItsProcessEnds) {
  const Folder folder;
  {
    OtherWriter other(folder / "run.db");
    other.stop();
  }
  ASSERT_TRUE(
      std::filesystem::exists(folder / "run.db.lock"));  // the file stays, the lock does not
  auto writer = value_of(RunWriter::append(folder / "run.db"));
  ASSERT_FALSE(writer->open(three_channels));
  {
    const RunLock lock = writer->hand_over_lock();
    ASSERT_FALSE(writer->close());
    EXPECT_EQ(id_of(RunLock::take(folder / "run.db")), "io.busy");  // files beside it may follow
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db.lock"));
}

TEST(OneWriter, ReplacesNothingOfARunThatIsWritten) {
  const Folder folder;
  std::ofstream(folder / "summary.json") << "{}";
  OtherWriter other(folder / "run.db");
  EXPECT_EQ(id_of(prepare_run_folder(folder.path(), true)), "io.busy");
  EXPECT_EQ(id_of(lock_of_run_beside(folder / "samples.csv")), "io.busy");
  EXPECT_TRUE(std::filesystem::exists(folder / "run.db"));
  EXPECT_TRUE(std::filesystem::exists(folder / "summary.json"));
}

// The lock's file may be a link to anywhere in a folder from a stranger.
TEST(OneWriter, FollowsNoLink) {
  const Folder folder;
  std::ofstream(folder / "victim") << "precious";
  std::filesystem::create_symlink(folder / "victim", folder / "run.db.lock");
  EXPECT_EQ(id_of(RunWriter::create(folder / "run.db", {})), "io.write");
  EXPECT_EQ(bytes_in(folder / "victim"), "precious");
}

// All that can be read, from opening to the last row.
Sink::Fault read_all(const std::filesystem::path& path) {
  const auto reader = RunReader::open(path);
  if (!reader) return reader.why().front();
  for (int k = 0; k < static_cast<int>(reader.value().segments().size()); ++k)
    if (auto fault =
            reader.value().each_row(k, [](double, std::span<const double>) { return true; }))
      return fault;
  if (const auto log = reader.value().log(); !log) return log.why().front();
  const auto manifest = reader.value().manifest();
  return manifest ? Sink::Fault() : Sink::Fault(manifest.why().front());
}

// A process that reads the store again and again; it ends by itself where that goes wrong. There may
// be no store, and one that was closed may be continued while it is read.
class OtherReader {
 public:
  explicit OtherReader(const std::filesystem::path& path) : child_(fork()) {
    if (child_ != 0) return;
    for (;;) {
      const auto fault = read_all(path);
      if (!fault || fault->id == "io.open" || contains(fault->found, "while it was read")) continue;
      std::fputs((to_text(*fault) + "\n").c_str(), stderr);
      _exit(1);
    }
  }

  OtherReader(const OtherReader&) = delete;
  OtherReader& operator=(const OtherReader&) = delete;

  bool runs() const { return waitpid(child_, nullptr, WNOHANG) == 0; }

  ~OtherReader() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

// Readers that look at a store all the time, from the moment that it has its name.
TEST(OneWriter, IsNotStoppedByReaders) {
  const Folder folder;
  const auto path = folder / "run.db";
  const OtherReader one(path), two(path);
  for (int k = 0; k < 30; ++k) {
    auto writer = value_of(RunWriter::create(path, {{"model", "m"}}));
    ASSERT_FALSE(writer->open(three_channels)) << k;
    ASSERT_FALSE(write_rows(*writer, 0, 60, 10)) << k;
    ASSERT_FALSE(writer->close()) << k;
    ASSERT_TRUE(one.runs() && two.runs()) << k;  // and they are not disturbed either
    ASSERT_EQ(id_of(prepare_run_folder(folder.path(), true)), "") << k;
  }
}

// A writer that ends, goes on, ends and is replaced, with readers at every moment of it: neither they
// nor the writer may take for damage what is only half done.
TEST(OneWriter, EndsAndBeginsUnderReaders) {
  const Folder folder;
  const auto path = folder / "run.db";
  const OtherReader one(path), two(path), three(path);
  for (int k = 0; k < (std::getenv("CARDAN_FULL") != nullptr ? 1000 : 12); ++k) {
    auto writer = value_of(RunWriter::create(path, {{"model", "m"}}));
    ASSERT_FALSE(writer->open(three_channels)) << k;
    ASSERT_FALSE(write_rows(*writer, 0, 40, 1 + k % 20)) << k;
    ASSERT_FALSE(writer->close()) << k;
    writer.reset();
    ASSERT_FALSE(read_all(path)) << k;  // who asks when it has ended is never turned away
    for (int more = 0; more < 2; ++more) {
      const auto done = number_in(value_of(value_of(RunReader::open(path)).checkpoint())->data);
      writer = value_of(RunWriter::append(path));
      ASSERT_FALSE(writer->open(three_channels)) << k;
      ASSERT_FALSE(write_rows(*writer, done, done + 400, 20)) << k;
      ASSERT_FALSE(writer->close()) << k;
      writer.reset();
    }
    ASSERT_TRUE(one.runs() && two.runs() && three.runs()) << k;
    ASSERT_EQ(id_of(prepare_run_folder(folder.path(), true)), "") << k;
  }
}

// Closing a file lets go all locks that the process holds on it, also those of another reader.
TEST(Readers, LeaveTheLocksOfOthersAlone) {
  const Folder folder;
  const auto path = folder / "run.db";
  auto writer = value_of(RunWriter::create(path, {{"model", "m"}}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 400, 10));
  const auto locks = [&path] {  // of this process on the store
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    std::ifstream all("/proc/locks");
    const std::string mine = fmt::format(" {} ", getpid()),
                      file = fmt::format(":{} ", status.st_ino);
    int count = 0;
    for (std::string line; std::getline(all, line);)
      count += contains(line, "POSIX") && contains(line, mine) && contains(line, file) ? 1 : 0;
    return count;
  };
  const int held = locks();
  ASSERT_GT(held, 0);
  ASSERT_TRUE(run_schema::check_file(path));
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(path))), 400);
  EXPECT_EQ(locks(), held);
}

TEST(Readers, ChangeNothing) {
  const Folder folder;
  {
    OtherWriter other(folder / "run.db");
    other.stop();
  }
  const std::string store = bytes_in(folder / "run.db"), log = bytes_in(folder / "run.db-wal");
  ASSERT_FALSE(log.empty());
  {
    const auto reader = value_of(RunReader::open(folder / "run.db"));
    EXPECT_GT(count_right_rows(reader), 100);
  }
  EXPECT_EQ(bytes_in(folder / "run.db"), store);
  EXPECT_EQ(bytes_in(folder / "run.db-wal"), log);
}

// A log of an earlier time, put back beside a store that was finished since.
TEST(Readers, TakeNoLogOfAnotherTime) {
  const Folder folder;
  const auto path = folder / "run.db";
  {
    OtherWriter other(path);
    other.stop();
  }
  std::filesystem::copy_file(folder / "run.db-wal", folder / "old");
  const auto done = number_in(value_of(value_of(RunReader::open(path)).checkpoint())->data);
  {
    auto writer = value_of(RunWriter::append(path));
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, done, done + 5000, 100));
    ASSERT_FALSE(writer->close());
  }
  const std::string store = bytes_in(path);
  std::filesystem::copy_file(folder / "old", folder / "run.db-wal");
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(path))), done + 5000);
  EXPECT_EQ(bytes_in(path), store);
  auto writer = value_of(RunWriter::append(path));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(writer->close());
  writer.reset();
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(path))), (done + 5000) / 100 * 100);
}

}  // namespace

}  // namespace cardan::test
