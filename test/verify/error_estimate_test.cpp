// Error estimates against true errors: on models with known solutions, and for every channel
// against a converged run of another method, at least 95 % of the samples lie within three times
// the estimate.
#include "cardan/analysis/error_estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/option_table.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct InMemory : StoredRows {
  explicit InMemory(const Memory& run) : kept(run) {}

  Sink::Fault open(int) override {
    at = 0;
    return {};
  }

  bool next(double& t, std::span<double> row) override {
    if (at == kept.rows.size()) return false;
    t = kept.times[at];
    std::copy(kept.rows[at].begin(), kept.rows[at].end(), row.begin());
    ++at;
    return true;
  }

  const Memory& kept;
  std::size_t at = 0;
};

struct Estimated {
  Memory run;
  Outcome outcome;
  std::vector<std::vector<double>> errors;  // row by row
};

struct MethodCase {
  const char *formulation, *integrator;
  double setting;  // tolerance, or step
  bool fixed = false;
  int order = 0;
};

Model prepared(Model model, const MethodCase& m) {
  DynamicOptions& o = test::dynamic(model);
  o.formulation = m.formulation;
  (void)drop_foreign_options(o);
  o.integrator = m.integrator;
  o.order = m.order;
  o.error_estimate = true;
  if (m.fixed)
    o.step = m.setting;
  else
    o.rtol = m.setting, o.atol = m.setting;
  return model;
}

Estimated estimated(const Model& model) {
  Estimated out;
  out.outcome = run_model(model, out.run, {});
  for (const auto& d : out.outcome.summary.diagnostics)
    EXPECT_NE(d.severity, Severity::error)
        << to_text(d) << out.outcome.summary.formulation << out.outcome.summary.integrator;
  InMemory stored(out.run);
  estimate_errors(model,
                  out.outcome,
                  stored,
                  [&](int, std::span<const double> row) {
                    out.errors.emplace_back(row.begin(), row.end());
                    return Sink::Fault();
                  },
                  {});
  EXPECT_EQ(out.errors.size(), out.run.rows.size());
  return out;
}

struct Share {
  long inside = 0, all = 0;
  double largest = 0;  // of true error over estimate

  void count(double error, double estimate) {
    ++all;
    if (error <= 3 * estimate) ++inside;
    largest = std::max(largest, error / estimate);
  }

  double value() const { return static_cast<double>(inside) / static_cast<double>(all); }
};

struct Known {  // a column of a reference table and the channel it belongs to
  const char *column, *channel;
};

struct Case {
  const char *model, *table;
  double certain;  // digits of the table, relative
  std::vector<Known> known;
  std::vector<MethodCase> methods;
};

std::vector<MethodCase> methods_for(double h) {
  return {{"projected", "ode45", 1e-4},
          {"projected", "ode45", 1e-8},
          {"partitioned", "dop853", 1e-6},
          {"baumgarte", "ode45", 1e-6},
          {"null-space", "adams", 1e-6},
          {"projected", "ode23", 1e-5},
          {"projected", "rk4", h, true},
          {"projected", "rk4", h / 2, true},
          {"projected", "mampc", h / 4, true, 3},
          {"projected", "heun", h / 8, true}};
}

const std::vector<Case> cases{
    {"pendulum",
     "models/pendulum/reference/pendulum_10s.csv",
     1e-11,
     {{"x", "bob.x"}, {"y", "bob.y"}, {"vx", "bob.vx"}, {"vy", "bob.vy"}},
     methods_for(0.02)},
    {"double-pendulum",
     "models/double-pendulum/reference/double_pendulum_3s.csv",
     1e-11,
     {{"phi1", "upper.angle"}, {"w1", "upper.omega"}},
     methods_for(0.01)},
    {"quick-return",
     "models/quick-return/reference/dynamic_1.6s.csv",
     1e-9,
     {{"phi2", "crank.angle"},
      {"phi4", "lever.angle"},
      {"phi5", "bar.angle"},
      {"x6", "ram.x"},
      {"x6dot", "ram.vx"}},
     methods_for(0.002)},
    {"andrews",
     "models/andrews/reference/andrews_0.05s.csv",
     1e-10,
     {{"beta", "K1.angle"}, {"gamma", "K3.angle"}, {"epsilon", "K7.angle"}},
     methods_for(5e-5)}};

TEST(ErrorEstimate, OfKnownSolutions) {
  for (const Case& c : cases) {
    auto table = test::read_csv(c.table);
    const auto& t = table["t"];
    for (const MethodCase& m : c.methods) {
      const Estimated e = estimated(prepared(test::model_file(c.model), m));
      Share share;
      std::size_t k = 0;
      for (std::size_t row = 0; row < e.run.rows.size(); ++row) {
        while (k < t.size() && t[k] < e.run.times[row] - 1e-9) ++k;
        if (k == t.size() || std::abs(t[k] - e.run.times[row]) > 1e-9) continue;
        for (const Known& known : c.known)
          for (std::size_t i = 0; i < e.run.channels.size(); ++i)
            if (e.run.channels[i].name == known.channel) {
              const double digits = c.certain * (1 + std::abs(table[known.column][k]));
              share.count(
                  std::max(0.0, std::abs(e.run.rows[row][i] - table[known.column][k]) - digits),
                  e.errors[row][i]);
            }
      }
      EXPECT_GT(share.all, 100) << c.model;
      EXPECT_GE(share.value(), 0.95)
          << fmt::format("{}: {} with {}, {}: {:.1f} %, worst {:.1f} times",
                         c.model,
                         m.formulation,
                         m.integrator,
                         m.setting,
                         100 * share.value(),
                         share.largest);
    }
  }
}

// Every channel that has an estimate: accelerations, reactions, energies too.
void all_channels_lie_within(const char* name, double longest) {
  Model exact = prepared(test::model_file(name), {"projected", "dop853", 1e-12});
  test::dynamic(exact).until = std::min(longest, test::dynamic(exact).until);
  Memory truth;
  ASSERT_EQ(run_model(exact, truth, {}).summary.status, "complete") << name;
  for (const MethodCase& m : {MethodCase{"projected", "ode45", 1e-5},
                              MethodCase{"partitioned", "ode45", 1e-7},
                              MethodCase{"half-explicit", "auto", 1e-6},
                              MethodCase{"projected", "rk4", longest / 1000, true}}) {
    Model model = prepared(test::model_file(name), m);
    test::dynamic(model).until = test::dynamic(exact).until;
    const Estimated e = estimated(model);
    ASSERT_EQ(e.run.rows.size(), truth.rows.size());
    Share share;
    for (std::size_t row = 0; row < e.run.rows.size(); ++row)
      for (std::size_t i = 0; i < e.run.channels.size(); ++i)
        if (!std::isnan(e.errors[row][i]))
          share.count(std::abs(e.run.rows[row][i] - truth.rows[row][i]), e.errors[row][i]);
    EXPECT_GE(share.value(), 0.95) << fmt::format("{}: {} with {}: {:.1f} %, worst {:.1f} times",
                                                  name,
                                                  m.formulation,
                                                  m.integrator,
                                                  100 * share.value(),
                                                  share.largest);
    const ErrorEstimate& told = e.outcome.summary.error_estimate;
    EXPECT_FALSE(told.method.empty());
    EXPECT_EQ(told.unmatched, 0);
    for (const auto& c : told.channels) EXPECT_NE(c.channel, "step.size");
  }
}

TEST(ErrorEstimate, OfAllChannelsAgainstAConvergedRun) {
  for (const char* name : {"slider-crank", "doc002-crank-slider", "four-bar"})
    all_channels_lie_within(name, 2);
}

TEST(ErrorEstimate, OfAllChannelsInSpace) {
  for (const char* name : {"spatial-slider-crank", "gyroscope", "bennett"})
    all_channels_lie_within(name, 0.5);
}

TEST(ErrorEstimate, TellsWhenTheFinerRunFails) {
  Model model = prepared(test::model_file("pendulum"), {"projected", "ode45", 1e-4});
  Memory run;
  Outcome outcome = run_model(model, run, {});
  ASSERT_EQ(outcome.summary.status, "complete");
  test::dynamic(model).max_steps = 20;  // of the second run
  InMemory stored(run);
  std::size_t rows = 0, unknown = 0;
  estimate_errors(model,
                  outcome,
                  stored,
                  [&](int, std::span<const double> row) {
                    ++rows;
                    if (std::isnan(row[0])) ++unknown;
                    return Sink::Fault();
                  },
                  {});
  EXPECT_EQ(rows, run.rows.size());
  EXPECT_GT(unknown, 0U);
  EXPECT_LT(unknown, rows);
  EXPECT_EQ(outcome.summary.status, "complete");
  EXPECT_EQ(outcome.summary.diagnostics.back().id, "numeric.error-estimate");
}

}  // namespace
}  // namespace cardan
