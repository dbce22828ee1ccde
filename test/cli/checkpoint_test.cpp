// Checkpoints of every formulation and every integrator: a run goes on from one as if it had never
// stopped, and one that somebody made up is refused or does no harm.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "cardan/analysis/run.h"
#include "cardan/formulation/formulation.h"
#include "cardan/io/read_model.h"
#include "cardan/ode/registry.h"
#include "test/places.h"

namespace cardan::test {

namespace {

using Bytes = std::vector<std::byte>;

// Keeps rows and the last checkpoint; asks for one every fourth step.
class Keeper : public Sink {
 public:
  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double t, std::span<const double> row) override {
    rows.push_back(t);
    rows.insert(rows.end(), row.begin(), row.end());
    return {};
  }

  Fault checkpoint(double, std::span<const std::byte> bytes) override {
    last.assign(bytes.begin(), bytes.end());
    kept = rows.size();
    return {};
  }

  bool checkpoint_due() const override { return ++steps % 4 == 0; }

  std::vector<double> rows;
  Bytes last;
  std::size_t kept = 0;  // numbers in rows that came before the checkpoint
  mutable int steps = 0;
};

struct Pair {
  std::string formulation, integrator;
  bool given_step = false;
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const FormulationEntry& f : formulations()) all.push_back({std::string(f.name), "auto"});
  for (const MethodEntry* m : list_methods()) {
    const Traits traits = m->traits({});
    for (const char* formulation : {"projected", "partitioned"})
      all.push_back({formulation, std::string(m->name), !traits.adaptive});
  }
  return all;
}

Model model_with(const Pair& pair) {
  static const Result<Model> read =
      read_model(std::string(source_dir) + "/test/cli/models/free_four_bar.toml");
  Model model = read.value();
  auto& options = std::get<DynamicOptions>(model.analyses.front());
  options.formulation = pair.formulation;
  options.integrator = pair.integrator;
  if (pair.given_step) options.step = 0.5e-3;
  return model;
}

// Stops after so many steps, or attempts where no step succeeds.
Control stop_after(const Keeper& keeper, int steps) {
  Control control;
  control.cancelled = [&keeper, steps, asked = 0]() mutable {
    return keeper.steps >= steps || ++asked > 100 * steps;
  };
  return control;
}

Bytes changed(const Bytes& good, std::mt19937& random) {
  std::vector<std::size_t> places;  // of what may be a size or an index
  for (std::size_t i = 0; i + 8 <= good.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, good.data() + i, sizeof word);
    if (word > 0 && word < 64) places.push_back(i);
  }
  Bytes bad = good;
  if (places.empty()) return bad;
  const std::size_t at = places[random() % places.size()];
  std::uint64_t word = 0;
  std::memcpy(&word, good.data() + at, sizeof word);
  const std::uint64_t choices[] = {
      0, word - 1, word + 1, 2 * word, 1000, 0xffffffff, std::uint64_t{1} << 61, ~std::uint64_t{0}};
  word = choices[random() % std::size(choices)];
  std::memcpy(bad.data() + at, &word, sizeof word);
  return bad;
}

TEST(Checkpoints, OfEveryMethodGoOnAndStandUpToStrangers) {
  std::mt19937 random(11);
  int resumed = 0, refused = 0, tried = 0;
  const int changes = std::getenv("CARDAN_FULL") != nullptr ? 200 : 8;
  for (const Pair& pair : pairs()) {
    const std::string name = pair.formulation + " with " + pair.integrator;
    SCOPED_TRACE(name);
    const Model model = model_with(pair);
    Keeper part;
    (void)run_model(model, part, stop_after(part, 12));
    if (part.last.empty()) continue;  // a pair that makes no sense, or a method that failed before
    Keeper whole, rest;
    const Outcome straight = run_model(model, whole, {});
    const Outcome after = run_model(model, rest, {}, part.last);
    ASSERT_EQ(after.exit_code(), straight.exit_code());
    part.rows.resize(part.kept);
    part.rows.insert(part.rows.end(), rest.rows.begin(), rest.rows.end());
    ASSERT_EQ(part.rows.size(), whole.rows.size());
    ASSERT_EQ(std::memcmp(part.rows.data(), whole.rows.data(), 8 * whole.rows.size()), 0);
    ++resumed;
    for (int k = 0; k < changes; ++k) {
      const Bytes bad = changed(part.last, random);
      Keeper keeper;
      const Outcome outcome = run_model(model, keeper, stop_after(keeper, 6), bad);
      ASSERT_NE(outcome.exit_code(), 70) << to_text(outcome.summary.diagnostics.front());
      refused += outcome.exit_code() == 9;
      ++tried;
    }
    const Bytes cut(part.last.begin(), part.last.begin() + static_cast<long>(part.last.size() / 2));
    Keeper keeper;
    EXPECT_EQ(run_model(model, keeper, {}, cut).exit_code(), 9);
  }
  EXPECT_GT(resumed, 40);
  EXPECT_GT(refused, tried / 4);
}

}  // namespace

}  // namespace cardan::test
