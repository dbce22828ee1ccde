#include "cardan/analysis/start/joint_meter.h"

#include <algorithm>

namespace cardan {

JointMeter::JointMeter(const System& system)
    : system_(system),
      work_(system.workspace()),
      packed_(static_cast<std::size_t>(system.coordinate_equations().packed_size())),
      row_(static_cast<std::size_t>(system.coordinate_equations().rows())) {
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    const auto& info = system.constraints()[c];
    if (info.kind != Kind::joint || info.description == nullptr) continue;
    std::size_t next = 0;
    const auto& own = info.description->coordinates;
    for (std::size_t k = 0; k < own.size() && next < info.coordinate_rows.size(); ++k) {
      if (!own[k].free || (system.space() == Space::spatial && own[k].channel.empty())) continue;
      Coordinate out;
      out.name = info.name + "." +
                 std::string(own[k].channel.empty() ? name_of(own[k].measure) : own[k].channel);
      out.unit = std::string(unit_text(unit_kind_of(own[k].measure)));
      out.angle = unit_kind_of(own[k].measure) == UnitKind::angle;
      out.on_ground = std::any_of(info.sides.begin(), info.sides.end(), [](const Side& side) {
        return side.body == ground;
      });
      out.constraint = static_cast<int>(c);
      out.row = info.coordinate_rows[next++];
      out.place = static_cast<int>(k);
      coordinates_.push_back(std::move(out));
    }
  }
  std::stable_partition(
      coordinates_.begin(), coordinates_.end(), [](const auto& c) { return c.on_ground; });
  values_.resize(coordinates_.size());
  rates_ = values_;
}

void JointMeter::measure(const State& state) {
  const Equations& equations = system_.coordinate_equations();
  system_.rotations(state.q, work_);
  const Config here = system_.config(state.t, state.q, work_);
  const auto take = [&](std::vector<double>& to) {
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      to[k] = row_[static_cast<std::size_t>(coordinates_[k].row)];
  };
  equations.phi(here, row_);
  take(values_);
  equations.phi_q(here, packed_);
  equations.multiply(packed_, state.v, row_);
  take(rates_);
}

}  // namespace cardan
