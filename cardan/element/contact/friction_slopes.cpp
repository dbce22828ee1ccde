#include "cardan/element/contact/friction_slopes.h"

#include "cardan/element/contact/friction_geometry.h"
#include "cardan/element/element_pool.h"

namespace cardan {

namespace {

// Derivatives along the increments of both bodies, then along their velocities.
template <int D> using FrictionDual = Dual<4 * n_v<D>>;

FrictionDual<2> moved_number(double value, int k, double slope) {
  return {value, slope * Vec<12>::Unit(k)};
}

Pose<2, FrictionDual<2>> dual_pose(const Pose<2>& pose, int first) {
  using T = FrictionDual<2>;
  return {{T::variable(pose.r.x(), first), T::variable(pose.r.y(), first + 1)},
          moved_number(pose.cosine, first + 2, -pose.sine),
          moved_number(pose.sine, first + 2, pose.cosine),
          T::variable(pose.angle, first + 2)};
}

// A exp(d~): a column A s moves by A (d x s).
Pose<3, FrictionDual<3>> dual_pose(const Pose<3>& pose, int first) {
  using T = FrictionDual<3>;
  Pose<3, T> out;
  for (int r = 0; r < 3; ++r) out.r[r] = T::variable(pose.r[r], first + r);
  for (int column = 0; column < 3; ++column)
    for (int r = 0; r < 3; ++r) {
      T x(pose.A(r, column));
      for (int k = 0; k < 3; ++k)
        x.d[first + 3 + k] = pose.A.row(r).dot(Vec<3>::Unit(k).cross(Vec<3>::Unit(column)));
      out.A(r, column) = x;
    }
  return out;
}

template <int D>
Twist<D, FrictionDual<D>> dual_twist(const Pose<D, FrictionDual<D>>& pose,
                                     CView v,
                                     int body,
                                     int first) {
  std::array<FrictionDual<D>, n_v<D>> numbers;
  for (int k = 0; k < n_v<D>; ++k)
    numbers[static_cast<std::size_t>(k)] = FrictionDual<D>::variable(
        body < 0 ? 0 : v[static_cast<std::size_t>(body * n_v<D> + k)], first + k);
  return twist_from<D>(pose, numbers.data());
}

template <int D>
void slopes_in(const FrictionSet& set,
               int k,
               const Motion& at,
               const Sliding& sliding,
               CView lambda,
               FrictionSlopes& out) {
  using T = FrictionDual<D>;
  constexpr int n = 2 * n_v<D>;
  const FrictionElement& e = set.element(k);
  const auto here = poses_of<D>(at.config(), e.body);
  const std::array<Pose<D, T>, 2> pose{dual_pose(here[0], 0), dual_pose(here[1], n_v<D>)};
  const std::array<Twist<D, T>, 2> twist{dual_twist<D>(pose[0], at.v, e.body[0], n),
                                         dual_twist<D>(pose[1], at.v, e.body[1], n + n_v<D>)};
  const auto ways = static_cast<std::size_t>(set.ways(k));
  std::array<T, std::size_t{FrictionSet::most_sliding_components} * n> rows;
  std::array<T, FrictionSet::most_sliding_components> s;
  std::array<T, n> d;
  if constexpr (D == 2)
    s[0] = planar_tangent<T>(e, pose, twist, std::span<T>(rows).first(n));
  else
    spatial_tangents<T>(e, ways, pose, twist, rows, s);
  friction_direction(e.law, sliding, ways, std::size_t{n}, rows.data(), s.data(), d.data());
  out.d.resize(n);
  out.d_q.resize(n, n);
  out.d_v.resize(n, n);
  for (int i = 0; i < n; ++i) {
    const T& x = d[static_cast<std::size_t>(i)];
    out.d[i] = x.f;
    out.d_q.row(i) = x.d.template head<n>().transpose();
    out.d_v.row(i) = x.d.template tail<n>().transpose();
  }
  out.load_q.setZero(n);
  out.load_v.setZero(n);
  out.load = 0;
  out.load_lambda.fill(0);
  if (e.load == FrictionElement::Load::compliant) return;
  out.load = set.load(k, set.frame(k, at.config()), lambda, out.load_lambda);
  if constexpr (D == 3) {
    if (e.load == FrictionElement::Load::normal) return;
    std::array<T, 8> slopes;
    const T load = spatial_load<T>(e, friction_frame(e, pose), lambda, slopes);
    out.load_q = load.d.template head<n>();
  }
}

}  // namespace

void friction_slopes(const FrictionSet& set,
                     int k,
                     const Motion& at,
                     const Sliding& sliding,
                     CView lambda,
                     FrictionSlopes& out) {
  if (set.dimension() == 2)
    slopes_in<2>(set, k, at, sliding, lambda, out);
  else
    slopes_in<3>(set, k, at, sliding, lambda, out);
}

}  // namespace cardan
