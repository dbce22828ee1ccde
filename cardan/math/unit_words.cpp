// Units as people write them who do not know how the program spells them: words (seconds), powers
// without ^ (m2), products without * (kgm2, kg.m2).
#include "cardan/math/unit_words.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "cardan/base/units.h"

namespace cardan {
namespace {

constexpr std::pair<std::string_view, std::string_view> spelt_out[] = {
    {"gram", "g"},        {"kilogram", "kg"},    {"kgs", "kg"},        {"meter", "m"},
    {"metre", "m"},       {"millimeter", "mm"},  {"millimetre", "mm"}, {"centimeter", "cm"},
    {"centimetre", "cm"}, {"sec", "s"},          {"second", "s"},      {"msec", "ms"},
    {"minute", "min"},    {"hour", "h"},         {"degree", "deg"},    {"radian", "rad"},
    {"turn", "rev"},      {"revolution", "rev"}, {"inch", "in"},       {"inches", "in"},
    {"foot", "ft"},       {"feet", "ft"},        {"newton", "N"},      {"lbs", "lb"},
    {"joule", "J"},       {"watt", "W"},         {"hertz", "Hz"}};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// One unit with or without a power: "m2", "seconds".
std::string one_unit(std::string_view word) {
  if (word.size() > 1 && word.back() >= '2' && word.back() <= '4') {
    const std::string base = one_unit(word.substr(0, word.size() - 1));
    const bool simple = !base.empty() && base.find_first_of("^*") == base.npos;
    return simple ? fmt::format("{}^{}", base, word.back()) : "";
  }
  if (find_unit(word)) return std::string(word);
  for (const auto& [spelt, symbol] : spelt_out)
    if (word == spelt || (word.ends_with('s') && word.substr(0, word.size() - 1) == spelt))
      return std::string(symbol);
  return {};
}

}  // namespace

std::string meant_unit(std::string_view word) {
  if (const std::string one = one_unit(word); !one.empty()) return one == word ? "" : one;
  for (std::size_t cut = word.size() - 1; cut > 0 && cut < word.size(); --cut) {
    const std::string_view first = word.substr(0, cut);
    const std::string_view second = word.substr(word[cut] == '.' ? cut + 1 : cut);
    if (!find_unit(first)) continue;
    const std::string rest = one_unit(second);
    if (!rest.empty()) return fmt::format("{}*{}", first, rest);
  }
  return {};
}

bool continues_unit(std::string_view formula, std::size_t at) {
  const auto skip_blanks = [&] {
    while (at > 0 && formula[at - 1] == ' ') --at;
  };
  skip_blanks();
  if (at == 0 || (formula[at - 1] != '*' && formula[at - 1] != '/')) return false;
  --at;
  skip_blanks();
  const std::size_t end = at;
  while (at > 0 &&
         (is_letter(formula[at - 1]) || is_digit(formula[at - 1]) || formula[at - 1] == '^'))
    --at;
  // "5m" is a number and its unit.
  std::string_view before = formula.substr(at, end - at);
  while (!before.empty() && is_digit(before.front())) before.remove_prefix(1);
  before = before.substr(0, before.find('^'));
  return find_unit(before).has_value();
}

}  // namespace cardan
