#include "cardan/analysis/record/channel_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardan {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double bend = 0.03;          // wanted of two neighbouring intervals, of the range
constexpr double least_share = 1e-3;   // of the largest range of a unit
constexpr double least_part = 1e-6;    // of what the motion of the mechanism makes of a unit
constexpr double most_excess = 0.03;   // of the range, of an extreme between two looks
constexpr long few_looks = 8;          // before, ranges say little
constexpr double same_instant = 1e-6;  // of the distance of looks

// What ChannelWatch::smooth_ says of a channel: energies are measured by the largest of them, and
// those made of other channels leave it to these how close one looks.
enum Follows : char { nothing, own_range, range_of_all, derived };

// The extreme of the cubic on 0 < s < 1, slopes times h; NaN: none.
double extreme_place(double y0, double y1, double m0, double m1) {
  const double a = 3 * (2 * (y0 - y1) + m0 + m1), b = -3 * (y0 - y1) - 2 * m0 - m1, c = m0;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  // m0 and m1 have opposite signs, so exactly one of the two lies inside.
  const double s = c > 0 ? c / (root - b) : c / (-root - b);
  return s > 0 && s < 1 ? s : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

namespace {

// Made of other channels, which decide how close one looks and which rows are kept.
bool is_derived(const Channel& c) {
  return c.quantity == "reaction size" || c.quantity == "drive power";
}

}  // namespace

bool follows_motion(const Channel& c) {
  const bool mode = c.unit.empty() && c.name.ends_with(".mode");
  return c.quantity != "residual" && c.quantity != "step" && !mode;
}

ChannelWatch::ChannelWatch(std::vector<Channel> channels, double mechanism)
    : channels_(std::move(channels)), of_(channels_.size()), length_(mechanism) {
  static constexpr const char* units[] = {
      "m", "m/s", "m/s^2", "rad", "rad/s", "rad/s^2", "N", "N*m"};  // in the order of Kind
  std::vector<std::string> names;
  for (const Channel& c : channels_) {
    const std::string name = c.quantity == "energy" ? "energy" : c.unit;
    auto same = std::find(names.begin(), names.end(), name);
    if (same == names.end()) {
      same = names.insert(names.end(), name);
      const auto* kind = std::find(std::begin(units), std::end(units), name);
      groups_.push_back({static_cast<Kind>(kind - std::begin(units))});
    }
    group_.push_back(static_cast<int>(same - names.begin()));
    const Follows range = c.quantity == "energy" ? range_of_all : own_range;
    smooth_.push_back(is_derived(c) ? derived : follows_motion(c) ? range : nothing);
    size_.push_back(c.quantity == "reaction size" ? 1 : 0);
  }
}

double ChannelWatch::scale(std::size_t k) const {
  if (smooth_[k] == nothing || smooth_[k] == derived) return 0;
  const Group& group = groups_[static_cast<std::size_t>(group_[k])];
  if (smooth_[k] == range_of_all) return group.range;
  return std::max({of_[k].largest - of_[k].least, least_share * group.range, group.floor});
}

void ChannelWatch::find_floors() {
  double size[other + 1] = {};
  for (const Group& g : groups_) size[g.kind] = std::max(size[g.kind], g.size);
  const double l = length_, w = std::max(size[rate], size[speed] / l);
  const double w_dot = std::max({size[angular_acceleration], size[acceleration] / l, w * w});
  const double f = std::max(size[force], size[torque] / l);
  const double references[] = {l, l * w, l * w_dot, 1, w, w_dot, f, l * f};
  for (Group& g : groups_) g.floor = least_part * (g.kind == other ? g.size : references[g.kind]);
}

void ChannelWatch::offer(One& c, double t, double y) const {
  if (y < c.least) c.least = y, c.t_least = t;
  if (y > c.largest) c.largest = y, c.t_largest = t;
}

void ChannelWatch::close(One& c, bool smooth, double m1, bool size) const {
  const double h = t1_ - t0_;
  const double integral = h * (c.y0 + c.y1) / 2 + (smooth ? h * h * (c.m0 - m1) / 12 : 0);
  if (std::isfinite(integral)) {
    c.sum += integral;
    c.squares +=
        h * (c.y0 * c.y0 + c.y1 * c.y1) / 2 + (smooth ? h * h * (c.y0 * c.m0 - c.y1 * m1) / 6 : 0);
    c.time += h;
  }
  if (!smooth || !(c.m0 * m1 < 0)) return;
  const bool top = c.m0 * h > 0;
  if (size && !top) return;
  const double end = top ? std::max(c.y0, c.y1) : std::min(c.y0, c.y1);
  const double reach = std::abs(h) * std::max(std::abs(c.m0), std::abs(m1)) / 4;
  if (top ? end + reach <= c.largest : end - reach >= c.least) return;
  const double s = extreme_place(c.y0, c.y1, h * c.m0, h * m1);
  if (std::isnan(s)) return;
  const double r = 1 - s;
  const double y =
      (1 + 2 * s) * r * r * c.y0 + s * s * (3 - 2 * s) * c.y1 + h * s * r * (r * c.m0 - s * m1);
  const double excess = top ? y - end : end - y;
  if (excess <= most_excess * (c.largest - c.least)) offer(c, t0_ + s * h, y);
}

// A size |F| has a corner where F passes zero, its square has none: the least value is that of the cubic through squares.
void ChannelWatch::close_size(One& c, double w1) const {
  const double h = t1_ - t0_, u0 = c.y0 * c.y0, u1 = c.y1 * c.y1;
  if (!(c.w0 * h < 0 && w1 * h > 0)) return;
  const double s = extreme_place(u0, u1, h * c.w0, h * w1);
  if (std::isnan(s)) return;
  const double r = 1 - s;
  const double u =
      (1 + 2 * s) * r * r * u0 + s * s * (3 - 2 * s) * u1 + h * s * r * (r * c.w0 - s * w1);
  if (std::min(u0, u1) - u <= most_excess * c.largest * c.largest)
    offer(c, t0_ + s * h, std::sqrt(std::max(0.0, u)));
}

void ChannelWatch::close_piece() {
  if (in_piece_ < 2) return;
  const double h = t1_ - t0_;
  for (std::size_t k = 0; k < of_.size(); ++k) {
    One& c = of_[k];
    const double d = (c.y1 - c.y0) / h;
    if (in_piece_ == 2) c.m0 = d;
    close(c, smooth_[k] != nothing, in_piece_ == 2 ? d : 2 * d - c.m0, size_[k] != 0);
    if (in_piece_ > 2 && size_[k] != 0) close_size(c, 2 * (c.y1 * c.y1 - c.y0 * c.y0) / h - c.w0);
  }
}

void ChannelWatch::jump() {
  close_piece();
  in_piece_ = 0;
}

void ChannelWatch::finish() {
  jump();
}

void ChannelWatch::take(double t, std::span<const double> row) {
  // Two looks a round-off apart have no slope between them.
  const double near = same_instant * std::abs(in_piece_ > 1 ? t1_ - t0_ : t1_);
  if (in_piece_ > 0 && std::abs(t - t1_) <= near) return;
  ++looks_;
  if (looks_ == 1)
    for (std::size_t k = 0; k < of_.size(); ++k)
      of_[k].least = of_[k].largest = row[k], of_[k].t_least = of_[k].t_largest = t;
  const double h0 = t1_ - t0_, h1 = t - t1_, inverse = 1 / (h0 + h1);
  const double inverse0 = 1 / h0, inverse1 = 1 / h1;
  double sharpest = 0;  // largest |y''| / R
  for (std::size_t k = 0; k < of_.size(); ++k) {
    One& c = of_[k];
    const double y = row[k];
    if (!(c.least <= c.largest) && std::isfinite(y))  // nothing but NaN before
      c.least = c.largest = y, c.t_least = c.t_largest = t;
    const bool smooth = smooth_[k] != nothing;
    if (in_piece_ >= 2) {
      const double before = (c.y1 - c.y0) * inverse0, after = (y - c.y1) * inverse1;
      const double m1 = (before * h1 + after * h0) * inverse;
      if (in_piece_ == 2) c.m0 = 2 * before - m1;
      close(c, smooth, m1, size_[k] != 0);
      c.m0 = m1;
      if (size_[k] != 0) {
        const double w_before = before * (c.y0 + c.y1), w_after = after * (c.y1 + y);
        const double w1 = (w_before * h1 + w_after * h0) * inverse;
        if (in_piece_ == 2) c.w0 = 2 * w_before - w1;
        close_size(c, w1);
        c.w0 = w1;
      }
      if (smooth) {
        const double curvature = std::abs((after - before) * inverse);
        const double r = scale(k);
        if (curvature > sharpest * r && r > 0 && std::isfinite(curvature)) sharpest = curvature / r;
      }
    }
    offer(c, t, y);
    c.y0 = c.y1;
    c.y1 = y;
    Group& group = groups_[static_cast<std::size_t>(group_[k])];
    const bool decides = smooth_[k] != nothing && smooth_[k] != derived;
    if (decides && c.largest - c.least > group.range) group.range = c.largest - c.least;
    if (decides && std::abs(y) > group.size) group.size = std::abs(y);
  }
  find_floors();
  if (in_piece_ > 0 && wanted_ > 0) needed_ += std::abs(h1) / wanted_;
  if (in_piece_ >= 2 && looks_ > few_looks) {
    const double now = sharpest > 0 ? std::sqrt(bend / (2 * sharpest)) : infinite;
    wanted_ = wanted_ > 0 ? std::min(now, 2 * wanted_) : std::min(now, 2 * std::abs(h1));
  }
  ++in_piece_;
  t0_ = t1_;
  t1_ = t;
}

std::vector<ChannelStatistics> ChannelWatch::statistics() const {
  std::vector<ChannelStatistics> out;
  out.reserve(of_.size());
  for (std::size_t k = 0; k < of_.size(); ++k) {
    const One& c = of_[k];
    const bool lasts = c.time != 0;
    out.push_back({channels_[k].name,
                   channels_[k].unit,
                   c.least,
                   c.t_least,
                   c.largest,
                   c.t_largest,
                   lasts ? c.sum / c.time : c.y1,
                   lasts ? std::sqrt(std::max(0.0, c.squares / c.time)) : std::abs(c.y1)});
  }
  return out;
}

void ChannelWatch::serialize(Archive& archive) {
  archive.mark("watch 2");
  for (One& c : of_)
    for (double* x : {&c.y0,
                      &c.y1,
                      &c.m0,
                      &c.w0,
                      &c.least,
                      &c.largest,
                      &c.t_least,
                      &c.t_largest,
                      &c.sum,
                      &c.squares,
                      &c.time})
      archive.io(*x);
  for (Group& g : groups_)
    for (double* x : {&g.range, &g.size, &g.floor}) archive.io(*x);
  archive.io(in_piece_);
  archive.io(looks_);
  for (double* x : {&t0_, &t1_, &wanted_, &needed_}) archive.io(*x);
}

}  // namespace cardan
