// Adaptive Gauss-Legendre quadrature of a spring curve, for its potential: an interval is halved
// until the sum over its halves agrees with it. And the law of a compliant limit.
#include "cardan/element/force/force_law.h"

#include <cmath>

#include "cardan/math/formula_range.h"

namespace cardan {
namespace {

struct Sum {
  double value = 0, size = 0;  // the integral, and that of |f|
};

// Gauss-Legendre, five points, exact to degree 9.
Sum gauss(const Function& f, double a, double b) {
  constexpr double x[2] = {0.53846931010568309104, 0.90617984593866399280};
  constexpr double w[3] = {0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751};
  const double half = 0.5 * (b - a), mid = 0.5 * (a + b);
  Sum sum{w[0] * f.at(mid).f, 0};
  sum.size = std::abs(sum.value);
  for (int k = 0; k < 2; ++k)
    for (const double y : {f.at(mid - half * x[k]).f, f.at(mid + half * x[k]).f}) {
      sum.value += w[k + 1] * y;
      sum.size += w[k + 1] * std::abs(y);
    }
  return {half * sum.value, std::abs(half) * sum.size};
}

// The halves agree with the whole, or differ by round-off of their own.
double refined(const Function& f, double a, double b, double coarse, double tolerance, int depth) {
  const double mid = 0.5 * (a + b);
  const Sum left = gauss(f, a, mid), right = gauss(f, mid, b);
  const double fine = left.value + right.value;
  const double enough = std::max(tolerance, 1e-14 * (left.size + right.size));
  if (depth == 0 || std::abs(fine - coarse) <= enough) return fine;
  return refined(f, a, mid, left.value, tolerance, depth - 1) +
         refined(f, mid, b, right.value, tolerance, depth - 1);
}

// The actuator as a function of the measure. Arguments that it does not use are zero.
class ActuatorOfMeasure final : public Function {
 public:
  explicit ActuatorOfMeasure(const Expression& formula) : formula_(formula) {}

  Jet at(double y) const override {
    std::array<double, 3 + 2 * max_formula_inputs> x{};
    x[1] = y;
    return {formula_.value(x), 0, 0};
  }

  bool constant() const override { return !formula_.uses(1); }

 private:
  const Expression& formula_;
};

bool follows_measure_alone(const Expression& formula) {
  for (int k = 0; k < 3 + 2 * max_formula_inputs; ++k)
    if (k != 1 && formula.uses(k)) return false;
  return true;
}

}  // namespace

double integral(const Function& f, double a, double b) {
  if (a == b) return 0;
  const Sum coarse = gauss(f, a, b);
  const double size =
      std::abs(b - a) * std::max(std::abs(f.at(a).f), std::abs(f.at(b).f)) + coarse.size;
  return refined(f, a, b, coarse.value, 1e-14 * size, 30);
}

// Between the points of the quadrature something narrow may be hidden, or a pole.
void ForceLaw::store_actuator() {
  stored =
      active && follows_measure_alone(actuator) && FormulaRange(actuator, {0, 1}).hiding() == 0;
}

double ForceLaw::actuator_potential(double y) const {
  const ActuatorOfMeasure f(actuator);
  return actuator_sign * (f.constant() ? f.at(0).f * (y - free) : integral(f, free, y));
}

ForceLaw::Value ForceLaw::limit_at(double y, double rate) const {
  const double side = y < lower ? -1 : 1;
  const double depth = y < lower ? lower - y : y - upper;
  Value v;
  if (!(depth > 0)) return v;
  const double u = depth / onset, sinking = side * rate;
  const bool full = u >= 1;
  const double elastic = stiffness * (full ? depth - 0.5 * onset : 0.5 * depth * u);
  const double share = full ? 1 : u * u * (3 - 2 * u);
  const double normal = elastic + damping * share * sinking;
  v.elastic = side * elastic;
  if (normal <= 0) {  // it would pull
    v.damped = -v.elastic;
    return v;
  }
  v.damped = side * (normal - elastic);
  v.f_rate = damping * share;
  v.f_y = full ? stiffness : stiffness * u + damping * sinking * 6 * u * (1 - u) / onset;
  return v;
}

ForceLaw::Parts ForceLaw::limit_parts(double y, double rate) const {
  const Value v = limit_at(y, rate);
  const double depth = y < lower ? lower - y : y - upper;
  if (!(depth > 0)) return {};
  const double elastic_y = depth >= onset ? stiffness : stiffness * depth / onset;
  return {.damped = v.damped, .damped_y = v.f_y - elastic_y, .damped_rate = v.f_rate};
}

double ForceLaw::limit_potential(double y) const {
  const double depth = y < lower ? lower - y : y - upper;
  if (!(depth > 0)) return 0;
  if (depth < onset) return stiffness * depth * depth * depth / (6 * onset);
  return 0.5 * stiffness * (depth * (depth - onset) + onset * onset / 3);
}

}  // namespace cardan
