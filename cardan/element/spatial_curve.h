#pragma once
// Signed distance of a point from a curve in the plane of f_i and g_i, seen along h_i: with y =
// (f.d, g.d) in the curve's frame, as CurveContact in the plane (planar_cam.h).
#include "cardan/element/cam_curve.h"
#include "cardan/element/spatial_primitive.h"

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

}  // namespace cardan
