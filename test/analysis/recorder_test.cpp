// Rows of chosen channels hold the same numbers, to the bit, as rows of all of them, whatever the
// recorder leaves out for them.
#include "cardan/analysis/record/recorder.h"

#include <cstring>
#include <filesystem>
#include <map>

#include "cardan/analysis/run.h"
#include "cardan/system/motion_solver.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

struct Recorded {
  std::vector<Channel> channels;
  std::vector<double> row;
};

Recorded record(const System& system, const State& state, const std::vector<std::string>& names) {
  Recorder recorder(system, names, false, Recorder::Extent::all, {true, true, true});
  EXPECT_FALSE(recorder.fault());
  Recorded out{recorder.channels(), std::vector<double>(recorder.channels().size())};
  recorder.record(state, {1e-3, 4, 0.5, 0.25}, out.row);
  return out;
}

// A consistent state with accelerations; false: the model has none.
bool moving_state(const Checked& checked, State& state) {
  if (checked.system == nullptr || !checked.assembly.ok) return false;
  const System& system = *checked.system;
  state = checked.assembly.state;
  state.a.resize(state.v.size());
  state.lambda.resize(static_cast<std::size_t>(system.equations().rows()));
  std::vector<char> active(state.lambda.size(), 0);
  std::fill_n(active.begin(), system.joint_rows(), 1);
  MotionSolver motion(system, active);
  motion.use_states(state.z);
  motion.use_inputs(state.u);
  return motion.accelerations(state.t, state.q, state.v, state.a, state.lambda) == Eval::ok;
}

TEST(Recorder, ChosenChannelsHoldTheNumbersOfAllOfThem) {
  int models = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(test::source_dir) + "/models")) {
    const auto file = entry.path() / "model.toml";
    if (!std::filesystem::exists(file)) continue;
    const auto model = read_model(file);
    State state;
    if (!model) continue;
    const Checked checked = check_model(model.value());
    if (!moving_state(checked, state)) continue;
    ++models;
    const Recorded all = record(*checked.system, state, {});
    std::map<std::string, double> value;
    for (std::size_t k = 0; k < all.row.size(); ++k) value[all.channels[k].name] = all.row[k];
    for (std::size_t first = 0; first < 11; ++first) {
      std::vector<std::string> names;
      for (std::size_t k = first; k < all.channels.size(); k += 11)
        names.push_back(all.channels[k].name);
      if (first == 5) names = {"residual.*", "s*"};
      if (first == 6) names = {"energy.*"};
      if (names.empty()) continue;
      const Recorded some = record(*checked.system, state, names);
      ASSERT_EQ(some.channels.size(), some.row.size());
      EXPECT_GE(some.row.size(), 1U);
      for (std::size_t k = 0; k < some.row.size(); ++k)
        EXPECT_EQ(std::memcmp(&some.row[k], &value.at(some.channels[k].name), sizeof(double)), 0)
            << file << " " << some.channels[k].name;
    }
  }
  EXPECT_GT(models, 40);
}

// Names without a match are refused with what could be meant.
TEST(Recorder, SaysWhichNameFitsNothing) {
  const System system = test::system_of(test::model_file("four-bar"));
  const Recorder recorder(system, {"crank.angle", "rockr.angle"});
  ASSERT_TRUE(recorder.fault());
  EXPECT_EQ(recorder.fault()->id, "usage.unknown-channel");
  EXPECT_NE(to_text(*recorder.fault()).find("rocker.angle"), std::string::npos);
}

}  // namespace
}  // namespace cardan
