#include "cardan/ode/tolerance.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cardan {

namespace {

void fill(Eigen::VectorXd& out, double all, const std::vector<double>& each, int n) {
  if (!each.empty() && static_cast<int>(each.size()) != n) {
    throw std::invalid_argument("a tolerance for each component must have as many entries as y");
  }
  out.setConstant(n, all);
  std::copy(each.begin(), each.end(), out.data());
  if (!(out.array() >= 0).all() || !out.allFinite()) {
    throw std::invalid_argument("tolerances must be finite and not negative");
  }
}

}  // namespace

void ErrorNorm::prepare(const Tolerance& tolerance, int n) {
  fill(rtol_, tolerance.rtol, tolerance.rtol_each, n);
  fill(atol_, tolerance.atol, tolerance.atol_each, n);
  if (!tolerance.ignored.empty() && static_cast<int>(tolerance.ignored.size()) != n) {
    throw std::invalid_argument(
        "the list of components without error control must be as long as y");
  }
  mask_.setOnes(n);
  for (std::size_t i = 0; i < tolerance.ignored.size(); ++i) {
    if (tolerance.ignored[i]) mask_[static_cast<Eigen::Index>(i)] = 0;
  }
  controlled_ = static_cast<int>(mask_.sum());
  max_ = tolerance.norm == Tolerance::Norm::max;
  norm_control_ = tolerance.norm_control;
  reach_ = tolerance.reach;
  common_ = tolerance.weight;
  weight_.setZero(n);
  rtol_min_ = n > 0 ? rtol_.minCoeff() : tolerance.rtol;
}

void ErrorNorm::weigh(CView y) {
  weigh(y, y);
}

void ErrorNorm::weigh(CView y0, CView y1) {
  const double least = std::numeric_limits<double>::min();
  if (norm_control_) {
    weight_ = mask_;
    const double whole = std::max(combine(y0), combine(y1));
    weight_ = mask_.array() / (atol_.array() + rtol_.array() * whole).max(least);
  } else {
    const auto size = as_vector(y0).array().abs().max(as_vector(y1).array().abs());
    weight_ = mask_.array() / (atol_.array() + rtol_.array() * size).max(least);
  }
  if (reach_ != nullptr) weight_.array() *= as_vector(CView(*reach_)).array();
  if (common_ != nullptr) weight_ *= *common_;
}

double ErrorNorm::combine(CView e) const {
  const auto weighted = as_vector(e).array() * weight_.array();
  if (max_) return e.empty() ? 0 : weighted.abs().maxCoeff<Eigen::PropagateNaN>();
  return controlled_ == 0 ? 0 : std::sqrt(weighted.square().sum() / controlled_);
}

double ErrorNorm::operator()(CView e) const {
  return combine(e);
}

double ErrorNorm::of(double largest, double squares) const {
  if (max_) return largest;
  return controlled_ == 0 ? 0 : std::sqrt(squares / controlled_);
}

int ErrorNorm::worst(CView e) const {
  if (e.empty()) return -1;
  Eigen::Index worst = 0;
  (as_vector(e).array() * weight_.array()).abs().maxCoeff(&worst);
  return static_cast<int>(worst);
}

}  // namespace cardan
