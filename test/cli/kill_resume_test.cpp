// A run that is killed with SIGKILL at random moments and resumed each time stores the same bytes
// as one that never was.
#include <chrono>
#include <cstring>
#include <random>

#include "cardan/results/run_reader.h"
#include "program.h"
#include "test/places.h"

namespace cardan::test {

namespace {

const std::string model = std::string(test::source_dir) + "/test/cli/models/double_pendulum.toml";

// All numbers of all analyses, bit by bit.
std::string samples_of(const std::filesystem::path& folder) {
  auto reader = RunReader::open(folder);
  if (!reader) return to_text(reader.why().front());
  std::string bytes;
  for (int s = 0; s < static_cast<int>(reader.value().segments().size()); ++s) {
    const auto fault = reader.value().each_row(s, [&](double t, std::span<const double> row) {
      bytes.append(reinterpret_cast<const char*>(&t), sizeof t);
      bytes.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
      return true;
    });
    if (fault) return to_text(*fault);
  }
  return bytes;
}

TEST(KillResume, FiftyKillsChangeNothing) {
  using Clock = std::chrono::steady_clock;
  const Place place;
  const auto begun = Clock::now();
  ASSERT_EQ(cardan(place, {"run", model, "-o", "never"}).code, 0);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  const std::string expected = samples_of(place / "never");
  ASSERT_GT(expected.size(), 2000u * 8u);

  std::mt19937 random(7);
  std::uniform_int_distribution<useconds_t> delay(0, static_cast<useconds_t>(took.count()));
  int kills = 0;
  int resumed = 0;
  for (int run = 0; kills < 50; ++run) {
    ASSERT_LT(run, 400);
    const std::string folder = "run" + std::to_string(run);
    for (bool done = false; !done;) {
      // Killed before the store was there: nothing was acknowledged, and the run is begun again.
      const bool there = std::filesystem::exists(place / (folder + "/run.db"));
      const std::vector<std::string> begin{"run", model, "-o", folder, "--force"};
      const pid_t child = start(place, there ? std::vector<std::string>{"resume", folder} : begin);
      resumed += there;
      if (kills < 50) {
        usleep(delay(random));
        kill(child, SIGKILL);
      }
      const Said said = finish(place, child);
      done = said.code == 0;
      if (!done) {
        ASSERT_EQ(said.code, 128 + SIGKILL) << said.err;
        ++kills;
      }
    }
    ASSERT_EQ(samples_of(place / folder), expected)
        << "run " << run << " after " << kills << " kills";
  }
  EXPECT_GT(resumed, 20);
}

}  // namespace

}  // namespace cardan::test
