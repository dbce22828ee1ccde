#include "cardan/model/key_faults.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/model/other_words.h"

namespace cardan {

namespace {

// What to write for a key that is often forgotten.
std::string_view example_of(std::string_view key) {
  if (key == "motion")
    return "for a constant speed motion = \"100 rpm*t\" or motion = \"0.2 m/s*t\"";
  if (key == "until") return "for example until = \"2 s\"";
  return "";
}

}  // namespace

KeyFault missing_key(std::string_view key, std::string_view expected) {
  return {"model.missing-key",
          fmt::format("no '{}'", key),
          std::string(expected),
          std::string(example_of(key))};
}

KeyFault unknown_key(std::string_view key,
                     const std::vector<std::string_view>& known,
                     std::string_view what) {
  const OtherWord other = other_word(WordPlace::key, key, known);
  const std::string near =
      other.means.empty() ? nearest_name(key, {known.begin(), known.end()}) : "";
  return {"model.unknown-key",
          fmt::format("the unknown key '{}'", key.substr(0, 60)),
          fmt::format("a key of {}", what),
          !other.means.empty() ? other.hint
          : near.empty()       ? fmt::format("known are: {}", fmt::join(known, ", "))
                               : fmt::format("did you mean '{}'?", near),
          other.means.empty() ? near : std::string(other.means)};
}

KeyFault wrong_type(std::string_view key,
                    std::string_view described,
                    std::string_view expected,
                    std::string_view hint) {
  return {"model.wrong-type",
          fmt::format("{} = {}", key, described),
          std::string(expected),
          std::string(hint)};
}

KeyFault wrong_length(std::string_view key, std::size_t given, std::string_view expected) {
  return {"model.vector-length",
          fmt::format("{} = a list of {}", key, given),
          std::string(expected),
          ""};
}

KeyFault wrong_choice(std::string_view key,
                      std::string_view word,
                      const std::vector<std::string_view>& choices) {
  const std::string near = nearest_name(word, {choices.begin(), choices.end()});
  return {"model.bad-value",
          fmt::format("{} = \"{}\"", key, word),
          fmt::format("one of {}", fmt::join(choices, ", ")),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near)};
}

KeyFault not_finite(std::string_view key, double value) {
  return {"model.not-finite", fmt::format("{} = {}", key, value), "a finite number", ""};
}

KeyFault out_of_range(std::string_view key, double value, Range range) {
  return {"model.bad-value",
          fmt::format("{} = {}", key, value),
          range == Range::positive ? "a value greater than zero" : "a value that is not negative",
          ""};
}

bool in_range(double value, Range range) {
  return range == Range::any || value > 0 || (value == 0 && range == Range::not_negative);
}

std::string expected_number(Dimension dimension) {
  return fmt::format("a number, or a string with a unit or formula: {}", to_text(dimension));
}

std::string expected_numbers(std::size_t count) {
  return fmt::format("a list of {} numbers", count);
}

namespace {

std::string describe(const Setting& setting) {
  struct Words {
    std::string operator()(double x) const { return fmt::format("the number {}", x); }

    std::string operator()(bool x) const { return x ? "true" : "false"; }

    std::string operator()(const std::string& x) const { return fmt::format("\"{}\"", x); }

    std::string operator()(const std::vector<double>& x) const {
      return fmt::format("a list of {}", x.size());
    }

    std::string operator()(const FunctionPtr& x) const {
      return x != nullptr ? "a function" : "no function";
    }

    std::string operator()(const Expression&) const { return "a formula"; }

    std::string operator()(const PlanarCurvePtr& x) const {
      return x != nullptr ? "a planar curve" : "no curve";
    }

    std::string operator()(const SpaceCurvePtr& x) const {
      return x != nullptr ? "a curve in space" : "no curve";
    }
  };

  return std::visit(Words{}, setting);
}

// A setting belongs to a key by its name, or to a list by the name of one of its parts.
bool in_parts(const KeySpec& key) {
  return key.kind == ValueKind::formulas || key.kind == ValueKind::curves;
}

// Lists of names are resolved by the reader, and no settings.
bool is_setting(const KeySpec& key) {
  return key.kind != ValueKind::names;
}

bool holds(const KeySpec& key, std::string_view name) {
  if (!in_parts(key)) return is_setting(key) && key.name == name;
  return std::find(key.parts.begin(), key.parts.end(), name) != key.parts.end();
}

class SettingCheck {
 public:
  SettingCheck(std::string_view name, const Setting& value, std::vector<KeyFault>& faults)
      : name_(name), value_(value), faults_(faults) {}

  void against(const KeySpec& key) {
    switch (key.kind) {
      case ValueKind::number:
      case ValueKind::integer:
        if (const auto* x = get<double>(
                key.dimensions.empty() ? "a number" : expected_number(key.dimensions.front())))
          number(*x, key.range);
        return;
      case ValueKind::boolean:
        get<bool>(expected_boolean, boolean_hint);
        return;
      case ValueKind::numbers:
        return numbers(key);
      case ValueKind::choice:
        if (const auto* word = get<std::string>(expected_text))
          if (std::find(key.choices.begin(), key.choices.end(), *word) == key.choices.end())
            faults_.push_back(wrong_choice(name_, *word, key.choices));
        return;
      case ValueKind::text:
        get<std::string>(expected_text);
        return;
      case ValueKind::motion:
        if (const auto* f = get<FunctionPtr>(expected_formula))
          if (*f == nullptr) wrong(expected_formula);
        return;
      case ValueKind::formula:
      case ValueKind::formulas:
        get<Expression>(expected_formula);
        return;
      case ValueKind::curve:
      case ValueKind::curves:
        return curve();
      case ValueKind::points:
      case ValueKind::names:
      case ValueKind::table:
        return;  // of sections only
    }
  }

 private:
  void wrong(std::string_view expected, std::string_view hint = "") {
    faults_.push_back(wrong_type(name_, describe(value_), expected, hint));
  }

  template <class T> const T* get(std::string_view expected, std::string_view hint = "") {
    const T* x = std::get_if<T>(&value_);
    if (x == nullptr) wrong(expected, hint);
    return x;
  }

  void number(double x, Range range) {
    if (!std::isfinite(x))
      faults_.push_back(not_finite(name_, x));
    else if (!in_range(x, range))
      faults_.push_back(out_of_range(name_, x, range));
  }

  void numbers(const KeySpec& key) {
    const std::size_t n = key.dimensions.size();
    const auto* list = get<std::vector<double>>(n > 0 ? expected_numbers(n) : "a list of numbers");
    if (list == nullptr) return;
    if (n > 0 && list->size() != n)
      return faults_.push_back(wrong_length(name_, list->size(), fmt::format("{} numbers", n)));
    for (const double x : *list) number(x, key.range);
  }

  void curve() {
    const auto* planar = std::get_if<PlanarCurvePtr>(&value_);
    const auto* spatial = std::get_if<SpaceCurvePtr>(&value_);
    if ((planar == nullptr || *planar == nullptr) && (spatial == nullptr || *spatial == nullptr))
      wrong("a curve");
  }

  std::string_view name_;
  const Setting& value_;
  std::vector<KeyFault>& faults_;
};

}  // namespace

std::vector<KeyFault> faults_of_settings(const Element& e,
                                         const std::vector<KeySpec>& keys,
                                         std::string_view what) {
  std::vector<KeyFault> faults;
  for (const auto& [name, value] : e.settings) {
    const auto key = std::find_if(
        keys.begin(), keys.end(), [&name = name](const KeySpec& k) { return holds(k, name); });
    if (key != keys.end()) {
      SettingCheck(name, value, faults).against(*key);
      continue;
    }
    std::vector<std::string_view> known;
    for (const KeySpec& k : keys)
      if (in_parts(k))
        known.insert(known.end(), k.parts.begin(), k.parts.end());
      else if (is_setting(k))
        known.push_back(k.name);
    faults.push_back(unknown_key(name, known, what));
  }
  for (const KeySpec& key : keys) {
    if (!key.required() || !is_setting(key)) continue;
    if (!in_parts(key) && e.find(key.name) == nullptr)
      faults.push_back(missing_key(key.name, key.doc));
    for (const std::string_view part : key.parts)
      if (in_parts(key) && e.find(part) == nullptr) faults.push_back(missing_key(part, key.doc));
  }
  return faults;
}

}  // namespace cardan
