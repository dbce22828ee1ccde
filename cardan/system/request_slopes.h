#pragma once
// Derivatives of what formulas read: of value and rate of every request along tangent increments
// and velocities of bodies, to first-order states and to inputs. With r = f(t, a, a', b, b', ...)
// of other requests and g = r',
//   dr = sum f_a da + f_a' da',
//   dg = sum f_a da' + sum_x (sum_b f_bx b' + f_tx) dx       over all arguments x,
// in the order of evaluation. A measure y(q) has dy = y_q, dy' = ((y_q v)_q, y_q); a state has its
// value z, and as rate a formula; an input has its value u.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class RequestSlopes {
 public:
  explicit RequestSlopes(const System&);

  // With the requests of this motion in w.
  void evaluate(double t, CView q, CView v, Workspace& w);

  struct Gradient {
    std::vector<int> bodies, states, inputs;  // it may depend on, ascending
    std::vector<double> q, v;                 // body_size() numbers a body
    std::vector<double> z, u;
  };

  const Gradient& value(int request) const { return value_[static_cast<std::size_t>(request)]; }

  const Gradient& rate(int request) const { return rate_[static_cast<std::size_t>(request)]; }

 private:
  void find_measures();
  void find_formula(const System::Evaluation&);
  void measures(double t, CView q, CView v, const Workspace& w);
  void formula(const System::Evaluation&, double t, const Workspace& w);

  // Sums of gradients: places of a gradient are cleared, others added, the sum taken.
  void clear(const Gradient&);
  void add(double factor, const Gradient&);
  void take(Gradient&) const;

  const System& system_;
  std::size_t n_;
  std::vector<Gradient> value_, rate_;
  std::vector<double> packed_;                                // (y_q v)_q of the measures
  std::vector<double> arguments_, direction_, slope_, bend_;  // of one formula
  std::vector<double> q_, v_, z_, u_;                         // a sum
};

}  // namespace cardan
