#include "cardan/analysis/dynamic/formula_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cardan {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr int seen_points = 5;                 // of a step
constexpr int most_cuts = 12;                  // of a step
constexpr int most_intervals = 400;            // looked at in a step
constexpr double little = 1e-3;                // of what an operation can be: so much may be hidden
constexpr double most_change_of_whole = 0.25;  // of the same, beyond both ends of a step
constexpr double most_beyond_midst = 4;  // of what changes in the midst of a step, at its ends
constexpr double noise = 1e-9;           // of its largest value
constexpr double least_noise = 1e-12;    // in SI units
constexpr double least_of_run = 1e-7;    // of the run: no step is cut shorter

bool bounded(const Interval& x) {
  return std::isfinite(x.lo) && std::isfinite(x.hi) && x.lo <= x.hi;
}

}  // namespace

FormulaWatch::FormulaWatch(const System& system, double span)
    : parts_(system), least_(least_of_run * span), t_(std::numeric_limits<double>::quiet_NaN()) {
  if (!any()) return;
  const std::size_t variables = parts_.variables(), operations = parts_.operations();
  tracks_.resize(variables);
  u_.resize(variables);
  rate_.resize(variables);
  values_.resize(variables);
  rates_.resize(variables);
  now_.resize(operations);
  sampled_.resize(operations);
  ends_.resize(operations);
  midst_.resize(operations);
  allowed_.resize(operations);
  seen_.assign(operations, {endless, -endless});
  parts_.limits(now_);
  for (const Reached& r : now_) whole_.push_back(r.values);
}

void FormulaWatch::forget() {
  t_ = std::numeric_limits<double>::quiet_NaN();
}

void FormulaWatch::begin(const State& state) {
  parts_.measure(state, u_, rate_);
  t_ = state.t;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    tracks_[k].u = u_[k];
    tracks_[k].rate = rate_[k];
  }
}

// Cubics from where the step begins to the state that was measured last.
void FormulaWatch::join(double length) {
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    Track& track = tracks_[k];
    const double r0 = direction_ * track.rate, r1 = direction_ * rate_[k];
    const double mean = (u_[k] - track.u) / length;
    track.c0 = track.u;
    track.c1 = r0;
    track.c2 = (3 * mean - 2 * r0 - r1) / length;
    track.c3 = (r0 + r1 - 2 * mean) / (length * length);
  }
}

Reached FormulaWatch::value(const Track& track, double a, double b) const {
  const double u = ((track.c3 * a + track.c2) * a + track.c1) * a + track.c0;
  const double slope = (3 * track.c3 * a + 2 * track.c2) * a + track.c1;
  const Interval r = cubic_range(u, slope, 3 * track.c3 * a + track.c2, track.c3, b - a);
  const double m = 0.5 * (a + b),
               middle = ((track.c3 * m + track.c2) * m + track.c1) * m + track.c0;
  const Interval slopes =
      cubic_range(slope, 6 * track.c3 * a + 2 * track.c2, 3 * track.c3, 0, b - a);
  return {r, bounded(r), {middle, middle}, slopes};
}

Reached FormulaWatch::rate(const Track& track, double a, double b) const {
  const double slope = (3 * track.c3 * a + 2 * track.c2) * a + track.c1;
  const Interval r = cubic_range(slope, 6 * track.c3 * a + 2 * track.c2, 3 * track.c3, 0, b - a);
  const double m = 0.5 * (a + b), middle = (3 * track.c3 * m + 2 * track.c2) * m + track.c1;
  const Interval slopes =
      Interval::between(6 * track.c3 * a + 2 * track.c2, 6 * track.c3 * b + 2 * track.c2);
  const Reached forwards{r, bounded(r), {middle, middle}, slopes};
  return direction_ > 0 ? forwards : operation(Op::negate, &forwards);
}

// All operations over a <= s <= b, into now_.
void FormulaWatch::walk(double a, double b) {
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    values_[k] = value(tracks_[k], a, b);
    rates_[k] = rate(tracks_[k], a, b);
  }
  const double middle = t_ + direction_ * 0.5 * (a + b);
  const Reached time{Interval::between(t_ + direction_ * a, t_ + direction_ * b),
                     true,
                     {middle, middle},
                     {direction_, direction_}};
  parts_.over(time, values_, rates_, 0.5 * (b - a), now_);
}

// What the operations may be within the step: near what was sampled, and, since some methods see its ends
// alone, not far from those.
void FormulaWatch::sample(double length, bool given) {
  constexpr Interval nothing{endless, -endless};
  std::fill(sampled_.begin(), sampled_.end(), nothing);
  std::fill(ends_.begin(), ends_.end(), nothing);
  std::fill(midst_.begin(), midst_.end(), nothing);
  for (int i = 0; i < seen_points; ++i) {
    const double s = length * i / (seen_points - 1);
    walk(s, s);
    for (std::size_t k = 0; k < now_.size(); ++k) {
      if (!now_[k].known) continue;
      sampled_[k] = hull(sampled_[k], now_[k].values);
      Interval& part = i == 0 || i == seen_points - 1 ? ends_[k] : midst_[k];
      part = hull(part, now_[k].values);
    }
  }
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const Interval& s = sampled_[k];
    allowed_[k] = Interval::all();
    if (s.lo > s.hi || ends_[k].lo > ends_[k].hi) continue;
    seen_[k] = hull(seen_[k], s);
    const double whole = bounded(whole_[k]) ? whole_[k].width() : seen_[k].width();
    const double size = std::max(std::abs(seen_[k].lo), std::abs(seen_[k].hi));
    const double least = noise * size + least_noise;
    const double more = s.width() + little * whole + least;
    const double far = ends_[k].width() + most_change_of_whole * whole + least;
    allowed_[k] = intersection({s.lo - more, s.hi + more}, {ends_[k].lo - far, ends_[k].hi + far});
    const Interval& m = midst_[k];
    if (given || parts_.switches(k) || m.lo > m.hi) continue;
    const double beyond = most_beyond_midst * m.width() + little * whole + least;
    allowed_[k] = intersection(allowed_[k], {m.lo - beyond, m.hi + beyond});
  }
}

std::size_t FormulaWatch::outside() const {  // the first operation that is; behind the last: none
  std::size_t k = 0;
  while (k < now_.size() && (!now_[k].known || (now_[k].values.lo >= allowed_[k].lo &&
                                                now_[k].values.hi <= allowed_[k].hi)))
    ++k;
  return k;
}

// Where the first interval of s that is not as it may be ends; nothing: there is none.
std::optional<double> FormulaWatch::first_hidden(double length) {
  std::vector<std::pair<double, double>> open{{0, length}};
  const double least = length / static_cast<double>(1 << most_cuts);
  for (int looked = 0; !open.empty(); ++looked) {
    const auto [a, b] = open.back();
    open.pop_back();
    walk(a, b);
    const std::size_t k = outside();
    if (k == now_.size()) continue;
    if (b - a <= least || looked >= most_intervals) {
      found_ = parts_.words(k);
      return b < length ? b : std::max(a, 0.5 * length);
    }
    const double middle = 0.5 * (a + b);
    open.emplace_back(middle, b);
    open.emplace_back(a, middle);
  }
  return {};
}

double FormulaWatch::longest(const State& state, bool given) {
  const double length = std::abs(state.t - t_);
  if (!(length > least_)) return endless;
  direction_ = state.t < t_ ? -1 : 1;
  parts_.measure(state, u_, rate_);
  join(length);
  sample(length, given);
  const auto hidden = first_hidden(length);
  return hidden ? std::max(*hidden, least_) : endless;
}

void FormulaWatch::serialize(Archive& archive) {
  archive.mark("formulas");
  if (!any()) return;
  archive.io(t_);
  archive.io(direction_);
  for (Track& track : tracks_) {
    archive.io(track.u);
    archive.io(track.rate);
  }
  for (Interval& seen : seen_) {
    archive.io(seen.lo);
    archive.io(seen.hi);
  }
}

}  // namespace cardan
