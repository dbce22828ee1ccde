#include "cardan/analysis/record/channel_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/pack.h"

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

constexpr int at_once = 4;  // channels

std::size_t padded(std::size_t channels) {
  return (channels + at_once - 1) / at_once * at_once;
}

// One look of all channels, by packs of them: slopes and curvatures at the look before, and the integrals
// between the two before it. m0 and the slopes found are the ends of that interval; `turns` is not zero where
// there may be an extreme in it.
struct LookInterval {
  double h0, h1, inverse0, inverse1, inverse;
  bool first;  // of a piece: m0 is not known yet
};

struct LookedAt {
  const double *now, *is_smooth;
  double *y0, *y1, *m0, *sum, *squares, *time, *slope, *turns, *curvature;
};

CARDAN_EVERY_PROCESSOR void close_interval(const LookInterval& at,
                                           std::size_t count,
                                           const LookedAt& of) {
  using Four = Pack<at_once>;
  const double h = at.h0;
  for (std::size_t k = 0; k < count; k += at_once) {
    const Four y0 = load_pack<at_once>(of.y0 + k), y1 = load_pack<at_once>(of.y1 + k);
    const Four before = (y1 - y0) * at.inverse0,
               after = (load_pack<at_once>(of.now + k) - y1) * at.inverse1;
    const Four m1 = (before * at.h1 + after * at.h0) * at.inverse;
    Four m0 = load_pack<at_once>(of.m0 + k);
    if (at.first) m0 = 2 * before - m1;
    const auto smooth = load_pack<at_once>(of.is_smooth + k) > 0.0;
    const Four none{};
    const Four integral = h * (y0 + y1) / 2.0 + (smooth ? h * h * (m0 - m1) / 12.0 : none);
    const auto finite = integral * 0.0 == none;
    const Four sum = load_pack<at_once>(of.sum + k), squares = load_pack<at_once>(of.squares + k),
               time = load_pack<at_once>(of.time + k);
    store_pack<at_once>(of.sum + k, finite ? sum + integral : sum);
    store_pack<at_once>(of.squares + k,
                        finite ? squares + (h * (y0 * y0 + y1 * y1) / 2.0 +
                                            (smooth ? h * h * (y0 * m0 - y1 * m1) / 6.0 : none))
                               : squares);
    store_pack<at_once>(of.time + k, finite ? time + h : time);
    store_pack<at_once>(of.turns + k, (smooth & (m0 * m1 < none)) ? none + 1.0 : none);
    store_pack<at_once>(of.curvature + k, size_of_pack<at_once>((after - before) * at.inverse));
    store_pack<at_once>(of.slope + k, m0);
    store_pack<at_once>(of.m0 + k, m1);
  }
}

// Made of other channels, which decide how close one looks and which rows are kept.
bool is_derived(const Channel& c) {
  return c.quantity == "reaction size" || c.quantity == "drive power";
}

}  // namespace

bool follows_motion(const Channel& c) {
  const bool mode = c.unit.empty() && c.name.ends_with(".mode");
  return c.quantity != "residual" && c.quantity != "step" && !mode;
}

ChannelWatch::ChannelWatch(std::vector<Channel> channels,
                           double mechanism,
                           std::span<const Derivative> derivatives)
    : channels_(std::move(channels)), length_(mechanism) {
  const std::size_t size = padded(channels_.size()), own = channels_.size() - derivatives.size();
  for (auto& list : of_) list.assign(size, 0.0);
  for (auto* list : {&now_, &is_smooth_, &slope_, &turns_, &curvature_}) list->assign(size, 0.0);
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const Channel& c = channels_[k];
    group_.push_back(k < own ? group_of(c) : group_of(derivatives[k - own]));
    const Follows range = c.quantity == "energy" ? range_of_all : own_range;
    smooth_.push_back(is_derived(c) ? derived : follows_motion(c) ? range : nothing);
    size_.push_back(c.quantity == "reaction size" ? 1 : 0);
    is_smooth_[smooth_.size() - 1] = smooth_.back() != nothing ? 1 : 0;
  }
}

int ChannelWatch::group_of(const Channel& c) {
  static constexpr const char* units[] = {
      "m", "m/s", "m/s^2", "rad", "rad/s", "rad/s^2", "N", "N*m"};  // in the order of Kind
  const std::string name = c.quantity == "energy" ? "energy" : c.unit;
  const auto same = std::find_if(
      groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == name && g.of < 0; });
  if (same != groups_.end()) return static_cast<int>(same - groups_.begin());
  Group& group = groups_.emplace_back();
  group.name = name;
  const auto* kind = std::find(std::begin(units), std::end(units), name);
  group.kind = static_cast<Kind>(kind - std::begin(units));
  return static_cast<int>(groups_.size()) - 1;
}

int ChannelWatch::group_of(const Derivative& d) {
  const int of = group_[d.of];
  const auto same = std::find_if(
      groups_.begin(), groups_.end(), [&](const Group& g) { return g.of == of && g.by == d.size; });
  if (same != groups_.end()) return static_cast<int>(same - groups_.begin());
  Group& group = groups_.emplace_back();
  group.of = of;
  group.by = d.size;
  return static_cast<int>(groups_.size()) - 1;
}

double ChannelWatch::scale(std::size_t k) const {
  if (smooth_[k] == nothing || smooth_[k] == derived) return 0;
  const Group& group = groups_[static_cast<std::size_t>(group_[k])];
  if (smooth_[k] == range_of_all) return group.range;
  return std::max({of(highest, k) - of(lowest, k), least_share * group.range, group.floor});
}

void ChannelWatch::find_floors() {
  double size[other + 1] = {};
  for (const Group& g : groups_) size[g.kind] = std::max(size[g.kind], g.size);
  const double l = length_, w = std::max(size[rate], size[speed] / l);
  const double w_dot = std::max({size[angular_acceleration], size[acceleration] / l, w * w});
  const double f = std::max(size[force], size[torque] / l);
  const double references[] = {l, l * w, l * w_dot, 1, w, w_dot, f, l * f};
  for (Group& g : groups_) {
    const Group& base = g.of < 0 ? g : groups_[static_cast<std::size_t>(g.of)];
    const double whole = base.kind == other ? base.size : references[base.kind];
    g.floor = least_part * whole / g.by;
  }
}

void ChannelWatch::offer(std::size_t k, double t, double y) {
  if (y < of(lowest, k)) of(lowest, k) = y, of(t_least, k) = t;
  if (y > of(highest, k)) of(highest, k) = y, of(t_largest, k) = t;
}

void ChannelWatch::integrate(std::size_t k, double m1) {
  const double h = t1_ - t0_, a = of(y0, k), b = of(y1, k), slope = of(m0, k);
  const bool smooth = smooth_[k] != nothing;
  const double integral = h * (a + b) / 2 + (smooth ? h * h * (slope - m1) / 12 : 0);
  if (!std::isfinite(integral)) return;
  of(sum, k) += integral;
  of(squares, k) += h * (a * a + b * b) / 2 + (smooth ? h * h * (a * slope - b * m1) / 6 : 0);
  of(duration, k) += h;
}

void ChannelWatch::look_for_extreme(std::size_t k, double slope, double m1) {
  const double h = t1_ - t0_, a = of(y0, k), b = of(y1, k);
  const bool top = slope * h > 0;
  if (size_[k] != 0 && !top) return;
  const double end = top ? std::max(a, b) : std::min(a, b);
  const double reach = std::abs(h) * std::max(std::abs(slope), std::abs(m1)) / 4;
  if (top ? end + reach <= of(highest, k) : end - reach >= of(lowest, k)) return;
  const double s = extreme_place(a, b, h * slope, h * m1);
  if (std::isnan(s)) return;
  const double r = 1 - s;
  const double y =
      (1 + 2 * s) * r * r * a + s * s * (3 - 2 * s) * b + h * s * r * (r * slope - s * m1);
  const double excess = top ? y - end : end - y;
  if (excess <= most_excess * (of(highest, k) - of(lowest, k))) offer(k, t0_ + s * h, y);
}

// A size |F| has a corner where F passes zero, its square has none: the least value is that of the cubic through squares.
void ChannelWatch::look_for_least_size(std::size_t k, double w1) {
  const double h = t1_ - t0_, slope = of(w0, k);
  const double u0 = of(y0, k) * of(y0, k), u1 = of(y1, k) * of(y1, k);
  if (!(slope * h < 0 && w1 * h > 0)) return;
  const double s = extreme_place(u0, u1, h * slope, h * w1);
  if (std::isnan(s)) return;
  const double r = 1 - s;
  const double u =
      (1 + 2 * s) * r * r * u0 + s * s * (3 - 2 * s) * u1 + h * s * r * (r * slope - s * w1);
  if (std::min(u0, u1) - u <= most_excess * of(highest, k) * of(highest, k))
    offer(k, t0_ + s * h, std::sqrt(std::max(0.0, u)));
}

void ChannelWatch::close_piece() {
  if (in_piece_ < 2) return;
  const double h = t1_ - t0_;
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const double d = (of(y1, k) - of(y0, k)) / h;
    if (in_piece_ == 2) of(m0, k) = d;
    const double m1 = in_piece_ == 2 ? d : 2 * d - of(m0, k);
    integrate(k, m1);
    if (smooth_[k] != nothing && of(m0, k) * m1 < 0) look_for_extreme(k, of(m0, k), m1);
    if (in_piece_ > 2 && size_[k] != 0) {
      const double u0 = of(y0, k) * of(y0, k), u1 = of(y1, k) * of(y1, k);
      look_for_least_size(k, 2 * (u1 - u0) / h - of(w0, k));
    }
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
  const std::size_t count = channels_.size();
  std::copy_n(row.begin(), count, now_.begin());
  if (looks_ == 1)
    for (std::size_t k = 0; k < count; ++k)
      of(lowest, k) = of(highest, k) = row[k], of(t_least, k) = of(t_largest, k) = t;
  const double h0 = t1_ - t0_, h1 = t - t1_;
  const bool closes = in_piece_ >= 2;
  if (closes)
    close_interval({h0, h1, 1 / h0, 1 / h1, 1 / (h0 + h1), in_piece_ == 2},
                   now_.size(),
                   {now_.data(),
                    is_smooth_.data(),
                    of_[y0].data(),
                    of_[y1].data(),
                    of_[m0].data(),
                    of_[sum].data(),
                    of_[squares].data(),
                    of_[duration].data(),
                    slope_.data(),
                    turns_.data(),
                    curvature_.data()});
  double sharpest = 0;  // largest |y''| / R
  for (std::size_t k = 0; k < count; ++k) {
    const double y = row[k];
    if (!(of(lowest, k) <= of(highest, k)) && std::isfinite(y))  // nothing but NaN before
      of(lowest, k) = of(highest, k) = y, of(t_least, k) = of(t_largest, k) = t;
    if (closes && size_[k] != 0) {
      const double u0 = of(y0, k) * of(y0, k), u1 = of(y1, k) * of(y1, k);
      const double before = (u1 - u0) / h0, after = (y * y - u1) / h1;
      const double w1 = (before * h1 + after * h0) / (h0 + h1);
      if (in_piece_ == 2) of(w0, k) = 2 * before - w1;
      look_for_least_size(k, w1);
      of(w0, k) = w1;
    }
    if (closes && smooth_[k] != nothing) {
      if (turns_[k] != 0) look_for_extreme(k, slope_[k], of(m0, k));
      const double r = scale(k);
      if (curvature_[k] > sharpest * r && r > 0 && std::isfinite(curvature_[k]))
        sharpest = curvature_[k] / r;
    }
    offer(k, t, y);
    Group& group = groups_[static_cast<std::size_t>(group_[k])];
    const bool decides = smooth_[k] != nothing && smooth_[k] != derived;
    const double range = of(highest, k) - of(lowest, k);
    if (decides && range > group.range) group.range = range;
    if (decides && std::abs(y) > group.size) group.size = std::abs(y);
  }
  of_[y0].swap(of_[y1]);
  of_[y1].swap(now_);
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
  out.reserve(channels_.size());
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    const bool lasts = of(duration, k) != 0;
    out.push_back(
        {channels_[k].name,
         channels_[k].unit,
         of(lowest, k),
         of(t_least, k),
         of(highest, k),
         of(t_largest, k),
         lasts ? of(sum, k) / of(duration, k) : of(y1, k),
         lasts ? std::sqrt(std::max(0.0, of(squares, k) / of(duration, k))) : std::abs(of(y1, k))});
  }
  return out;
}

void ChannelWatch::serialize(Archive& archive) {
  archive.mark("watch 2");
  for (std::size_t k = 0; k < channels_.size(); ++k)
    for (const Number x :
         {y0, y1, m0, w0, lowest, highest, t_least, t_largest, sum, squares, duration})
      archive.io(of(x, k));
  for (Group& g : groups_)
    for (double* x : {&g.range, &g.size, &g.floor}) archive.io(*x);
  archive.io(in_piece_);
  archive.io(looks_);
  for (double* x : {&t0_, &t1_, &wanted_, &needed_}) archive.io(*x);
}

}  // namespace cardan
