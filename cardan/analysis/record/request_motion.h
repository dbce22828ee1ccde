#pragma once
// Rates and accelerations of requests in a motion whose accelerations are known. A measure y(q) has
//   y' = y_q v,   y'' = y_q a - gamma,
// with gamma as in a constraint phi = y. A formula r = f(t, a, b, ...) of other requests has, with
// w = (1, a', b', ...) the rates of its arguments,
//   r' = f_x . w,   r'' = w . f_xx w + f_a a'' + f_b b'' + ...
// One that reads the rate of a request has r' by its acceleration, and no r''. What follows
// first-order states has neither.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class RequestMotion {
 public:
  explicit RequestMotion(const System&);

  bool has_rate(std::size_t request) const { return known_[request] >= 1; }

  bool has_acceleration(std::size_t request) const { return known_[request] >= 2; }

  // With what evaluate_requests() left in w for this state.
  void evaluate(const State&, const Workspace& w);

  double rate(std::size_t request) const { return rate_[request]; }

  double acceleration(std::size_t request) const { return acceleration_[request]; }

 private:
  void find_known(const System::Evaluation&);
  void formula(const System::RequestInfo&, std::size_t request, double t, const Workspace& w);

  const System& system_;
  std::vector<char> known_;  // 0: the value alone, 1: its rate, 2: its acceleration too
  std::vector<double> rate_, acceleration_;
  std::vector<double> gamma_, row_accelerations_;               // of measures
  std::vector<double> arguments_, direction_, slopes_, bends_;  // of one formula
};

}  // namespace cardan
