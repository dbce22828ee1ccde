#pragma once
// The chain rule, once: a primitive f(x) and the bodies whose features x it sees give an element's
// phi, phi_q, gamma and the second-derivative products. With G = f_x, and x' = x_q v and
// x'' = (x_q v)_q v the rates of the features at constant v:
//   phi_q          = G x_q
//   gamma          = -(G x'' + bend(x') x')
//   (phi_q a)_q    = bend(x_q a) x_q + G (x_q a)_q
//   gamma_v        = -(2 bend(x') x_q + G (x'')_v)
//   gamma_q        = -(bend(x'') x_q + 2 bend(x') (x')_q + G (x'')_q + flex(x') x_q)
//   (phi_q^T mu)_q = x_q^T hess(mu) x_q + (x_q^T g)_q with g = G^T mu fixed
// All sizes are static, nothing is allocated. T: double, a dual number, or a pack of states.
#include <utility>

#include "cardan/element/primitive.h"

namespace cardan {

// Calls f.operator()<0>() .. f.operator()<n-1>().
template <int n, class F> constexpr void unroll(F&& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (f.template operator()<k>(), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

template <class P> struct Pair {
  static constexpr int D = P::D, rows = P::rows, sides = P::sides, n_x = P::n_x, N = n_v<D>;
  template <class T> using Poses = std::array<Pose<D, T>, sides>;
  template <class T> using Twists = std::array<Twist<D, T>, sides>;
  template <class T> using Row = std::array<Mat<rows, N, T>, sides>;  // one block per side
  template <class T>
  using Square =
      std::array<Mat<N, N, T>, std::size_t{sides} * sides>;  // [side_row * sides + side_column]

  P primitive;
  std::array<int, sides> body{};

  template <class T> Vec<rows, T> phi(const Poses<T>& poses) const {
    Vec<rows, T> value = Vec<rows, T>::Zero();
    if constexpr (n_x > 0) value = primitive.template f<T>(Place<T>(*this, poses).x);
    if constexpr (P::turns) value[P::turn_row] += primitive.turn(angle(poses)).f;
    if constexpr (requires { primitive.settle(value); }) value = primitive.settle(value);
    return value;
  }

  // Angles of space are known up to whole turns: those nearest to the turns counted in q are meant.
  void unwind(const Poses<double>& poses, CView q, Vec<rows>& value) const
      requires(requires(P p) { p.turn; }) {
    for (std::size_t k = 0; k < primitive.turn.size(); ++k)
      if (const int counted = primitive.turn[k]; counted >= 0) {
        const double angle = primitive.template angle<double>(Place<double>(*this, poses).x, k);
        value[0] +=
            primitive.weight[k] * nearest_turn(q[static_cast<std::size_t>(counted)] - angle);
      }
  }

  // phi is known up to multiples of this; 0: exactly.
  double period() const requires(requires(P p) { p.period; }) { return primitive.period; }

  template <class T> Row<T> phi_q(const Poses<T>& poses) const {
    Row<T> out;
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      chain(primitive.template f_x<T>(at.x), poses, at, out);
    } else {
      clear(out);
    }
    if constexpr (P::turns) add_turn(primitive.turn(angle(poses)).d, out);
    return out;
  }

  template <class T> Vec<rows, T> gamma(const Poses<T>& poses, const Twists<T>& v) const {
    Vec<rows, T> value = Vec<rows, T>::Zero();
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      const Rate<T> rate(at, v);
      if constexpr (requires { primitive.template push<T>(at.x, rate.xdd()); })
        value = -primitive.template push<T>(at.x, rate.xdd());
      else
        value = -product(primitive.template f_x<T>(at.x), rate.xdd());
      if constexpr (P::degree > 1)
        value -= product(primitive.template bend<T>(at.x, rate.xd), rate.xd);
    }
    if constexpr (P::turns) {
      const T w = spin(v);
      value[P::turn_row] -= primitive.turn(angle(poses)).dd * w * w;
    }
    return value;
  }

  template <class T> Row<T> phi_q_a_q(const Poses<T>& poses, const Twists<T>& a) const {
    Row<T> out;
    clear(out);
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      const Rate<T> rate(at, a);
      if constexpr (P::degree > 1) chain(primitive.template bend<T>(at.x, rate.xd), poses, at, out);
      add_turning(primitive.template f_x<T>(at.x), T(1), poses, rate.pd, out);
    }
    if constexpr (P::turns) add_turn(T(primitive.turn(angle(poses)).dd * spin(a)), out);
    return out;
  }

  template <class T> Row<T> gamma_v(const Poses<T>& poses, const Twists<T>& v) const {
    Row<T> out;
    clear(out);
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      const Rate<T> rate(at, v);
      if constexpr (P::degree > 1) {
        chain(primitive.template bend<T>(at.x, rate.xd), poses, at, out);
        for (auto& block : out) block *= T(-2);
      }
      const auto f_x = primitive.template f_x<T>(at.x);
      add_turning(f_x, T(-1), poses, rate.pd, out);
      unroll<n_x>([&]<int k>() {
        constexpr int side = P::side[k];
        out[side].template rightCols<n_turn<D>>() +=
            turn_columns(cross_rows(v[side].w, f_x[k]), poses[side], at.p[k]);
      });
    }
    if constexpr (P::turns) add_turn(T(-2 * primitive.turn(angle(poses)).dd * spin(v)), out);
    return out;
  }

  template <class T> Row<T> gamma_q(const Poses<T>& poses, const Twists<T>& v) const {
    Row<T> out;
    clear(out);
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      const Rate<T> rate(at, v);
      if constexpr (P::degree > 1) {
        auto bent = primitive.template bend<T>(at.x, rate.xdd());
        if constexpr (P::degree > 2) {
          const auto flexed = primitive.template flex<T>(at.x, rate.xd);
          for (int k = 0; k < n_x; ++k) bent[k] += flexed[k];
        }
        for (auto& block : bent) block = -block;
        chain(bent, poses, at, out);
        add_turning(primitive.template bend<T>(at.x, rate.xd), T(-2), poses, rate.pd, out);
      }
      add_turning(primitive.template f_x<T>(at.x), T(-1), poses, rate.pdd, out);
    }
    if constexpr (P::turns) {
      const T w = spin(v);
      add_turn(T(-primitive.turn(angle(poses)).ddd * w * w), out);
    }
    return out;
  }

  template <class T>
  Square<T> phi_qT_lambda_q(const Poses<T>& poses, const Vec<rows, T>& lambda) const {
    Square<T> out;
    for (auto& block : out) block.setZero();
    if constexpr (n_x > 0) {
      const Place<T> at(*this, poses);
      if constexpr (P::degree > 1)
        add_curvature(primitive.template hess<T>(at.x, lambda), poses, at, out);
      const auto f_x = primitive.template f_x<T>(at.x);
      unroll<n_x>([&]<int k>() {
        constexpr int side = P::side[k];
        const Vec<D, T> force = f_x[k].transpose() * lambda;
        out[side * sides + side].template bottomRightCorner<n_turn<D>, n_turn<D>>() +=
            turn_curvature(poses[side], at.p[k], force);
      });
    }
    if constexpr (P::turns) {
      const T dd = primitive.turn(angle(poses)).dd * lambda[P::turn_row];
      for (int i = 0; i < sides; ++i)
        for (int j = 0; j < sides; ++j)
          out[i * sides + j](N - 1, N - 1) +=
              primitive.turn_weight[i] * primitive.turn_weight[j] * dd;
    }
    return out;
  }

 private:
  template <class T> using Arms = std::array<Vec<D, T>, n_x>;
  template <class T> using G = typename P::template G<T>;
  template <class T> using H = typename P::template H<T>;

  template <class T> struct Place {  // the features and their arms
    Arms<T> p, x;

    Place(const Pair& pair, const Poses<T>& poses) {
      unroll<n_x>([&]<int k>() {
        const Pose<D, T>& pose = poses[P::side[k]];
        p[k] = arm(pose, pair.primitive.s[k]);
        if constexpr (P::point[k])
          x[k] = pose.r + p[k];
        else
          x[k] = p[k];
      });
    }
  };

  template <class T> struct Rate {  // first and second rates of arms and features at constant v
    Arms<T> pd, pdd, xd;

    Rate(const Place<T>& at, const Twists<T>& v) {
      unroll<n_x>([&]<int k>() {
        const Twist<D, T>& twist = v[P::side[k]];
        pd[k] = cross(twist.w, at.p[k]);
        pdd[k] = cross(twist.w, pd[k]);
        if constexpr (P::point[k])
          xd[k] = twist.u + pd[k];
        else
          xd[k] = pd[k];
      });
    }

    const Arms<T>& xdd() const { return pdd; }
  };

  template <class T> static void clear(Row<T>& out) {
    for (auto& block : out) block.setZero();
  }

  template <class T> static Vec<rows, T> product(const G<T>& g, const Arms<T>& u) {
    Vec<rows, T> out = g[0] * u[0];
    unroll<n_x - 1>([&]<int k>() { out += g[k + 1] * u[k + 1]; });
    return out;
  }

  static constexpr bool first_of_side(int k) {
    for (int l = 0; l < k; ++l)
      if (P::side[l] == P::side[k]) return false;
    return true;
  }

  // out = g x_q.
  template <class T>
  static void chain(const G<T>& g, const Poses<T>& poses, const Place<T>& at, Row<T>& out) {
    unroll<n_x>([&]<int k>() {
      constexpr int side = P::side[k];
      auto&& shift = out[side].template leftCols<D>();
      auto&& turn = out[side].template rightCols<n_turn<D>>();
      if constexpr (first_of_side(k)) {
        if constexpr (P::point[k])
          shift = g[k];
        else
          shift.setZero();
        turn = turn_columns(g[k], poses[side], at.p[k]);
      } else {
        if constexpr (P::point[k]) shift += g[k];
        turn += turn_columns(g[k], poses[side], at.p[k]);
      }
    });
  }

  // out += c g (z)_q for quantities z_k that only turn with their body: arms, and their rates at
  // constant v.
  template <class T>
  static void add_turning(
      const G<T>& g, const T& c, const Poses<T>& poses, const Arms<T>& z, Row<T>& out) {
    unroll<n_x>([&]<int k>() {
      constexpr int side = P::side[k];
      out[side].template rightCols<n_turn<D>>() += c * turn_columns(g[k], poses[side], z[k]);
    });
  }

  // out += x_q^T h x_q.
  template <class T>
  static void add_curvature(const H<T>& h,
                            const Poses<T>& poses,
                            const Place<T>& at,
                            Square<T>& out) {
    unroll<n_x * n_x>([&]<int kl>() {
      constexpr int k = kl / n_x, l = kl % n_x, i = P::side[k], j = P::side[l];
      Mat<D, N, T> right;
      if constexpr (P::point[l])
        right.template leftCols<D>() = h[kl];
      else
        right.template leftCols<D>().setZero();
      right.template rightCols<n_turn<D>>() = turn_columns(h[kl], poses[j], at.p[l]);
      auto& block = out[i * sides + j];
      if constexpr (P::point[k]) block.template topRows<D>() += right;
      const Mat<N, D, T> left = right.transpose();
      block.template bottomRows<n_turn<D>>() += turn_columns(left, poses[i], at.p[k]).transpose();
    });
  }

  template <class T> T angle(const Poses<T>& poses) const {
    T theta = primitive.turn_weight[0] * poses[0].angle;
    for (int i = 1; i < sides; ++i) theta += primitive.turn_weight[i] * poses[i].angle;
    return theta;
  }

  template <class T> T spin(const Twists<T>& v) const {
    T w = primitive.turn_weight[0] * v[0].w;
    for (int i = 1; i < sides; ++i) w += primitive.turn_weight[i] * v[i].w;
    return w;
  }

  template <class T> void add_turn(const T& slope, Row<T>& out) const {
    for (int i = 0; i < sides; ++i) out[i](P::turn_row, N - 1) += primitive.turn_weight[i] * slope;
  }
};

}  // namespace cardan
