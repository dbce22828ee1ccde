#pragma once
// Cam elements. A curve is fixed in a body by a point (its origin) and an axis (its x direction).
//   CurveContact   a point on a curve: phi = signed distance, positive to the left of the curve
//   FlatContact    a flat face on a convex curve: phi = distance of face and origin - h(theta)
//   CamContact     two convex curves: phi = max over psi of n.d - h_i(psi) - h_j(psi + pi)
// Derivations: docs/theory/elements.md.
#include "cardan/element/planar/cam_curve.h"
#include "cardan/element/planar/planar_primitive.h"

namespace cardan {

// Features: curve axes a_x, a_y and origin x_0 on side 0, the point x_1 on side 1; y = its
// coordinates in the curve's frame. With K = kappa / (1 - kappa phi):
//   phi_y = n,   phi_yy = -K t t^T,
//   phi_yyy[w, w] = -(kappa_s / (1 - kappa phi)^3 t + K^2 n) (t.w)^2 - 2 K^2 (t.w) (n.w) t.
struct CurveContact : PrimitiveShape<2, 1, 4, 3> {
  static constexpr std::array<int, 4> side = PlanarOffset::side;
  static constexpr std::array<bool, 4> point = PlanarOffset::point;
  std::shared_ptr<const CurveFoot> curve;

  template <class T> Vec<1, T> f(const X<T>& x) const {
    const Vec<2> y = position(x);
    const CurveFoot::Foot foot = curve->of(y);
    return Vec<1>(foot.n.dot(y - foot.c));
  }

  template <class T> G<T> f_x(const X<T>& x) const { return pull(x, curve->of(position(x)).n); }

  template <class T> G<T> bend(const X<T>& x, const X<T>& u) const {
    const Local at(*this, x);
    const double along = at.foot.t.dot(rate(x, u));
    G<T> g = pull(x, -at.K * along * at.foot.t);
    add(g, pull(u, at.foot.n));
    return g;
  }

  template <class T> H<T> hess(const X<T>& x, const Vec<1, T>& mu) const {
    const Local at(*this, x);
    const G<T> t_x = pull(x, at.foot.t);
    H<T> h = PlanarOffset().hess<T>(x, Vec<3>(mu[0] * at.foot.n.x(), mu[0] * at.foot.n.y(), 0));
    for (int k = 0; k < 4; ++k)
      for (int l = 0; l < 4; ++l) h[4 * k + l] -= mu[0] * at.K * t_x[k].transpose() * t_x[l];
    return h;
  }

  template <class T> G<T> flex(const X<T>& x, const X<T>& u) const {
    const Local at(*this, x);
    const Vec<2> w = rate(x, u), b = rate(u, u);
    const double along = at.foot.t.dot(w), across = at.foot.n.dot(w), K = at.K;
    const Vec<2> third = -(at.K_s * at.foot.t + K * K * at.foot.n) * (along * along) -
                         2 * K * K * along * across * at.foot.t - K * at.foot.t.dot(b) * at.foot.t;
    G<T> g = pull(x, third);
    add(g, pull(u, -2 * K * along * at.foot.t));
    return g;
  }

 private:
  struct Local {
    CurveFoot::Foot foot;
    double K, K_s;

    Local(const CurveContact& contact, const X<double>& x) : foot(contact.curve->of(position(x))) {
      const double stretch = 1 / (1 - foot.kappa * foot.n.dot(position(x) - foot.c));
      K = foot.kappa * stretch;
      K_s = foot.kappa_s * stretch * stretch * stretch;
    }
  };

  static Vec<2> position(const X<double>& x) {
    const Vec<2> d = x[3] - x[2];
    return {x[0].dot(d), x[1].dot(d)};
  }

  static Vec<2> rate(const X<double>& x, const X<double>& u) {  // y_x u
    const Vec<2> d = x[3] - x[2], e = u[3] - u[2];
    return {u[0].dot(d) + x[0].dot(e), u[1].dot(d) + x[1].dot(e)};
  }

  static G<double> pull(const X<double>& x, const Vec<2>& g) {  // g^T y_x
    const Vec<2> d = x[3] - x[2], back = g.x() * x[0] + g.y() * x[1];
    return {(g.x() * d).transpose(), (g.y() * d).transpose(), -back.transpose(), back.transpose()};
  }

  static void add(G<double>& g, const G<double>& more) {
    for (int k = 0; k < 4; ++k) g[k] += more[k];
  }
};

// Side 0 is the follower with its face's normal a towards the cam and a point of the face; side 1
// is the cam with its curve's origin. theta is the direction of -a in the curve's frame: angle_0 -
// angle_1 + offset.
struct FlatContact : Dot2<2> {
  static constexpr bool turns = true;
  static constexpr int turn_row = 0;
  std::array<double, 2> turn_weight{1, -1};
  double offset = 0;
  std::shared_ptr<const SupportFunction> support;

  TurnJet<double> turn(double theta) const {
    const TurnJet<double> h = support->at(theta + offset);
    return {-h.f, -h.d, -h.dd, -h.ddd};
  }
};

// The contact direction psi is solved for inside: the largest value over a table of directions,
// then Newton on F_psi = 0 where F(q, psi) = n.d - h_i - h_j. Being stationary, phi_q = F_q and
// phi_qq = F_qq - F_q_psi F_psi_q / F_psi_psi.
struct CamContact {
  static constexpr int D = 2, rows = 1, sides = 2;
  std::array<int, 2> body{};
  std::array<Vec<2>, 2> s;             // the curves' origins
  std::array<double, 2> axis_angle{};  // of the curves' x directions
  std::array<std::shared_ptr<const SupportFunction>, 2> support;

  using Poses = std::array<Pose<2>, 2>;
  using Twists = std::array<Twist<2>, 2>;

  double size() const { return std::min(support[0]->size(), support[1]->size()); }

  Vec<1> phi(const Poses&) const;
  std::array<Mat<1, 3>, 2> phi_q(const Poses&) const;
  Vec<1> gamma(const Poses&, const Twists&) const;

 private:
  struct Contact {
    double psi;
    Vec<2> n, d;              // from cam i to cam j
    std::array<Vec<2>, 2> p;  // arms of the origins
    std::array<TurnJet<double>, 2> h;

    double slope() const { return perp(n).dot(d) - h[0].d - h[1].d; }

    double curvature() const { return -n.dot(d) - h[0].dd - h[1].dd; }
  };

  double local_angle(const Poses&,
                     int side,
                     double psi) const;  // of the outward normal in the curve's frame
  double coarse_direction(const Poses&, const Vec<2>& d) const;
  Contact at(const Poses&, double psi) const;
  Contact solve(const Poses&) const;
};

}  // namespace cardan
