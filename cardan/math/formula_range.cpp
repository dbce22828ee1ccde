#include "cardan/math/formula_range.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/formula_function.h"

namespace cardan {

namespace {

constexpr double plain_exponent = 3;  // powers up to here are flat at zero alone, and little there

bool may_hide(Op op) {
  switch (op) {
    case Op::call:
    case Op::sign:
    case Op::heaviside:
    case Op::floor:
    case Op::ceil:
    case Op::exp:
    case Op::atan:
    case Op::tanh:
    case Op::smooth3:
    case Op::smooth5:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::minimum:
    case Op::maximum:
    case Op::atan2:
    case Op::deadband:
    case Op::step:
    case Op::step5:
      return true;
    default:
      return false;
  }
}

bool is_condition(Op op) {
  switch (op) {
    case Op::sign:
    case Op::heaviside:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return true;
    default:
      return false;
  }
}

bool holds(const Interval& x) {  // some number
  return x.lo <= x.hi;
}

}  // namespace

FormulaRange::FormulaRange(const Expression& formula, std::vector<char> moves)
    : program_(formula.program()), moves_(std::move(moves)) {
  find_hiding();
}

FormulaRange::FormulaRange(FunctionPtr f, std::vector<char> moves) : moves_(std::move(moves)) {
  if (const Expression* formula = formula_of(*f)) {
    program_ = formula->program();
  } else {
    auto program = std::make_shared<Expression::Program>();
    program->code = {{Op::variable}, {Op::call}};
    program->variables = {0};
    program->functions.push_back(std::move(f));
    program_ = std::move(program);
  }
  find_hiding();
}

// Operations of something that moves, and all that is made of them: two steps may be seen, and not
// the hump between them. A quotient counts where its divisor moves, a power where its exponent is none
// of the small whole numbers.
void FormulaRange::find_hiding() {
  if (!program_) return;

  struct Entry {
    bool moves = false, hides = false, switches = false, constant = false;
    double value = 0;
  };

  std::vector<Entry> stack;
  for (std::size_t i = 0; i < program_->code.size(); ++i) {
    const Instruction& code = program_->code[i];
    const auto count = static_cast<std::size_t>(code.op == Op::call ? 1 : operands(code.op));
    const std::size_t first = stack.size() - count;
    Entry r;
    if (code.op == Op::constant) r = {false, false, false, true, code.value};
    if (code.op == Op::variable) r.moves = code.index < moves_.size() && moves_[code.index] != 0;
    for (std::size_t k = first; k < stack.size(); ++k) r.moves = r.moves || stack[k].moves;
    bool hides = r.moves && may_hide(code.op);
    if (code.op == Op::divide) hides = stack.back().moves;
    if (code.op == Op::power) {
      const Entry& exponent = stack.back();
      const bool plain = exponent.constant && exponent.value == std::floor(exponent.value) &&
                         exponent.value >= 0 && exponent.value <= plain_exponent;
      hides = hides && !plain;
    }
    r.switches = r.moves && is_condition(code.op);
    for (std::size_t k = first; k < stack.size(); ++k) {
      hides = hides || stack[k].hides;
      r.switches = r.switches || stack[k].switches;
    }
    r.hides = hides;
    if (hides) {
      hiding_.push_back(i);
      switches_.push_back(r.switches ? 1 : 0);
    }
    stack.resize(first);
    stack.push_back(r);
  }
}

Reached FormulaRange::over(std::span<const Reached> variables,
                           double half,
                           std::span<Reached> operations) const {
  if (!program_) return {};
  std::vector<Reached> stack;
  stack.reserve(16);
  auto next = hiding_.begin();
  std::size_t place = 0;
  for (std::size_t i = 0; i < program_->code.size(); ++i) {
    const Instruction& code = program_->code[i];
    Reached r;
    if (code.op == Op::constant) {
      r = Reached::point(code.value);
    } else if (code.op == Op::variable) {
      r = code.index < variables.size() ? variables[code.index] : Reached{Interval::all(), false};
    } else {
      const auto count = static_cast<std::size_t>(code.op == Op::call ? 1 : operands(code.op));
      const Reached* x = stack.data() + (stack.size() - count);
      if (code.op == Op::call) {
        const Stretch s = program_->functions[code.index]->over(x[0].values);
        r = {s.values, x[0].known && s.known};
        if (x[0].values.point() && s.values.point()) r = {s.values, r.known, s.values, {0, 0}};
      } else {
        r = operation(code.op, x);
        narrow(r, half);
      }
      if (!holds(r.values)) r = {Interval::all(), false};
      stack.resize(stack.size() - count);
    }
    if (next != hiding_.end() && *next == i) {
      operations[place++] = r;
      ++next;
    }
    stack.push_back(r);
  }
  return stack.back();
}

}  // namespace cardan
