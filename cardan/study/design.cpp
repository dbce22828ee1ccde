#include "cardan/study/design.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/study/unit_points.h"

namespace cardan {

namespace {

Diagnostic design_fault(std::string found, std::string expected) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

bool is_sample(DesignKind kind) {
  return kind == DesignKind::latin_hypercube || kind == DesignKind::sobol;
}

Diagnostics faults_of(const std::vector<Variation>& variations, const DesignSetting& setting) {
  Diagnostics faults;
  if (variations.empty())
    faults.push_back(design_fault("a sweep in which nothing varies", "--vary 'parameter=values'"));
  for (std::size_t k = 0; k < variations.size(); ++k) {
    const Variation& v = variations[k];
    for (std::size_t before = 0; before < k; ++before)
      if (variations[before].parameter == v.parameter)
        faults.push_back(design_fault(fmt::format("parameter '{}' given twice", v.parameter),
                                      "each parameter once"));
    if (v.distribution && !is_sample(setting.kind))
      faults.push_back(
          design_fault(fmt::format("a distribution of '{}' without a sample", v.parameter),
                       "--sample and how many points"));
  }
  if (is_sample(setting.kind) && setting.count < 1)
    faults.push_back(
        design_fault(fmt::format("a sample of {} points", setting.count), "one point at least"));
  if (setting.kind == DesignKind::sobol && variations.size() > most_sobol_variables)
    faults.push_back(design_fault(fmt::format("a Sobol sample of {} parameters", variations.size()),
                                  fmt::format("{} at most", most_sobol_variables)));
  if (setting.kind == DesignKind::zip)
    for (const Variation& v : variations)
      if (v.values.size() != variations.front().values.size())
        faults.push_back(design_fault(fmt::format("{} values of '{}' beside {} of '{}'",
                                                  v.values.size(),
                                                  v.parameter,
                                                  variations.front().values.size(),
                                                  variations.front().parameter),
                                      "as many values of each with --zip"));
  return faults;
}

}  // namespace

Diagnostic too_many_points(double count) {
  Diagnostic d;
  d.id = "limit.points";
  d.found = fmt::format("a sweep of {:.0f} points", count);
  d.expected = fmt::format("{} at most", most_points);
  d.hint = "wider steps, or --sample with a number of points";
  return d;
}

Result<Design> Design::make(std::vector<Variation> variations, const DesignSetting& setting) {
  if (auto faults = faults_of(variations, setting); !faults.empty()) return faults;
  double count = 1;
  if (is_sample(setting.kind))
    count = static_cast<double>(setting.count);
  else if (setting.kind == DesignKind::zip)
    count = static_cast<double>(variations.front().values.size());
  else
    for (const Variation& v : variations) count *= static_cast<double>(v.values.size());
  if (count > static_cast<double>(most_points)) return too_many_points(count);
  Design out;
  out.variations_ = std::move(variations);
  out.setting_ = setting;
  out.count_ = static_cast<long>(count);
  const auto points = static_cast<std::size_t>(out.count_);
  if (setting.kind == DesignKind::latin_hypercube)
    out.sample_ = latin_hypercube(out.variations_.size(), points, setting.seed);
  if (setting.kind == DesignKind::sobol)
    out.sample_ = sobol_points(out.variations_.size(), points, setting.seed);
  return out;
}

std::vector<double> Design::point(long number) const {
  std::vector<double> out(variations_.size());
  auto rest = static_cast<std::size_t>(number);
  for (std::size_t k = variations_.size(); k-- > 0;) {
    const Variation& v = variations_[k];
    if (is_sample(setting_.kind)) {
      const double u = sample_[k][static_cast<std::size_t>(number)];
      const auto size = v.values.size();
      out[k] = v.distribution
                   ? v.distribution->quantile(u)
                   : v.values[std::min(static_cast<std::size_t>(u * static_cast<double>(size)),
                                       size - 1)];
    } else if (setting_.kind == DesignKind::zip) {
      out[k] = v.values[rest];
    } else {
      out[k] = v.values[rest % v.values.size()];
      rest /= v.values.size();
    }
  }
  return out;
}

}  // namespace cardan
