#include "cardan/analysis/linear/root_locus.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "cardan/analysis/analysis_table.h"
#include "cardan/analysis/causes.h"
#include "cardan/analysis/run.h"
#include "cardan/math/assignment.h"
#include "cardan/math/expression.h"
#include "cardan/math/root_finding.h"
#include "cardan/model/analysis_type.h"

namespace cardan {

namespace {

constexpr std::size_t most_values = 10'000;
constexpr double change_width = 1e-12;  // of a change of stability, relative to the values

struct LocusRange {
  ParameterInfo parameter;
  std::vector<double> values;  // ascending
};

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

Diagnostic bad_locus(const std::string& text, std::string why) {
  Diagnostic d = fault_at("model.bad-value", fmt::format("locus = \"{}\": {}", text, why));
  d.expected = "\"parameter = from:step:to\", such as \"stiffness = 100:50:1000\"";
  return d;
}

// A number, with a unit or without.
Result<double> locus_number(const std::string& text,
                            const std::string& part,
                            const ParameterInfo& of) {
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
  const auto parsed = Expression::parse(part, scope, {});
  if (!parsed) return bad_locus(text, fmt::format("'{}' is no number", trimmed(part)));
  const bool unlike = !parsed.value().plain() && of.dimension != dimension::none &&
                      parsed.value().dimension() != of.dimension;
  const double value = parsed.value().value({});
  if (unlike || !std::isfinite(value))
    return bad_locus(text,
                     fmt::format("'{}' is no value of parameter '{}'", trimmed(part), of.name));
  return value;
}

Result<const ParameterInfo*> locus_parameter(const std::string& name,
                                             const ModelVariants& variants) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : variants.parameters()) {
    if (p.name == name) return &p;
    names.push_back(p.name);
  }
  Diagnostic d = fault_at("usage.unknown-parameter", fmt::format("locus: '{}'", name));
  d.expected = "a name from [parameters]";
  const std::string near = nearest_name(name, names);
  if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
  return d;
}

Result<LocusRange> read_locus(const std::string& text, const ModelVariants& variants) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return bad_locus(text, "no '='");
  const auto found = locus_parameter(trimmed(text.substr(0, equals)), variants);
  if (!found) return found.why();
  std::vector<double> parts;
  for (std::size_t from = equals + 1; from <= text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    const auto number = locus_number(text, text.substr(from, to - from), *found.value());
    if (!number) return number.why();
    parts.push_back(number.value());
    from = to + 1;
  }
  if (parts.size() != 3) return bad_locus(text, fmt::format("{} numbers", parts.size()));
  const double steps = (parts[2] - parts[0]) / parts[1];
  if (!(steps >= 1 - 1e-9))
    return bad_locus(text, "the step does not lead from the first to the last");
  if (steps >= static_cast<double>(most_values))
    return bad_locus(text, fmt::format("more than {} values", most_values));
  LocusRange range{*found.value(), {}};
  const auto count = static_cast<std::size_t>(std::floor(steps + 1e-9));
  for (std::size_t k = 0; k <= count; ++k)
    range.values.push_back(parts[0] + static_cast<double>(k) * parts[1]);
  if (std::abs(range.values.back() - parts[2]) <= 1e-9 * std::abs(parts[1]))
    range.values.back() = parts[2];
  std::sort(range.values.begin(), range.values.end());
  return range;
}

class NoSink : public Sink {
 public:
  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double, std::span<const double>) override { return {}; }
};

struct LocusValue {
  LocusPoint point;
  State followed;  // the equilibrium that comes first; without coordinates: there is none
};

class Locus {
 public:
  Locus(const Model& model,
        const ModelVariants& variants,
        std::size_t analysis,
        const Control& control)
      : model_(model), variants_(variants), analysis_(analysis), control_(control) {}

  Result<RootLocus> go() {
    const auto& options = std::get<LineariseOptions>(model_.analyses[analysis_]);
    for (std::size_t k = 0; k < analysis_; ++k) {
      const auto* equilibrium = std::get_if<EquilibriumOptions>(&model_.analyses[k]);
      if (equilibrium == nullptr || equilibrium->solve_for.empty()) continue;
      Diagnostic d =
          fault_at("model.not-available", "a root locus behind an equilibrium with `solve_for`");
      d.expected = "the setting that it finds, written into the model";
      return d;
    }
    auto range = read_locus(options.locus, variants_);
    if (!range) return range.why();
    range_ = std::move(range).value();
    RootLocus out{range_.parameter.name, si_unit(range_.parameter.dimension), {}, {}};
    auto own = at(range_.parameter.value, {});
    if (!own) return own.why();
    if (auto faults = follow(own.value().followed); !faults.empty()) return faults;
    for (std::size_t k = 0; k + 1 < values_.size(); ++k)
      if (auto faults = find_change(values_[k], values_[k + 1], out.changes); !faults.empty())
        return faults;
    for (LocusValue& v : values_) out.points.push_back(std::move(v.point));
    return out;
  }

 private:
  // The analyses of the model with this value, each from the state that the one before left.
  Result<LocusValue> at(double value, const State& near) {
    const ParameterValue given{range_.parameter.name, value};
    auto varied = variants_.with({&given, 1});
    if (!varied) return with_value(varied.why(), value);
    Model model = std::move(varied).value();
    model.analyses = {model_.analyses.begin(),
                      model_.analyses.begin() + static_cast<std::ptrdiff_t>(analysis_) + 1};
    model.output_channels.clear();
    LineariseOptions eigenvalues_alone;
    eigenvalues_alone.where = where_of(model.analyses.back());
    model.analyses.back() = eigenvalues_alone;
    Checked checked = check_model(model);
    if (checked.system == nullptr || !checked.assembly.ok)
      return with_value(checked.diagnostics, value);
    LocusValue out;
    out.point.value = value;
    auto* first = std::get_if<EquilibriumOptions>(&model.analyses.front());
    if (first != nullptr && near.q.size() == checked.assembly.state.q.size()) {
      first->all = false;
      begin_near(checked, near);
    }
    Summary summary;
    for (std::size_t k = 0; k < model.analyses.size(); ++k) {
      summary = run_one(model, checked, k);
      if (!ended_well(summary)) return with_value(summary.diagnostics, value);
      if (k == 0 && first != nullptr) out.followed = checked.assembly.state;
    }
    out.point.about = summary.linear->about;
    out.point.stability = summary.linear->stability;
    out.point.eigenvalues = summary.linear->eigenvalues;
    return out;
  }

  static void begin_near(Checked& checked, const State& near) {
    State start = checked.assembly.state;
    start.q = near.q;
    Assembly there = assemble_here(*checked.system, start, checked.assembly.mobility);
    if (!there.ok) return;
    checked.assembly.state = there.state;
    checked.assembly.mobility = analyse_mobility(*checked.system, there.state.t, there.state.q);
  }

  Summary run_one(const Model& model, Checked& checked, std::size_t k) {
    NoSink nowhere;
    const AnalysisRunner& runner = analysis_runner(model.analyses[k]);
    Control control;
    control.cancelled = control_.cancelled;
    Recording recording({*checked.system,
                         model.output_channels,
                         !checked.assembly.mobility.indeterminate.empty(),
                         runner.extent,
                         nowhere,
                         control});
    return runner.run({model, *checked.system, checked.assembly, recording, k == 0},
                      model.analyses[k]);
  }

  Diagnostics with_value(Diagnostics why, double value) const {
    std::erase_if(why, [](const Diagnostic& d) { return d.severity != Severity::error; });
    if (why.empty()) why.push_back(fault_at("numeric.singular", "an analysis ended early"));
    for (Diagnostic& d : why)
      d.found += fmt::format(" (locus, {} = {:.10g})", range_.parameter.name, value);
    return why;
  }

  bool cancelled() const { return control_.cancelled && control_.cancelled(); }

  // From the own value outwards, first up, then down.
  Diagnostics follow(const State& own) {
    const auto& values = range_.values;
    std::size_t middle = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (std::abs(values[k] - range_.parameter.value) <
          std::abs(values[middle] - range_.parameter.value))
        middle = k;
    State near = own;
    for (std::size_t k = middle; k < values.size() && !cancelled(); ++k) {
      auto found = at(values[k], near);
      if (!found) return found.why();
      near = found.value().followed;
      values_.push_back(std::move(found).value());
      join(values_.size() - 1, -1);
    }
    if (values_.empty()) return {};
    near = values_.front().followed;
    for (std::size_t k = middle; k-- > 0 && !cancelled();) {
      auto found = at(values[k], near);
      if (!found) return found.why();
      near = found.value().followed;
      values_.insert(values_.begin(), std::move(found).value());
      join(0, 1);
    }
    return {};
  }

  // Puts the eigenvalues of a point in the order of its neighbour, which stands `to` places further.
  void join(std::size_t k, std::ptrdiff_t to) {
    const auto place = [&](std::ptrdiff_t steps) {
      return static_cast<std::ptrdiff_t>(k) + steps * to;
    };
    const auto count = static_cast<std::ptrdiff_t>(values_.size());
    if (place(1) < 0 || place(1) >= count) return;
    auto& here = values_[k].point.eigenvalues;
    const LocusPoint& before = values_[static_cast<std::size_t>(place(1))].point;
    if (before.eigenvalues.size() != here.size()) return;
    const LocusPoint* earlier = nullptr;
    if (place(2) >= 0 && place(2) < count)
      earlier = &values_[static_cast<std::size_t>(place(2))].point;
    if (earlier != nullptr && earlier->eigenvalues.size() != here.size()) earlier = nullptr;
    const double share = earlier == nullptr ? 0
                                            : (values_[k].point.value - before.value) /
                                                  (before.value - earlier->value);
    const auto n = static_cast<Eigen::Index>(here.size());
    const auto number = [](const ComplexNumber& x) {
      return std::complex<double>(x[0], x[1]);
    };
    Eigen::MatrixXd cost(n, n);
    for (Eigen::Index r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r);
      std::complex<double> guess = number(before.eigenvalues[i]);
      if (earlier != nullptr) guess += share * (guess - number(earlier->eigenvalues[i]));
      for (Eigen::Index c = 0; c < n; ++c)
        cost(r, c) = std::abs(number(here[static_cast<std::size_t>(c)]) - guess);
    }
    const std::vector<int> column = least_assignment(cost);
    std::vector<ComplexNumber> ordered;
    for (const int c : column) ordered.push_back(here[static_cast<std::size_t>(c)]);
    here = std::move(ordered);
  }

  // Largest real part. States that act on nothing have eigenvalues that are exactly zero.
  static double growth(const LocusPoint& point) {
    double out = -std::numeric_limits<double>::infinity();
    for (const auto& [re, im] : point.eigenvalues)
      if (re != 0 || im != 0) out = std::max(out, re);
    return out;
  }

  // Where the growth goes through zero, its root; otherwise between the words, by bisection.
  Diagnostics find_change(const LocusValue& low,
                          const LocusValue& high,
                          std::vector<StabilityChange>& changes) {
    const std::string &from = low.point.stability, &to = high.point.stability;
    if (from == to || from.empty() || to.empty() || cancelled()) return {};
    double a = low.point.value, b = high.point.value;
    const double width = change_width * std::max(std::abs(a), std::abs(b));
    const double g_a = growth(low.point), g_b = growth(high.point);
    State near = low.followed;
    Diagnostics faults;
    const auto look = [&](double value) {
      auto found = at(value, near);
      if (!found) {
        if (faults.empty()) faults = found.why();
        return LocusPoint{};
      }
      near = found.value().followed;
      return found.value().point;
    };
    if (g_a * g_b < 0) {
      const Root root =
          find_root([&](double value) { return faults.empty() ? growth(look(value)) : 0; },
                    a,
                    g_a,
                    b,
                    g_b,
                    width);
      a = root.before;
      b = root.after;
    }
    while (faults.empty() && std::abs(b - a) > width && !cancelled()) {
      const double middle = a + (b - a) / 2;
      if (middle == a || middle == b) break;
      (look(middle).stability == from ? a : b) = middle;
    }
    if (faults.empty()) changes.push_back({a + (b - a) / 2, from, to});
    return faults;
  }

  const Model& model_;
  const ModelVariants& variants_;
  std::size_t analysis_;
  const Control& control_;
  LocusRange range_;
  std::vector<LocusValue> values_;
};

}  // namespace

Diagnostics locus_faults(const std::string& text, const ModelVariants& variants) {
  const auto range = read_locus(text, variants);
  return range ? Diagnostics{} : range.why();
}

Result<RootLocus> root_locus(const Model& model,
                             const ModelVariants& variants,
                             std::size_t analysis,
                             const Control& control) {
  return Locus(model, variants, analysis, control).go();
}

}  // namespace cardan
