// A cam that turns too fast for the spring of its follower: the time at which they would part.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

struct EventMemory : test::Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }
};

struct CamRun {
  Outcome outcome;
  EventMemory memory;
};

template <class Options> CamRun turned_at(const std::string& speed, Options options) {
  CamRun out;
  ReadOptions set;
  set.set.emplace_back("speed", speed);
  const auto read =
      read_model(std::string(test::source_dir) + "/models/cam-follower/model.toml", set);
  EXPECT_TRUE(read);
  if (!read) return out;
  Model model = read.value();
  model.analyses.clear();
  options.until = 0.05;
  model.analyses.emplace_back(options);
  out.outcome = run_model(model, out.memory, {});
  return out;
}

// Spring, weight and inertia of the follower, which rises by 12 mm (1 - cos(w t))/2:
//   4000 (0.015 + y) + 0.25 (9.81 + y'') = 0
void expect_losses(const CamRun& run) {
  EXPECT_EQ(run.outcome.summary.status, "complete");
  const double w = 100 * std::numbers::pi;
  const double t = std::acos(-(60 + 24 + 0.25 * 9.81) / (0.25 * 0.006 * w * w - 24)) / w;
  const auto& told = run.outcome.summary.diagnostics;
  const auto lost = std::find_if(
      told.begin(), told.end(), [](const Diagnostic& d) { return d.id == "numeric.contact-lost"; });
  ASSERT_NE(lost, told.end());
  EXPECT_EQ(lost->element, "joint 'contact'");
  EXPECT_NEAR(lost->t, t, 1e-9);
  long events = 0;
  for (const Event& event : run.memory.events) {
    if (event.kind != "contact-lost") continue;
    EXPECT_NEAR(event.t, t + 0.02 * static_cast<double>(events++), 1e-9);
  }
  EXPECT_EQ(events, 3);  // once a turn
}

TEST(CamContact, LossIsToldWithItsTime) {
  expect_losses(turned_at("3000 rpm", InverseOptions{}));
}

TEST(CamContact, LossIsToldInDynamicsToo) {
  for (const char* integrator : {"dop853", "bdf", "radau5"}) {
    SCOPED_TRACE(integrator);
    DynamicOptions options;
    options.integrator = integrator;
    options.rtol = options.atol = 1e-10;
    expect_losses(turned_at("3000 rpm", options));
  }
}

template <class Options> void expect_none() {
  const CamRun run = turned_at("2500 rpm", Options{});
  EXPECT_EQ(run.outcome.summary.status, "complete");
  for (const Diagnostic& d : run.outcome.summary.diagnostics)
    EXPECT_NE(d.id, "numeric.contact-lost");
}

TEST(CamContact, IsKeptWhereTheSpringIsStrongEnough) {
  expect_none<InverseOptions>();
  expect_none<DynamicOptions>();
}

}  // namespace
}  // namespace cardan
