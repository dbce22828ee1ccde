#pragma once
// Second-derivative products of an element that brings only phi_q and gamma: central differences of
// fourth order,
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h), error h^4 f^(5)/30,
// along tangent increments. Steps are h = 1e-3 rad and 1e-3 of the element's own size, so that
// error and round-off both stay near 1e-12 of the size of f. gamma is quadratic in v, where
// differences are exact for any step.
#include "cardan/element/feature.h"

namespace cardan {

inline constexpr double difference_step = 1e-3;  // rad, or of the size of the element

template <class F> auto central_difference(F&& f, double h) {
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

template <class E> struct Differences {
  static constexpr int D = E::D, N = n_v<D>, sides = E::sides, rows = E::rows;
  using Poses = std::array<Pose<D>, sides>;
  using Velocities = std::array<Vec<N>, sides>;
  using Row = std::array<Mat<rows, N>, sides>;
  using Square = std::array<Mat<N, N>, std::size_t{sides} * sides>;

  const E& element;
  const Poses& poses;

  Row phi_q_a_q(const Velocities& a) const {
    return along_increments([&](const Poses& at) {
      const Row J = element.phi_q(at);
      Vec<rows> sum = J[0] * a[0];
      for (int s = 1; s < sides; ++s) sum += J[s] * a[s];
      return sum;
    });
  }

  Row gamma_q(const Velocities& v) const {
    return along_increments([&](const Poses& at) { return gamma(at, v); });
  }

  Row gamma_v(const Velocities& v) const {
    Row out;
    for (int s = 0; s < sides; ++s)
      for (int k = 0; k < N; ++k)
        out[s].col(k) = central_difference(
            [&](double h) {
              Velocities moved_v = v;
              moved_v[s][k] += h;
              return gamma(poses, moved_v);
            },
            k < D ? element.size() : 1.0);
    return out;
  }

  Square phi_qT_lambda_q(const Vec<rows>& lambda) const {
    Square out;
    for (int i = 0; i < sides; ++i) {
      const auto columns = along_increments<N>(
          [&](const Poses& at) { return Vec<N>(element.phi_q(at)[i].transpose() * lambda); });
      for (int j = 0; j < sides; ++j) out[i * sides + j] = columns[j];
    }
    return out;
  }

 private:
  Vec<rows> gamma(const Poses& at, const Velocities& v) const {
    std::array<Twist<D>, sides> twists;
    for (int s = 0; s < sides; ++s) twists[s] = twist_from(at[s], v[s].data());
    return element.gamma(at, twists);
  }

  template <int R = rows, class F> std::array<Mat<R, N>, sides> along_increments(F&& f) const {
    std::array<Mat<R, N>, sides> out;
    for (int s = 0; s < sides; ++s)
      for (int k = 0; k < N; ++k)
        out[s].col(k) = central_difference(
            [&](double h) {
              Poses at = poses;
              at[s] = moved(poses[s], k, h);
              return f(at);
            },
            difference_step * (k < D ? element.size() : 1.0));
    return out;
  }
};

}  // namespace cardan
