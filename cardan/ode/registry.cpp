#include "cardan/ode/registry.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "cardan/ode/families.h"
#include "cardan/ode/method_options.h"

namespace cardan {

namespace {

bool takes_algebraic(std::string_view name) {
  return name == "radau5" || name == "bdf" || name == "radau-fixed" || name == "bdf-fixed" ||
         name == "gauss";
}

}  // namespace

std::vector<const MethodEntry*> list_methods() {
  std::vector<const MethodEntry*> all;
  for (const MethodFamily family : method_families) {
    for (const MethodEntry& entry : family()) all.push_back(&entry);
  }
  return all;
}

const MethodEntry* find_method(std::string_view name) {
  for (const MethodEntry* entry : list_methods()) {
    if (entry->name == name || (!entry->alias.empty() && entry->alias == name)) return entry;
  }
  return nullptr;
}

namespace {

// What other programs call a method.
std::string method_meant(std::string_view word) {
  struct Meaning {
    std::string_view words, means;  // in small letters, between spaces
  };

  static constexpr Meaning table[] = {
      {" rk45 dopri5 dopri dormand-prince runge-kutta45 tsit5 ", "ode45"},
      {" rk23 bogacki-shampine ", "ode23"},
      {" dop85 rk8 dop87 ode78 ode89 ", "dop853"},
      {" rk runge-kutta rungekutta classical rk4classic ", "rk4"},
      {" radau radauiia radau-iia ", "radau5"},
      {" lsoda vode cvode ida dassl gear implicit stiff ", "bdf"},
      {" abm abm4 lsode adams-bashforth-moulton ", "adams"},
      {" trapezoid crank-nicolson ", "trapezoidal"},
      {" implicit-euler backwardeuler ", "backward-euler"},
      {" explicit-euler forward-euler forwardeuler ", "euler"},
      {" leapfrog stoermer velocity-verlet ", "verlet"},
      {" symplectic-euler semi-implicit-euler ", "semi-implicit"},
      {" hht-i3 hilber-hughes-taylor ", "hht"}};
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
    return static_cast<char>(c == '_' ? '-' : std::tolower(c));
  });
  for (const Meaning& entry : table)
    if (entry.words.find(" " + small + " ") != std::string_view::npos)
      return std::string(entry.means);
  return {};
}

}  // namespace

Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            const MethodOptions& options,
                                            OdeProblem& problem) {
  if (const MethodEntry* entry = find_method(name)) {
    if (auto refused = foreign_options(entry->name, options)) return *refused;
    if (!problem.algebraic().empty() && !takes_algebraic(entry->name))
      return bad_option(entry->name,
                        "equations",
                        "0 = ... among them",
                        "an integrator that takes algebraic equations: radau5, bdf, radau-fixed, "
                        "bdf-fixed or gauss");
    return entry->make(problem, options);
  }
  std::vector<std::string> names;
  std::string all;
  for (const MethodEntry* entry : list_methods()) {
    names.emplace_back(entry->name);
    if (!entry->alias.empty()) names.emplace_back(entry->alias);
    all += (all.empty() ? "" : ", ") + std::string(entry->name);
  }
  Diagnostic d;
  d.id = "model.unknown-option";
  d.found = fmt::format("integrator '{}'", name);
  d.expected = "one of " + all;
  std::string near = method_meant(name);
  if (near.empty()) near = nearest_name(name, names);
  if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
  return d;
}

Diagnostic bad_option(std::string_view method,
                      std::string_view option,
                      std::string found,
                      std::string expected) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.element = fmt::format("integrator '{}'", method);
  d.found = fmt::format("{} = {}", option, found);
  d.expected = std::move(expected);
  return d;
}

Diagnostic needs_second_order(std::string_view method) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.element = fmt::format("integrator '{}'", method);
  d.found = "a problem of first-order equations";
  d.expected = "one in positions and velocities: q'' = a(t, q, q')";
  d.hint = "write the equations with second derivatives, or use another integrator";
  return d;
}

}  // namespace cardan
