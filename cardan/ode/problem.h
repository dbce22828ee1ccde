#pragma once
// What an integrator asks of its problem y' = f(t, y): derivatives, linear solves with I - c f_y
// for the implicit methods (a matrix is never shown), and a projection onto what y must satisfy
// besides.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

struct Stats {  // what a run cost; the problem counts its part, the integrator the steps
  long f = 0, jacobian = 0, factorization = 0, solve = 0, newton = 0;
  long projection = 0;
  long steps = 0, rejected = 0;          // accepted steps; attempts that failed the error test
  long not_converged = 0, failed_f = 0;  // attempts lost to Newton's iteration and to evaluations
  long events = 0;
};

struct Shift {  // W = I - (re + i im) f_y
  double re = 0, im = 0;
};

enum class Reuse { nothing, jacobian, factors };  // what setup may keep from the time before

class SecondOrderProblem;
class DenseNewton;

class OdeProblem {
 public:
  OdeProblem();
  virtual ~OdeProblem();
  OdeProblem(const OdeProblem&) = delete;
  OdeProblem& operator=(const OdeProblem&) = delete;

  // ---- what a problem must say
  virtual int size() const = 0;
  virtual Eval f(double t, CView y, View dy) = 0;

  // ---- what it may say
  virtual std::string component_name(int i) const;  // "y[3]", "angle of 'crank'"

  // A change of component i that f hardly bends over, where |y_i| itself may be far smaller: f_y is
  // differenced with steps in proportion to it. 0: not known.
  virtual double natural_size(int /*i*/) { return 0; }

  // f_y in column-major order into J (n x n) for the dense Newton service; false: it is
  // differenced.
  virtual bool jacobian(double t, CView y, View J);

  // Linear solves. `shifts` are all the matrices one step needs; solve(k, ...) answers for
  // shifts[k]: (re + i im) <- W_k^-1 (re + i im), im empty for a real shift. dy = f(t, y). The
  // default is dense: f_y by jacobian() or by differences, and LU. reserve() is called once by
  // Method::start, so that setup and solve need not allocate.
  virtual void reserve(int shifts);
  virtual Eval setup(double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed);
  virtual Eval solve(int k, View re, View im);

  // f_t and f_y v at a point where dy = f(t, y); defaults by differences (Rosenbrock methods need
  // them).
  virtual Eval f_t(double t, CView y, CView dy, double h, View out);
  virtual Eval f_y_times(double t, CView y, CView dy, CView v, View out);

  // Called after the error test has passed and before the step is accepted, if projects(): puts y
  // onto its manifold and takes the part normal to it out of the error estimate (which may be
  // empty).
  virtual bool projects() const { return false; }

  virtual Eval project(double t, View y, View error);

  // Differential-algebraic problems: a flag for each component, 1 where f_i is no derivative but a
  // residual, 0 = f_i(t, y). W is then D - c f_y with zeros in D there. Empty: y' = f throughout.
  // Only bdf, bdf-fixed, radau5, radau-fixed and gauss know them.
  virtual std::span<const char> algebraic() const { return {}; }

  // Components of y that follow from the others, at a start.
  virtual Eval complete(double /*t*/, View /*y*/) { return Eval::ok; }

  // What the last solve was still missing, in words, for messages. Empty: not known.
  virtual std::string residual_text() const { return {}; }

  // The problem in positions and velocities, y = (q, v), if it has that form.
  virtual SecondOrderProblem* second_order() { return nullptr; }

  // f at several states at once, 4 or 8: number i of state k stands at [i * width + k]. The default
  // asks f for one after the other. The last quadratures() components may be left as they are;
  // quadrature_rates() fills them at the states asked for last.
  virtual Eval f_of_several(int width, CView t, CView y, View dy);

  // Called once by Method::start of those that ask for several, so that nothing need be allocated
  // later.
  virtual void reserve_several(int width);

  virtual int quadratures() const { return 0; }  // the last components: nothing depends on them

  // Nothing depends on component i: methods may integrate its rate in a way of their own, where no
  // error control judges it.
  virtual bool is_integral(int /*i*/) { return false; }

  virtual Eval quadrature_rates(int /*width*/, CView /*t*/, CView /*y*/, View /*dy*/) {
    return Eval::ok;
  }

  // By component: the one that is its rate, y_i' = y_k; -1: it has another. Empty: not known.
  virtual std::span<const int> rate_components() const { return {}; }

  // ---- for methods: f counted and guarded. A value that is not finite becomes Eval::retry.
  Eval evaluate(double t, CView y, View dy);
  Eval evaluate_several(int width, CView t, CView y, View dy);
  Eval evaluate_quadratures(int width, CView t, CView y, View dy);

  // Where f may jump at both ends of a stretch of time, it is evaluated just inside of them.
  void stay_within(double earliest, double latest) {
    earliest_ = earliest;
    latest_ = latest;
  }

  double within(double t) const { return std::clamp(t, earliest_, latest_); }

  Stats& stats() { return stats_; }

  const Stats& stats() const { return stats_; }

  struct BadValue {  // the last evaluation that failed: component -1 when f itself said so
    int component = -1;
    double t = 0;
  };

  const BadValue& last_bad_value() const { return bad_; }

 private:
  Stats stats_;
  BadValue bad_;
  double earliest_ = -std::numeric_limits<double>::infinity(), latest_ = -earliest_;
  Eval guard_several(int width, CView t, CView dy);

  Eigen::VectorXd moved_, one_y_, one_dy_;
  std::vector<double> times_;
  std::unique_ptr<DenseNewton> newton_;
};

}  // namespace cardan
