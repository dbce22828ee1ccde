// [[analysis]] blocks: the options of analyses under the names of the reference manual.
#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

constexpr std::array<std::string_view, 2> available{"assembly", "dynamic"};
constexpr std::array<std::string_view, 4> planned{
    "kinematic", "inverse", "equilibrium", "linearise"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

void ModelReader::read_analysis(const TomlNode& table) {
  TableReader keys(table, faults_);
  const Faults::Subject subject(faults_, "analysis", fmt::format("{}", model_.analyses.size() + 1));
  const Field type_field = keys.need("type", "assembly or dynamic");
  const auto type = type_field ? environment_.text(type_field) : std::nullopt;
  if (!type) return;
  if (contains(planned, *type))
    return faults_.error("model.not-available",
                         type_field.where(),
                         fmt::format("type = \"{}\"", *type),
                         "assembly or dynamic",
                         "this analysis is not available yet");
  if (!contains(available, *type)) {
    const std::string near = nearest_name(
        *type, {"assembly", "dynamic", "kinematic", "inverse", "equilibrium", "linearise"});
    return faults_.error("model.unknown-type",
                         type_field.where(),
                         fmt::format("the unknown analysis \"{}\"", *type),
                         "assembly or dynamic",
                         near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  const auto number = [&](const char* key, Dimension d, double& out) {
    if (const Field f = keys.take(key))
      out = environment_.number(f, d, Range::positive).value_or(out);
  };
  const auto integer = [&](const char* key, auto& out) {
    using Integer = std::remove_reference_t<decltype(out)>;
    constexpr long most = std::is_same_v<Integer, int> ? 1'000'000'000 : 1'000'000'000'000'000;
    if (const Field f = keys.take(key))
      out = static_cast<Integer>(environment_.integer(f, Range::positive, most).value_or(out));
  };
  const auto word = [&](const char* key, std::string& out, SourcePos& where) {
    const Field f = keys.take(key);
    if (!f) return;
    where = f.where();
    out = environment_.text(f).value_or(out);
  };
  if (*type == "assembly") {
    AssemblyOptions options;
    options.where = table.where;
    number("tolerance", dimension::none, options.tolerance);
    integer("max_iterations", options.max_iterations);
    model_.analyses.emplace_back(std::move(options));
  } else {
    DynamicOptions options;
    options.where = table.where;
    if (const Field f = keys.need("until", "the end time, until = \"1 s\""))
      options.until =
          environment_.number(f, dimension::time, Range::positive).value_or(options.until);
    number("output_step", dimension::time, options.output_step);
    word("formulation", options.formulation, options.formulation_where);
    word("integrator", options.integrator, options.integrator_where);
    integer("order", options.order);
    number("step", dimension::time, options.step);
    number("rtol", dimension::none, options.rtol);
    number("atol", dimension::none, options.atol);
    number("max_step", dimension::time, options.max_step);
    integer("max_steps", options.max_steps);
    if (const Field f = keys.take("error_estimate"))
      options.error_estimate = environment_.boolean(f).value_or(false);
    SourcePos unused;
    number("max_drift", dimension::length, options.max_drift);
    number("constraint_tolerance", dimension::length, options.constraint_tolerance);
    number("alpha", dimension::rate, options.alpha);
    number("beta", dimension::rate, options.beta);
    number("zeta", dimension::none, options.zeta);
    number("omega", dimension::rate, options.omega);
    word("gains", options.gains, unused);
    number("safety", dimension::none, options.safety);
    word("stabilization", options.stabilization, unused);
    model_.analyses.emplace_back(std::move(options));
  }
  keys.finish(key_names(find_section("analysis." + *type)->keys),
              fmt::format("a {} analysis", *type));
}

}  // namespace cardan
