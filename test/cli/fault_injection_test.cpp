// Every system call and every allocation of `run`, `resume`, `export` and `report` is made to fail in
// turn (inject/inject.c), once, and from some call on for good. The program must end with a message
// or with all its work done; the store must be readable and hold a beginning of the true rows; and
// `resume` must bring it to the same bits. Then the power is cut: of every file only what was synced
// is left. The daily run takes samples, CARDAN_FULL all of them.
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <sstream>

#include "program.h"

namespace cardan::test {

namespace {

class Environment {  // variables while a program is started
 public:
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }

  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

using Words = std::vector<std::string>;

bool under_sanitizer() {
#ifdef __SANITIZE_ADDRESS__
  return true;  // it must be loaded first itself
#else
  return false;
#endif
}

Said injected(const Place& place, const Words& words, const Words& settings) {
  Environment environment;
  for (const std::string& s : settings)
    environment.set(s.substr(0, s.find('=')), s.substr(s.find('=') + 1));
  environment.set("LD_PRELOAD", CARDAN_INJECT);
  return cardan(place, words);
}

std::map<std::string, long> calls_of(const Place& place, const Words& words) {
  EXPECT_EQ(injected(place, words, {"CARDAN_COUNT=" + (place / "counts").string()}).code, 0);
  std::istringstream lines(content_of(place / "counts"));
  std::map<std::string, long> out;
  std::string name;
  for (long count = 0; lines >> name >> count;) out[name] = count;
  return out;
}

// The numbers of calls that are tried: all, or some of them.
std::vector<long> chosen(long count, std::mt19937& random) {
  const long most = std::getenv("CARDAN_FULL") != nullptr ? 500 : 2;
  std::vector<long> out;
  if (count <= most) {
    for (long k = 1; k <= count; ++k) out.push_back(k);
    return out;
  }
  for (long k = 0; k < most; ++k)
    out.push_back(1 + static_cast<long>(random() % static_cast<unsigned long>(count)));
  return out;
}

class FaultInjection : public testing::Test {
 protected:
  void SetUp() override {
    if (under_sanitizer()) GTEST_SKIP() << "the sanitizer must be loaded first";
    write_text(place_ / "m.toml", R"(gravity = [0, -9.81]
[[body]]
name = "a"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
between = ["ground", "a"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = 2
output_step = 0.01
)");
    ASSERT_EQ(cardan(place_, {"run", "m.toml", "-o", "good"}).code, 0);
    rows_ = rows_of("good");
    ASSERT_GT(rows_.size(), 1000U);
  }

  // The table without its line of names; a run that got nowhere has no names yet.
  std::string rows_of(const std::string& run) const {
    const Said said = cardan(place_, {"export", run, "--csv"});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out.substr(said.out.find('\n') + 1);
  }

  void expect_told(const Said& said, const std::string& what) const {
    EXPECT_LT(said.code, 128) << what << " ended by a signal\n" << said.err;
    EXPECT_NE(said.code, 70) << what << "\n" << said.err;
    if (said.code != 0) {
      EXPECT_TRUE(contains(said.err, "error [")) << what << "\n" << said.err;
    }
  }

  // What is left is a beginning, and resume makes the whole of it.
  void expect_beginning(const std::string& run, bool done, const std::string& what) const {
    if (!std::filesystem::exists(place_ / (run + "/run.db"))) {
      EXPECT_FALSE(done) << what;
      return;
    }
    const std::string rows = rows_of(run);
    EXPECT_EQ(rows_.compare(0, rows.size(), rows), 0) << what;
    if (done) {
      EXPECT_EQ(rows, rows_) << what << " said that all went well";
    }
    const Said resumed = cardan(place_, {"resume", run, "--no-report"});
    EXPECT_EQ(resumed.code, 0) << what << "\n" << resumed.err;
    const Said same = cardan(place_, {"diff", "good", run});
    EXPECT_EQ(same.code, 0) << what << "\n" << same.out << same.err;
  }

  // For every call: `words` with the call failing. before: makes what the command works on.
  template <class Before, class After>
  void each_fault(const Words& words, const Before& before, const After& after) {
    std::mt19937 random(17);
    before();
    for (const auto& [call, count] : calls_of(place_, words))
      for (const long k : chosen(count, random))
        for (const char* mode : {"", "+"}) {
          before();
          const std::string what = call + ":" + std::to_string(k) + mode;
          const Said said = injected(place_, words, {"CARDAN_FAIL=" + what});
          expect_told(said, words[0] + " with " + what);
          after(said, words[0] + " with " + what);
        }
  }

  void remove(const std::string& name) const { std::filesystem::remove_all(place_ / name); }

  void copy(const std::string& from, const std::string& to) const {
    remove(to);
    std::filesystem::copy(place_ / from, place_ / to, std::filesystem::copy_options::recursive);
  }

  // A run whose process ended with the n-th sync; false: it has fewer.
  bool cut(long n) const {
    remove("cut");
    remove("shadow");
    std::filesystem::create_directories(place_ / "shadow");
    const Said said = injected(
        place_,
        {"run", "m.toml", "-o", "cut", "--no-report"},
        {"CARDAN_SHADOW=" + (place_ / "shadow").string(), "CARDAN_POWER=" + std::to_string(n)});
    return said.code == 99;
  }

  Place place_;
  std::string rows_;
};

TEST_F(FaultInjection, OfARun) {
  each_fault(
      {"run", "m.toml", "-o", "r"},
      [&] { remove("r"); },
      [&](const Said& said, const std::string& what) {
        expect_beginning("r", said.code == 0, what);
      });
}

TEST_F(FaultInjection, OfAResumedRun) {
  ASSERT_TRUE(cut(4));
  copy("cut", "stopped");
  each_fault(
      {"resume", "r", "--no-report"},
      [&] { copy("stopped", "r"); },
      [&](const Said& said, const std::string& what) {
        expect_beginning("r", said.code == 0, what);
      });
}

TEST_F(FaultInjection, OfAnExport) {
  ASSERT_EQ(cardan(place_, {"export", "good", "--csv", "-o", "good.csv"}).code, 0);
  const std::string whole = content_of(place_ / "good.csv");
  each_fault(
      {"export", "good", "--csv", "-o", "e.csv", "--force"},
      [&] { write_text(place_ / "e.csv", "old"); },
      [&](const Said& said, const std::string& what) {
        const std::string now = content_of(place_ / "e.csv");
        EXPECT_TRUE(now == whole || (said.code != 0 && now == "old")) << what << ": " << now.size();
      });
}

TEST_F(FaultInjection, OfAReport) {
  ASSERT_EQ(cardan(place_, {"report", "good", "-o", "good.html"}).code, 0);
  const std::string whole = content_of(place_ / "good.html");
  each_fault(
      {"report", "good", "-o", "r.html", "--force"},
      [&] { write_text(place_ / "r.html", "old"); },
      [&](const Said& said, const std::string& what) {
        const std::string now = content_of(place_ / "r.html");
        EXPECT_TRUE(now == whole || (said.code != 0 && now == "old")) << what << ": " << now.size();
      });
}

// A sweep that is there has all that it was asked for: `resume` makes its table. Where there is none,
// the same command begins it.
TEST_F(FaultInjection, OfASweep) {
  write_text(
      place_ / "swept.toml",
      std::regex_replace(content_of(place_ / "m.toml"), std::regex("mass = 1"), "mass = \"load\"") +
          "[parameters]\nload = \"1 kg\"\n");
  const Words begin{"sweep", "swept.toml", "--vary", "load=1:1:6 kg", "--measure"};
  const auto words = [&](const std::string& folder) {
    Words all = begin;
    for (const char* word : {"x = min(a.angle)", "--samples", "a.angle", "--workers", "1", "-o"})
      all.emplace_back(word);
    all.push_back(folder);
    return all;
  };
  ASSERT_EQ(cardan(place_, words("whole")).code, 0);
  const std::string table = content_of(place_ / "whole/table.csv");
  each_fault(
      words("s"),
      [&] { remove("s"); },
      [&](const Said& said, const std::string& what) {
        const bool there = std::filesystem::exists(place_ / "s/sweep.db");
        EXPECT_TRUE(there || said.code != 0) << what;
        const Said after = cardan(place_, there ? Words{"sweep", "resume", "s"} : words("s"));
        EXPECT_EQ(after.code, 0) << what << "\n" << after.err;
        EXPECT_EQ(content_of(place_ / "s/table.csv"), table) << what;
      });
}

TEST_F(FaultInjection, AfterAPowerCutOnlyWhatWasSyncedIsThere) {
  int stores = 0, cuts = 0;
  for (long n = 1; cut(n); ++n) {
    ++cuts;
    remove("cut");
    std::filesystem::rename(place_ / "shadow", place_ / "cut");
    stores += std::filesystem::exists(place_ / "cut/run.db");
    expect_beginning("cut", false, "power cut after sync " + std::to_string(n));
  }
  EXPECT_GT(cuts, 3);
  EXPECT_GT(stores, 1);
}

}  // namespace

}  // namespace cardan::test
