// A run continued from any checkpoint gives the same bits as one that was never interrupted.
#include <cstring>

#include <nlohmann/json.hpp>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

// A summary without what time it took.
std::string timeless(const Summary& summary) {
  auto json = to_json(summary);
  const auto clear = [](nlohmann::ordered_json& of) {
    of["stats"].erase("wall_seconds");
    of["stats"].erase("cpu_seconds");
    // A resumed run factors a few states that the whole run had at hand.
    of["stats"].erase("factorizations");
  };
  clear(json);
  for (auto& before : json["earlier"]) clear(before);
  return json.dump(1);
}

class Resume : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Resume, IsBitForBit) {
  Model model = test::model_file(GetParam().first);
  test::dynamic(model).integrator = GetParam().second;
  DynamicOptions more = test::dynamic(model);  // two analyses, so that checkpoints fall into both
  more.until *= 1.3;
  model.analyses.emplace_back(more);
  Memory whole;
  const Outcome all = run_model(model, whole, {});
  ASSERT_EQ(all.summary.status, "complete");

  Memory first;
  first.checkpoint_every = 7;
  int left = 120;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  ASSERT_FALSE(first.last_checkpoint.empty());

  Memory rest;
  const Outcome resumed = run_model(model, rest, {}, first.last_checkpoint);
  ASSERT_EQ(resumed.summary.status, "complete");
  EXPECT_EQ(timeless(resumed.summary), timeless(all.summary));
  const auto factored = static_cast<double>(all.summary.stats.factorizations);
  EXPECT_NEAR(
      static_cast<double>(resumed.summary.stats.factorizations), factored, 0.01 * factored + 4);
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = 0; k < whole.rows.size(); ++k) {
    const auto& row =
        k < first.rows_at_checkpoint ? first.rows[k] : rest.rows[k - first.rows_at_checkpoint];
    ASSERT_EQ(std::memcmp(row.data(), whole.rows[k].data(), row.size() * sizeof(double)), 0)
        << "row " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         Resume,
                         testing::Values(std::pair{"slider-crank", "ode45"},
                                         std::pair{"pendulum", "ode45"},
                                         std::pair{"andrews", "dop853"},
                                         std::pair{"parallelogram", "ode23"},
                                         std::pair{"four-bar", "adams"},
                                         std::pair{"pendulum-stops", "ode45"},
                                         std::pair{"bouncing-link", "ode45"},
                                         std::pair{"cam-lift-off", "adams"},
                                         std::pair{"spatial-slider-crank", "ode45"},
                                         std::pair{"spatial-four-bar", "adams"},
                                         std::pair{"cart-pole", "ode45"},
                                         std::pair{"motor-slider-crank", "adams"},
                                         std::pair{"excavator-boom", "dop853"},
                                         std::pair{"formula-gears", "adams"},
                                         std::pair{"sleigh", "ode45"}));

// Motions that drivers determine: rows, events, energies, peaks and singular poses.
struct DrivenResume {
  const char* model;
  bool inverse;
  double until;
};

class ResumeDriven : public testing::TestWithParam<DrivenResume> {};

TEST_P(ResumeDriven, IsBitForBit) {
  Model model = test::model_file(GetParam().model);
  model.analyses.clear();
  if (GetParam().inverse) {
    InverseOptions options;
    options.until = GetParam().until;
    model.analyses.emplace_back(options);
  } else {
    KinematicOptions options;
    options.until = GetParam().until;
    model.analyses.emplace_back(options);
  }
  Memory whole;
  const Outcome all = run_model(model, whole, {});
  ASSERT_EQ(all.summary.status, "complete");
  for (const int stop : {1, 60, 133}) {
    Memory first;
    first.checkpoint_every = 7;
    int left = stop;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
    Memory rest;
    const Outcome resumed = run_model(model, rest, {}, first.last_checkpoint);
    ASSERT_EQ(resumed.summary.status, "complete");
    EXPECT_EQ(timeless(resumed.summary), timeless(all.summary));
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = 0; k < rest.rows.size(); ++k) {
      const auto& row = rest.rows[k];
      ASSERT_EQ(std::memcmp(row.data(),
                            whole.rows[first.rows_at_checkpoint + k].data(),
                            row.size() * sizeof(double)),
                0)
          << "row " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ResumeDriven,
                         testing::Values(DrivenResume{"four-bar", true, 2},
                                         DrivenResume{"delta-robot", false, 1.6},
                                         DrivenResume{"scissor-lift", true, 6},
                                         DrivenResume{"excavator-arm", true, 4},
                                         DrivenResume{"cam-follower", true, 0.4},
                                         DrivenResume{"four-cylinder-engine", true, 0.02}));

TEST(Checkpoint, OfAnotherModelIsRefused) {
  Model model = test::model_file("slider-crank"), other = test::model_file("andrews");
  Memory run;
  run.checkpoint_every = 3;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  Memory wrong;
  const Outcome out = run_model(other, wrong, {}, run.last_checkpoint);
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.exit_code(), 9);
}

}  // namespace
}  // namespace cardan
