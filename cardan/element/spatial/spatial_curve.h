#pragma once
// Points on curves in space.
// CurveDistance: signed distance of a point from a curve in the plane of f_i and g_i, seen along
// h_i: with y = (f.d, g.d) in the curve's frame, as CurveContact in the plane (planar_cam.h).
//
// SpaceCurveOffset: offsets phi_k = m_k.(y - c) across a curve in space, y = (f.d, g.d, h.d) in its
// frame, with the foot c and the frame (t, m_1, m_2) of space_curve_foot.h. With sigma = 1 / (1 -
// kappa.phi) and K_k = kappa_k sigma:
//   phi_k,y = m_k,   phi_k,yy = -K_k t t^T,
//   phi_k,yyy[w, w] = -K_k,y (t.w)^2 - 2 K_k sigma (t.w) (kappa.m w) t,
//   K_k,y = sigma^2 [kappa_k,s t + kappa_k (sigma kappa_s.phi t + kappa_1 m_1 + kappa_2 m_2)].
#include "cardan/element/planar/cam_curve.h"
#include "cardan/element/spatial/space_curve_foot.h"
#include "cardan/element/spatial/spatial_primitive.h"

namespace cardan {

struct CurveDistance : DotFunction<CurveDistance, 1, 4, 2> {
  static constexpr std::array<int, 4> side = Parallel2::side;
  static constexpr std::array<bool, 4> point = Parallel2::point;
  static constexpr std::array<DotTerm, 4> terms = Parallel2::terms;
  std::shared_ptr<const CurveFoot> curve;

  template <class T> Vec<1, T> value(const Vec<2, T>& y) const {
    const CurveFoot::Foot foot = curve->of(y);
    return Vec<1, T>(T(foot.n.dot(y - foot.c)));
  }

  template <class T> Mat<1, 2, T> slope(const Vec<2, T>& y) const {
    return curve->of(y).n.transpose();
  }

  template <class T> Mat<1, 2, T> bent(const Vec<2, T>& y, const Vec<2, T>& w) const {
    const Bend at(*curve, y);
    return -at.K * at.foot.t.dot(w) * at.foot.t.transpose();
  }

  template <class T> Mat<2, 2, T> curved(const Vec<2, T>& y, const Vec<1, T>& mu) const {
    const Bend at(*curve, y);
    return -mu[0] * at.K * at.foot.t * at.foot.t.transpose();
  }

  template <class T> Mat<1, 2, T> third(const Vec<2, T>& y, const Vec<2, T>& w) const {
    const Bend at(*curve, y);
    const double t = at.foot.t.dot(w), n = at.foot.n.dot(w), K = at.K;
    const Vec<2> out =
        -(at.K_s * at.foot.t + K * K * at.foot.n) * (t * t) - 2 * K * K * t * n * at.foot.t;
    return out.transpose();
  }

 private:
  struct Bend {
    CurveFoot::Foot foot;
    double K, K_s;

    Bend(const CurveFoot& of_curve, const Vec<2>& y) : foot(of_curve.of(y)) {
      const double stretch = 1 / (1 - foot.kappa * foot.n.dot(y - foot.c));
      K = foot.kappa * stretch;
      K_s = foot.kappa_s * stretch * stretch * stretch;
    }
  };
};

struct SpaceCurveOffset : DotFunction<SpaceCurveOffset, 2, 5, 3> {
  static constexpr std::array<int, 5> side{0, 0, 0, 0, 1};
  static constexpr std::array<bool, 5> point{false, false, false, true, true};
  static constexpr std::array<DotTerm, 6> terms{
      {{0, 0, 4, 1}, {0, 0, 3, -1}, {1, 1, 4, 1}, {1, 1, 3, -1}, {2, 2, 4, 1}, {2, 2, 3, -1}}};
  std::shared_ptr<const SpaceCurveFoot> curve;

  template <class T> Vec<2, T> value(const Vec<3, T>& y) const { return Local(*curve, y).phi; }

  template <class T> Mat<2, 3, T> slope(const Vec<3, T>& y) const {
    const SpaceCurveFoot::Foot foot = curve->of(y);
    Mat<2, 3> out;
    out << foot.m[0].transpose(), foot.m[1].transpose();
    return out;
  }

  template <class T> Mat<2, 3, T> bent(const Vec<3, T>& y, const Vec<3, T>& w) const {
    const Local at(*curve, y);
    return -at.foot.t.dot(w) * at.K * at.foot.t.transpose();
  }

  template <class T> Mat<3, 3, T> curved(const Vec<3, T>& y, const Vec<2, T>& mu) const {
    const Local at(*curve, y);
    return -mu.dot(at.K) * at.foot.t * at.foot.t.transpose();
  }

  template <class T> Mat<2, 3, T> third(const Vec<3, T>& y, const Vec<3, T>& w) const {
    const Local at(*curve, y);
    const auto& [c, t, m, kappa, kappa_s] = at.foot;
    const Vec<3> bending = kappa[0] * m[0] + kappa[1] * m[1];
    const double along = t.dot(w), sigma = at.sigma;
    Mat<2, 3> out;
    for (int k = 0; k < 2; ++k) {
      const Vec<3> K_y =
          sigma * sigma * (kappa_s[k] * t + kappa[k] * (sigma * kappa_s.dot(at.phi) * t + bending));
      out.row(k) = -along * along * K_y - 2 * at.K[k] * sigma * along * bending.dot(w) * t;
    }
    return out;
  }

 private:
  struct Local {
    SpaceCurveFoot::Foot foot;
    Vec<2> phi, K;
    double sigma;

    Local(const SpaceCurveFoot& of_curve, const Vec<3>& y) : foot(of_curve.of(y)) {
      const Vec<3> d = y - foot.c;
      phi = Vec<2>(foot.m[0].dot(d), foot.m[1].dot(d));
      sigma = 1 / (1 - foot.kappa.dot(phi));
      K = sigma * foot.kappa;
    }
  };
};

}  // namespace cardan
