// Rolling without slip on a plane in space: rows at velocity level. gamma = -(phi_q)' v at constant
// v, where angular velocities of constant components in body axes are constant:
//   gamma = -[(omega_i x f).(V_j - V_i) + f.(omega_j x c_j' - omega_i x c_i')].
#include "cardan/element/spatial/spatial_rolling.h"

namespace cardan {
namespace {

struct Contact {
  Vec<3> f, g, p_j, rho, c_i, c_j;

  Contact(const RollingOnPlane& e, const RollingOnPlane::Poses& poses)
      : f(arm(poses[0], e.f)), g(arm(poses[0], e.g)), p_j(arm(poses[1], e.centre)) {
    Vec<3> u = arm(poses[0], e.n);
    if (e.disc) {
      const Vec<3> a = arm(poses[1], e.a);
      u = (u - a * a.dot(u)).normalized();
    }
    rho = -e.radius * u;
    c_j = p_j + rho;
    c_i = poses[1].r + c_j - poses[0].r;
  }
};

Vec<3> rho_rate(const RollingOnPlane& e,
                const RollingOnPlane::Poses& poses,
                const RollingOnPlane::Twists& v) {
  const Vec<3> n = arm(poses[0], e.n), n_rate = v[0].w.cross(n);
  if (!e.disc) return -e.radius * n_rate;
  const Vec<3> a = arm(poses[1], e.a), a_rate = v[1].w.cross(a);
  const Vec<3> w = n - a * a.dot(n);
  const Vec<3> w_rate = n_rate - a * (a.dot(n_rate) + a_rate.dot(n)) - a_rate * a.dot(n);
  const Vec<3> u = w.normalized();
  return -e.radius / w.norm() * (w_rate - u * u.dot(w_rate));
}

}  // namespace

std::array<Mat<2, 6>, 2> RollingOnPlane::phi_q(const Poses& poses) const {
  const Contact c(*this, poses);
  std::array<Mat<2, 6>, 2> out;
  for (int r = 0; r < 2; ++r) {
    const Vec<3>& t = r == 0 ? c.f : c.g;
    out[0].row(r) << -t.transpose(), -(c.c_i.cross(t)).transpose() * poses[0].A;
    out[1].row(r) << t.transpose(), c.c_j.cross(t).transpose() * poses[1].A;
  }
  return out;
}

Vec<2> RollingOnPlane::gamma(const Poses& poses, const Twists& v) const {
  const Contact c(*this, poses);
  const Vec<3> slip = v[1].u + v[1].w.cross(c.c_j) - v[0].u - v[0].w.cross(c.c_i);
  const Vec<3> c_j_rate = v[1].w.cross(c.p_j) + rho_rate(*this, poses, v);
  const Vec<3> c_i_rate = v[1].u + c_j_rate - v[0].u;
  const Vec<3> change = v[1].w.cross(c_j_rate) - v[0].w.cross(c_i_rate);
  Vec<2> out;
  for (int r = 0; r < 2; ++r) {
    const Vec<3>& t = r == 0 ? c.f : c.g;
    out[r] = -(v[0].w.cross(t).dot(slip) + t.dot(change));
  }
  return out;
}

}  // namespace cardan
