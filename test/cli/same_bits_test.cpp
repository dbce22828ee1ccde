// The same input gives the same bits: in another folder, another language, with and without a
// report, stopped and resumed, on a processor with and without fused multiply-add. `cardan diff`
// and `cardan verify` tell.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <nlohmann/json.hpp>

#include "program.h"

namespace cardan::test {

namespace {

std::string model_of(const std::string& name) {
  return std::string(test::source_dir) + "/models/" + name + "/model.toml";
}

const std::string double_pendulum =
    std::string(test::source_dir) + "/test/cli/models/double_pendulum.toml";

// A variable of the environment while a program is started.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

// glibc takes its functions for a processor that has none of these.
constexpr const char* plain_processor =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-FMA,-FMA4,-AVX_Usable,-AVX2_Usable,-AVX512F_Usable,-FMA_"
    "Usable,-FMA4_Usable";

TEST(SameBits, OnAProcessorWithAndWithoutFusedMultiplyAdd) {
  const Place place;
  std::vector<std::string> names{"andrews",
                                 "pendulum-stops",
                                 "cam-follower",
                                 "heavy-top",
                                 "stick-slip",
                                 "quarter-car",
                                 "excavator-arm"};
  if (std::getenv("CARDAN_FULL") != nullptr)
    names.insert(names.end(),
                 {"ball-in-bowl",
                  "bennett",
                  "cart-pole",
                  "delta-robot",
                  "four-bar",
                  "helix-bead",
                  "n-four-bar",
                  "six-bar-watt",
                  "spatial-slider-crank",
                  "stewart-platform",
                  "universal-train",
                  "vehicle"});
  for (const std::string& name : names) {
    ASSERT_EQ(cardan(place, {"run", model_of(name), "-o", name, "--no-report"}).code, 0) << name;
    const Variable plain("GLIBC_TUNABLES", plain_processor);
    const Said said = cardan(place, {"verify", name});
    EXPECT_EQ(said.code, 0) << name << "\n" << said.out << said.err;
    EXPECT_TRUE(contains(said.out, "the same bits: ")) << said.out;
  }
}

TEST(SameBits, WhereverAndHoweverItRuns) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", double_pendulum, "-o", "one"}).code, 0);
  std::filesystem::create_directories(place / "elsewhere/ein Ordner");
  {
    const Variable language("LC_ALL", "de_DE.UTF-8");
    const Variable zone("TZ", "Asia/Kathmandu");
    ASSERT_EQ(cardan(place,
                     {"run",
                      double_pendulum,
                      "-o",
                      "elsewhere/ein Ordner",
                      "--no-report",
                      "--csv",
                      "--json"})
                  .code,
              0);
  }
  const Said same = cardan(place, {"diff", "one", "elsewhere/ein Ordner/run.db"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  std::filesystem::rename(place / "one", place / "moved");
  EXPECT_EQ(cardan(place, {"verify", "moved"}).code, 0);
}

TEST(SameBits, OfARunThatWasStoppedAndResumed) {
  const Place place;
  // As long as it takes to be stopped on the way, however quick the machine is.
  using Clock = std::chrono::steady_clock;
  Clock::duration took{};
  int until = 50;
  while (took < std::chrono::milliseconds(400) && until < 100'000) {
    until *= 2;
    const auto began = Clock::now();
    ASSERT_EQ(cardan(place,
                     {"run",
                      double_pendulum,
                      "--until",
                      std::to_string(until),
                      "-o",
                      "never",
                      "--force",
                      "--no-report"})
                  .code,
              0);
    took = Clock::now() - began;
  }
  int stopped = 0;
  for (int eighths = 4; stopped == 0 && eighths > 0; --eighths) {
    const pid_t child = start(place,
                              {"run",
                               double_pendulum,
                               "--until",
                               std::to_string(until),
                               "-o",
                               "stopped",
                               "--force",
                               "--no-report"});
    std::this_thread::sleep_for(took * eighths / 8);
    kill(child, SIGINT);
    stopped +=
        finish(place, child).code == 130 && std::filesystem::exists(place / "stopped/run.db");
  }
  ASSERT_EQ(stopped, 1);
  const Said part = cardan(place, {"verify", "stopped"});  // as far as it goes
  EXPECT_EQ(part.code, 0) << part.out << part.err;
  EXPECT_TRUE(contains(part.out, "was stopped")) << part.out;
  ASSERT_EQ(cardan(place, {"resume", "stopped", "--no-report"}).code, 0);
  const Said whole = cardan(place, {"verify", "stopped"});
  EXPECT_EQ(whole.code, 0) << whole.out << whole.err;
  const Said same = cardan(place, {"diff", "never", "stopped"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
}

TEST(SameBits, TheFirstDifferenceByChannelAndTime) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", double_pendulum, "-o", "one", "--until", "1"}).code, 0);
  ASSERT_EQ(
      cardan(place, {"run", double_pendulum, "-o", "two", "--until", "1", "--rtol", "1e-5"}).code,
      0);
  const Said text = cardan(place, {"diff", "one", "two", "--lines", "3"});
  EXPECT_EQ(text.code, 1);
  EXPECT_TRUE(contains(text.out, "different: ")) << text.out;
  EXPECT_TRUE(contains(text.out, " at t = ")) << text.out;
  EXPECT_TRUE(contains(text.out, "more (--lines)")) << text.out;
  const Said said = cardan(place, {"diff", "one", "two", "--json"});
  ASSERT_EQ(said.code, 1);
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["type"], "difference");
  EXPECT_FALSE(json["same"].get<bool>());
  ASSERT_FALSE(json["channels"].empty());
  const auto& first = json["channels"].front();
  EXPECT_GT(first["t"].get<double>(), 0);  // the starts are the same
  EXPECT_LT(first["t"].get<double>(), 0.1);
  EXPECT_NE(first["first"], first["second"]);
  for (const auto& channel : json["channels"])
    EXPECT_GE(channel["row"].get<int>(), first["row"].get<int>());
  EXPECT_TRUE(contains(json["other"].dump(), "stats.steps"));
  // Other rows, other channels.
  ASSERT_EQ(cardan(place, {"run", double_pendulum, "-o", "short", "--until", "0.5"}).code, 0);
  const Said shorter = cardan(place, {"diff", "one", "short"});
  EXPECT_EQ(shorter.code, 1);
  EXPECT_TRUE(contains(shorter.out, "rows")) << shorter.out;
  ASSERT_EQ(cardan(place, {"run", model_of("pendulum"), "-o", "other", "--until", "0.5"}).code, 0);
  const Said other = cardan(place, {"diff", "one", "other"});
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(contains(other.out, "is only in the first run")) << other.out;
}

TEST(SameBits, WhatCannotBeCompared) {
  const Place place;
  EXPECT_EQ(cardan(place, {"verify", "nothing"}).code, 7);
  EXPECT_EQ(cardan(place, {"diff", "nothing"}).code, 2);
  write_text(place / "part.toml", "[[body]]\nname = 'b'\nfrom = [0, 0]\nto = [1, 0]\nmass = 1\n");
  write_text(place / "m.toml",
             "include = ['part.toml']\ngravity = [0, -9.81]\n[[joint]]\ntype = 'revolute'\nbetween "
             "= ['ground', 'b']\nat = [0, 0]\n"
             "[[analysis]]\ntype = 'dynamic'\nuntil = 1\n");
  ASSERT_EQ(cardan(place, {"run", "m.toml", "-o", "run"}).code, 0);
  ASSERT_EQ(cardan(place, {"verify", "run"}).code, 0);
  write_text(place / "part.toml", "[[body]]\nname = 'b'\nfrom = [0, 0]\nto = [1, 0]\nmass = 2\n");
  const Said changed = cardan(place, {"verify", "run"});
  EXPECT_TRUE(contains(changed.err, "io.model-changed")) << changed.err;
  EXPECT_NE(changed.code, 0);
  EXPECT_NE(changed.code, 1);
}

TEST(SameBits, TheSecondRunIsKeptWhereAsked) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", model_of("pendulum"), "-o", "run", "--until", "1"}).code, 0);
  ASSERT_EQ(cardan(place, {"verify", "run", "-o", "again"}).code, 0);
  EXPECT_EQ(cardan(place, {"diff", "run", "again"}).code, 0);
  EXPECT_EQ(cardan(place, {"verify", "run", "-o", "again"}).code, 7);  // it is there already
}

}  // namespace

}  // namespace cardan::test
