#include "cardan/analysis/driven/transmission.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double one_point = 1e-7;  // of the mechanism's size: two points of a pin

Vec<3> to_vec(const Triple& p) {
  return {p[0], p[1], p[2]};
}

bool is_link(const System::ConstraintInfo& info) {
  const auto& own = info.description->coordinates;
  return own.size() == 1 && !own.front().free && own.front().measure == Measure::distance;
}

}  // namespace

Transmission::Transmission(const System& system, const std::string& driver)
    : system_(system), work_(system.workspace()) {
  const std::vector<int> steps = steps_from(driver);
  const auto away = [&](const Side& from, const Side& to) {
    return steps[static_cast<std::size_t>(from.body)] <= steps[static_cast<std::size_t>(to.body)];
  };
  for (int b = 0; b < system.body_count(); ++b) {
    const std::vector<Attached> joints = joints_of(b);
    if (joints.size() != 2) continue;
    const bool pins = std::all_of(joints.begin(), joints.end(), [&](const Attached& j) {
      return is_pin(j.constraint) && j.other.body != ground;
    });
    if (!pins) continue;
    const std::string& name = system.bodies()[static_cast<std::size_t>(b)].name;
    const std::vector<std::pair<Side, Side>> ends{{joints[0].own, joints[0].other},
                                                  {joints[1].own, joints[1].other}};
    if (away(joints[0].other, joints[1].other)) add(name, joints[0].own, joints[1].other, ends);
    if (away(joints[1].other, joints[0].other)) add(name, joints[1].own, joints[0].other, ends);
  }
  for (const auto& info : system.constraints()) {
    if (info.kind != Kind::joint || !is_link(info)) continue;
    if (info.sides[0].body == ground || info.sides[1].body == ground) continue;
    if (away(info.sides[0], info.sides[1])) add(info.name, info.sides[0], info.sides[1], {});
    if (away(info.sides[1], info.sides[0])) add(info.name, info.sides[1], info.sides[0], {});
  }
}

// Joints between each body and those that the driver moves; many where none leads there.
std::vector<int> Transmission::steps_from(const std::string& driver) const {
  std::vector<int> steps(static_cast<std::size_t>(system_.body_count()), system_.body_count());
  std::vector<int> front;
  const auto reach = [&](int body, int count) {
    if (body == ground || steps[static_cast<std::size_t>(body)] <= count) return;
    steps[static_cast<std::size_t>(body)] = count;
    front.push_back(body);
  };
  for (const auto& info : system_.constraints())
    if (info.kind == Kind::driver && info.name == driver)
      for (const Side& side : info.sides) reach(side.body, 0);
  for (std::size_t k = 0; k < front.size(); ++k)
    for (const Attached& joint : joints_of(front[k]))
      reach(joint.other.body, steps[static_cast<std::size_t>(front[k])] + 1);
  return steps;
}

// By its freedoms: whether its points stay together, poses tell.
bool Transmission::is_pin(int constraint) const {
  const auto& info = system_.constraints()[static_cast<std::size_t>(constraint)];
  const auto& own = info.description->coordinates;
  const bool slides = std::any_of(own.begin(), own.end(), [](const JointCoordinate& c) {
    return c.free && unit_kind_of(c.measure) == UnitKind::length;
  });
  const auto rows = static_cast<int>(info.rows.size());
  return !slides && !is_link(info) && rows < system_.body_size() && rows >= system_.dimension();
}

bool Transmission::pinned(const Pair& pair, CView q) {
  system_.rotations(q, work_);
  return std::all_of(pair.pins.begin(), pair.pins.end(), [&](const auto& pin) {
    return (place(pin.first, q) - place(pin.second, q)).norm() <= one_point * system_.length();
  });
}

std::vector<Transmission::Attached> Transmission::joints_of(int body) const {
  std::vector<Attached> list;
  for (std::size_t c = 0; c < system_.constraints().size(); ++c) {
    const auto& info = system_.constraints()[c];
    if (info.kind != Kind::joint || info.sides.size() != 2) continue;
    for (std::size_t k = 0; k < 2; ++k)
      if (info.sides[k].body == body)
        list.push_back({static_cast<int>(c), info.sides[k], info.sides[1 - k]});
  }
  return list;
}

// near: the end as a point of the body that the coupler moves.
void Transmission::add(const std::string& coupler,
                       const Side& far,
                       const Side& near,
                       const std::vector<std::pair<Side, Side>>& pins) {
  for (const Attached& joint : joints_of(near.body)) {
    if (joint.other.body != ground) continue;
    const auto& info = system_.constraints()[static_cast<std::size_t>(joint.constraint)];
    const auto& own = info.description->coordinates;
    if (static_cast<int>(info.rows.size()) != system_.body_size() - 1 || own.size() != 1 ||
        !own.front().free)
      continue;
    const bool driven =
        std::any_of(system_.constraints().begin(), system_.constraints().end(), [&](const auto& d) {
          return d.kind == Kind::driver && d.sides.size() == 2 &&
                 ((d.sides[0].body == ground && d.sides[1].body == near.body) ||
                  (d.sides[1].body == ground && d.sides[0].body == near.body));
        });
    if (driven) continue;
    pairs_.push_back({coupler,
                      system_.bodies()[static_cast<std::size_t>(near.body)].name,
                      far,
                      near,
                      joint.other,
                      unit_kind_of(own.front().measure) == UnitKind::angle,
                      pins});
  }
}

Vec<3> Transmission::place(const Side& side, CView q) const {
  if (side.body == ground) return to_vec(side.point);
  const auto b = static_cast<std::size_t>(side.body);
  const double* at = q.data() + system_.layout().q(side.body);
  if (system_.space() == Space::planar) {
    const double c = work_.rotation[2 * b], s = work_.rotation[2 * b + 1];
    return {at[0] + c * side.point[0] - s * side.point[1],
            at[1] + s * side.point[0] + c * side.point[1],
            0};
  }
  const Eigen::Map<const Mat<3, 3>> A(work_.rotation.data() + 9 * b);
  return Vec<3>(at[0], at[1], at[2]) + A * to_vec(side.point);
}

double Transmission::angle(const Pair& pair, CView q) {
  system_.rotations(q, work_);
  const Vec<3> near = place(pair.near, q), e = (place(pair.far, q) - near).normalized();
  Vec<3> w, n;
  if (pair.turns) {
    const Vec<3> axis =
        system_.space() == Space::planar ? Vec<3>(0, 0, 1) : to_vec(pair.pivot.axis).normalized();
    const Vec<3> arm = to_vec(pair.pivot.point) - near;
    n = (arm - arm.dot(axis) * axis).normalized();
    w = axis.cross(n);
  } else {
    w = to_vec(pair.pivot.axis).normalized();
    n = e - e.dot(w) * w;
    if (n.norm() > 0) n.normalize();
  }
  const double across = std::abs(e.dot(w));
  const double along = std::sqrt(std::max(0.0, 1 - across * across));
  return elementary::atan2(across, e.dot(n) < 0 ? -along : along);
}

}  // namespace cardan
