// Names and calls in a formula: variables, constants, curves and the functions of the language.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "cardan/math/curve.h"
#include "cardan/math/expression_parser.h"
#include "cardan/math/unit_words.h"

namespace cardan {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Values between bare 0 and 1: what multiplies them has the unit. Others may be in any unit.
bool is_shape(const Quantity& values) {
  return is_pure(values) && values.bare.still == 1;
}

// Of a function of a number: what gives an angle in radians says so itself, others are of the size 1.
BareNumbers bare_of_call(Op op, const Quantity& argument) {
  if (op == Op::asin || op == Op::acos || op == Op::atan) return {};
  return op == Op::floor || op == Op::ceil ? argument.bare : BareNumbers{1, 0};
}

}  // namespace

Quantity FormulaParser::name() {
  Token word = lexer_.token();
  lexer_.advance();
  if (word.text.ends_with('\'')) {
    word.text.remove_suffix(1);
    return named(word, fmt::format("rate({})", word.text));
  }
  if (lexer_.token().is("(")) return word.text == "rate" ? rate_of() : call(word);
  return named(word, std::string(word.text));
}

Quantity FormulaParser::named(const Token& word, const std::string& spelling) {
  if (std::find(mentioned_.begin(), mentioned_.end(), word.text) == mentioned_.end())
    mentioned_.emplace_back(word.text);
  for (std::size_t k = 0; k < scope_.variables.size(); ++k) {
    if (scope_.variables[k].name != spelling) continue;
    code_.variable(k, word.at);
    const Dimension dimension = scope_.variables[k].dimension;
    return {.kind = Quantity::Kind::fixed,
            .dimension = dimension,
            .varies = true,
            .bare = bare_quantity(0, dimension, false)};
  }
  const auto constant = scope_.constant ? scope_.constant(spelling) : std::nullopt;
  if (constant) {
    code_.constant(constant->value, word.at);
    if (std::isnan(constant->value)) return excused();
    const auto kind = constant->plain ? Quantity::Kind::plain : Quantity::Kind::fixed;
    return {.kind = kind,
            .dimension = constant->plain ? dimension::none : constant->dimension,
            .bare = bare_quantity(constant->value, constant->dimension, constant->plain)};
  }
  if (spelling == "pi" || spelling == "e") {
    code_.constant(spelling == "pi" ? std::numbers::pi : std::numbers::e, word.at);
    return {};
  }
  std::string hint;
  if (find_unit(spelling)) hint = fmt::format("a unit follows a number directly: 1 {}", spelling);
  const FunctionRule* function = find_function(spelling);
  if (function != nullptr) hint = fmt::format("it is a function: {}", function->usage);
  if (hint.empty() && continues_unit(text_, word.at))
    if (const std::string meant = meant_unit(spelling); !meant.empty())
      hint = fmt::format("did you mean the unit {}?", meant);
  if (hint.empty() && spelling == "time")
    for (const auto& v : scope_.variables)
      if (v.name == "t") hint = "the time is called t";
  std::vector<std::string> here = candidates(false);
  here.emplace_back("pi");
  const std::string near = hint.empty() ? nearest_name(spelling, here) : "";
  if (!near.empty()) hint = fmt::format("did you mean '{}'?", near);
  constexpr std::size_t most_listed = 12;
  if (hint.empty() && here.size() <= most_listed)
    hint = fmt::format("known here: {}", fmt::join(here, ", "));
  report("model.unknown-name",
         word.at,
         fmt::format("the unknown name '{}'", spelling.substr(0, 60)),
         "a parameter, a variable of this formula, pi or e",
         hint);
  code_.constant(unknown, word.at);
  return excused();
}

// rate(gap), or gap', is a variable spelt like that.
Quantity FormulaParser::rate_of() {
  lexer_.advance();
  const Token word = lexer_.token();
  if (word.kind != Token::Kind::name) {
    unexpected("the name of a measured quantity", "rate(x) is the time derivative of a request");
    return excused();
  }
  lexer_.advance();
  const Quantity q = named(word, fmt::format("rate({})", word.text));
  expect(")");
  return q;
}

Quantity FormulaParser::call(const Token& word) {
  lexer_.advance();  // the bracket
  const int outer = std::exchange(arguments_, 0);
  Quantity q;
  const FunctionRule* f = find_function(word.text);
  FunctionPtr curve = scope_.curve ? scope_.curve(word.text) : nullptr;
  if (curve) {
    q = call_curve(word, std::move(curve));
  } else if (f == nullptr) {
    q = call_unknown(word);
  } else if (f->rule == Rule::alike) {
    q = alike(*f, word.at);
  } else if (f->rule == Rule::select) {
    q = selection(word.at);
  } else if (f->rule == Rule::step) {
    q = smooth_step(*f, word.at);
  } else if (f->rule == Rule::table) {
    q = table(word.at);
  } else if (f->rule == Rule::ratio) {
    const Quantity first = argument(), second = argument();
    close_call(*f);
    q = {.varies = shared(first, second, word.at, word.text).varies, .pure = true};
    if (!stopped_) code_.operation(f->op, word.at);
  } else {
    const Quantity x = argument();
    close_call(*f);
    q = x;
    if (f->rule == Rule::number) need_number(x, word.at, word.text);
    if (f->rule == Rule::root) q = raised(x, 0.5);
    if (!q.possible) {
      report("model.wrong-unit",
             word.at,
             fmt::format("sqrt of {}", to_text(x)),
             "even powers of kg, m and s");
      q = excused();
    }
    if (f->rule == Rule::number || f->rule == Rule::any)
      q = {.varies = x.varies, .pure = true, .bare = bare_of_call(f->op, x)};
    if (!stopped_) code_.operation(f->op, word.at);
  }
  arguments_ = outer;
  return stopped_ ? excused() : q;
}

Quantity FormulaParser::argument() {
  if (stopped_) return excused();
  const bool ended = lexer_.token().is(")");
  if (arguments_ > 0 && !ended) expect(",");
  if (ended) {
    unexpected(fmt::format("argument number {}", arguments_ + 1));
    return excused();
  }
  const int count = ++arguments_;
  const Quantity q = formula(0);
  arguments_ = count;
  return q;
}

void FormulaParser::close_call(const FunctionRule& f) {
  if (stopped_) return;
  if (lexer_.token().is(",")) {
    unexpected(fmt::format("')' after {} argument{}", f.most, f.most == 1 ? "" : "s"),
               std::string(f.usage));
    return;
  }
  expect(")");
}

Quantity FormulaParser::call_curve(const Token& word, FunctionPtr curve) {
  const Quantity x = argument();
  close_call({word.text, Op::call, 1, 1, Rule::any, "a curve has one argument"});
  if (!stopped_) code_.call(std::move(curve), word.at);
  return {.varies = x.varies};
}

Quantity FormulaParser::call_unknown(const Token& word) {
  const std::string near = nearest_name(word.text, candidates(true));
  report("model.unknown-name",
         word.at,
         fmt::format("the unknown function '{}'", word.text.substr(0, 60)),
         "a function or a curve of the model",
         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  const std::size_t begin = code_.size();
  while (!stopped_ && !lexer_.token().is(")")) argument();
  expect(")");
  if (stopped_) return excused();
  code_.drop_from(begin);
  code_.constant(unknown, word.at);
  return excused();
}

// min, max, clamp, mod, hypot, deadband: the operation is applied as the arguments come.
Quantity FormulaParser::alike(const FunctionRule& f, std::size_t at) {
  Quantity q = argument();
  while (!stopped_ && arguments_ < f.most && (arguments_ < f.least || !lexer_.token().is(")"))) {
    const Quantity next = argument();
    if (stopped_) break;
    q = shared(q, next, at, f.name);
    const bool ceiling = f.name == "clamp" && arguments_ == 3;
    code_.operation(ceiling ? Op::minimum : f.op, at);
  }
  close_call(f);
  return q;
}

Quantity FormulaParser::selection(std::size_t at) {
  const std::size_t begin = code_.size();
  const Quantity condition = argument();
  const std::size_t yes_begin = code_.size();
  const Quantity yes = argument();
  const std::size_t no_begin = code_.size();
  const Quantity no = argument();
  close_call(*find_function("if"));
  if (stopped_) return excused();
  need_number(condition, at, "the condition of 'if'");
  Quantity q = shared(yes, no, at, "the branches of 'if'");
  q.pure = is_shape(q);
  q.varies = q.varies || condition.varies;
  code_.select(begin, yes_begin, no_begin, at);
  return q;
}

Quantity FormulaParser::smooth_step(const FunctionRule& f, std::size_t at) {
  const Quantity x = argument();
  std::size_t begin = code_.size();
  const Quantity x0 = argument();
  const auto from = code_.constant_from(begin);
  const Quantity h0 = argument();
  begin = code_.size();
  const Quantity x1 = argument();
  const auto to = code_.constant_from(begin);
  const Quantity h1 = argument();
  close_call(f);
  if (stopped_) return excused();
  if (from && to && *from == *to)
    report("model.bad-value",
           at,
           fmt::format("{} with x0 equal to x1", f.name),
           "an interval of some length",
           "use if(x < x0, h0, h1) for a jump");
  const Quantity ends = shared(shared(x, x0, at, f.name), x1, at, f.name);
  Quantity q = shared(h0, h1, at, f.name);
  q.pure = is_shape(q);
  q.varies = q.varies || ends.varies;
  code_.operation(f.op, at);
  return q;
}

// The points are constants, so that the table is made once.
Quantity FormulaParser::table(std::size_t at) {
  Quantity x = argument(), y;
  std::vector<double> xs, ys;
  while (!stopped_ && (arguments_ < 5 || !lexer_.token().is(")"))) {
    const std::size_t begin = code_.size();
    const bool abscissa = arguments_ % 2 == 1;
    const Quantity q = argument();
    if (stopped_) break;
    const auto value = code_.constant_from(begin);
    if (!value)
      report("model.bad-value", at, "a table with a point that varies", "constant points");
    else if (!std::isfinite(*value) && !excused_)
      report(
          "model.not-finite", at, "a table with a point that is no finite number", "finite values");
    if (!value || !std::isfinite(*value)) excused();
    code_.drop_from(begin);
    if (abscissa)
      x = shared(x, q, at, "table");
    else
      y = ys.empty() ? q : shared(y, q, at, "table");
    (abscissa ? xs : ys).push_back(value.value_or(unknown));
  }
  close_call(*find_function("table"));
  if (stopped_ || excused_) return excused();
  const bool ascending = std::adjacent_find(xs.begin(), xs.end(), [](double a, double b) {
                           return !(a < b);
                         }) == xs.end();
  if (xs.size() != ys.size() || !ascending) {
    report("model.bad-value",
           at,
           ascending ? "a table with an x without a y" : "a table whose x do not ascend",
           "x1, y1, x2, y2, ... with x1 < x2 < ...");
    return excused();
  }
  code_.call(linear_table(std::move(xs), std::move(ys)), at);
  y.pure = is_shape(y);
  y.varies = x.varies;
  return y;
}

}  // namespace cardan
