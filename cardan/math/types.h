#pragma once
// The few types every numerical part shares.
#include <cstdint>
#include <span>

#include <Eigen/Core>

namespace cardan {

using View = std::span<double>;
using CView = std::span<const double>;

template <int D, class T = double> using Vec = Eigen::Matrix<T, D, 1>;
template <int R, int C, class T = double> using Mat = Eigen::Matrix<T, R, C>;

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

inline VectorMap as_vector(View x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

inline ConstVectorMap as_vector(CView x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

// What a numerical callback says of itself. retry: a smaller step may cure it.
enum class [[nodiscard]] Eval{ok, retry, fatal};

}  // namespace cardan
