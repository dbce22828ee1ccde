#pragma once
// What a maker of joints, drivers, measures and forces is told: plain data in mass-centre frames,
// and what it answers.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cardan/math/expression.h"
#include "cardan/math/function.h"
#include "cardan/math/planar_curve.h"
#include "cardan/math/space_curve.h"
#include "cardan/math/types.h"

namespace cardan {

struct ElementEnd {
  int body = -1;  // -1: ground
  // Relative to the mass centre, in body axes; planar elements ignore the third number.
  Vec<3> point{0, 0, 0};
  Vec<3> axis{1, 0, 0};    // in body axes, any length but zero; in space the joint's axis
  Vec<3> across{0, 1, 0};  // in space: the zero of angles about the axis, not along it
};

struct CoupledJoint {  // one of the joints that a coupler relates
  std::array<ElementEnd, 2> ends;
  bool angle = true;  // its angle, or else its displacement
  double factor = 1;
};

// Every element measures end 1 relative to end 0. Numbers, curves and formulas are found by the
// model file's keys.
struct ElementSpec {
  std::array<ElementEnd, 2> ends;
  std::vector<CoupledJoint> coupled;
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::vector<std::pair<std::string, std::string>> choices;  // words of keys that have a choice
  std::vector<std::pair<std::string, PlanarCurvePtr>> curves;
  std::vector<std::pair<std::string, SpaceCurvePtr>> space_curves;
  std::vector<std::pair<std::string, FunctionPtr>> functions;
  // Of [t, length, rate, in0, in0', in1, in1', ...].
  std::vector<std::pair<std::string, Expression>> formulas;
  std::vector<int> inputs;  // request indices of in0, in1, ...
  FunctionPtr drive;        // c(t) of a driver
  // Of an angle in space: the one meant at the start, of those that differ by whole turns, is
  // nearest to this.
  std::optional<double> start_angle;

  template <class V>
  static const V* find(const std::vector<std::pair<std::string, V>>& list, std::string_view key) {
    const auto found = std::find_if(
        list.begin(), list.end(), [&](const auto& entry) { return entry.first == key; });
    return found == list.end() ? nullptr : &found->second;
  }

  std::optional<double> number(std::string_view key, std::size_t k = 0) const {
    const std::vector<double>* values = find(numbers, key);
    if (values == nullptr || k >= values->size()) return std::nullopt;
    return (*values)[k];
  }

  double number_or(std::string_view key, double otherwise) const {
    return number(key).value_or(otherwise);
  }

  bool flag(std::string_view key) const { return number_or(key, 0) != 0; }
};

// A word of a key with a choice, and what it means to a maker. The key's list of words and the
// maker use one table.
template <class Meaning> struct WordChoice {
  std::string_view word;
  Meaning meaning;
};

template <class Meaning, std::size_t n>
std::vector<std::string_view> words_of(const WordChoice<Meaning> (&table)[n]) {
  std::vector<std::string_view> words;
  for (const auto& choice : table) words.push_back(choice.word);
  return words;
}

// The first of the table is the default.
template <class Meaning, std::size_t n>
const Meaning& chosen(const ElementSpec& spec,
                      std::string_view key,
                      const WordChoice<Meaning> (&table)[n]) {
  if (const std::string* word = ElementSpec::find(spec.choices, key))
    for (const auto& choice : table)
      if (choice.word == *word) return choice.meaning;
  return table[0].meaning;
}

// Why an element cannot be made: the caller adds its name and position and reports a Diagnostic.
struct ElementFault {
  std::string id;  // as in base/catalogue
  std::string found, expected, hint;
};

}  // namespace cardan
