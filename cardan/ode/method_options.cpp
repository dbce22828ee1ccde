#include "cardan/ode/method_options.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cardan {

namespace {

template <double MethodOptions::*member> bool number_given(const MethodOptions& o) {
  return !std::isnan(o.*member);
}

template <std::string MethodOptions::*member> bool word_given(const MethodOptions& o) {
  return !(o.*member).empty();
}

}  // namespace

const std::vector<MethodOption>& method_option_table() {
  using O = MethodOptions;
  static const std::vector<MethodOption> table{
      {"alpha", {"rk2", "hht"}, number_given<&O::alpha>},
      {"beta", {"newmark"}, number_given<&O::beta>},
      {"gamma", {"newmark"}, number_given<&O::gamma>},
      {"rho_infinity", {"generalized-alpha"}, number_given<&O::rho_infinity>},
      {"start", {"ab", "am", "pece", "ampc", "mampc", "bdf-fixed"}, word_given<&O::start>},
      {"variant", {"ode23", "ode45", "pece", "mampc", "bdf"}, word_given<&O::variant>},
  };
  return table;
}

std::optional<Diagnostic> foreign_options(std::string_view method, const MethodOptions& options) {
  std::vector<std::string_view> keys;
  std::string where;
  for (const MethodOption& option : method_option_table()) {
    const auto& of = option.methods;
    if (!option.given(options) || std::find(of.begin(), of.end(), method) != of.end()) continue;
    keys.push_back(option.name);
    where += fmt::format("{}{}: {}", where.empty() ? "" : "; ", option.name, fmt::join(of, ", "));
  }
  if (keys.empty()) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  d.found = fmt::format("{} with integrator \"{}\", which does not use {}",
                        fmt::join(keys, ", "),
                        method,
                        keys.size() == 1 ? "it" : "them");
  d.expected = "options of that integrator";
  d.hint = "integrators that use them: " + where;
  return d;
}

}  // namespace cardan
