// Random closed loops with the default method, over 5 s. Planar ones are compared with an
// independent solution (planar_reference.h), spatial ones with another formulation and integrator.
// A run that says "complete" and lies beyond
//   100 * tolerance * condition
// is a silent deviation; there must be none. The condition is the largest growth of three changes
// of 1e-6, in the plane of the initial state, in space of gravity. Mechanisms whose condition is
// above 1e4 have no reference of the accuracy needed: they are counted, and judged by their energy.
//   CARDAN_LOOPS=first:count           other seeds
//   CARDAN_LOOPS_METHOD=formulation    instead of the default
#include "test/verify/random_loops.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

constexpr double span = 5, rtol = 1e-6, moved = 1e-6, most_condition = 1e4;
constexpr double energy_share = 1e-3;

struct Seeds {
  std::uint64_t first = 1;
  int count = 40;
};

Seeds seeds(int usual, int full) {
  Seeds s;
  s.count = std::getenv("CARDAN_FULL") != nullptr ? full : usual;
  if (const char* given = std::getenv("CARDAN_LOOPS"))
    std::sscanf(given, "%lu:%d", &s.first, &s.count);
  return s;
}

struct Count {
  int right = 0, doubtful = 0, refused = 0, silent = 0, no_reference = 0, slow = 0;
  std::string found;
  std::vector<double> errors;  // in units of tolerance times condition

  void print(const char* title) const {
    std::cout << title << ": " << right << " right, " << doubtful << " doubtful, " << refused
              << " refused, " << silent << " silent deviations, " << no_reference
              << " without a reference, " << slow << " stopped after 20 s\n"
              << found;
    std::vector<double> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    const auto share = [&](double part) {
      return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    if (!sorted.empty())
      std::cout << fmt::format(
          "  error / (tolerance * condition): median {:.3g}, 90 % {:.3g}, 99 % {:.3g}\n",
          share(0.5),
          share(0.9),
          share(0.99));
  }
};

struct Run {
  Memory rows;
  Outcome outcome;
  bool late = false;
};

std::unique_ptr<Run> run(const std::string& text, const std::function<void(DynamicOptions&)>& set) {
  auto out = std::make_unique<Run>();
  Model model = test::model_of(text + fmt::format("[[analysis]]\ntype = \"dynamic\"\nuntil = {}\n"
                                                  "output_step = {}\n",
                                                  span,
                                                  span / 50));
  set(test::dynamic(model));
  const auto start = std::chrono::steady_clock::now();
  Control control;
  control.cancelled = [&] {
    return out->late = std::chrono::steady_clock::now() - start > std::chrono::seconds(20);
  };
  out->outcome = run_model(model, out->rows, control);
  return out;
}

void with_default(DynamicOptions& o) {
  if (const char* given = std::getenv("CARDAN_LOOPS_METHOD")) o.formulation = given;
}

// Largest difference of two lists of rows, chosen channels.
double distance(const Memory& a, const Memory& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.channels.size(); ++k)
    if (a.channels[k].quantity == "position")
      for (std::size_t r = 0; r < std::min(a.rows.size(), b.rows.size()); ++r)
        worst = std::max(worst, std::abs(a.rows[r][k] - b.rows[r][k]));
  return worst;
}

double distance(const Memory& a, const std::vector<Eigen::VectorXd>& rows) {
  double worst = 0;
  for (Eigen::Index b = 0; b < rows.front().size() / 3; ++b)
    for (int c = 0; c < 3; ++c) {
      static constexpr const char* names[] = {"x", "y", "angle"};
      std::size_t k = 0;
      while (a.channels[k].name != fmt::format("b{}.{}", b, names[c])) ++k;
      for (std::size_t r = 0; r < std::min(rows.size(), a.rows.size()); ++r) {
        const double off = std::abs(a.rows[r][k] - rows[r][3 * b + c]);
        if (!(off <= worst)) worst = off;
      }
    }
  return worst;
}

bool ended(Count& count, std::uint64_t seed, const std::string& kind, const Run& run) {
  const Summary& s = run.outcome.summary;
  if (run.late) {
    ++count.slow;
    count.found += fmt::format("  {} {}: slow\n", seed, kind);
  } else if (s.status == "failed") {
    ++count.refused;
    count.found += fmt::format("  {} {}: refused: {}\n", seed, kind, to_text(s.diagnostics.back()));
  } else if (s.status == "doubtful") {
    ++count.doubtful;
    count.found += fmt::format("  {} {}: {}\n", seed, kind, to_text(s.diagnostics.back()));
  } else {
    return true;
  }
  return false;
}

void judge_energy(Count& count, std::uint64_t seed, const std::string& kind, const Run& run) {
  ++count.no_reference;
  if (!ended(count, seed, kind, run)) return;
  double kinetic = 0;
  for (std::size_t r = 0; r < run.rows.rows.size(); ++r)
    kinetic = std::max(kinetic, run.rows.value("energy.kinetic", r));
  const double imbalance = run.outcome.summary.energy.max_imbalance;
  if (imbalance <= energy_share * kinetic) return;
  ++count.silent;
  count.found += fmt::format(
      "  {} {}: energy off by {:.3g} J, kinetic {:.3g} J\n", seed, kind, imbalance, kinetic);
}

void judge(Count& count,
           std::uint64_t seed,
           const std::string& kind,
           const Run& run,
           double off,
           double condition) {
  if (!ended(count, seed, kind, run)) return;
  count.errors.push_back(off / (rtol * std::max(1.0, condition)));
  if (off <= 100 * rtol * std::max(1.0, condition)) {
    ++count.right;
    return;
  }
  ++count.silent;
  count.found += fmt::format("  {} {}: off by {:.3g}, condition {:.3g}, imbalance {:.3g} J\n",
                             seed,
                             kind,
                             off,
                             condition,
                             run.outcome.summary.energy.max_imbalance);
}

TEST(RandomLoops, PlanarOnesAreRightOrRefused) {
  const Seeds range = seeds(40, 2000);
  Count count;
  std::vector<double> times;
  for (int k = 0; k <= 50; ++k) times.push_back(span * k / 50);
  for (std::uint64_t seed = range.first; seed < range.first + static_cast<unsigned>(range.count);
       ++seed) {
    const auto mechanism = test::random_planar_loop(seed);
    const auto reference = mechanism.reference.solve(times, 1e-10);
    const auto tried = run(mechanism.text, with_default);
    double condition = reference ? 0 : INFINITY;
    for (int pattern = 0; pattern < 3 && condition < most_condition; ++pattern) {
      const auto changed = mechanism.reference.solve(times, 1e-9, moved, pattern);
      if (!changed) condition = INFINITY;
      for (std::size_t r = 0; r < times.size() && changed; ++r)
        condition =
            std::max(condition, ((*reference)[r] - (*changed)[r]).cwiseAbs().maxCoeff() / moved);
    }
    if (condition > most_condition)
      judge_energy(count, seed, mechanism.kind, *tried);
    else
      judge(count, seed, mechanism.kind, *tried, distance(tried->rows, *reference), condition);
  }
  count.print("planar loops");
  EXPECT_EQ(count.silent, 0);
  EXPECT_LE(count.doubtful, (range.count + 99) / 100) << "right runs must not be called doubtful";
}

TEST(RandomLoops, SpatialOnesAreRightOrRefused) {
  const Seeds range = seeds(10, 500);
  Count count;
  for (std::uint64_t seed = range.first; seed < range.first + static_cast<unsigned>(range.count);
       ++seed) {
    const auto mechanism = test::random_spatial_loop(seed);
    const auto tried = run(mechanism.text, with_default);
    const auto at = [&](const std::string& text, const char* formulation, const char* integrator) {
      return run(text, [=](DynamicOptions& o) {
        o.formulation = formulation;
        o.integrator = integrator;
        o.rtol = o.atol = 1e-10;
      });
    };
    const auto reference = at(mechanism.text, "tangent-qr", "dop853");
    const auto second = at(mechanism.text, "direct", "adams");  // shares little with the first
    double condition = distance(reference->rows, second->rows) > 1e-6 ? INFINITY : 0;
    if (reference->rows.rows.size() < 51 || second->rows.rows.size() < 51) condition = INFINITY;
    for (const char* gravity :
         {"[9.81e-6, 0, -9.81]", "[0, 9.81e-6, -9.81]", "[0, 0, -9.81000981]"}) {
      if (condition > most_condition) break;
      std::string text = mechanism.text;
      const std::string usual = "[0, 0, -9.81]";
      text.replace(text.find(usual), usual.size(), gravity);
      const auto changed = at(text, "tangent-qr", "dop853");
      condition = std::max(condition, distance(reference->rows, changed->rows) / moved);
    }
    if (condition > most_condition)
      judge_energy(count, seed, mechanism.kind, *tried);
    else
      judge(count, seed, mechanism.kind, *tried, distance(tried->rows, reference->rows), condition);
  }
  count.print("spatial loops");
  EXPECT_EQ(count.silent, 0);
  EXPECT_LE(count.doubtful, (range.count + 99) / 100) << "right runs must not be called doubtful";
}

}  // namespace
}  // namespace cardan
