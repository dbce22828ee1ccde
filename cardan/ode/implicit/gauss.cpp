#include "cardan/ode/implicit/gauss.h"

#include "cardan/ode/views.h"

namespace cardan {

namespace {

constexpr int most_nodes = 4;

}  // namespace

void hermite_weights(int m, double theta, double* value, double* slope) {
  for (int j = 0; j < m; ++j) {
    const double node = static_cast<double>(j) / (m - 1);
    double lagrange = 1, derivative = 0;  // of node j at theta; the derivative at the node itself
    for (int k = 0; k < m; ++k) {
      if (k == j) continue;
      const double distance = node - static_cast<double>(k) / (m - 1);
      lagrange *= (theta - static_cast<double>(k) / (m - 1)) / distance;
      derivative += 1 / distance;
    }
    value[j] = (1 - 2 * derivative * (theta - node)) * lagrange * lagrange;
    slope[j] = (theta - node) * lagrange * lagrange;
  }
}

GaussMethod::GaussMethod(OdeProblem& problem, const Traits& traits, int stages)
    : CollocationMethod(problem, traits, gauss_tableau(stages)), nodes_(stages < 3 ? 2 : stages) {}

Eval GaussMethod::start(double t, CView y, const Tolerance& tolerance) {
  value_.setZero(problem_.size(), nodes_);
  slope_ = value_;
  complete_ = false;
  return CollocationMethod::start(t, y, tolerance);
}

Attempt GaussMethod::attempt(double h) {
  complete_ = false;  // nobody looks back once the next step is tried
  return CollocationMethod::attempt(h);
}

Eval GaussMethod::accept(bool projected) {
  complete_ = false;
  return CollocationMethod::accept(projected);
}

Eval GaussMethod::complete() {
  const double h = t_ - t_old_;
  value_.col(0) = y_old_;
  value_.col(nodes_ - 1) = y_;
  for (int j = 1; j + 1 < nodes_; ++j) {
    const double part = static_cast<double>(j) / (nodes_ - 1);
    const Attempt::Kind kind = solve_inside(part);
    if (kind != Attempt::Kind::ok) return kind == Attempt::Kind::fatal ? Eval::fatal : Eval::retry;
    stages_.end_point(view(y_old_), column(value_, j));
  }
  for (int j = 0; j < nodes_; ++j) {
    const double t = t_old_ + h * j / (nodes_ - 1);
    const Eval e = problem_.evaluate(t, column(value_, j), column(slope_, j));
    if (e != Eval::ok) return e;
  }
  slope_ *= h;
  complete_ = true;
  return Eval::ok;
}

Eval GaussMethod::interpolate(double t, View y) {
  if (!complete_) {
    if (const Eval e = complete(); e != Eval::ok) return e;
  }
  double value[most_nodes], slope[most_nodes];
  hermite_weights(nodes_, (t - t_old_) / (t_ - t_old_), value, slope);
  as_vector(y).setZero();
  for (int j = 0; j < nodes_; ++j)
    as_vector(y) += value[j] * value_.col(j) + slope[j] * slope_.col(j);
  return Eval::ok;
}

void GaussMethod::serialize(Archive& a) {
  CollocationMethod::serialize(a);
  a.io(complete_);
  a.io(value_);
  a.io(slope_);
}

}  // namespace cardan
