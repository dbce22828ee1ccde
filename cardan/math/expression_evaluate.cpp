// Evaluation of formulas: one stack machine for five kinds of numbers: double; a value with its
// derivative to one variable (a gradient takes a pass for each variable used); a value with first
// and second derivative; a value with its derivatives along two directions and the mixed one; the
// same along three directions. With u = u(s), w = w(s):
//   f(u)'  = f' u'              f(u)''  = f' u'' + f'' u'^2
//   f(u,w)' = f_u u' + f_w w'   f(u,w)'' = f_u u'' + f_w w'' + f_uu u'^2 + 2 f_uw u' w' + f_ww w'^2
// Reference: Griewank and Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapters 3 and 13.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"
#include "cardan/math/expression_along.h"
#include "cardan/math/expression_program.h"

namespace cardan {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Without initialisers: the stack costs nothing until it is used.
struct Dual {
  double f, d;
};

struct Taylor {
  double f, d, dd;
};

struct Mixed {
  double f, a, b, ab;
};

// Derivatives along three directions a, b and c, and all mixed ones.
struct Threefold {
  double f, a, b, ab, c, ac, bc, abc;
};

// What does not vary contributes nothing, however steep the function is there: d/dx (x*sqrt(y)) at
// y = 0.
double scaled(double slope, double d) {
  return d == 0 ? 0 : slope * d;
}

double value_of(double x) {
  return x;
}

double value_of(const Dual& x) {
  return x.f;
}

double value_of(const Taylor& x) {
  return x.f;
}

double value_of(const Mixed& x) {
  return x.f;
}

double value_of(const Threefold& x) {
  return x.f;
}

Dual sum(const Dual& a, const Dual& b, double sign) {
  return {a.f + sign * b.f, a.d + sign * b.d};
}

Taylor sum(const Taylor& a, const Taylor& b, double sign) {
  return {a.f + sign * b.f, a.d + sign * b.d, a.dd + sign * b.dd};
}

Mixed sum(const Mixed& x, const Mixed& y, double sign) {
  return {x.f + sign * y.f, x.a + sign * y.a, x.b + sign * y.b, x.ab + sign * y.ab};
}

Dual product(const Dual& a, const Dual& b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d};
}

Taylor product(const Taylor& a, const Taylor& b) {
  return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}

Mixed product(const Mixed& x, const Mixed& y) {
  return {x.f * y.f,
          x.a * y.f + x.f * y.a,
          x.b * y.f + x.f * y.b,
          x.ab * y.f + x.a * y.b + x.b * y.a + x.f * y.ab};
}

Dual chain(const Dual& x, const Jet& j) {
  return {j.f, scaled(j.d, x.d)};
}

Taylor chain(const Taylor& x, const Jet& j) {
  return {j.f, scaled(j.d, x.d), scaled(j.d, x.dd) + scaled(j.dd, x.d * x.d)};
}

Mixed chain(const Mixed& x, const Jet& j) {
  return {j.f, scaled(j.d, x.a), scaled(j.d, x.b), scaled(j.d, x.ab) + scaled(j.dd, x.a * x.b)};
}

Dual combine(const Dual& a, const Dual& b, const Partials& p) {
  return {p.f, scaled(p.a, a.d) + scaled(p.b, b.d)};
}

Taylor combine(const Taylor& a, const Taylor& b, const Partials& p) {
  const double curvature =
      scaled(p.aa, a.d * a.d) + 2 * scaled(p.ab, a.d * b.d) + scaled(p.bb, b.d * b.d);
  return {
      p.f, scaled(p.a, a.d) + scaled(p.b, b.d), scaled(p.a, a.dd) + scaled(p.b, b.dd) + curvature};
}

Mixed combine(const Mixed& x, const Mixed& y, const Partials& p) {
  const double curvature =
      scaled(p.aa, x.a * x.b) + scaled(p.ab, x.a * y.b + x.b * y.a) + scaled(p.bb, y.a * y.b);
  return {p.f,
          scaled(p.a, x.a) + scaled(p.b, y.a),
          scaled(p.a, x.b) + scaled(p.b, y.b),
          scaled(p.a, x.ab) + scaled(p.b, y.ab) + curvature};
}

Threefold sum(const Threefold& x, const Threefold& y, double sign) {
  return {x.f + sign * y.f,
          x.a + sign * y.a,
          x.b + sign * y.b,
          x.ab + sign * y.ab,
          x.c + sign * y.c,
          x.ac + sign * y.ac,
          x.bc + sign * y.bc,
          x.abc + sign * y.abc};
}

// Every derivative of a product shares its directions out between the factors.
Threefold product(const Threefold& x, const Threefold& y) {
  return {x.f * y.f,
          x.a * y.f + x.f * y.a,
          x.b * y.f + x.f * y.b,
          x.ab * y.f + x.a * y.b + x.b * y.a + x.f * y.ab,
          x.c * y.f + x.f * y.c,
          x.ac * y.f + x.a * y.c + x.c * y.a + x.f * y.ac,
          x.bc * y.f + x.b * y.c + x.c * y.b + x.f * y.bc,
          x.abc * y.f + x.ab * y.c + x.ac * y.b + x.bc * y.a + x.a * y.bc + x.b * y.ac +
              x.c * y.ab + x.f * y.abc};
}

// f(x) of a function with these derivatives: one term for every way to part the directions.
Threefold chain(const Threefold& x, const Jet& j, double ddd) {
  const auto second = [&](double ab, double a, double b) {
    return scaled(j.d, ab) + scaled(j.dd, a * b);
  };
  return {j.f,
          scaled(j.d, x.a),
          scaled(j.d, x.b),
          second(x.ab, x.a, x.b),
          scaled(j.d, x.c),
          second(x.ac, x.a, x.c),
          second(x.bc, x.b, x.c),
          scaled(j.d, x.abc) + scaled(j.dd, x.a * x.bc + x.b * x.ac + x.c * x.ab) +
              scaled(ddd, x.a * x.b * x.c)};
}

double unary(Op op, double x) {
  return unary_value(op, x);
}

Threefold unary(Op op, const Threefold& x) {
  return chain(x, unary_jet(op, x.f), unary_third(op, x.f));
}

template <class T> T unary(Op op, const T& x) {
  return chain(x, unary_jet(op, x.f));
}

double binary(Op op, double a, double b) {
  return binary_value(op, a, b);
}

template <class T> T binary(Op op, const T& a, const T& b) {
  if (op == Op::add) return sum(a, b, 1);
  if (op == Op::subtract) return sum(a, b, -1);
  if (op == Op::multiply) return product(a, b);
  return combine(a, b, binary_partials(op, a.f, b.f));
}

// Of functions of two variables those of one, and pieces of planes.
Threefold binary(Op op, const Threefold& x, const Threefold& y) {
  const auto varies = [](const Threefold& n) {
    return n.a != 0 || n.b != 0 || n.ab != 0 || n.c != 0 || n.ac != 0 || n.bc != 0 || n.abc != 0;
  };
  switch (op) {
    case Op::add:
      return sum(x, y, 1);
    case Op::subtract:
      return sum(x, y, -1);
    case Op::multiply:
      return product(x, y);
    case Op::divide: {
      const double r = 1 / y.f;
      Threefold q = product(x, chain(y, {r, -r * r, 2 * r * r * r}, -6 * r * r * r * r));
      q.f = x.f / y.f;
      return q;
    }
    case Op::power: {
      const double n = y.f;
      if (varies(y)) {
        Threefold p = unary(Op::exp, product(y, unary(Op::log, x)));
        p.f = binary_value(op, x.f, n);
        return p;
      }
      const Partials p = binary_partials(op, x.f, n);
      const double c = n * (n - 1) * (n - 2);
      return chain(x, {p.f, p.a, p.aa}, c == 0 ? 0 : c * elementary::pow(x.f, n - 3));
    }
    case Op::hypot: {
      Threefold r = unary(Op::sqrt, sum(product(x, x), product(y, y), 1));
      r.f = binary_value(op, x.f, y.f);
      return r;
    }
    case Op::atan2: {  // y of the point first
      const bool flat = std::abs(y.f) >= std::abs(x.f);
      Threefold angle = unary(Op::atan, flat ? binary(Op::divide, x, y) : binary(Op::divide, y, x));
      if (!flat) angle = unary(Op::negate, angle);
      angle.f = binary_value(op, x.f, y.f);
      return angle;
    }
    default: {
      const Partials p = binary_partials(op, x.f, y.f);
      const auto both = [&](double dx, double dy) {
        return scaled(p.a, dx) + scaled(p.b, dy);
      };
      return {p.f,
              both(x.a, y.a),
              both(x.b, y.b),
              both(x.ab, y.ab),
              both(x.c, y.c),
              both(x.ac, y.ac),
              both(x.bc, y.bc),
              both(x.abc, y.abc)};
    }
  }
}

double called(const Function& function, double x) {
  return function.at(x).f;
}

template <class T> T called(const Function& function, const T& x) {
  return chain(x, function.at(x.f));
}

Threefold called(const Function& function, const Threefold& x) {
  const bool bends = x.a * x.b * x.c != 0;
  return chain(x, function.at(x.f), bends ? function.third(x.f) : 0);
}

template <class T> T constant(double value) {
  T x{};
  if constexpr (std::is_same_v<T, double>)
    x = value;
  else
    x.f = value;
  return x;
}

template <class T> T select(const T& condition, const T& yes, const T& no) {
  if (std::isnan(value_of(condition))) return condition;
  return value_of(condition) != 0 ? yes : no;
}

// From h0 at x0 to h1 at x1; x[0..4] = x, x0, h0, x1, h1.
template <class T> T smooth_step(Op law, const T* x) {
  const T u =
      binary(Op::divide, binary(Op::subtract, x[0], x[1]), binary(Op::subtract, x[3], x[1]));
  if (value_of(u) >= 1) return x[4];
  return binary(
      Op::add, x[2], binary(Op::multiply, binary(Op::subtract, x[4], x[2]), unary(law, u)));
}

// Sides forced upon the conditions, and where their differences are asked for; both may be null.
struct Conditions {
  const int* side = nullptr;
  double* difference = nullptr;

  bool watched() const { return side != nullptr || difference != nullptr; }
};

bool is_condition(Op op) {
  return op == Op::sign || op == Op::heaviside || (op >= Op::less && op <= Op::greater_equal);
}

// The k-th condition of a formula; x are its operands.
template <class T> T decide(Op op, const T* x, const Conditions& conditions, int k) {
  const bool two = operands(op) == 2;
  if (conditions.difference != nullptr)
    conditions.difference[k] = value_of(x[0]) - (two ? value_of(x[1]) : 0);
  const int side = conditions.side != nullptr ? conditions.side[k] : 0;
  if (side == 0) return two ? binary(op, x[0], x[1]) : unary(op, x[0]);
  if (op == Op::sign) return constant<T>(side);
  const bool above = op == Op::heaviside || op == Op::greater || op == Op::greater_equal;
  return constant<T>(above == (side > 0) ? 1 : 0);
}

// Runs the code; variable(k) gives the k-th variable as a T.
template <class T, class Variable>
T run(std::span<const Instruction> code,
      std::span<const FunctionPtr> functions,
      Variable variable,
      const Conditions& conditions = {}) {
  int condition = 0;
  T stack[max_stack];
  T* top = stack;  // one past the last
  for (const auto& instruction : code) {
    const Op op = instruction.op;
    top -= operands(op);
    switch (op) {
      case Op::constant:
        *top = constant<T>(instruction.value);
        break;
      case Op::variable:
        *top = variable(instruction.index);
        break;
      case Op::call:
        *top = called(*functions[instruction.index], *top);
        break;
      case Op::select:
        *top = select(top[0], top[1], top[2]);
        break;
      case Op::step:
        *top = smooth_step(Op::smooth3, top);
        break;
      case Op::step5:
        *top = smooth_step(Op::smooth5, top);
        break;
      default:
        if (conditions.watched() && is_condition(op))
          *top = decide(op, top, conditions, condition++);
        else
          *top = operands(op) == 1 ? unary(op, top[0]) : binary(op, top[0], top[1]);
    }
    ++top;
  }
  return top[-1];
}

bool enough(const Expression::Program& program, CView variables) {
  return program.variables.empty() || program.variables.back() < variables.size();
}

}  // namespace

double evaluate(std::span<const Instruction> code,
                std::span<const FunctionPtr> functions,
                CView variables) {
  return run<double>(code, functions, [&](std::size_t k) { return variables[k]; });
}

int Expression::conditions() const {
  if (!program_) return 0;
  const auto& code = program_->code;
  return static_cast<int>(std::count_if(
      code.begin(), code.end(), [](const Instruction& x) { return is_condition(x.op); }));
}

void Expression::condition_values(CView variables, Sides sides, View out) const {
  if (!program_ || !enough(*program_, variables)) return;
  const Conditions watch{sides.empty() ? nullptr : sides.data() + first_condition_,
                         out.data() + first_condition_};
  (void)run<double>(
      program_->code, program_->functions, [&](std::size_t k) { return variables[k]; }, watch);
}

double Expression::value(CView variables, Sides sides) const {
  if (!program_) return 0;
  if (!enough(*program_, variables)) return nan;
  if (sides.empty()) return evaluate(program_->code, program_->functions, variables);
  return run<double>(program_->code,
                     program_->functions,
                     [&](std::size_t k) { return variables[k]; },
                     {sides.data() + first_condition_});
}

double Expression::gradient(CView variables, View d, Sides sides) const {
  std::fill(d.begin(), d.end(), 0.0);
  if (!program_) return 0;
  if (!enough(*program_, variables) || !enough(*program_, d)) {
    std::fill(d.begin(), d.end(), nan);
    return nan;
  }
  if (program_->variables.empty()) return value(variables);
  Conditions watch;
  if (!sides.empty()) watch.side = sides.data() + first_condition_;
  double f = 0;
  for (const auto k : program_->variables) {
    const Dual y = run<Dual>(
        program_->code,
        program_->functions,
        [&](std::uint32_t i) {
          return Dual{variables[i], i == k ? 1.0 : 0.0};
        },
        watch);
    f = y.f;
    d[k] = y.d;
  }
  return f;
}

double Expression::bend(CView variables, CView w, View d, View bend, Sides sides) const {
  std::fill(d.begin(), d.end(), 0.0);
  std::fill(bend.begin(), bend.end(), 0.0);
  if (!program_) return 0;
  if (!enough(*program_, variables) || !enough(*program_, d)) {
    std::fill(d.begin(), d.end(), nan);
    std::fill(bend.begin(), bend.end(), nan);
    return nan;
  }
  if (program_->variables.empty()) return value(variables);
  Conditions watch;
  if (!sides.empty()) watch.side = sides.data() + first_condition_;
  double f = 0;
  for (const auto k : program_->variables) {
    const Mixed y = run<Mixed>(
        program_->code,
        program_->functions,
        [&](std::uint32_t i) {
          return Mixed{variables[i], i == k ? 1.0 : 0.0, w[i], 0};
        },
        watch);
    f = y.f;
    d[k] = y.a;
    bend[k] = y.ab;
  }
  return f;
}

Jet Expression::jet(CView variables, int k) const {
  if (!program_) return {};
  if (!enough(*program_, variables)) return {nan, nan, nan};
  const Taylor y = run<Taylor>(program_->code, program_->functions, [&](std::uint32_t i) {
    return Taylor{variables[i], static_cast<int>(i) == k ? 1.0 : 0.0, 0};
  });
  return {y.f, y.d, y.dd};
}

double along(const Expression& e, CView x, CView u) {
  const auto& program = e.program();
  if (!program) return 0;
  if (!enough(*program, x)) return nan;
  return run<Dual>(program->code,
                   program->functions,
                   [&](std::uint32_t i) {
                     return Dual{x[i], u[i]};
                   })
      .d;
}

double along(const Expression& e, CView x, CView u, CView w) {
  const auto& program = e.program();
  if (!program) return 0;
  if (!enough(*program, x)) return nan;
  return run<Mixed>(program->code,
                    program->functions,
                    [&](std::uint32_t i) {
                      return Mixed{x[i], u[i], w[i], 0};
                    })
      .ab;
}

double along(const Expression& e, CView x, CView u, CView v, CView w) {
  const auto& program = e.program();
  if (!program) return 0;
  if (!enough(*program, x)) return nan;
  return run<Threefold>(program->code,
                        program->functions,
                        [&](std::uint32_t i) {
                          return Threefold{x[i], u[i], v[i], 0, w[i], 0, 0, 0};
                        })
      .abc;
}

}  // namespace cardan
