#pragma once
// A scope to try formulas in: t, x and y vary, gap is a length with its rate; crank, mass, n and
// two curves are given.
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cardan/math/curve.h"
#include "cardan/math/expression.h"

namespace cardan {

inline Scope test_scope() {
  Scope scope;
  scope.variables = {{"t", dimension::time},
                     {"x", dimension::none},
                     {"y", dimension::none},
                     {"gap", dimension::length},
                     {"rate(gap)", dimension::velocity}};
  scope.constant = [](std::string_view name) -> std::optional<Scope::Constant> {
    if (name == "crank") return Scope::Constant{0.08, dimension::length, false};
    if (name == "mass") return Scope::Constant{2, dimension::mass, false};
    if (name == "n") return Scope::Constant{3, {}, true};
    if (name == "zero") return Scope::Constant{0, {}, true};
    if (name == "N") return Scope::Constant{7, {}, true};
    if (name == "broken")
      return Scope::Constant{std::numeric_limits<double>::quiet_NaN(), {}, true};
    return std::nullopt;
  };
  scope.curve = [](std::string_view name) -> FunctionPtr {
    if (name == "profile") return harmonic(2, 3, 0.1, 0.5);
    if (name == "law") return quintic_step(-1, 2, 0, 4);
    return nullptr;
  };
  scope.names = [] {
    return std::vector<std::string>{"crank", "mass", "n", "zero", "N", "broken", "profile", "law"};
  };
  return scope;
}

inline SourcePos test_place() {
  return {std::make_shared<const std::string>("model.toml"), 5, 100};
}

inline Result<Expression> parse(std::string_view text) {
  return Expression::parse(text, test_scope(), test_place());
}

inline std::string reasons(const Result<Expression>& r) {
  std::string text;
  if (!r)
    for (const auto& d : r.why()) text += to_text(d) + "\n";
  return text;
}

}  // namespace cardan
