// Which options of `cardan ode` mean something together: one that would do nothing is refused.
#include <algorithm>

#include <fmt/format.h>

#include "command_ode.h"

namespace cardan::app {

namespace {

enum Use { run = 1, energies = 2, study = 4, differences = 8, stability = 16, list = 32 };

struct OptionUse {
  const char* name;
  bool (*given)(const OdeOptions&);
  int uses;  // of Use
};

template <std::string OdeOptions::*m> bool word(const OdeOptions& o) {
  return !(o.*m).empty();
}

template <std::vector<std::string> OdeOptions::*m> bool words(const OdeOptions& o) {
  return !(o.*m).empty();
}

template <bool OdeOptions::*m> bool flag(const OdeOptions& o) {
  return o.*m;
}

using O = OdeOptions;
constexpr int solves = run | energies | study | differences;
constexpr int methods = run | study | differences | stability;

const OptionUse uses[] = {
    {"SYSTEM", words<&O::system>, solves},
    {"--start", words<&O::start>, solves},
    {"--set", words<&O::set>, solves},
    {"--exact", words<&O::exact>, run | study},
    {"--event", words<&O::event>, run | energies},
    {"--show", words<&O::show>, run | energies},
    {"--stop-at-event", flag<&O::stop_at_event>, run | energies},
    {"--from", word<&O::from>, solves},
    {"--until", word<&O::until>, solves},
    {"--integrator", word<&O::integrator>, solves},
    {"--tableau", word<&O::tableau>, run},
    {"--formulation", word<&O::formulation>, energies},
    {"--order", [](const O& o) { return o.order != 0; }, methods | energies},
    {"--step", word<&O::step>, run | energies | differences},
    {"--rtol", word<&O::rtol>, run | energies},
    {"--atol", word<&O::atol>, run | energies},
    {"--norm-control", flag<&O::norm_control>, run | energies},
    {"--max-step", word<&O::max_step>, run | energies},
    {"--min-step", word<&O::min_step>, run | energies},
    {"--output-step", word<&O::output_step>, run | energies},
    {"--alpha", word<&O::alpha>, methods | energies},
    {"--gamma", word<&O::gamma>, methods | energies},
    {"--beta", word<&O::beta>, methods | energies},
    {"--rho", word<&O::rho>, methods | energies},
    {"--variant", word<&O::variant>, methods | energies},
    {"--starter", word<&O::starter>, run | energies | study | differences},
    {"--csv", flag<&O::csv>, run | energies},
    {"--steps", flag<&O::steps>, run},
    {"--plot", [](const O& o) { return o.plot.has_value(); }, run | energies},
    {"--phase", words<&O::phase>, run | energies},
    {"--with", words<&O::with>, run},
    {"-o, --output", word<&O::output>, run | energies | study | stability},
    {"--force", flag<&O::force>, run | energies | study | stability},
    {"--watch", word<&O::watch>, study},
    {"--halvings", [](const O& o) { return !o.halvings.empty(); }, study},
};

struct Kind {
  Use use;
  const char* text;
};

Kind kind_of(const OdeOptions& o, bool with_energies) {
  if (o.list) return {list, "--list"};
  if (o.stability) return {stability, "--stability"};
  if (with_energies) return {energies, "equations from energies"};
  if (o.study) return {study, "--study"};
  if (o.differences) return {differences, "--differences"};
  return {run, "a run"};
}

}  // namespace

Diagnostics useless_options(const OdeOptions& o, bool with_energies) {
  const Kind kind = kind_of(o, with_energies);
  Diagnostics out;
  const auto refuse = [&](std::string found, std::string hint) {
    out.push_back(usage_fault("usage.bad-option", std::move(found), std::move(hint)));
  };
  for (const OptionUse& option : uses) {
    if (!option.given(o) || (option.uses & kind.use) != 0) continue;
    refuse(fmt::format("{} with {}, which does not use it", option.name, kind.text),
           "leave it out");
  }
  const std::pair<const char*, bool> modes[] = {{"--stability", o.stability.has_value()},
                                                {"--study", o.study.has_value()},
                                                {"--differences", o.differences}};
  for (const auto& [name, given] : modes)
    if (given && std::string_view(name) != kind.text)
      refuse(fmt::format("{} with {}", name, kind.text), "one of them");
  if (o.study && !o.study->empty() && !o.integrator.empty())
    refuse("--integrator beside methods of --study", "one of them");
  if (o.steps && !o.output_step.empty())
    refuse("--steps with --output-step", "rows are steps, or times apart: one of them");
  if (!o.with.empty() && !wants_plots(o))
    refuse("--with without a plot", "--plot, --phase or --output FILE");
  if (o.force && o.output.empty() && (kind.use & (run | energies)) != 0)
    refuse("--force without a file", "--output FILE");
  return out;
}

}  // namespace cardan::app
