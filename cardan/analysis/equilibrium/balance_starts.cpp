#include "cardan/analysis/equilibrium/balance_starts.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Eigenvalues>

#include "cardan/formulation/explicit/partition.h"
#include "cardan/math/normal_numbers.h"

namespace cardan {

namespace {

constexpr double no_force = 1e-7;  // of the largest
constexpr int looks_on_the_way = 24, looks_in_a_step = 8, most_looks = 200;
constexpr int many_coordinates = 120;  // from which every look is costly
constexpr double walking_step = 0.1;   // of the mechanism's size
constexpr int walk_steps = 150, steps_between_starts = 5;
constexpr int most_walks = 24, most_listed = 200;
constexpr int most_starts = 3000;   // while walks go on from what was found
constexpr int softest = 6;          // directions that they take from a balance
constexpr double same_pose = 1e-6;  // of the mechanism's size, or rad

class Spread {
 public:
  Spread(ForceBalance& at, const SearchLimits& limits, const std::function<bool()>& cancelled)
      : at_(at), limits_(limits), cancelled_(cancelled) {
    limits_.max_iterations = std::min(limits.max_iterations, 100);
  }

  ManyBalances go(CView start, const FoundBalance& first) {
    ++out_.starts;  // that found the first
    ++out_.converged;
    take(first);
    try_from(start);
    const int walks = std::clamp(4 + 4 * at_.freedoms(), 2, most_walks);
    for (int k = 0; k < walks && at_.freedoms() > 0 && !stopped(); ++k) {
      if (k % 2 == 0 || at_.freedoms() > 1) choose_direction();
      if (at_.freedoms() == 1 && k >= 2) break;
      walk(start, k % 2 == 0 ? 1 : -1);
    }
    for (std::size_t k = 1; k < out_.found.size() && !stopped(); ++k)
      for (std::size_t other = 0; other < k && !stopped(); ++other) look_between(other, k);
    if (at_.freedoms() > 1 && at_.coordinates() <= many_coordinates)
      for (std::size_t k = 0; k < out_.found.size(); ++k) walk_from(k);
    return std::move(out_);
  }

 private:
  bool stopped() const { return out_.more || cancelled_(); }

  void choose_direction() {
    NormalNumbers normal;
    direction_.resize(at_.coordinates());
    for (Eigen::Index k = 0; k < direction_.size(); ++k) direction_[k] = normal(random_);
  }

  void walk(CView start, double sign) {
    std::vector<double> q(start.begin(), start.end());
    Eigen::VectorXd before = sign * direction_;
    double force = 0;  // along the way, where it was looked at last
    for (int k = 1; k <= walk_steps && !stopped(); ++k) {
      at_.evaluate(q);
      const Eigen::MatrixXd Z = null_space_qr(at_.jacobian());
      Eigen::VectorXd along = Z * (Z.transpose() * before);
      const double size = along.cwiseAbs().maxCoeff();
      if (!(size > 1e-8 * before.cwiseAbs().maxCoeff())) return;
      along *= walking_step * at_.length() / size;
      std::vector<double> next = at_.moved(q, along);
      if (!at_.close(next)) return;
      if (at_.freedoms() == 1) look_on_the_way(q, along, force);
      before = along;
      q = std::move(next);
      if (k % steps_between_starts == 0) try_from(q);
    }
  }

  // Along the principal directions of stiffness, both ways: up the valley that leaves a minimum lies a
  // saddle, behind it another minimum.
  void walk_from(std::size_t one) {
    const FoundBalance from = out_.found[one];  // the list grows on the way
    at_.evaluate(from.q);
    at_.linearise(from.q, from.lambda);
    const Eigen::MatrixXd Z = null_space_qr(at_.jacobian());
    const Eigen::MatrixXd H = Z.transpose() * at_.K() * Z;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes((H + H.transpose()) / 2);
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(Z.cols(), softest); ++k)
      for (const double sign : {1.0, -1.0}) {
        if (stopped() || out_.starts >= most_starts) return;
        direction_ = Z * modes.eigenvectors().col(k);
        walk(from.q, sign);
      }
  }

  // With one freedom a balance lies wherever the force along the way changes its sign.
  void look_on_the_way(CView from, const Eigen::VectorXd& along, double& before) {
    std::vector<double> q(from.begin(), from.end());
    const int looks = at_.coordinates() <= many_coordinates ? looks_in_a_step : 1;
    for (int k = 1; k <= looks; ++k) {
      std::vector<double> next = at_.moved(from, static_cast<double>(k) / looks * along);
      if (!at_.close(next)) return;
      const double force = force_along(q, next);
      if (before * force < 0) try_from(q);
      before = force;
      q = std::move(next);
    }
  }

  // On the way from one balance to another the force along it changes its sign: between two minima
  // there is a saddle or a maximum. Every change is a place to start from.
  void look_between(std::size_t one, std::size_t two) {
    if (looks_++ >= most_looks) return;
    const System& system = at_.system();
    const std::vector<double> from = out_.found[one].q, to = out_.found[two].q;
    std::vector<double> d(static_cast<std::size_t>(system.v_size())), next(from.size());
    system.difference(to, from, d);
    std::vector<double> q = from;
    double before = 0;
    for (int k = 1; k < looks_on_the_way; ++k) {
      std::vector<double> part = d;
      for (double& x : part) x *= static_cast<double>(k) / looks_on_the_way;
      system.advance(from, part, next);
      if (!at_.close(next)) return;
      const double force = force_along(q, next);
      if (before * force < 0) try_from(q);
      if (force != 0) before = force;
      q = next;
    }
  }

  // Of the forces on the mechanism at `to`, which joints and drivers do not take.
  double force_along(CView from, CView to) {
    const System& system = at_.system();
    std::vector<double> d(static_cast<std::size_t>(system.v_size()));
    system.difference(to, from, d);
    at_.evaluate(to);
    const Eigen::MatrixXd Z = null_space_qr(at_.jacobian());
    Eigen::VectorXd way(at_.coordinates());
    for (Eigen::Index k = 0; k < way.size(); ++k)
      way[k] = d[static_cast<std::size_t>(k)] *
               (system.layout().turns(static_cast<int>(k)) ? at_.length() : 1);
    return (Z.transpose() * way).dot(Z.transpose() * at_.b());
  }

  void try_from(CView q) {
    ++out_.starts;
    FoundBalance found = nearest_balance(at_, q, limits_);
    out_.iterations += found.iterations;
    if (!found.converged) return;
    ++out_.converged;
    take(found);
  }

  void take(const FoundBalance& found) {
    for (std::size_t k = 0; k < out_.found.size(); ++k)
      if (same(found, out_.found[k]) || of_one_family(found, out_.found[k])) {
        ++out_.reached[k];
        return;
      }
    if (out_.found.size() >= most_listed) {
      out_.more = true;
      return;
    }
    out_.found.push_back(found);
    out_.reached.push_back(1);
    out_.last_new = out_.starts;
  }

  // Two of endlessly many: a rod that may turn about itself, a slide that nothing holds. All poses on
  // the way from one to the other are balanced too.
  bool of_one_family(const FoundBalance& one, const FoundBalance& two) {
    const System& system = at_.system();
    const double E = at_.energy(one.q), small = 1e-9 * at_.largest_force() * at_.length();
    if (!(std::abs(at_.energy(two.q) - E) <= small)) return false;
    std::vector<double> d(static_cast<std::size_t>(system.v_size()));
    system.difference(two.q, one.q, d);
    for (int k = 1; k < looks_in_a_step; ++k) {
      std::vector<double> part = d, next = one.q;
      for (double& x : part) x *= static_cast<double>(k) / looks_in_a_step;
      system.advance(one.q, part, next);
      if (!at_.close(next) || !(std::abs(at_.energy(next) - E) <= small)) return false;
      at_.evaluate(next);
      const Eigen::VectorXd left = null_space_qr(at_.jacobian()).transpose() * at_.b();
      if (!(left.norm() <= no_force * at_.largest_force())) return false;
    }
    return true;
  }

  // In poses that differ by whole turns the forces tell whether turns count.
  bool same(const FoundBalance& one, const FoundBalance& two) {
    const System& system = at_.system();
    std::vector<double> d(static_cast<std::size_t>(system.v_size()));
    system.difference(one.q, two.q, d);
    for (int k = 0; k < system.v_size(); ++k) {
      double& x = d[static_cast<std::size_t>(k)];
      if (system.layout().turns(k) && system.space() == Space::planar)
        x = std::remainder(x, 2 * 3.14159265358979323846);
      if (std::abs(x) > same_pose * (system.layout().turns(k) ? 1 : at_.length())) return false;
    }
    at_.evaluate(one.q);
    const Eigen::VectorXd b = at_.b();
    at_.evaluate(two.q);
    if ((b - at_.b()).cwiseAbs().maxCoeff() > 1e-5 * at_.largest_force()) return false;
    const double energies = at_.largest_force() * at_.length() * 1e-5;
    return std::abs(at_.energy(one.q) - at_.energy(two.q)) <= energies;
  }

  ForceBalance& at_;
  SearchLimits limits_;
  const std::function<bool()>& cancelled_;
  ManyBalances out_;
  std::mt19937 random_{20260117};
  int looks_ = 0;
  Eigen::VectorXd direction_;
};

}  // namespace

ManyBalances many_balances(ForceBalance& at,
                           CView start,
                           const FoundBalance& first,
                           const SearchLimits& limits,
                           const std::function<bool()>& cancelled) {
  return Spread(at, limits, cancelled).go(start, first);
}

}  // namespace cardan
