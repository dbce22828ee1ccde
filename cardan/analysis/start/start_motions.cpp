#include "cardan/analysis/start/start_motions.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"
#include "cardan/math/normal_numbers.h"

namespace cardan {

namespace {

constexpr double no_singular_value = 1e-9;  // relative: counts as zero
constexpr double motion_met = 1e-9;         // of gamma, relative to its size
constexpr double same_motion = 1e-6;        // relative to the largest
constexpr int motion_starts = 80, most_newton = 60;

class MotionSearch {
 public:
  MotionSearch(const System& system, double t, CView q, CView v, const std::vector<char>& wanted)
      : system_(system), t_(t), q_(q), v0_(as_vector(v)), work_(system.workspace()) {
    system.rotations(q, work_);
    column_.resize(system.v_size());
    for (int k = 0; k < system.v_size(); ++k)
      column_[k] = system.layout().turns(k) ? 1 / system.length() : 1.0;
    gamma_.resize(static_cast<std::size_t>(system.equations().rows()));
    find_left_vectors();
    find_open_velocities(wanted);
  }

  StartMotions go(int lost, bool meant) {
    StartMotions out;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(N_.cols());
    out.possible = small(none);
    out.isolated = N_.cols() <= lost;
    const bool choice = !meant && out.isolated && speed(none) > 0;
    if ((out.possible && !choice) || N_.cols() == 0) return out;
    std::mt19937 random(20261116);
    NormalNumbers normal;
    const double size = std::max(speed(none), std::sqrt(size_of_gamma(none) * system_.length()));
    const int starts = out.isolated ? motion_starts : 1;
    for (int k = 0; k < starts; ++k) {
      Eigen::VectorXd y = none;
      for (Eigen::Index i = 0; k > 0 && i < y.size(); ++i)
        y[i] = normal(random) * size * elementary::pow(10.0, 0.5 * (k % 4) - 0.5);
      if (!newton(y)) continue;
      const Eigen::VectorXd v = v0_ + N_ * y;
      const bool known = std::any_of(found_.begin(), found_.end(), [&](const auto& other) {
        return ((v - other).cwiseQuotient(column_)).norm() <=
               same_motion * v.cwiseQuotient(column_).norm();
      });
      if (!known) found_.push_back(v);
    }
    for (const Eigen::VectorXd& v : found_) out.motions.emplace_back(v.data(), v.data() + v.size());
    return out;
  }

 private:
  // U: of the equations with rows scaled to one, so that the scale goes with gamma.
  void find_left_vectors() {
    const Equations& equations = system_.equations();
    const Eigen::Index rows = system_.joint_rows();
    equations.phi_q(system_.config(t_, q_, work_), work_.packed);
    Eigen::MatrixXd J = equations.dense(work_.packed).topRows(rows) * column_.asDiagonal();
    row_ = J.rowwise().norm();
    for (Eigen::Index r = 0; r < rows; ++r) row_[r] = row_[r] > 1e-12 ? 1 / row_[r] : 1;
    J = row_.asDiagonal() * J;
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
    U_ = svd.matrixU().rightCols(rows - rank_of(svd));
  }

  void find_open_velocities(const std::vector<char>& wanted) {
    const Equations& equations = system_.assembly_equations();
    std::vector<double> packed(static_cast<std::size_t>(equations.packed_size()));
    equations.phi_q(system_.config(t_, q_, work_), packed);
    Eigen::MatrixXd J = equations.dense(packed) * column_.asDiagonal();
    for (Eigen::Index r = 0; r < J.rows(); ++r) {
      const double norm = J.row(r).norm();
      J.row(r) *= wanted[static_cast<std::size_t>(r)] != 0 && norm > 1e-12 ? 1 / norm : 0;
    }
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
    N_ = column_.asDiagonal() * svd.matrixV().rightCols(J.cols() - rank_of(svd));
  }

  static Eigen::Index rank_of(const Eigen::BDCSVD<Eigen::MatrixXd>& svd) {
    const Eigen::VectorXd& s = svd.singularValues();
    Eigen::Index rank = 0;
    while (rank < s.size() && s[rank] > no_singular_value * s[0]) ++rank;
    return rank;
  }

  double speed(const Eigen::VectorXd& y) const {
    return (v0_ + N_ * y).cwiseQuotient(column_).norm();
  }

  Eigen::VectorXd gamma_at(const Eigen::VectorXd& y) {
    const Eigen::VectorXd v = v0_ + N_ * y;
    const CView view(v.data(), static_cast<std::size_t>(v.size()));
    system_.equations().gamma(system_.motion(t_, q_, view, work_), gamma_);
    return row_.cwiseProduct(as_vector(CView(gamma_)).head(row_.size()));
  }

  double size_of_gamma(const Eigen::VectorXd& y) {
    const double s = speed(y);
    return gamma_at(y).norm() + s * s / system_.length();
  }

  bool small(const Eigen::VectorXd& y) {
    return (U_.transpose() * gamma_at(y)).norm() <= motion_met * size_of_gamma(y);
  }

  // The equations are quadratic, so that differences of any size give their slopes exactly.
  bool newton(Eigen::VectorXd& y) {
    const double h = std::max(speed(y), 1e-3 * system_.length());
    for (int k = 0; k < most_newton; ++k) {
      const Eigen::VectorXd g = U_.transpose() * gamma_at(y);
      if (!g.allFinite()) return false;
      if (small(y) && k > 0) {
        polish(y, h);
        return true;
      }
      y += step(y, g, h);
    }
    return small(y);
  }

  Eigen::VectorXd step(const Eigen::VectorXd& y, const Eigen::VectorXd& g, double h) {
    Eigen::MatrixXd slopes(g.size(), y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      Eigen::VectorXd plus = y, minus = y;
      plus[i] += h;
      minus[i] -= h;
      slopes.col(i) = U_.transpose() * (gamma_at(plus) - gamma_at(minus)) / (2 * h);
    }
    return slopes.completeOrthogonalDecomposition().solve(-g);
  }

  void polish(Eigen::VectorXd& y, double h) {
    for (int k = 0; k < 2; ++k) {
      const Eigen::VectorXd g = U_.transpose() * gamma_at(y);
      const Eigen::VectorXd next = y + step(y, g, h);
      if ((U_.transpose() * gamma_at(next)).norm() >= g.norm()) return;
      y = next;
    }
  }

  const System& system_;
  double t_;
  CView q_;
  Eigen::VectorXd v0_, column_, row_;
  Eigen::MatrixXd U_, N_;
  Workspace work_;
  std::vector<double> gamma_;
  std::vector<Eigen::VectorXd> found_;
};

}  // namespace

StartMotions start_motions(const System& system,
                           double t,
                           CView q,
                           CView v,
                           const std::vector<char>& wanted,
                           int lost,
                           bool meant) {
  return MotionSearch(system, t, q, v, wanted).go(lost, meant);
}

}  // namespace cardan
