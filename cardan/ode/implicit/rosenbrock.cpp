#include "cardan/ode/implicit/rosenbrock.h"

#include "cardan/ode/views.h"

namespace cardan {

const RosenbrockTableau rodasp_tableau{
    .gamma = 0.25,
    .alpha = {0, 0.75, 0.21, 0.63, 1, 1},
    .d = {0.25, -0.5, -0.023504, -0.0362, 0, 0},
    .a = {{},
          {3},
          {1.831036793486759, 0.4955183967433795},
          {2.304376582692669, -0.05249275245743001, -1.176798761832782},
          {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
          {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1}},
    .c = {{},
          {-12},
          {-8.791795173947035, -2.207865586973518},
          {10.81793056857153, 6.780270611428266, 19.53485944642410},
          {34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534},
          {34.62605830930532,
           15.30084976114473,
           56.99955578662667,
           18.40807009793095,
           -5.714285714285717}},
    .m = {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1, 1},
    .p = {25.09876703708589, 11.62013104361867, 28.49148307714626, -5.664021568594133, 0, 0},
    .q = {1.638054557396973,
          -0.7373619806678748,
          8.477918219238990,
          15.99253148779520,
          -1.882352941176471,
          0}};

namespace {}  // namespace

Rosenbrock::Rosenbrock(OdeProblem& problem, const Traits& traits) : BasicMethod(problem, traits) {
  controller_.exponent = 0.25;
  controller_.grow = 6;
}

Eval Rosenbrock::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  linear_.prepare(problem_, 1);
  renew_ = true;
  u_.setZero(n, RosenbrockTableau::stages);
  for (Eigen::VectorXd* x : {&f_t_, &p_, &q_}) x->setZero(n);
  return BasicMethod::start(t, y, tolerance);
}

Eval Rosenbrock::linearize(double h) {
  const Shift shift{h * tableau_.gamma, 0};
  const Eval e = linear_.update(t_, view(y_), view(f_), {&shift, 1}, renew_);
  if (e != Eval::ok || !renew_) return e;
  renew_ = false;
  return problem_.f_t(t_, view(y_), view(f_), h, view(f_t_));
}

Attempt Rosenbrock::attempt(double h) {
  h_ = h;
  if (const Eval e = linearize(h); e != Eval::ok) {
    renew_ = true;
    return {failed(e), 0};
  }
  for (int i = 0; i < RosenbrockTableau::stages; ++i) {
    if (const Eval e = stage(i, h); e != Eval::ok) return {failed(e), 0};
  }
  y_new_ = y_;
  for (int j = 0; j < RosenbrockTableau::stages; ++j) y_new_ += tableau_.m[j] * u_.col(j);
  error_ = u_.col(RosenbrockTableau::stages - 1);
  norm_.weigh(view(y_), view(y_new_));
  return {Attempt::Kind::ok, traits_.adaptive ? norm_(view(error_)) : 0};
}

Eval Rosenbrock::stage(int i, double h) {
  const View u = column(u_, i);
  if (i == 0) {
    u_.col(0) = f_;
  } else {
    y_new_ = y_;
    for (int j = 0; j < i; ++j) y_new_ += tableau_.a[i][j] * u_.col(j);
    const Eval e = problem_.evaluate(t_ + tableau_.alpha[i] * h, view(y_new_), u);
    if (e != Eval::ok) return e;
  }
  for (int j = 0; j < i; ++j) u_.col(i) += tableau_.c[i][j] / h * u_.col(j);
  if (tableau_.d[i] != 0) u_.col(i) += h * tableau_.d[i] * f_t_;
  u_.col(i) *= h * tableau_.gamma;
  return linear_.solve(0, u);
}

Eval Rosenbrock::accept(bool) {
  p_.setZero();
  q_.setZero();
  for (int j = 0; j < RosenbrockTableau::stages; ++j) {
    p_ += tableau_.p[j] * u_.col(j);
    q_ += tableau_.q[j] * u_.col(j);
  }
  const Eval e = problem_.evaluate(t_ + h_, view(y_new_), column(u_, 0));
  if (e != Eval::ok) return e;
  shift();
  f_ = u_.col(0);
  renew_ = true;
  return Eval::ok;
}

Eval Rosenbrock::interpolate(double t, View y) {
  const double theta = (t - t_old_) / (t_ - t_old_);
  as_vector(y) = (1 - theta) * y_old_ + theta * (y_ + (1 - theta) * (p_ + theta * q_));
  return Eval::ok;
}

void Rosenbrock::serialize(Archive& a) {
  BasicMethod::serialize(a);
  linear_.serialize(a);
  a.io(renew_);
  a.io(f_t_);
  a.io(p_);
  a.io(q_);
}

}  // namespace cardan
