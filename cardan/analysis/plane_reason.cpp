#include "cardan/analysis/plane_reason.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr double tolerance = 1e-8;

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

}  // namespace

std::optional<Vec<3>> plane_held_by(const System& system,
                                    double t,
                                    CView q,
                                    const std::vector<int>& rows) {
  if (system.space() == Space::planar) return std::nullopt;
  const auto list = gradients(system, t, q, rows);
  Vec<3> normal = Vec<3>::Zero();
  for (const Gradient& g : list)
    if (g.shift.norm() > tolerance) normal = g.shift;
  for (const Gradient& a : list)
    for (const Gradient& b : list)
      if (normal.isZero()) {
        const Vec<3> cross = a.turn.cross(b.turn);
        if (cross.norm() > tolerance * a.turn.norm() * b.turn.norm()) normal = cross;
      }
  if (normal.isZero()) return std::nullopt;
  normal.normalize();
  for (const Gradient& g : list)
    if (g.shift.cross(normal).norm() > tolerance * (1 + g.shift.norm()) ||
        std::abs(g.turn.dot(normal)) > tolerance * (system.length() + g.turn.norm()))
      return std::nullopt;
  if (normal.z() < 0) normal = -normal;
  return normal;
}

}  // namespace cardan
