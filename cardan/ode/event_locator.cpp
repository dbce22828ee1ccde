// Every step is sampled at a few points of the interpolant. A change of sign between two samples is
// narrowed to round-off; between samples of one sign whose slopes point towards zero, the extremum
// is sought, so that a pair of roots within a step is not missed. An exact zero counts once, when
// it is reached, whether g goes on to the other side or turns back.
//
// Where the speed V of g is bounded, nothing is left to samples: between a and b of one sign there
// is no root if |g(a)| + |g(b)| > V (b - a). Other stretches are halved until that holds, or until
// they are short against the size of what g is the distance from; there g is smooth, and its rates
// at both ends tell whether it has a lowest point.
#include "cardan/ode/event_locator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"
#include "cardan/math/root_finding.h"

namespace cardan {

namespace {

constexpr int parts = 4;           // of a step, sampled at their ends
constexpr double margin = 1.5;     // on speeds, between the points where they are known
constexpr double smooth = 0.25;    // of the size: stretches that the rates at the ends tell all of
constexpr int most_halvings = 60;  // of a stretch
constexpr double near_start =
    1e-3;  // of a step: where a sign that is unknown at its start is taken

int sign_of(double g) {
  return g > 0 ? 1 : g < 0 ? -1 : 0;
}

}  // namespace

Eval EventLocator::start(double t, CView y) {
  const int count = events_.count();
  y_ = as_vector(y);
  g_.setZero(count);
  sign_.assign(static_cast<std::size_t>(count), 0);
  hits_.assign(static_cast<std::size_t>(count), {});
  times_.assign(parts + 2, t);
  samples_.setZero(parts + 2, count);
  reaches_.assign(static_cast<std::size_t>((parts + 2) * count), {});
  stretches_.reserve(2 * most_halvings);
  found_.clear();
  found_.reserve(static_cast<std::size_t>(count));
  return restart(t, y);
}

Eval EventLocator::restart(double t, CView y) {
  y_ = as_vector(y);
  const View g{g_.data(), static_cast<std::size_t>(g_.size())};
  if (const Eval e = events_.values(t, y, g); e != Eval::ok) return e;
  if (!g_.allFinite()) return Eval::retry;
  for (std::size_t i = 0; i < sign_.size(); ++i) sign_[i] = sign_of(g[i]);
  for (const int i : found_) sign_[static_cast<std::size_t>(i)] = events_.side_after(i);
  found_.clear();
  longest_ = events_.longest_step();
  return Eval::ok;
}

Eval EventLocator::sample(Method& method, int row, double t) {
  times_[static_cast<std::size_t>(row)] = t;
  const View y{y_.data(), static_cast<std::size_t>(y_.size())};
  const View g{g_.data(), static_cast<std::size_t>(g_.size())};
  if (t == method.time()) {
    as_vector(y) = as_vector(method.state());
  } else if (const Eval e = method.interpolate(t, y); e != Eval::ok) {
    return e;
  }
  if (const Eval e = events_.values(t, y, g); e != Eval::ok) return e;
  if (!g_.allFinite()) return Eval::retry;
  samples_.row(row) = g_.transpose();
  for (int i = 0; i < events_.count(); ++i)
    reaches_[static_cast<std::size_t>(row * events_.count() + i)] =
        events_.reach(i).value_or(Events::Reach{});
  longest_ = events_.longest_step();
  return Eval::ok;
}

double EventLocator::value(Method& method, int i, double t) {
  const View y{y_.data(), static_cast<std::size_t>(y_.size())};
  Eval e = method.interpolate(t, y);
  if (e == Eval::ok) e = events_.values(t, y, {g_.data(), static_cast<std::size_t>(g_.size())});
  if (e != Eval::ok) status_ = e;
  return g_[i];
}

bool EventLocator::wanted(int i, int sign_before) const {
  switch (events_.direction(i)) {
    case Crossing::rising:
      return sign_before < 0;
    case Crossing::falling:
      return sign_before > 0;
    case Crossing::either:
      break;
  }
  return true;
}

Eval EventLocator::scan(Method& method, double from, double to) {
  found_.clear();
  status_ = Eval::ok;
  const bool unsure = std::find(sign_.begin(), sign_.end(), 0) != sign_.end();
  rows_ = 0;
  if (const Eval e = sample(method, rows_++, from); e != Eval::ok) return e;
  if (unsure) {
    const Eval e = sample(method, rows_++, from + near_start * (to - from));
    if (e != Eval::ok) return e;
  }
  for (int k = 1; k <= parts; ++k) {
    const double t = k == parts ? to : from + (to - from) * k / parts;
    if (const Eval e = sample(method, rows_++, t); e != Eval::ok) return e;
  }
  const double direction = to < from ? -1 : 1;
  bool any = false;
  double first = to;
  for (int i = 0; i < events_.count(); ++i) {
    Hit& hit = hits_[static_cast<std::size_t>(i)] = first_crossing(method, i, unsure);
    if (status_ != Eval::ok) return status_;
    if (!hit.happens) continue;
    if (!any || direction * (hit.t - first) < 0) first = hit.t;
    any = true;
  }
  const double same =
      any ? 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to))
          : 0;
  time_ = first;
  for (std::size_t i = 0; i < hits_.size(); ++i) {  // those together with the first, in order
    if (!hits_[i].happens || direction * (hits_[i].t - first) > same) continue;
    found_.push_back(static_cast<int>(i));
    if (direction * (hits_[i].t - time_) > 0) time_ = hits_[i].t;
  }
  if (!any) {
    for (std::size_t i = 0; i < sign_.size(); ++i) {
      const int s = sign_of(samples_(rows_ - 1, static_cast<Eigen::Index>(i)));
      if (s != 0) sign_[i] = s;
    }
    return Eval::ok;
  }
  if (const Eval e = sample(method, 0, time_); e != Eval::ok) return e;
  for (std::size_t i = 0; i < sign_.size(); ++i) {
    const int s = sign_of(samples_(0, static_cast<Eigen::Index>(i)));
    if (s != 0) sign_[i] = s;
  }
  for (const int i : found_) {
    sign_[static_cast<std::size_t>(i)] = hits_[static_cast<std::size_t>(i)].sign_after;
  }
  return Eval::ok;
}

// Whether |g| of sample `row` and the next, both of `sign`, has a minimum in between that may reach
// zero.
bool EventLocator::dips(int i, int row, int sign, double& left, double& right) const {
  const auto g = [&](int r) {
    return sign * samples_(r, i);
  };
  const auto t = [&](int r) {
    return times_[static_cast<std::size_t>(r)];
  };
  const auto slope = [&](int a, int b) {
    return (g(b) - g(a)) / (t(b) - t(a));
  };
  const double here = slope(row, row + 1), length = t(row + 1) - t(row);
  const auto bend = [&](int a) {  // second divided difference over samples a, a+1, a+2
    return (slope(a + 1, a + 2) - slope(a, a + 1)) / (t(a + 2) - t(a));
  };
  const double before = row > 0 ? bend(row - 1) : bend(row);
  const double after = row + 2 < rows_ ? bend(row) : bend(row - 1);
  left = here - before * length;
  right = here + after * length;
  if (length < 0) {
    left = -left;
    right = -right;
  }
  if (!(left < 0 && right > 0)) return false;
  // the parabola through the ends with the mean bend; well above zero: nothing to look for
  const double b = std::max(std::max(before, after), 0.0);
  const double lowest = std::min(g(row), g(row + 1)) - 0.5 * b * length * length;
  return lowest < 0.1 * std::min(g(row), g(row + 1));
}

EventLocator::Point EventLocator::point(int i, int sign, double t, double g) const {
  const Events::Reach r = events_.reach(i).value_or(Events::Reach{});
  return {t, sign * g, r.speed, sign * r.rate, r.size};
}

std::optional<double> EventLocator::lowest(
    Method& method, int i, int sign, const Point& first, const Point& last) {
  stretches_.clear();
  stretches_.push_back(first);
  stretches_.push_back(last);
  const double least = std::abs(last.t - first.t) * elementary::pow(0.5, most_halvings);
  while (!stretches_.empty() && status_ == Eval::ok) {
    const Point b = stretches_.back();
    stretches_.pop_back();
    const Point a = stretches_.back();
    stretches_.pop_back();
    const double length = std::abs(b.t - a.t), way = margin * std::max(a.speed, b.speed) * length;
    if (a.g + b.g > way || length <= least) continue;
    const double direction = b.t < a.t ? -1 : 1;
    if (way <= smooth * std::min(a.size, b.size)) {
      if (!(direction * a.rate < 0 && direction * b.rate > 0)) continue;
      const double floor = 4 * std::numeric_limits<double>::epsilon() * std::max(a.g, b.g);
      const Minimum low =
          find_minimum([&](double t) { return sign * value(method, i, t); }, a.t, b.t, floor);
      if (low.value <= floor) return low.x;
      continue;
    }
    const double middle = 0.5 * (a.t + b.t), g = value(method, i, middle);
    if (sign * g <= 0) return middle;
    const Point m = point(i, sign, middle, g);
    for (const Point* p : {&m, &b, &a, &m}) stretches_.push_back(*p);  // the earlier half on top
  }
  return {};
}

std::optional<double> EventLocator::bounded_lowest(Method& method, int i, int row, int sign) {
  const auto end = [&](int r) {
    const Events::Reach& reach = reaches_[static_cast<std::size_t>(r * events_.count() + i)];
    return Point{times_[static_cast<std::size_t>(r)],
                 sign * samples_(r, i),
                 reach.speed,
                 sign * reach.rate,
                 reach.size};
  };
  return lowest(method, i, sign, end(row), end(row + 1));
}

std::optional<double> EventLocator::sampled_lowest(Method& method, int i, int row, int sign) {
  double left = 0, right = 0;
  if (!dips(i, row, sign, left, right)) return {};
  const double floor = 4 * std::numeric_limits<double>::epsilon() *
                       std::max(std::abs(samples_(row, i)), std::abs(samples_(row + 1, i)));
  const Minimum low = find_minimum([&](double t) { return sign * value(method, i, t); },
                                   times_[static_cast<std::size_t>(row)],
                                   times_[static_cast<std::size_t>(row) + 1],
                                   floor);
  if (low.value > floor) return {};
  return low.x;
}

EventLocator::Hit EventLocator::first_crossing(Method& method, int i, bool first_is_near) {
  int sign = sign_[static_cast<std::size_t>(i)];
  for (int row = 0; row + 1 < rows_ && status_ == Eval::ok; ++row) {
    const double a = times_[static_cast<std::size_t>(row)];
    const double b = times_[static_cast<std::size_t>(row) + 1];
    const double g_b = samples_(row + 1, i);
    const int next = sign_of(g_b);
    if (sign == 0) {
      if (row == 0 && !first_is_near) continue;
      sign = next;
      continue;
    }
    if (next == 0) {
      if (wanted(i, sign)) return {b, 0, true};
      sign = 0;
      continue;
    }
    double bottom = b;
    if (next == sign) {
      const double g_a = samples_(row, i);
      if (sign_of(g_a) != sign) continue;
      const bool bounded =
          reaches_[static_cast<std::size_t>((row + 1) * events_.count() + i)].speed > 0;
      const auto low =
          bounded ? bounded_lowest(method, i, row, sign) : sampled_lowest(method, i, row, sign);
      if (!low) continue;
      const double floor =
          4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(g_a), std::abs(g_b));
      if (std::abs(value(method, i, *low)) <= floor) {  // touches
        if (wanted(i, sign)) return {*low, sign, true};
        continue;
      }
      bottom = *low;
    }
    if (wanted(i, sign)) {
      const double g_bottom = bottom == b ? g_b : value(method, i, bottom);
      const Root root = find_root([&](double t) { return value(method, i, t); },
                                  a,
                                  sign * std::abs(samples_(row, i)),
                                  bottom,
                                  g_bottom);
      return {root.after, root.before == root.after ? 0 : -sign, true};
    }
    if (bottom != b) {  // down and up again, and only the way back counts
      if (wanted(i, -sign)) {
        const double g_bottom = value(method, i, bottom);
        const Root root =
            find_root([&](double t) { return value(method, i, t); }, bottom, g_bottom, b, g_b);
        return {root.after, root.before == root.after ? 0 : sign, true};
      }
      continue;
    }
    sign = next;
  }
  return {};
}

void EventLocator::serialize(Archive& a) {
  a.io(sign_);
  a.io(longest_);
}

}  // namespace cardan
