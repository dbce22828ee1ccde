#include "cardan/element/contact/sticking.h"

#include "cardan/element/contact/friction_geometry.h"

namespace cardan {

namespace {

using AlongMotion = Dual<1>;

AlongMotion moving(double value, double rate) {
  return {value, Vec<1>(rate)};
}

Pose<2, AlongMotion> moving_pose(const Pose<2>& p, const Twist<2>& v) {
  return {{moving(p.r.x(), v.u.x()), moving(p.r.y(), v.u.y())},
          moving(p.cosine, -p.sine * v.w),
          moving(p.sine, p.cosine * v.w),
          moving(p.angle, v.w)};
}

Pose<3, AlongMotion> moving_pose(const Pose<3>& p, const Twist<3>& v) {
  Pose<3, AlongMotion> out;
  for (int r = 0; r < 3; ++r) out.r[r] = moving(p.r[r], v.u[r]);
  for (int c = 0; c < 3; ++c) {
    const Vec<3> rate = v.w.cross(Vec<3>(p.A.col(c)));
    for (int r = 0; r < 3; ++r) out.A(r, c) = moving(p.A(r, c), rate[r]);
  }
  return out;
}

// Angular velocities that are constant in body axes are constant in ground axes too.
template <class S> Twist<2, S> scalar_twist(const Twist<2>& v) {
  return {{S(v.u.x()), S(v.u.y())}, S(v.w)};
}

template <class S> Twist<3, S> scalar_twist(const Twist<3>& v) {
  return {v.u.template cast<S>(), v.w.template cast<S>()};
}

template <int Dimension, int Ways> struct Sticking {
  static constexpr int D = Dimension, rows = Ways, sides = 2;
  static constexpr bool velocity_level = true;

  FrictionElement friction;
  std::array<int, 2> body;

  double size() const {
    const double arms = friction.point[0].norm() + friction.point[1].norm() + friction.radius;
    return arms > 0 ? arms : 1;
  }

  Vec<rows> phi(const std::array<Pose<D>, 2>&) const { return Vec<rows>::Zero(); }

  std::array<Mat<rows, n_v<D>>, 2> phi_q(const std::array<Pose<D>, 2>& pose) const {
    Twist<D> rest;
    rest.u.setZero();
    if constexpr (D == 2)
      rest.w = 0;
    else
      rest.w.setZero();
    std::array<double, std::size_t{rows} * 2 * n_v<D>> d;
    slide<double>(pose, {rest, rest}, d);
    std::array<Mat<rows, n_v<D>>, 2> out;
    for (int c = 0; c < rows; ++c)
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < n_v<D>; ++i)
          out[static_cast<std::size_t>(side)](c, i) =
              d[static_cast<std::size_t>((2 * c + side) * n_v<D> + i)];
    return out;
  }

  Vec<rows> gamma(const std::array<Pose<D>, 2>& pose, const std::array<Twist<D>, 2>& twist) const {
    using S = AlongMotion;
    std::array<S, std::size_t{rows} * 2 * n_v<D>> d;
    const auto s = slide<S>({moving_pose(pose[0], twist[0]), moving_pose(pose[1], twist[1])},
                            {scalar_twist<S>(twist[0]), scalar_twist<S>(twist[1])},
                            d);
    Vec<rows> out;
    for (int c = 0; c < rows; ++c) out[c] = -s[static_cast<std::size_t>(c)].d[0];
    return out;
  }

 private:
  template <class S>
  std::array<S, 3> slide(const std::array<Pose<D, S>, 2>& pose,
                         const std::array<Twist<D, S>, 2>& twist,
                         std::span<S> d) const {
    std::array<S, 3> s{};
    if constexpr (D == 2)
      s[0] = planar_tangent<S>(friction, pose, twist, d);
    else
      spatial_tangents<S>(friction, std::size_t{rows}, pose, twist, d, s);
    return s;
  }
};

template <int D, int Ways> Part add(ConstraintSet& set, const FrictionElement& e) {
  std::array<EquationLabel, Ways> labels;
  labels.fill(in_length("sticking"));
  return set.add("sticking", labels, Sticking<D, Ways>{e, e.body});
}

}  // namespace

Part add_sticking(ConstraintSet& set, const FrictionElement& e, int ways) {
  if (set.dimension() == 2) return add<2, 1>(set, e);
  return ways == 1 ? add<3, 1>(set, e) : ways == 2 ? add<3, 2>(set, e) : add<3, 3>(set, e);
}

}  // namespace cardan
