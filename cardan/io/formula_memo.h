#pragma once
// Formulas of one model file, each parsed once. When the file is evaluated again with other values
// of parameters, a formula is taken over unless a constant or a curve that it names has changed, so
// that the outcome is the one of parsing, to the bit.
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cardan/math/expression.h"

namespace cardan {

class FormulaMemo {
 public:
  // As Expression::parse. `constants`: if given, the names of the constants in it are added.
  Result<Expression> parse(std::string_view text,
                           const Scope&,
                           const SourcePos& where,
                           std::vector<std::string>* constants = nullptr);

  // As names_in.
  std::vector<std::string> names(const std::string& text);

  // Nothing is added from here on; then several threads may use it at once.
  void close() { closed_ = true; }

 private:
  struct Entry {
    Expression formula;
    std::vector<std::pair<std::string, Scope::Constant>> constants;
    std::vector<std::pair<std::string, FunctionPtr>> curves;
  };

  static bool holds(const Entry&, const Scope&);

  std::unordered_map<std::string, Entry> formulas_;  // by text and names of variables
  std::unordered_map<std::string, std::vector<std::string>> names_;
  bool closed_ = false;
};

}  // namespace cardan
