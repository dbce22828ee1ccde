#include "cardan/formulation/coordinate_tolerances.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/expression.h"
#include "cardan/model/own_equations.h"

namespace cardan {

namespace {

enum class ToleratedKind { positions, velocities, states };

struct NamedComponent {
  ToleratedKind part = ToleratedKind::positions;
  int first = 0, count = 0;  // count 0: all
  std::optional<Dimension> dimension;
};

struct ComponentTolerance {
  NamedComponent of;
  double atol = 0;
};

// Formulations that do not integrate all positions and velocities of the system, but others.
constexpr std::array of_own_choice{
    "reduced", "partitioned", "tangent-qr", "tangent-svd", "null-space", "state-space"};

bool integrates_coordinates(const std::string& formulation) {
  return std::find(of_own_choice.begin(), of_own_choice.end(), formulation) == of_own_choice.end();
}

std::string without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, last - first + 1));
}

Scope scope_without_names() {
  Scope scope;
  scope.constant = [](std::string_view) {
    return std::optional<Scope::Constant>();
  };
  scope.curve = [](std::string_view) {
    return FunctionPtr();
  };
  scope.names = [] {
    return std::vector<std::string>();
  };
  return scope;
}

std::optional<NamedComponent> component_of_body(const System& system,
                                                int body,
                                                std::string_view name) {
  static constexpr std::array<const char*, 3> places{"x", "y", "z"}, rates{"vx", "vy", "vz"};
  const Layout& layout = system.layout();
  const int lengths = system.dimension();
  for (int k = 0; k < lengths; ++k) {
    if (name == places[static_cast<std::size_t>(k)])
      return NamedComponent{ToleratedKind::positions, layout.q(body) + k, 1, dimension::length};
    if (name == rates[static_cast<std::size_t>(k)])
      return NamedComponent{ToleratedKind::velocities, layout.v(body) + k, 1, dimension::velocity};
  }
  const bool plane = lengths == 2;
  if (name == (plane ? "angle" : "orientation"))
    return NamedComponent{
        ToleratedKind::positions, layout.q_rotation(body), plane ? 1 : 4, dimension::none};
  if (name == "omega")
    return NamedComponent{
        ToleratedKind::velocities, layout.v_rotation(body), plane ? 1 : 3, dimension::rate};
  return {};
}

std::optional<NamedComponent> component_named(const System& system, const std::string& name) {
  if (name == "positions") return NamedComponent{ToleratedKind::positions, 0, 0, {}};
  if (name == "velocities") return NamedComponent{ToleratedKind::velocities, 0, 0, {}};
  const auto& states = system.states().entries();
  for (int k = system.states().first_of_model(); k < system.states().size(); ++k)
    if (states[static_cast<std::size_t>(k)].name == name)
      return NamedComponent{ToleratedKind::states, k, 1, {}};
  if (system.own() != nullptr) {
    const auto& coordinates = system.own()->coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (coordinates[k].name == name)
        return NamedComponent{ToleratedKind::positions, static_cast<int>(k), 1, {}};
      if (coordinates[k].name + ".rate" == name)
        return NamedComponent{ToleratedKind::velocities, static_cast<int>(k), 1, {}};
    }
    return {};
  }
  for (int b = 0; b < system.body_count(); ++b) {
    const std::string& body = system.bodies()[static_cast<std::size_t>(b)].name;
    if (name.size() > body.size() + 1 && name.starts_with(body) && name[body.size()] == '.')
      if (auto found = component_of_body(system, b, std::string_view(name).substr(body.size() + 1)))
        return found;
  }
  return {};
}

std::string example_tolerances(const System& system) {
  if (system.own() != nullptr)
    return fmt::format("\"{0} = 1e-9\", \"{0}.rate = 1e-6\"",
                       system.own()->coordinates.front().name);
  const std::string body = system.bodies().empty() ? "BODY" : system.bodies().back().name;
  return fmt::format("\"{0}.x = 1e-9 m\", \"{0}.omega = 1e-6 rad/s\"", body);
}

// One entry, or what is wrong with it.
std::variant<ComponentTolerance, std::string> read_tolerance(const System& system,
                                                             const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return std::string("no \"=\"");
  const std::string name = without_blanks(std::string_view(text).substr(0, equals));
  const auto of = component_named(system, name);
  if (!of) return fmt::format("'{}', which is unknown", name);
  const auto value = Expression::parse(
      without_blanks(std::string_view(text).substr(equals + 1)), scope_without_names(), {});
  if (!value || !value.value().constant()) return std::string("no number behind \"=\"");
  const double atol = value.value().value({});
  if (!(atol > 0) || !std::isfinite(atol)) return std::string("a number that is not positive");
  if (of->dimension && !value.value().plain() && !(value.value().dimension() == *of->dimension))
    return fmt::format(
        "{} for what is in {}", to_text(value.value().dimension()), to_text(*of->dimension));
  return ComponentTolerance{*of, atol};
}

}  // namespace

std::optional<Diagnostic> coordinate_tolerance_fault(const System& system,
                                                     const DynamicOptions& options) {
  Diagnostic d;
  d.where = options.where;
  for (const std::string& text : options.atol_each) {
    const auto entry = read_tolerance(system, text);
    if (const auto* wrong = std::get_if<std::string>(&entry)) {
      d.id = "model.bad-value";
      d.found = fmt::format("atol_each = [..., \"{}\", ...]: {}", text, *wrong);
      d.expected = "\"positions = NUMBER\", \"velocities = NUMBER\", or names: " +
                   example_tolerances(system);
      return d;
    }
    const NamedComponent& of = std::get<ComponentTolerance>(entry).of;
    if (of.count == 0 || of.part == ToleratedKind::states ||
        integrates_coordinates(options.formulation))
      continue;
    d.id = "model.unknown-option";
    d.found = fmt::format(
        "atol_each = [..., \"{}\", ...] with formulation \"{}\", which integrates "
        "coordinates of its own choice",
        text,
        options.formulation);
    d.expected = "\"positions = ...\" and \"velocities = ...\", which it uses too";
    d.hint = "`projected`, and all but " + fmt::format("{}", fmt::join(of_own_choice, ", ")) +
             ", take single coordinates";
    return d;
  }
  return {};
}

bool tolerates_single_components(const DynamicOptions& options) {
  return std::any_of(
      options.atol_each.begin(), options.atol_each.end(), [](const std::string& text) {
        const std::string name = without_blanks(std::string_view(text).substr(0, text.find('=')));
        return name != "positions" && name != "velocities";
      });
}

void tolerate_each(const System& system,
                   const DynamicOptions& options,
                   const ToleratedParts& parts,
                   Tolerance& tolerance) {
  if (options.atol_each.empty()) return;
  tolerance.atol_each.assign(parts.size, tolerance.atol);
  for (const std::string& text : options.atol_each) {
    const auto read_entry = read_tolerance(system, text);
    const auto* entry = std::get_if<ComponentTolerance>(&read_entry);
    if (entry == nullptr) continue;
    const NamedComponent& of = entry->of;
    std::size_t from = parts.states, all = parts.state_count;
    if (of.part == ToleratedKind::positions) from = parts.positions, all = parts.position_count;
    if (of.part == ToleratedKind::velocities) from = parts.velocities, all = parts.velocity_count;
    if (of.count > 0 && of.part != ToleratedKind::states && !parts.coordinates) continue;
    if (all == 0) continue;
    const std::size_t count = of.count == 0 ? all : static_cast<std::size_t>(of.count);
    const auto begin = tolerance.atol_each.begin() +
                       static_cast<std::ptrdiff_t>(from + static_cast<std::size_t>(of.first));
    std::fill_n(begin, count, entry->atol * options.atol_each_share);
  }
}

}  // namespace cardan
