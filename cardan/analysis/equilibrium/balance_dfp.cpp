// The least total potential energy E in independent coordinates by the variable-metric method of
// Davidon, Fletcher and Powell. With s the step and y the change of the gradient g,
//   p = -B g,   B <- B + s s^T/(s.y) - B y y^T B/(y.B y),
// and a search along p for
//   E(x + c p) <= E(x) + 1e-4 c g.p,   |g(x + c p).p| <= 0.1 |g.p|.
// Near the least energy, where round-off hides differences of E, the slope alone decides. Where other
// coordinates are chosen as independent, v' = T v, B becomes T B T^T.
// Reference: Fletcher & Powell, Comput. J. 6 (1963) 163-168.
#include <algorithm>
#include <cmath>

#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/analysis/equilibrium/influence.h"
#include "cardan/base/trace.h"

namespace cardan {

namespace {

constexpr double longest_move = 0.2;     // of the mechanism's size
constexpr double slope_left = 0.1;       // of the slope at the start of a line search, at its end
constexpr double hidden_energy = 1e-11;  // relative change that round-off of energies hides

class VariableMetric {
 public:
  VariableMetric(ForceBalance& at, CView start, const SearchLimits& limits)
      : at_(at), limits_(limits) {
    out_.q.assign(start.begin(), start.end());
    at_.evaluate(out_.q);
    influence_.set(at_);
    g_ = influence_.force(at_);
    restart();
  }

  FoundBalance go() {
    for (; out_.iterations < limits_.max_iterations; ++out_.iterations) {
      out_.force_left = g_.size() > 0 ? g_.cwiseAbs().maxCoeff() : 0;
      out_.lambda = influence_.multipliers(at_);
      trace("  variable metric {:>4}: force left {:.3e} N", out_.iterations, out_.force_left);
      if (out_.force_left <= at_.small_force(limits_.tolerance)) return done(true);
      Eigen::VectorXd p = -B_ * g_;
      if (!(p.dot(g_) < 0)) {
        restart();
        p = -B_ * g_;
      }
      if (!search(p)) {
        if (fresh_) return done(out_.force_left <= at_.small_force(1e3 * limits_.tolerance));
        at_.evaluate(out_.q);
        restart();
        continue;
      }
      take();
    }
    return done(false);
  }

 private:
  struct Point {
    double c = 0, energy = 0, slope = 0;
    std::vector<double> q;
    Eigen::VectorXd g;
    bool there = false;
  };

  FoundBalance done(bool converged) {
    out_.converged = converged;
    return std::move(out_);
  }

  void restart() {
    B_ = Eigen::MatrixXd::Identity(g_.size(), g_.size()) *
         (0.05 * at_.length() / std::max(g_.norm(), 1e-300));
    fresh_ = true;
  }

  // c p from here; the energy relative to here.
  Point point(const Eigen::VectorXd& p, double c) {
    Point x;
    x.c = c;
    Eigen::VectorXd y;
    if (!influence_.move(at_, out_.q, c * p, x.q, y)) return x;
    Influence there = influence_;
    there.follow(at_);
    x.g = there.force(at_);
    x.slope = x.g.dot(p);
    x.energy = energy_change(at_, out_.q, y, x.q);
    x.there = std::isfinite(x.energy) && x.g.allFinite();
    return x;
  }

  // By bracketing and cubic interpolation.
  bool search(const Eigen::VectorXd& p) {
    const double slope = g_.dot(p), longest = (influence_.Z() * p).cwiseAbs().maxCoeff();
    const double most = longest_move * at_.length() / std::max(longest, 1e-300);
    const double hidden =
        hidden_energy * (std::abs(at_.energy(out_.q)) + at_.largest_force() * longest);
    Point low;  // the best so far, slope towards high
    low.slope = slope;
    low.there = true;
    double high = 0, high_slope = 0;  // 0: not bracketed yet; unknown
    double c = std::min(1.0, most);
    p_ = p;
    for (int k = 0; k < 40; ++k) {
      Point x = point(p, c);
      const bool worse = !x.there || (x.energy > 1e-4 * c * slope + hidden) ||
                         (low.c > 0 && x.energy > low.energy + hidden);
      if (!worse && std::abs(x.slope) <= slope_left * std::abs(slope)) {
        next_ = std::move(x);
        return true;
      }
      if (!worse && x.slope < 0) {
        low = std::move(x);
        if (high == 0) {
          if (c >= most) {
            next_ = std::move(low);
            return true;
          }
          c = std::min(4 * c, most);
          continue;
        }
      } else {
        high = c;
        high_slope = !worse && x.there ? x.slope : 0;
      }
      const double width = high - low.c;
      double share = 0.5;
      if (high_slope > 0) share = std::clamp(-low.slope / (high_slope - low.slope), 0.05, 0.95);
      c = low.c + share * width;
      if (!(width > 1e-15 * high)) break;
    }
    if (low.c > 0) {
      next_ = std::move(low);
      return true;
    }
    return false;
  }

  void take() {
    const Eigen::VectorXd s = next_.c * p_, y = next_.g - g_;
    const double sy = s.dot(y);
    if (sy > 0) {
      if (fresh_) B_ = Eigen::MatrixXd::Identity(s.size(), s.size()) * (sy / y.squaredNorm());
      const Eigen::VectorXd By = B_ * y;
      B_ += s * s.transpose() / sy - By * By.transpose() / y.dot(By);
      fresh_ = false;
    }
    out_.q = std::move(next_.q);
    at_.evaluate(out_.q);
    Influence before = influence_;
    if (influence_.set(at_)) {
      before.follow(at_);
      Eigen::MatrixXd T(g_.size(), g_.size());
      for (Eigen::Index k = 0; k < T.rows(); ++k)
        T.row(k) = before.Z().row(influence_.independent()[static_cast<std::size_t>(k)]);
      B_ = T * B_ * T.transpose();
    }
    g_ = influence_.force(at_);
  }

  ForceBalance& at_;
  SearchLimits limits_;
  FoundBalance out_;
  Influence influence_;
  Eigen::VectorXd g_, p_;
  Eigen::MatrixXd B_;
  Point next_;
  bool fresh_ = true;
};

}  // namespace

FoundBalance least_energy_dfp(ForceBalance& at, CView start, const SearchLimits& limits) {
  return VariableMetric(at, start, limits).go();
}

}  // namespace cardan
