#pragma once
// One integration method: it attempts steps and remembers what it needs of accepted ones. The loop
// around it (error test, events, output) is the Integrator's.
//
//   start(t, y)   the only allocation; also a restart
//   attempt(h)    proposes t + h; the accepted state stays as it was
//   accept()      takes the proposal over (the integrator may have projected it before)
//   next(), retry()   step size (and order) after an accepted or a rejected attempt
//   interpolate() on the last accepted step
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "cardan/ode/archive.h"
#include "cardan/ode/problem.h"
#include "cardan/ode/tolerance.h"

namespace cardan {

struct Traits {
  std::string_view name;
  int order_min = 1, order_max = 1;  // order of the result; equal unless the order varies
  bool implicit = false, multistep = false;
  bool adaptive = false;      // estimates its error and chooses its step
  bool second_order = false;  // works on positions, velocities and accelerations
  double real_limit = 0;  // y' = lambda y is stable for -real_limit <= h lambda < 0; NaN: unknown
  double imaginary_limit = 0;  // |h lambda| on the imaginary axis; infinity: unbounded
  double evaluations = 1;      // of f per step; NaN: depends on the iteration
  int interpolant_order = 1;
  bool weighs_errors = false;  // its estimate counts what the errors of many steps make together
};

struct Attempt {
  enum class Kind { ok, not_converged, retry, fatal } kind = Kind::ok;
  double error = 0;  // good when <= 1; 0 for methods without error estimate
};

inline Attempt::Kind failed(Eval e) {
  return e == Eval::fatal ? Attempt::Kind::fatal : Attempt::Kind::retry;
}

struct Choice {
  double h = 0;
  int order = 0;
};

class Method {
 public:
  explicit Method(OdeProblem& problem) : problem_(problem) {}

  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  virtual const Traits& traits() const = 0;
  virtual Eval start(double t, CView y, const Tolerance&) = 0;

  // A first step for an adaptive method: signed towards t_end, at most |t_end - t|. May evaluate f.
  virtual double initial_step(double t_end) = 0;

  virtual Attempt attempt(double h) = 0;
  virtual double proposed_time() const = 0;
  virtual View proposal() = 0;              // y at proposed_time(), changed only by projection
  virtual View error_estimate() = 0;        // of the attempt, empty if there is none
  virtual Eval accept(bool projected) = 0;  // not ok: nothing was accepted

  virtual Choice next(const Attempt& accepted) = 0;
  virtual Choice retry(const Attempt& rejected) = 0;

  virtual Eval interpolate(
      double t, View y) = 0;  // between previous_time() and time(); may evaluate f once a step

  virtual double time() const = 0;
  virtual double previous_time() const = 0;
  virtual CView state() const = 0;

  virtual int order() const { return traits().order_max; }  // of the last attempt

  // Other variables: y of the accepted state and of the past in terms of the new ones, so that the
  // method need not start again. False: it cannot, or the map did not answer.
  using NewVariables = std::function<bool(double t, CView y, View in_new_variables)>;

  virtual bool change_variables(const NewVariables&, const Tolerance&) { return false; }

  virtual bool looks_stiff() const { return false; }  // explicit methods watch for it

  // Why the last attempt did not converge, where the method or its problem can name it.
  virtual std::string trouble() const { return problem_.residual_text(); }

  // The component that kept the last attempt from converging; -1: not known.
  virtual int unsolved() const { return -1; }

  virtual void serialize(Archive&) = 0;  // after start() with the same problem, tolerance and size

  OdeProblem& problem() { return problem_; }

 protected:
  OdeProblem& problem_;
};

}  // namespace cardan
