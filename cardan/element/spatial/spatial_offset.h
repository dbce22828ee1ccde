#pragma once
// What a bushing in space deforms: position of x_j in the axes of i, and the rotation vector psi of
// j relative to i. With R_mn = e_m(i).e_n(j), the axial vector s = sin(angle) n of R and the cosine
// c,
//   psi = s h(c),   h(c) = acos(c) / sqrt(1 - c^2),
// smooth up to half a turn. h obeys (1 - c^2) h' = c h - 1, from which all derivatives follow; near
// c = 1 its series in e = 1 - c is summed, a_0 = 1, a_n = a_n-1 n / (2n + 1).
#include "cardan/element/spatial/spatial_primitive.h"
#include "cardan/math/elementary.h"

namespace cardan {

struct AngleOverSine {  // h and its derivatives to c
  double f, d, dd, ddd;

  explicit AngleOverSine(double c) {
    if (const double e = 1 - c; e < 0.4) {
      f = d = dd = ddd = 0;
      for (int n = terms - 1; n >= 0; --n) {  // Horner's rule with derivatives to e
        ddd = ddd * e + 3 * dd;
        dd = dd * e + 2 * d;
        d = d * e + f;
        f = f * e + a[n];
      }
      d = -d;
      ddd = -ddd;
      return;
    }
    const double s2 = 1 - c * c;
    f = elementary::acos(c) / std::sqrt(s2);
    d = (c * f - 1) / s2;
    dd = (f + 3 * c * d) / s2;
    ddd = (4 * d + 5 * c * dd) / s2;
  }

 private:
  static constexpr int terms = 32;  // (e/2)^32 is below round-off
  static constexpr std::array<double, terms> a = [] {
    std::array<double, terms> all{1};
    for (int n = 1; n < terms; ++n) all[n] = all[n - 1] * n / (2 * n + 1);
    return all;
  }();
};

// Features f_i, g_i, h_i, x_i, x_j, f_j, g_j, h_j.
struct SpatialOffset : DotFunction<SpatialOffset, 6, 8, 7> {
  static constexpr std::array<int, 8> side{0, 0, 0, 0, 1, 1, 1, 1};
  static constexpr std::array<bool, 8> point{false, false, false, true, true, false, false, false};
  static constexpr std::array<DotTerm, 15> terms{{{0, 0, 4, 1},
                                                  {0, 0, 3, -1},
                                                  {1, 1, 4, 1},
                                                  {1, 1, 3, -1},
                                                  {2, 2, 4, 1},
                                                  {2, 2, 3, -1},
                                                  {3, 2, 6, 0.5},
                                                  {3, 1, 7, -0.5},
                                                  {4, 0, 7, 0.5},
                                                  {4, 2, 5, -0.5},
                                                  {5, 1, 5, 0.5},
                                                  {5, 0, 6, -0.5},
                                                  {6, 0, 5, 0.5},
                                                  {6, 1, 6, 0.5},
                                                  {6, 2, 7, 0.5}}};

  template <class T> Vec<6, T> value(const Vec<7, T>& m) const {
    Vec<6, T> y = m.template head<6>();
    y.template tail<3>() *= stretch(m).f;
    return y;
  }

  template <class T> Mat<6, 7, T> slope(const Vec<7, T>& m) const {
    const AngleOverSine h = stretch(m);
    Mat<6, 7, T> out = Mat<6, 7, T>::Zero();
    for (int k = 0; k < 3; ++k) {
      out(k, k) = 1;
      out(3 + k, 3 + k) = h.f;
      out(3 + k, 6) = h.d * m[3 + k];
    }
    return out;
  }

  template <class T> Mat<6, 7, T> bent(const Vec<7, T>& m, const Vec<7, T>& w) const {
    const AngleOverSine h = stretch(m);
    Mat<6, 7, T> out = Mat<6, 7, T>::Zero();
    for (int k = 3; k < 6; ++k) {
      out(k, k) = h.d * w[6];
      out(k, 6) = h.d * w[k] + h.dd * m[k] * w[6];
    }
    return out;
  }

  template <class T> Mat<7, 7, T> curved(const Vec<7, T>& m, const Vec<6, T>& mu) const {
    const AngleOverSine h = stretch(m);
    Mat<7, 7, T> out = Mat<7, 7, T>::Zero();
    for (int k = 3; k < 6; ++k) {
      out(k, 6) = out(6, k) = h.d * mu[k];
      out(6, 6) += h.dd * m[k] * mu[k];
    }
    return out;
  }

  template <class T> Mat<6, 7, T> third(const Vec<7, T>& m, const Vec<7, T>& w) const {
    const AngleOverSine h = stretch(m);
    Mat<6, 7, T> out = Mat<6, 7, T>::Zero();
    for (int k = 3; k < 6; ++k) {
      out(k, k) = h.dd * w[6] * w[6];
      out(k, 6) = 2 * h.dd * w[k] * w[6] + h.ddd * m[k] * w[6] * w[6];
    }
    return out;
  }

 private:
  static AngleOverSine stretch(const Vec<7>& m) { return AngleOverSine(m[6] - 0.5); }
};

}  // namespace cardan
