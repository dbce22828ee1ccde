#include "cardan/analysis/sensitivity/lock_up_slopes.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>

namespace cardan {

namespace {

constexpr double top_reached = 1e-13;  // last step along the curve, of the mechanism's size
constexpr double closed_to = 1e-14;    // last correction of a pose, likewise
constexpr int most_curve_passes = 12;

class PoseCurve {
 public:
  PoseCurve(const System& system,
            const std::vector<char>& active,
            const State& near,
            const std::vector<double>& motion,
            ParameterSlopes& slopes)
      : system_(system),
        state_(near),
        slopes_(slopes),
        n_(system.v_size()),
        work_(system.workspace()) {
    for (int r = 0; r < system.equations().rows(); ++r)
      if (active[static_cast<std::size_t>(r)] != 0) rows_.push_back(r);
    for (auto* list : {&state_.v, &state_.a, &state_.lambda})
      std::fill(list->begin(), list->end(), 0.0);
    state_.lambda.resize(static_cast<std::size_t>(system.equations().rows()), 0.0);
    along_ = as_vector(CView(motion));
    along_ /= std::max(1e-300, along_.norm());
  }

  bool square() const { return static_cast<int>(rows_.size()) == n_; }

  // The matrix at the pose, and the tangent (q_s, t_s).
  bool look() {
    // What it says of singular poses does not matter: phi_q and phi_p are there in any case.
    [[maybe_unused]] const bool regular = slopes_.evaluate(state_);
    const SparseMatrix& J = slopes_.linearisation().phi_q();
    std::vector<int> place(static_cast<std::size_t>(J.rows()), -1);
    for (int k = 0; k < n_; ++k)
      place[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])] = k;
    system_.use(state_, work_);
    system_.rotations(state_.q, work_);
    const Config here = system_.config(state_.t, state_.q, work_);
    system_.equations().phi(here, work_.phi);
    system_.equations().nu(here, work_.nu);
    std::vector<Eigen::Triplet<double>> entries;
    for (int c = 0; c < n_; ++c)
      for (SparseMatrix::InnerIterator i(J, c); i; ++i)
        if (const int r = place[static_cast<std::size_t>(i.row())]; r >= 0)
          entries.emplace_back(r, c, i.value());
    for (int k = 0; k < n_; ++k) {
      entries.emplace_back(
          k, n_, -work_.nu[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])]);
      entries.emplace_back(n_, k, along_[k]);
    }
    SparseMatrix A(n_ + 1, n_ + 1);
    A.setFromTriplets(entries.begin(), entries.end());
    lu_.compute(A);
    if (lu_.info() != Eigen::Success) return false;
    Eigen::VectorXd one = Eigen::VectorXd::Zero(n_ + 1);
    one[n_] = 1;
    tangent_ = lu_.solve(one);
    return tangent_.allFinite();
  }

  double time_slope() const { return tangent_[n_]; }  // t_s

  double move_by(double s) const {  // in units of length
    const Eigen::VectorXd q = s * tangent_.head(n_);
    return system_.largest_move(CView(q.data(), static_cast<std::size_t>(n_)));
  }

  // Along the curve; the tangent is that of the pose reached.
  bool go(double s) {
    if (!advance(s * tangent_)) return false;
    for (int pass = 0; pass < most_curve_passes; ++pass) {
      if (!look()) return false;
      Eigen::VectorXd left = Eigen::VectorXd::Zero(n_ + 1);
      for (int k = 0; k < n_; ++k)
        left[k] = -work_.phi[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
      const Eigen::VectorXd d = lu_.solve(left);
      if (!advance(d)) return false;
      if (system_.largest_move(CView(d.data(), static_cast<std::size_t>(n_))) <=
          closed_to * system_.length())
        return look();
    }
    return look();
  }

  std::vector<double> parameter_slopes() const {
    std::vector<double> out;
    for (int p = 0; p < slopes_.count(); ++p) {
      Eigen::VectorXd b = Eigen::VectorXd::Zero(n_ + 1);
      for (int k = 0; k < n_; ++k)
        b[k] =
            -slopes_.residual(p).phi[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
      out.push_back(Eigen::VectorXd(lu_.solve(b))[n_]);
    }
    return out;
  }

 private:
  bool advance(const Eigen::VectorXd& d) {
    if (!d.allFinite()) return false;
    const std::vector<double> from = state_.q;
    system_.advance(from, CView(d.data(), static_cast<std::size_t>(n_)), state_.q);
    system_.normalise(state_.q);
    state_.t += d[n_];
    return true;
  }

  const System& system_;
  State state_;
  ParameterSlopes& slopes_;
  int n_;
  std::vector<int> rows_;
  Workspace work_;
  Eigen::VectorXd along_, tangent_;
  mutable Eigen::SparseLU<SparseMatrix> lu_;
};

}  // namespace

std::optional<std::vector<double>> lock_up_time_slopes(const System& system,
                                                       const std::vector<char>& active,
                                                       const State& near,
                                                       double t_lock,
                                                       const std::vector<double>& motion,
                                                       ParameterSlopes& slopes) {
  PoseCurve curve(system, active, near, motion, slopes);
  if (!curve.square() || !curve.look()) return {};
  double before = curve.time_slope();
  if (before == 0) return curve.parameter_slopes();
  double s = 2 * (t_lock - near.t) / before;  // to the top of a parabola
  for (int pass = 0; pass < most_curve_passes; ++pass) {
    const double moved = curve.move_by(s);
    if (!(moved <= 0.1 * system.length()) || !curve.go(s)) return {};
    const double now = curve.time_slope();
    if (moved <= top_reached * system.length() || now == 0 || now == before)
      return curve.parameter_slopes();
    const double next = s * now / (before - now);
    before = now;
    s = next;
  }
  return {};
}

}  // namespace cardan
