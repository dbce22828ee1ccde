#include "cardan/ode/adams/adams_start.h"

#include <algorithm>
#include <cmath>

#include "cardan/ode/runge_kutta/runge_kutta.h"

namespace cardan {

namespace {

class Accurate final : public AdamsStarter {
 public:
  explicit Accurate(OdeProblem& problem)
      : problem_(problem),
        method_(std::make_unique<Dop853>(problem, tableau_traits(dop853_tableau, "dop853"))) {
    tolerance_.rtol = 5e-15;
    tolerance_.atol = 1e-300;
    tolerance_.norm_control = true;
  }

  Eval start(double t, CView y) override {
    h_ = 0;
    f_.setZero(problem_.size());
    return method_->start(t, y, tolerance_);
  }

  Eval step(double t, CView y, double h, View y_new) override {
    const View f{f_.data(), static_cast<std::size_t>(f_.size())};
    if (const Eval e = problem_.evaluate(t, y, f); e != Eval::ok) return e;
    // a start from rest: what y changes by is the measure where y itself is none
    tolerance_.atol =
        std::max(1e-300, tolerance_.rtol * std::abs(h) * f_.lpNorm<Eigen::Infinity>());
    if (const Eval e = method_->start(t, y, tolerance_); e != Eval::ok) return e;
    if (h_ == 0) h_ = method_->initial_step(t + h);
    for (int attempts = 0; attempts < 10000; ++attempts) {
      const double left = t + h - method_->time();
      if (std::abs(left) <= 1e-14 * std::abs(h)) {
        as_vector(y_new) = as_vector(method_->state());
        return Eval::ok;
      }
      const double now = std::abs(h_) < std::abs(left) ? h_ : left;
      const Attempt a = method_->attempt(now);
      if (a.kind == Attempt::Kind::ok && a.error <= 1) {
        if (const Eval e = method_->accept(false); e != Eval::ok) return e;
        const double next = method_->next(a).h;
        if (now == h_ || std::abs(next) > std::abs(h_)) h_ = next;
      } else {
        h_ = method_->retry(a).h;
        if (std::abs(h_) < 1e-10 * std::abs(h)) return Eval::retry;
      }
    }
    return Eval::retry;
  }

  bool looks_within() const override { return true; }

  Eval look(double t, CView y, double dt, View out) override {
    const double h = h_;
    const Eval e = step(t, y, dt, out);
    h_ = h;
    return e;
  }

  void serialize(Archive& a) override { a.io(h_); }

 private:
  OdeProblem& problem_;
  std::unique_ptr<Method> method_;
  Tolerance tolerance_;
  Eigen::VectorXd f_;
  double h_ = 0;
};

class SmallSteps final : public AdamsStarter {
 public:
  explicit SmallSteps(std::unique_ptr<Method> method) : method_(std::move(method)) {}

  Eval start(double t, CView y) override { return method_->start(t, y, {}); }

  Eval step(double t, CView y, double h, View y_new) override {
    const CView mine = method_->state();
    if (!std::equal(y.begin(), y.end(), mine.begin())) {  // projected since
      if (const Eval e = method_->start(t, y, {}); e != Eval::ok) return e;
    }
    for (int i = 0; i < parts; ++i) {
      const Attempt a = method_->attempt(h / parts);
      if (a.kind != Attempt::Kind::ok) return Eval::retry;
      if (const Eval e = method_->accept(false); e != Eval::ok) return e;
    }
    as_vector(y_new) = as_vector(method_->state());
    return Eval::ok;
  }

  void serialize(Archive& a) override { method_->serialize(a); }

 private:
  static constexpr int parts = 10;
  std::unique_ptr<Method> method_;
};

}  // namespace

std::unique_ptr<AdamsStarter> accurate_starter(OdeProblem& problem) {
  return std::make_unique<Accurate>(problem);
}

std::unique_ptr<AdamsStarter> small_step_starter(std::unique_ptr<Method> method) {
  return std::make_unique<SmallSteps>(std::move(method));
}

}  // namespace cardan
