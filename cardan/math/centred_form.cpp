#include "cardan/math/centred_form.h"

#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/math/expression_range.h"

namespace cardan {

namespace {

constexpr Interval zero{0, 0}, one{1, 1};

bool bounded(const Interval& x) {
  return std::isfinite(x.lo) && std::isfinite(x.hi) && x.lo <= x.hi;
}

Interval square(const Interval& x) {
  return power(x, {2, 2});
}

// 6 u (1 - u) or 30 u^2 (1 - u)^2 within 0 <= u <= 1, largest in the midst; 0 outside.
Interval slope_of_rise(Op op, const Interval& u) {
  const auto at = [op](double x) {
    if (x <= 0 || x >= 1) return 0.0;
    const double p = x * (1 - x);
    return op == Op::smooth3 ? 6 * p : 30 * p * p;
  };
  const Interval ends = Interval::between(at(u.lo), at(u.hi));
  const bool peak = u.contains(0.5);
  const bool flat = u.lo <= 0 || u.hi >= 1;
  return {flat ? 0 : ends.lo, peak ? at(0.5) : ends.hi};
}

// Derivative of an operation of one operand over X; all: none, or none that is known.
Interval slope_of(Op op, const Interval& x) {
  switch (op) {
    case Op::negate:
      return {-1, -1};
    case Op::absolute:
      return x.lo >= 0 ? one : x.hi <= 0 ? Interval{-1, -1} : Interval{-1, 1};
    case Op::sign:
    case Op::heaviside:
    case Op::floor:
    case Op::ceil:
      return one_piece(op, &x) ? zero : Interval::all();
    case Op::sqrt:
      return x.lo > 0 ? Interval{0.5, 0.5} / unary_range(op, x) : Interval::all();
    case Op::exp:
    case Op::sinh:
      return unary_range(op == Op::exp ? op : Op::cosh, x);
    case Op::cosh:
      return unary_range(Op::sinh, x);
    case Op::log:
      return x.lo > 0 ? one / x : Interval::all();
    case Op::log10: {
      const double scale = 1 / elementary::log(10.0);
      return x.lo > 0 ? Interval{scale, scale} / x : Interval::all();
    }
    case Op::sin:
      return cosine(x);
    case Op::cos:
      return zero - sine(x);
    case Op::tan:
      return one + square(tangent(x));
    case Op::asin:
    case Op::acos: {
      if (!(x.lo > -1 && x.hi < 1)) return Interval::all();
      const Interval r = one / unary_range(Op::sqrt, one - square(x));
      return op == Op::asin ? r : zero - r;
    }
    case Op::atan:
      return one / (one + square(x));
    case Op::tanh:
      return one - square(unary_range(op, x));
    case Op::smooth3:
    case Op::smooth5:
      return slope_of_rise(op, x);
    default:
      return Interval::all();
  }
}

Interval times(const Interval& derivative, const Interval& slope) {
  return bounded(derivative) && bounded(slope) ? derivative * slope : Interval::all();
}

// The slope of an operation of two operands.
Interval slope_of(Op op, const Reached& a, const Reached& b) {
  const Interval &x = a.values, &y = b.values;
  const Interval operands_of[] = {x, y};
  switch (op) {
    case Op::add:
      return a.slope + b.slope;
    case Op::subtract:
      return a.slope - b.slope;
    case Op::multiply:
      return times(y, a.slope) + times(x, b.slope);
    case Op::divide:
      return times(one / y, a.slope - times(x / y, b.slope));
    case Op::power:
      if (!y.point()) return Interval::all();
      if (y.lo == 0) return zero;
      if (y.lo != std::floor(y.lo) && !(x.lo > 0)) return Interval::all();
      return times(y * power(x, {y.lo - 1, y.lo - 1}), a.slope);
    case Op::minimum:
    case Op::maximum: {
      if (!one_piece(op, operands_of)) return hull(a.slope, b.slope);
      const bool first_is_less = x.hi <= y.lo;
      return first_is_less == (op == Op::minimum) ? a.slope : b.slope;
    }
    case Op::modulo:
      return y.point() && one_piece(op, operands_of) ? a.slope : Interval::all();
    case Op::atan2: {  // of y and x
      if (!(one_piece(op, operands_of) || y.lo > 0)) return Interval::all();
      return times(one / (square(x) + square(y)), times(y, a.slope) - times(x, b.slope));
    }
    case Op::hypot:
      return times(one / binary_range(op, x, y), times(x, a.slope) + times(y, b.slope));
    case Op::deadband: {
      if (!one_piece(op, operands_of))
        return hull(hull(a.slope - b.slope, a.slope + b.slope), zero);
      const bool above = (x - y).lo >= 0, below = (x + y).hi <= 0;
      return above ? a.slope - b.slope : below ? a.slope + b.slope : zero;
    }
    default:  // statements
      return binary_range(op, x, y).point() ? zero : Interval::all();
  }
}

Reached unary(Op op, const Reached& x) {
  return {unary_range(op, x.values),
          x.known,
          bounded(x.middle) ? unary_range(op, x.middle) : Interval::all(),
          times(slope_of(op, x.values), x.slope)};
}

Reached binary(Op op, const Reached& a, const Reached& b) {
  const bool middles = bounded(a.middle) && bounded(b.middle);
  return {binary_range(op, a.values, b.values),
          a.known && b.known,
          middles ? binary_range(op, a.middle, b.middle) : Interval::all(),
          slope_of(op, a, b)};
}

Reached select(const Reached* x) {
  if (x[0].known && surely(x[0].values)) return x[1];
  if (x[0].known && never(x[0].values)) return x[2];
  return {hull(x[1].values, x[2].values)};
}

// x[0..4] = x, x0, h0, x1, h1
Reached step(Op op, const Reached* x) {
  const Reached u =
      binary(Op::divide, binary(Op::subtract, x[0], x[1]), binary(Op::subtract, x[3], x[1]));
  const Reached rise = unary(op == Op::step ? Op::smooth3 : Op::smooth5, u);
  const Reached height = binary(Op::subtract, x[4], x[2]);
  return binary(Op::add, x[2], binary(Op::multiply, height, rise));
}

}  // namespace

Reached operation(Op op, const Reached* x) {
  const int count = operands(op);
  Reached r = op == Op::select                    ? select(x)
              : op == Op::step || op == Op::step5 ? step(op, x)
              : count == 1                        ? unary(op, x[0])
                                                  : binary(op, x[0], x[1]);
  r.known = true;
  for (int k = 0; k < count; ++k) r.known = r.known && x[k].known;
  return r;
}

void narrow(Reached& r, double half) {
  if (!std::isfinite(half) || !bounded(r.slope) || !bounded(r.middle)) return;
  const Interval centred = intersection(r.values, r.middle + r.slope * Interval{-half, half});
  if (bounded(centred)) r.values = centred;
}

}  // namespace cardan
