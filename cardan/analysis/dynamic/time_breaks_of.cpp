#include "cardan/analysis/dynamic/time_breaks_of.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

// A run sees one side of what happens where it begins and ends.
bool ends_near(double t, double end, const TimeBreaks& breaks) {
  return std::abs(t - end) <= 2 * beside(breaks.times);
}

Diagnostic driver_jumps(const System::TimePart& driver, UnitKind kind, const Jump& jump) {
  Diagnostic d;
  d.id = "model.driver-jump";
  d.where = driver.where;
  d.element = driver.words;
  d.found = fmt::format(
      "a position that jumps by {:.6g} {}", jump.size, kind == UnitKind::angle ? "rad" : "m");
  d.expected = "a position without jumps";
  d.hint = "let it move within a short time, e.g. by step() or step5()";
  d.t = jump.t;
  return d;
}

}  // namespace

TimeBreaks breaks_of(const System& system, double from, double until) {
  TimeBreaks all;
  for (const auto& part : system.time_parts()) {
    add(all, time_breaks(*part.formula, from, until));
    all.complete = all.complete && part.complete;
  }
  return all;
}

bool has_moving_drivers(const System& system) {
  const auto& parts = system.time_parts();
  return std::any_of(
      parts.begin(), parts.end(), [](const auto& part) { return part.drive != nullptr; });
}

std::vector<DriverKink> driver_kinks(const System& system, double from, double until) {
  std::vector<DriverKink> kinks;
  for (const auto& part : system.time_parts()) {
    if (part.drive == nullptr) continue;
    const TimeBreaks breaks = time_breaks(*part.formula, from, until);
    const auto velocity = [&](double t) {
      return part.drive->at(t).d;
    };
    for (const double t : breaks.times) {
      if (ends_near(t, until, breaks)) continue;
      const Sides sides = sides_of(velocity, t, beside(breaks.times));
      if (!std::isfinite(sides.before) || !std::isfinite(sides.after)) continue;  // a table ends
      if (sides.before != sides.after) kinks.push_back({t, part.driver, sides.before, sides.after});
    }
  }
  std::sort(kinks.begin(), kinks.end(), [](const DriverKink& a, const DriverKink& b) {
    return a.t < b.t;
  });
  return kinks;
}

Diagnostic kink_crossed(const System& system, const DriverKink& kink) {
  const auto& driver = system.constraints()[static_cast<std::size_t>(kink.driver)];
  Diagnostic d;
  d.id = "numeric.driver-kink";
  d.severity = Severity::warning;
  d.where = driver.where;
  d.element = driver.words();
  d.found = fmt::format(
      "a velocity that jumps from {:.6g} to {:.6g} at t = {:.6g} s, within a step of given length",
      kink.before,
      kink.after,
      kink.t);
  d.expected =
      "an integrator that chooses its step and ends one there, or a motion without corners";
  d.t = kink.t;
  return d;
}

std::optional<Diagnostic> driver_jump(const System& system, double from, double until) {
  for (const auto& part : system.time_parts()) {
    if (part.drive == nullptr) continue;
    TimeBreaks breaks = time_breaks(*part.formula, from, until);
    std::erase_if(breaks.times, [&](double t) {
      return ends_near(t, from, breaks) || ends_near(t, until, breaks);
    });
    const Jump jump = largest_jump(*part.formula, breaks, from, until);
    if (jump.size > 0) {
      const auto& info = system.constraints()[static_cast<std::size_t>(part.driver)];
      return driver_jumps(part, unit_kind_of(*info.description->measure), jump);
    }
  }
  return {};
}

}  // namespace cardan
