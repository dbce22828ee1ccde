#include "cardan/formulation/option_table.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

// An option is given when it differs from its default; one that repeats the default does no harm.
template <auto Member> bool given(const DynamicOptions& o) {
  const auto& value = o.*Member;
  if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
    const double usual = DynamicOptions{}.*Member;
    return std::isnan(usual) ? !std::isnan(value) : value != usual;
  } else {
    return value != DynamicOptions{}.*Member;
  }
}

template <auto Member> void clear(DynamicOptions& o) {
  o.*Member = DynamicOptions{}.*Member;
}

template <auto Member> OwnedOption row(std::string_view key, std::vector<std::string_view> of) {
  return {key, std::move(of), given<Member>, clear<Member>};
}

bool uses(const OwnedOption& option, std::string_view formulation) {
  return std::find(option.formulations.begin(), option.formulations.end(), formulation) !=
         option.formulations.end();
}

std::string joined(const std::vector<std::string_view>& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + std::string(item);
  return text;
}

}  // namespace

const std::vector<OwnedOption>& formulation_options() {
  using O = DynamicOptions;
  static const std::vector<OwnedOption> table{
      row<&O::max_drift>("max_drift", {"direct", "baumgarte"}),
      row<&O::constraint_tolerance>("constraint_tolerance", {"hybrid"}),
      row<&O::alpha>("alpha", {"baumgarte", "hybrid"}),
      row<&O::beta>("beta", {"baumgarte", "hybrid"}),
      row<&O::zeta>("zeta", {"baumgarte"}),
      row<&O::omega>("omega", {"baumgarte"}),
      row<&O::gains>("gains", {"baumgarte"}),
      row<&O::safety>("safety", {"baumgarte"}),
      row<&O::stabilization>("stabilization", {"baumgarte"}),
      row<&O::jacobian>("jacobian", {"state-space"}),
      row<&O::predictor>("predictor", {"state-space"}),
      row<&O::newton_tolerance>("newton_tolerance", {"state-space"}),
      row<&O::newton_iterations>("newton_iterations", {"state-space"}),
      row<&O::independent>("independent", {"partitioned", "hybrid", "state-space", "haug-yen"}),
  };
  return table;
}

std::optional<Diagnostic> foreign_options(const DynamicOptions& options) {
  std::vector<std::string_view> keys;
  std::string where;
  for (const auto& option : formulation_options()) {
    if (!option.given(options) || uses(option, options.formulation)) continue;
    keys.push_back(option.key);
    where +=
        (where.empty() ? "" : "; ") + std::string(option.key) + ": " + joined(option.formulations);
  }
  if (keys.empty()) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.found = joined(keys) + " with formulation \"" + options.formulation +
            "\", which does not use " + (keys.size() == 1 ? "it" : "them");
  d.expected = "options of that formulation";
  d.hint = "formulations that use them: " + where;
  return d;
}

std::vector<std::string> drop_foreign_options(DynamicOptions& options) {
  std::vector<std::string> dropped;
  for (const auto& option : formulation_options()) {
    if (!option.given(options) || uses(option, options.formulation)) continue;
    option.clear(options);
    dropped.emplace_back(option.key);
  }
  return dropped;
}

}  // namespace cardan
