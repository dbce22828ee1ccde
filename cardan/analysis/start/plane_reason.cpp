#include "cardan/analysis/start/plane_reason.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr double tolerance = 1e-8;  // relative: directions that count as parallel

struct Gradient {  // of one equation to one body's motion, in ground axes
  Vec<3> shift, turn;
};

std::vector<Gradient> gradients(const System& system,
                                double t,
                                CView q,
                                const std::vector<int>& rows) {
  Workspace work = system.workspace();
  system.rotations(q, work);
  const Equations& equations = system.equations();
  equations.phi_q(system.config(t, q, work), work.packed);
  std::vector<Gradient> list;
  for (const auto& block : equations.blocks())
    for (int r = 0; r < block.rows; ++r) {
      if (std::find(rows.begin(), rows.end(), block.first_row + r) == rows.end()) continue;
      for (const auto& term : equations.terms(block)) {
        Vec<6> g;
        for (int c = 0; c < 6; ++c)
          g[c] = work.packed[static_cast<std::size_t>(term.offset + c * block.rows + r)];
        const Mat<3, 3> A =
            Eigen::Map<const Mat<3, 3>>(work.rotation.data() + 9 * std::ptrdiff_t{term.body});
        list.push_back({g.head<3>(), A * g.tail<3>()});
      }
    }
  return list;
}

bool out_of_plane(const std::vector<Gradient>& list, const Vec<3>& normal, double length) {
  return std::all_of(list.begin(), list.end(), [&](const Gradient& g) {
    return g.shift.cross(normal).norm() <= tolerance * (1 + g.shift.norm()) &&
           std::abs(g.turn.dot(normal)) <= tolerance * (length + g.turn.norm());
  });
}

// In ground axes, of a joint's first side.
Vec<3> axis_of(const System::ConstraintInfo& joint, const Workspace& work) {
  const Side& side = joint.sides[0];
  const Vec<3> axis = Vec<3>(side.axis.data()).normalized();
  if (side.body < 0) return axis;
  return Eigen::Map<const Mat<3, 3>>(work.rotation.data() + 9 * std::ptrdiff_t{side.body}) * axis;
}

// Whether a hinge among the joints of these rows turns bodies out of the plane.
bool leaves_plane(const System& system,
                  const std::vector<int>& rows,
                  const Vec<3>& normal,
                  const Workspace& work) {
  return std::any_of(rows.begin(), rows.end(), [&](int row) {
    const auto& joint = system.constraints()[static_cast<std::size_t>(system.constraint_of(row))];
    const auto& coordinates = joint.description->coordinates;
    const bool turns =
        std::any_of(coordinates.begin(), coordinates.end(), [](const JointCoordinate& c) {
          return c.free && c.measure == Measure::angle;
        });
    return turns && axis_of(joint, work).cross(normal).norm() > tolerance;
  });
}

}  // namespace

std::optional<Vec<3>> plane_held_by(const System& system,
                                    double t,
                                    CView q,
                                    const std::vector<int>& rows) {
  if (system.space() == Space::planar) return std::nullopt;
  const auto list = gradients(system, t, q, rows);
  Workspace work = system.workspace();
  system.rotations(q, work);
  for (const int row : rows) {  // the plane is across the axis of one of the joints
    const auto& joint = system.constraints()[static_cast<std::size_t>(system.constraint_of(row))];
    if (joint.sides.empty()) continue;
    Vec<3> normal = axis_of(joint, work);
    if (!out_of_plane(list, normal, system.length()) || leaves_plane(system, rows, normal, work))
      continue;
    for (double& x : normal)
      if (std::abs(x) < tolerance) x = 0;
    return normal.z() < 0 ? Vec<3>(-normal) : normal;
  }
  return std::nullopt;
}

}  // namespace cardan
