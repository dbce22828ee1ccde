#pragma once
// Primitives of space as functions F(m) of inner products m of features. Every m_r is a sum of
// +-x_k.x_l, so m_x is linear in x, m_xx constant, and with m' = m_x u the chain rule is
//   f_x     = F_m m_x
//   bend(u) = F_mm m' m_x + F_m m_x(u)
//   hess    = m_x^T (mu F)_mm m_x + (mu F)_m m_xx
//   flex(u) = (F_mmm m' m' + F_mm m_x(u) u) m_x + 2 F_mm m' m_x(u).
// Angles are F = Im log(m_0 + i m_1), whose derivatives are Im(w/z), -Im(u w/z^2), 2 Im(u u w/z^3).
#include "cardan/element/primitive.h"
#include "cardan/math/elementary.h"

namespace cardan {

struct DotTerm {  // m_row gets sign * x_k.x_l
  int row, k, l;
  double sign;
};

// Products of features; Self names terms, side and point.
template <class Self, int rows_, int n_x_, int n_m_, int degree_>
struct Dots : PrimitiveShape<3, rows_, n_x_, degree_> {
  using Base = PrimitiveShape<3, rows_, n_x_, degree_>;
  static constexpr int n_m = n_m_;
  template <class T> using X = typename Base::template X<T>;
  template <class T> using H = typename Base::template H<T>;
  template <class T> using M = Vec<n_m_, T>;
  template <class T> using M_x = std::array<Mat<n_m_, 3, T>, n_x_>;

  template <class T> static M<T> products(const X<T>& x) {
    M<T> m = M<T>::Zero();
    for (const DotTerm& t : Self::terms) m[t.row] += t.sign * x[t.k].dot(x[t.l]);
    return m;
  }

  template <class T> static M_x<T> products_x(const X<T>& x) {
    M_x<T> g;
    for (auto& block : g) block.setZero();
    for (const DotTerm& t : Self::terms) {
      g[t.k].row(t.row) += t.sign * x[t.l].transpose();
      g[t.l].row(t.row) += t.sign * x[t.k].transpose();
    }
    return g;
  }

  template <class T> static M<T> push(const M_x<T>& g, const X<T>& u) {
    M<T> m = g[0] * u[0];
    for (int k = 1; k < n_x_; ++k) m += g[k] * u[k];
    return m;
  }

  template <class T> static void add_products_xx(const M<T>& mu, H<T>& h) {
    for (const DotTerm& t : Self::terms) {
      const T c = t.sign * mu[t.row];
      h[t.k * n_x_ + t.l].diagonal().array() += c;
      h[t.l * n_x_ + t.k].diagonal().array() += c;
    }
  }
};

// f = m: equations that are inner products themselves.
template <class Self, int rows_, int n_x_> struct DotRows : Dots<Self, rows_, n_x_, rows_, 2> {
  using Base = Dots<Self, rows_, n_x_, rows_, 2>;
  template <class T> using X = typename Base::template X<T>;
  template <class T> using H = typename Base::template H<T>;
  template <class T> using G = typename Base::template M_x<T>;

  template <class T> Vec<rows_, T> f(const X<T>& x) const { return Base::template products<T>(x); }

  template <class T> G<T> f_x(const X<T>& x) const { return Base::template products_x<T>(x); }

  template <class T> G<T> bend(const X<T>&, const X<T>& u) const { return f_x<T>(u); }

  template <class T> H<T> hess(const X<T>&, const Vec<rows_, T>& mu) const {
    H<T> h;
    for (auto& block : h) block.setZero();
    Base::template add_products_xx<T>(mu, h);
    return h;
  }
};

// f = F(m). Self gives value(m), slope(m) = F_m, bent(m, w) = F_mm w, curved(m, mu) = (mu F)_mm and
// third(m, w) = F_mmm w w.
template <class Self, int rows_, int n_x_, int n_m_>
struct DotFunction : Dots<Self, rows_, n_x_, n_m_, 3> {
  using Base = Dots<Self, rows_, n_x_, n_m_, 3>;
  template <class T> using X = typename Base::template X<T>;
  template <class T> using H = typename Base::template H<T>;
  template <class T> using G = typename Base::Base::template G<T>;
  template <class T> using M = typename Base::template M<T>;
  template <class T> using M_x = typename Base::template M_x<T>;

  template <class T> Vec<rows_, T> f(const X<T>& x) const {
    return self().template value<T>(Base::template products<T>(x));
  }

  template <class T> G<T> f_x(const X<T>& x) const {
    return times<T>(self().template slope<T>(Base::template products<T>(x)),
                    Base::template products_x<T>(x));
  }

  template <class T> G<T> bend(const X<T>& x, const X<T>& u) const {
    const M<T> m = Base::template products<T>(x);
    const M_x<T> m_x = Base::template products_x<T>(x), m_u = Base::template products_x<T>(u);
    return sum<T>(times<T>(self().template bent<T>(m, Base::template push<T>(m_x, u)), m_x),
                  times<T>(self().template slope<T>(m), m_u));
  }

  template <class T> H<T> hess(const X<T>& x, const Vec<rows_, T>& mu) const {
    const M<T> m = Base::template products<T>(x);
    const M_x<T> m_x = Base::template products_x<T>(x);
    const Mat<n_m_, n_m_, T> curved = self().template curved<T>(m, mu);
    H<T> h;
    for (int k = 0; k < n_x_; ++k) {
      const Mat<3, n_m_, T> left = m_x[k].transpose() * curved;
      for (int l = 0; l < n_x_; ++l) h[k * n_x_ + l] = left * m_x[l];
    }
    Base::template add_products_xx<T>(M<T>(self().template slope<T>(m).transpose() * mu), h);
    return h;
  }

  template <class T> G<T> flex(const X<T>& x, const X<T>& u) const {
    const M<T> m = Base::template products<T>(x);
    const M_x<T> m_x = Base::template products_x<T>(x), m_u = Base::template products_x<T>(u);
    const M<T> rate = Base::template push<T>(m_x, u), second = Base::template push<T>(m_u, u);
    const Mat<rows_, n_m_, T> along =
        self().template third<T>(m, rate) + self().template bent<T>(m, second);
    return sum<T>(times<T>(along, m_x), times<T>(T(2) * self().template bent<T>(m, rate), m_u));
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }

  template <class T> static G<T> times(const Mat<rows_, n_m_, T>& left, const M_x<T>& right) {
    G<T> g;
    for (int k = 0; k < n_x_; ++k) g[k] = left * right[k];
    return g;
  }

  template <class T> static G<T> sum(G<T> a, const G<T>& b) {
    for (int k = 0; k < n_x_; ++k) a[k] += b[k];
    return a;
  }
};

// F = sum of linear_k m_k + sum of weight_k angle_k - c, angle_k = Im log(m_2k' + i m_2k'+1) with
// the angles' products behind the linear ones. phi is known up to multiples of `period` (0:
// exactly); angle k is the one nearest to q[turn_k] where turn_k >= 0 (turns.h).
template <class Self, int n_x_, int n_linear_, int n_angles_>
struct AngleSum : DotFunction<Self, 1, n_x_, n_linear_ + 2 * n_angles_> {
  static constexpr int n_linear = n_linear_, n_angles = n_angles_;
  static constexpr int n = n_linear_ + 2 * n_angles_;
  template <class T> using X = std::array<Vec<3, T>, n_x_>;
  std::array<double, n_linear_> linear{};
  std::array<double, n_angles_> weight{};
  std::array<int, n_angles_> turn = filled();
  double c = 0, period = 0;

  template <class T> T angle(const X<T>& x, int k) const {
    return principal<T>(AngleSum::template products<T>(x), k);
  }

  template <class T> Vec<1, T> value(const Vec<n, T>& m) const {
    T sum(-c);
    for (int k = 0; k < n_linear_; ++k) sum += linear[k] * m[k];
    for (int k = 0; k < n_angles_; ++k) sum += weight[k] * principal<T>(m, k);
    return Vec<1, T>(sum);
  }

  template <class T> Mat<1, n, T> slope(const Vec<n, T>& m) const {
    Mat<1, n, T> out;
    for (int k = 0; k < n_linear_; ++k) out[k] = T(linear[k]);
    for (int k = 0; k < n_angles_; ++k) set<T>(out, k, inverse<T>(m, k) * T(weight[k]));
    return out;
  }

  template <class T> Mat<1, n, T> bent(const Vec<n, T>& m, const Vec<n, T>& w) const {
    Mat<1, n, T> out = Mat<1, n, T>::Zero();
    for (int k = 0; k < n_angles_; ++k) {
      const Complex<T> i = inverse<T>(m, k);
      set<T>(out, k, i * i * at<T>(w, k) * T(-weight[k]));
    }
    return out;
  }

  template <class T> Mat<n, n, T> curved(const Vec<n, T>& m, const Vec<1, T>& mu) const {
    Mat<n, n, T> out = Mat<n, n, T>::Zero();
    for (int k = 0; k < n_angles_; ++k) {
      const Complex<T> i = inverse<T>(m, k), square = i * i * T(-weight[k] * mu[0]);
      const int first = n_linear_ + 2 * k;
      out(first, first) = square.im;
      out(first, first + 1) = out(first + 1, first) = square.re;
      out(first + 1, first + 1) = -square.im;
    }
    return out;
  }

  template <class T> Mat<1, n, T> third(const Vec<n, T>& m, const Vec<n, T>& w) const {
    Mat<1, n, T> out = Mat<1, n, T>::Zero();
    for (int k = 0; k < n_angles_; ++k) {
      const Complex<T> i = inverse<T>(m, k), z = at<T>(w, k);
      set<T>(out, k, i * i * i * z * z * T(2 * weight[k]));
    }
    return out;
  }

 private:
  template <class T> struct Complex {
    T re, im;

    friend Complex operator*(const Complex& a, const Complex& b) {
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }

    friend Complex operator*(const Complex& a, const T& b) { return {a.re * b, a.im * b}; }
  };

  static constexpr std::array<int, n_angles_> filled() {
    std::array<int, n_angles_> none{};
    none.fill(-1);
    return none;
  }

  template <class T> static T principal(const Vec<n, T>& m, int k) {
    using elementary::atan2;
    return atan2(m[n_linear_ + 2 * k + 1], m[n_linear_ + 2 * k]);
  }

  template <class T> static Complex<T> at(const Vec<n, T>& m, int k) {
    return {m[n_linear_ + 2 * k], m[n_linear_ + 2 * k + 1]};
  }

  template <class T> static Complex<T> inverse(const Vec<n, T>& m, int k) {
    const Complex<T> z = at<T>(m, k);
    const T scale = 1 / (z.re * z.re + z.im * z.im);
    return {z.re * scale, -z.im * scale};
  }

  template <class T> static void set(Mat<1, n, T>& out, int k, const Complex<T>& z) {
    out[n_linear_ + 2 * k] = z.im;  // w -> Im(z w)
    out[n_linear_ + 2 * k + 1] = z.re;
  }
};

// F = m^T K m / 2 - c.
template <class Self, int n_x_, int n_m_> struct QuadraticDots : DotFunction<Self, 1, n_x_, n_m_> {
  Mat<n_m_, n_m_> K = Mat<n_m_, n_m_>::Zero();
  double c = 0;

  template <class T> Vec<1, T> value(const Vec<n_m_, T>& m) const {
    return Vec<1, T>(T(0.5 * m.dot(K * m) - c));
  }

  template <class T> Mat<1, n_m_, T> slope(const Vec<n_m_, T>& m) const {
    return (K * m).transpose();
  }

  template <class T> Mat<1, n_m_, T> bent(const Vec<n_m_, T>&, const Vec<n_m_, T>& w) const {
    return (K * w).transpose();
  }

  template <class T> Mat<n_m_, n_m_, T> curved(const Vec<n_m_, T>&, const Vec<1, T>& mu) const {
    return K * mu[0];
  }

  template <class T> Mat<1, n_m_, T> third(const Vec<n_m_, T>&, const Vec<n_m_, T>&) const {
    return Mat<1, n_m_, T>::Zero();
  }
};

}  // namespace cardan
