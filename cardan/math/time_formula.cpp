// Interval evaluation of formulas. An operation whose operands follow from t alone is in one piece
// over an interval of t when its operands stay on one side of what it switches at. Branches that
// are not taken, and factors of what is zero, do not count.
// Reference: Moore, Kearfott and Cloud, Introduction to Interval Analysis, SIAM 2009, chapter 5.
#include "cardan/math/time_formula.h"

#include <array>
#include <cmath>

#include "cardan/math/expression_range.h"
#include "cardan/math/formula_function.h"

namespace cardan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// For code of a length, without allocation where it is short.
template <class T> class Stack {
 public:
  explicit Stack(std::size_t length) : long_(length > short_.size() ? length : 0) {}

  T* begin() { return long_.empty() ? short_.data() : long_.data(); }

 private:
  std::array<T, 16> short_;
  std::vector<T> long_;
};

bool switches(Op op) {  // and is constant in pieces
  return op == Op::sign || op == Op::heaviside || op == Op::floor || op == Op::ceil ||
         op == Op::logical_not || (op >= Op::less && op <= Op::logical_or);
}

// Sums and what is added to them are judged by their parts.
bool judged_by_parts(Op op) {
  return op == Op::negate || op == Op::add || op == Op::subtract || op == Op::minimum ||
         op == Op::maximum || op == Op::absolute || op == Op::modulo || op == Op::deadband;
}

double change_of(const Interval& values, const Interval& seen) {
  const double width = values.width(), range = seen.lo > seen.hi ? 0 : seen.width();
  if (!(range < infinity)) return 0;
  if (width <= 1e-12 * std::max(std::abs(values.lo), std::abs(values.hi))) return 0;
  return range > 0 ? width / range : infinity;
}

}  // namespace

TimeFormula::TimeFormula(const Expression& e, std::vector<Ptr> variables)
    : program_(e.program()), variables_(std::move(variables)), uses_time_(e.uses(0)) {
  for (std::size_t k = 1; k < variables_.size(); ++k)
    if (variables_[k] && e.uses(static_cast<int>(k)))
      uses_time_ = uses_time_ || variables_[k]->uses_time();
}

TimeFormula::TimeFormula(FunctionPtr f) {
  if (const Expression* formula = formula_of(*f)) {
    program_ = formula->program();
    uses_time_ = formula->uses(0);
    return;
  }
  auto program = std::make_shared<Expression::Program>();
  program->code = {{Op::variable}, {Op::call}};
  program->variables = {0};
  uses_time_ = !f->constant();
  program->functions.push_back(std::move(f));
  program_ = std::move(program);
}

// ---------------------------------------------------------------- over an interval

class TimeFormula::Walk {
 public:
  Walk(const TimeFormula& formula, const Interval& t, Seen& seen)
      : formula_(formula), t_(t), all_(seen), seen_(seen.ranges[&formula]) {
    const std::size_t size = formula.program_ ? formula.program_->code.size() : 0;
    if (seen_.size() != size) seen_.assign(size, {infinity, -infinity});
  }

  Reach run() {
    if (!formula_.program_) return {};
    const auto& code = formula_.program_->code;
    Stack<Reach> stack(code.size());
    Reach* top = stack.begin();
    for (std::size_t i = 0; i < code.size(); ++i) {
      top -= operands(code[i].op);
      *top = apply(code[i], top, seen_[i]);
      ++top;
    }
    return top[-1];
  }

 private:
  Reach apply(const Instruction& code, const Reach* x, Interval& seen) {
    switch (code.op) {
      case Op::constant:
        return {{code.value, code.value}};
      case Op::variable:
        return variable(code.index);
      case Op::call:
        return call(*formula_.program_->functions[code.index], x[0], seen);
      case Op::select:
        return select(x);
      case Op::step:
        return step(Op::smooth3, x);
      case Op::step5:
        return step(Op::smooth5, x);
      default:
        return elementary(code.op, x, seen);
    }
  }

  static Reach together(const Reach* x, int count) {
    Reach r;
    for (int k = 0; k < count; ++k) {
      r.own = r.own && x[k].own;
      r.one_piece = r.one_piece && x[k].one_piece;
      r.change = std::max(r.change, x[k].change);
      r.known = r.known && x[k].known;
      r.time = r.time || x[k].time;
    }
    return r;
  }

  // What is bent and depends on t and unknowns together may be short wherever the unknowns are.
  // Sums are not bent, nor are products with one such factor; where a condition changes its side is
  // watched in a run.
  static bool bends_mixed(Op op, const Reach* x) {
    const bool condition = switches(op) && op != Op::floor && op != Op::ceil;
    if (op == Op::negate || op == Op::add || op == Op::subtract || condition) return false;
    if (operands(op) == 1) return x[0].mixed();
    if (op == Op::multiply) return x[0].mixed() && x[1].mixed();
    if (op == Op::divide) return x[1].mixed();
    return x[0].time || x[1].time;
  }

  void judge(Reach& r, Interval& seen) const {
    if (!r.own) return;
    if (t_.point()) seen = hull(seen, r.values);
    r.change = std::max(r.change, change_of(r.values, seen));
  }

  Reach variable(std::size_t k) {
    if (k == 0) return {.values = t_, .time = true};
    const TimeFormula* f = k < formula_.variables_.size() ? formula_.variables_[k].get() : nullptr;
    if (f != nullptr) return f->reach(t_, all_);
    Reach unknown{Interval::all()};
    unknown.own = false;
    return unknown;
  }

  Reach call(const Function& f, const Reach& x, Interval& seen) const {
    Reach r = x;
    r.values = Interval::all();
    if (!x.own) {
      r.known = r.known && !x.time;
      return r;
    }
    const Stretch s = f.over(x.values);
    r.values = s.values;
    r.one_piece = r.one_piece && s.one_piece;
    r.known = r.known && s.known;
    if (!s.known) return r;
    judge(r, seen);
    if (x.values.width() > s.detail * 1.001) r.change = infinity;
    return r;
  }

  static Reach select(const Reach* x) {
    const bool yes = x[0].own && surely(x[0].values), no = x[0].own && never(x[0].values);
    if (!yes && !no) {
      Reach r = together(x, 3);
      r.values = hull(x[1].values, x[2].values);
      return r;
    }
    Reach r = x[yes ? 1 : 2];
    r.one_piece = r.one_piece && x[0].one_piece;
    r.change = std::max(r.change, x[0].change);
    r.known = r.known && x[0].known;
    r.time = r.time || x[0].time;
    return r;
  }

  // x[0..4] = x, x0, h0, x1, h1
  static Reach step(Op law, const Reach* x) {
    const Reach all = together(x, 5);
    const bool own = x[0].own && x[1].own && x[3].own;
    if (!own) {
      Reach r = all;
      r.values = Interval::all();
      r.known = r.known && !(x[0].time || x[1].time || x[3].time);
      return r;
    }
    const Interval span = x[3].values - x[1].values;
    const Interval u = (x[0].values - x[1].values) / span;
    if (u.hi <= 0 || u.lo >= 1) {
      Reach r = x[u.hi <= 0 ? 2 : 4];
      for (const int k : {0, 1, 3}) {
        r.one_piece = r.one_piece && x[k].one_piece;
        r.known = r.known && x[k].known;
        r.time = r.time || x[k].time;
      }
      return r;
    }
    Reach r = all;
    const Interval rise = unary_range(law, u);
    r.values = x[2].values + (x[4].values - x[2].values) * rise;
    r.one_piece = r.one_piece && cardan::one_piece(law, &u);
    r.change = std::max(r.change, rise.width());
    return r;
  }

  Reach elementary(Op op, const Reach* x, Interval& seen) const {
    const int count = operands(op);
    Reach r = together(x, count);
    if (op == Op::multiply || op == Op::logical_and)
      for (int k = 0; k < 2; ++k)
        if (x[k].own && never(x[k].values)) return x[k];
    std::array<Interval, 2> values{x[0].values, count == 2 ? x[1].values : Interval{}};
    if (!r.own) {
      r.values = Interval::all();
      r.known = r.known && !bends_mixed(op, x);
      return r;
    }
    r.values = count == 1 ? unary_range(op, values[0]) : binary_range(op, values[0], values[1]);
    r.one_piece = r.one_piece && cardan::one_piece(op, values.data());
    if (switches(op)) {
      r.change = 0;
      return r;
    }
    if (!judged_by_parts(op)) judge(r, seen);
    return r;
  }

  const TimeFormula& formula_;
  Interval t_;
  Seen& all_;
  std::vector<Interval>& seen_;
};

TimeFormula::Reach TimeFormula::reach(const Interval& t, Seen& seen) const {
  return Walk(*this, t, seen).run();
}

Stretch TimeFormula::over(const Interval& t) const {
  Seen seen;
  const Reach r = reach(t, seen);
  return {r.own ? r.values : Interval::all(), r.one_piece, infinity, r.known};
}

// ---------------------------------------------------------------- at one time

TimeFormula::Place TimeFormula::apply(const Instruction& code,
                                      const Place* x,
                                      const std::vector<FunctionPtr>& functions) {
  const Op op = code.op;
  const int count = operands(op);
  Place r;
  if (op == Op::select && x[0].own) {
    r = x[x[0].value != 0 ? 1 : 2];
    r.piece = piece_within(x[0].piece, r.piece);
    if (std::isnan(x[0].value)) r.value = nan;
    return r;
  }
  if (op == Op::multiply || op == Op::logical_and)
    for (int k = 0; k < 2; ++k)
      if (x[k].own && x[k].value == 0) return x[k];
  for (int k = 0; k < count; ++k) {
    r.own = r.own && x[k].own;
    r.piece = count == 1 ? x[k].piece : piece_within(r.piece, x[k].piece);
  }
  if (op == Op::step || op == Op::step5) {
    r.value = nan;
    if (!(x[0].own && x[1].own && x[3].own)) return r;
    const Op law = op == Op::step ? Op::smooth3 : Op::smooth5;
    const double u = (x[0].value - x[1].value) / (x[3].value - x[1].value);
    r.piece = piece_within(r.piece, piece_of(law, &u));
    if (u <= 0 || u >= 1) {
      r = x[u <= 0 ? 2 : 4];
      r.piece = piece_within(piece_within(x[0].piece, u <= 0 ? 0 : 2), r.piece);
      return r;
    }
    r.value = x[2].value + (x[4].value - x[2].value) * unary_value(law, u);
    return r;
  }
  if (!r.own || op == Op::select) {
    r.value = nan;
    return r;
  }
  const std::array<double, 2> values{x[0].value, count == 2 ? x[1].value : 0};
  if (op == Op::call) {
    const Function& f = *functions[code.index];
    r.value = f.at(values[0]).f;
    r.piece = piece_within(r.piece, f.piece(values[0]));
    return r;
  }
  r.value = count == 1 ? unary_value(op, values[0]) : binary_value(op, values[0], values[1]);
  r.piece = piece_within(r.piece, piece_of(op, values.data()));
  return r;
}

TimeFormula::Place TimeFormula::place(double t) const {
  if (!program_) return {};
  Stack<Place> stack(program_->code.size());
  Place* top = stack.begin();
  for (const auto& code : program_->code) {
    top -= operands(code.op);
    if (code.op == Op::constant) {
      *top = {code.value};
    } else if (code.op == Op::variable) {
      const TimeFormula* f =
          code.index < variables_.size() ? variables_[code.index].get() : nullptr;
      if (code.index == 0)
        *top = {t};
      else if (f != nullptr)
        *top = f->place(t);
      else
        *top = {nan, false};
    } else {
      *top = apply(code, top, program_->functions);
    }
    ++top;
  }
  return top[-1];
}

}  // namespace cardan
