#include "cardan/element/spatial/turns.h"

namespace cardan {

template <class P> int WindingTable::enter(Pair<P> pair, double near, bool own) {
  pair.primitive.weight = {1};  // the angle itself, whatever the element makes of it
  pair.primitive.turn = {-1};
  pair.primitive.c = pair.primitive.period = 0;
  entries_.push_back({std::move(pair), near, own});
  return first_ + count() - 1;
}

template <class P> int WindingTable::add(const Pair<P>& pair, std::optional<double> near) {
  const auto [first, last] = between_.equal_range(pair.body);
  for (auto k = first; k != last; ++k) {
    Entry& entry = entries_[k->second];
    const auto* known = std::get_if<Pair<P>>(&entry.angle);
    if (known == nullptr || known->primitive.s != pair.primitive.s) continue;
    if (near) entry.near = *near;
    return first_ + static_cast<int>(k->second);
  }
  between_.emplace(pair.body, entries_.size());
  return enter(pair, near.value_or(0), false);
}

template <class P> int WindingTable::add_own(const Pair<P>& pair, CView bodies) {
  const int index = enter(pair, 0, true);
  entries_.back().near = value(entries_.back().angle, bodies);
  return index;
}

template int WindingTable::add(const Pair<Azimuth>&, std::optional<double>);
template int WindingTable::add(const Pair<PointAzimuth>&, std::optional<double>);
template int WindingTable::add_own(const Pair<Azimuth>&, CView);
template int WindingTable::add_own(const Pair<PointAzimuth>&, CView);

double WindingTable::value(const Angle& angle, CView q) {
  return std::visit(
      [&](const auto& pair) {
        return pair.phi(poses_of<3>({0, q}, pair.body))[0];
      },
      angle);
}

void WindingTable::start(CView bodies, View out) const {
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const double angle = value(entries_[k].angle, bodies);
    out[k] = angle + nearest_turn(entries_[k].near - angle);
  }
}

void WindingTable::settle(View q) const {
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    double& counted = q[static_cast<std::size_t>(first_) + k];
    const double angle = value(entries_[k].angle, q);
    counted = angle + nearest_turn(counted - angle);
  }
}

void WindingTable::rates(CView q, CView v, View out) const {
  for (std::size_t k = 0; k < entries_.size(); ++k)
    out[k] = std::visit(
        [&](const auto& pair) {
          const auto J = pair.phi_q(poses_of<3>({0, q}, pair.body));
          double rate = 0;
          for (std::size_t s = 0; s < 2; ++s)
            if (pair.body[s] >= 0)
              rate += (J[s] * Eigen::Map<const Vec<6>>(v.data() + 6 * pair.body[s]))[0];
          return rate;
        },
        entries_[k].angle);
}

}  // namespace cardan
