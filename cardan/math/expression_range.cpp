#include "cardan/math/expression_range.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Interval increasing(double (*f)(double), const Interval& x) {
  return {f(x.lo), f(x.hi)};
}

// Over the part of x in which the function is defined.
Interval increasing(double (*f)(double), const Interval& x, const Interval& domain) {
  const Interval part = intersection(x, domain);
  return part.lo > part.hi ? Interval{} : increasing(f, part);
}

Interval absolute(const Interval& x) {
  if (x.lo >= 0) return x;
  if (x.hi <= 0) return {-x.hi, -x.lo};
  return {0, std::max(-x.lo, x.hi)};
}

// Three-valued: [0, 0], [1, 1], or [0, 1] where it depends.
Interval truth(bool certain, bool impossible) {
  return certain ? Interval{1, 1} : impossible ? Interval{0, 0} : Interval{0, 1};
}

}  // namespace

Interval unary_range(Op op, const Interval& x) {
  switch (op) {
    case Op::negate:
      return {-x.hi, -x.lo};
    case Op::absolute:
      return absolute(x);
    case Op::logical_not:
      return x.lo == 0 && x.hi == 0 ? Interval{1, 1} : x.contains(0) ? Interval{0, 1} : Interval{};
    case Op::sign:
    case Op::heaviside:
    case Op::floor:
    case Op::ceil:
    case Op::smooth3:
    case Op::smooth5:
      return {unary_value(op, x.lo), unary_value(op, x.hi)};
    case Op::sqrt:
      return increasing(std::sqrt, x, {0, infinity});
    case Op::exp:
      return increasing(elementary::exp, x);
    case Op::log:
      return increasing(elementary::log, x, {0, infinity});
    case Op::log10:
      return increasing(elementary::log10, x, {0, infinity});
    case Op::sin:
      return sine(x);
    case Op::cos:
      return cosine(x);
    case Op::tan:
      return tangent(x);
    case Op::asin:
      return increasing(elementary::asin, x, {-1, 1});
    case Op::acos: {
      const Interval r = increasing(elementary::acos, x, {-1, 1});
      return {r.hi, r.lo};
    }
    case Op::atan:
      return increasing(elementary::atan, x);
    case Op::sinh:
      return increasing(elementary::sinh, x);
    case Op::cosh:
      return increasing(elementary::cosh, absolute(x));
    case Op::tanh:
      return increasing(elementary::tanh, x);
    default:
      return Interval::all();
  }
}

Interval binary_range(Op op, const Interval& a, const Interval& b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return power(a, b);
    case Op::less:
      return truth(a.hi < b.lo, a.lo >= b.hi);
    case Op::less_equal:
      return truth(a.hi <= b.lo, a.lo > b.hi);
    case Op::greater:
      return truth(a.lo > b.hi, a.hi <= b.lo);
    case Op::greater_equal:
      return truth(a.lo >= b.hi, a.hi < b.lo);
    case Op::equal:
      return truth(a.point() && b.point() && a.lo == b.lo, a.hi < b.lo || a.lo > b.hi);
    case Op::not_equal:
      return truth(a.hi < b.lo || a.lo > b.hi, a.point() && b.point() && a.lo == b.lo);
    case Op::logical_and:
      return truth(surely(a) && surely(b), never(a) || never(b));
    case Op::logical_or:
      return truth(surely(a) || surely(b), never(a) && never(b));
    case Op::minimum:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::maximum:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::modulo: {
      const Interval q = a / b;
      const double turns = std::floor(q.lo);
      if (turns == std::floor(q.hi)) return a - b * Interval{turns, turns};
      return {std::min(0.0, b.lo), std::max(0.0, b.hi)};
    }
    case Op::atan2:
      if (a.point() && b.point())
        return {elementary::atan2(a.lo, b.lo), elementary::atan2(a.lo, b.lo)};
      if (b.lo > 0) return increasing(elementary::atan, a / b);
      return {-std::numbers::pi, std::numbers::pi};
    case Op::hypot: {
      const Interval x = absolute(a), y = absolute(b);
      return {elementary::hypot(x.lo, y.lo), elementary::hypot(x.hi, y.hi)};
    }
    case Op::deadband: {
      const Interval zero{};
      const Interval high = binary_range(Op::maximum, a - b, zero);
      return high + binary_range(Op::minimum, a + b, zero);
    }
    default:
      return Interval::all();
  }
}

bool one_piece(Op op, const Interval* x) {
  const auto same = [](double a, double b) {
    return a == b;
  };
  switch (op) {
    case Op::absolute:
      return x[0].lo >= 0 || x[0].hi <= 0;
    case Op::sign:
    case Op::heaviside:
    case Op::floor:
    case Op::ceil:
      return same(unary_value(op, x[0].lo), unary_value(op, x[0].hi));
    case Op::smooth3:
    case Op::smooth5:
      return x[0].hi <= 0 || x[0].lo >= 1 || (x[0].lo >= 0 && x[0].hi <= 1);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return binary_range(op, x[0], x[1]).point();
    case Op::minimum:
    case Op::maximum:
      return x[0].hi <= x[1].lo || x[1].hi <= x[0].lo;
    case Op::modulo: {
      const Interval q = x[0] / x[1];
      return same(std::floor(q.lo), std::floor(q.hi));
    }
    case Op::atan2:
      return x[0].lo >= 0 || x[0].hi < 0;  // it jumps there where the second is negative
    case Op::deadband: {
      const Interval above = x[0] - x[1], below = x[0] + x[1];
      return above.lo >= 0 || below.hi <= 0 || (above.hi <= 0 && below.lo >= 0);
    }
    default:
      return true;
  }
}

std::uint64_t piece_of(Op op, const double* x) {
  const auto number = [](double f) {
    return std::bit_cast<std::uint64_t>(f + 0.0);
  };
  switch (op) {
    case Op::absolute:
      return x[0] < 0 ? 0 : 1;
    case Op::sign:
    case Op::heaviside:
    case Op::floor:
    case Op::ceil:
      return number(unary_value(op, x[0]));
    case Op::smooth3:
    case Op::smooth5:
      return x[0] <= 0 ? 0 : x[0] >= 1 ? 2 : 1;
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return number(binary_value(op, x[0], x[1]));
    case Op::minimum:
    case Op::maximum:
      return x[0] <= x[1] ? 0 : 1;
    case Op::modulo:
      return number(std::floor(x[0] / x[1]));
    case Op::atan2:
      return x[0] >= 0 ? 1 : 0;
    case Op::deadband:
      return x[0] > x[1] ? 2 : x[0] < -x[1] ? 1 : 0;
    default:
      return 0;
  }
}

}  // namespace cardan
