#pragma once
// How large an error may be, and the norm that says so: a step is good when norm(error) <= 1.
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

struct Tolerance {
  double rtol = 1e-6;
  double atol = 1e-9;
  std::vector<double> rtol_each, atol_each;  // per component instead; empty: the scalars
  enum class Norm { rms, max } norm = Norm::rms;
  // |error| against rtol |y| of the whole vector, not component by component.
  bool norm_control = false;
  std::vector<bool> ignored;  // components without error control (dependent variables); empty: none
  // What the error of each component is multiplied with, as the problem has it at the time: how far
  // it reaches into quantities that are not in y. Null: nothing.
  const std::vector<double>* reach = nullptr;
  // What all errors are multiplied with besides, as the integrator has it at the time (its options say
  // why). Null: nothing.
  const double* weight = nullptr;
};

class ErrorNorm {
 public:
  void prepare(const Tolerance&, int n);  // allocates; throws std::invalid_argument on nonsense

  // Weights from one state, or from the larger of two (start and end of a step).
  void weigh(CView y);
  void weigh(CView y0, CView y1);
  double operator()(CView e) const;  // of e with the last weights
  int worst(CView e) const;          // the component that contributes most

  // The norm of what has this largest component and this sum of squares, both weighted.
  double of(double largest, double squares) const;

  CView weights() const {
    return {weight_.data(), static_cast<std::size_t>(weight_.size())};
  }  // 1/scale, 0: ignored

  double rtol() const { return rtol_min_; }  // smallest

 private:
  double combine(CView e) const;

  Eigen::VectorXd rtol_, atol_, weight_;
  Eigen::VectorXd mask_;  // 0: ignored, 1: not
  double rtol_min_ = 0;
  int controlled_ = 0;
  const std::vector<double>* reach_ = nullptr;
  const double* common_ = nullptr;  // weight of all
  bool max_ = false, norm_control_ = false;
};

}  // namespace cardan
