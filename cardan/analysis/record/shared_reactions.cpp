#include "cardan/analysis/record/shared_reactions.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr double share_of_largest = 1e-8;   // eps, of the largest diagonal entry of S
constexpr double aim = 1e-13, good = 1e-5;  // |phi_q^T x| relative to |phi_q^T lambda|
constexpr int most_sharing_passes = 40;

}  // namespace

SharedReactions::SharedReactions(const System& system)
    : system_(system),
      S_(system.schur_plan(), system.equations(), system.metric()),
      scale_(static_cast<std::size_t>(system.equations().rows()), 1.0),
      packed_(static_cast<std::size_t>(system.equations().packed_size())),
      x_(scale_.size()),
      force_(static_cast<std::size_t>(system.v_size())) {
  std::vector<char> joints(scale_.size(), 0);
  std::fill_n(joints.begin(), system.joint_rows(), 1);
  S_.activate(joints);
  for (std::size_t r = 0; r < scale_.size(); ++r)
    if (system.unit_kind(static_cast<int>(r)) == UnitKind::angle) scale_[r] = system.length();
}

double SharedReactions::force() {
  std::fill(force_.begin(), force_.end(), 0.0);
  system_.equations().add_transposed(packed_, x_, 1.0, force_);
  return as_vector(CView(force_)).norm();
}

// x <- its part in the null space; false: it is not told from what nearly belongs to it.
bool SharedReactions::keep_null_space(double eps, double whole) {
  double before = INFINITY, now = force();
  for (int pass = 0; pass < most_sharing_passes && now > aim * whole && now < 0.5 * before;
       ++pass) {
    S_.solve(x_);
    for (double& x : x_) x *= eps;
    before = now;
    now = force();
  }
  return now <= good * whole;
}

void SharedReactions::share(CView packed, View lambda) {
  std::copy(packed.begin(), packed.end(), packed_.begin());
  const Equations& equations = system_.equations();
  equations.scale_rows(scale_, packed_);
  const auto joints = static_cast<std::size_t>(system_.joint_rows());
  for (std::size_t r = 0; r < x_.size(); ++r) x_[r] = r < joints ? lambda[r] / scale_[r] : 0;
  const double whole = force();
  const std::vector<double> norms = row_norms(equations, system_.metric(), packed_);
  const double largest = norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end());
  const double eps = share_of_largest * largest * largest;
  if (!(whole > 0) || !(eps > 0)) return;
  S_.factor(packed_, eps, 0);
  for (int sweep = 0; sweep < 2; ++sweep) {
    if (sweep > 0)
      for (std::size_t r = 0; r < joints; ++r) x_[r] = lambda[r] / scale_[r];
    if (!keep_null_space(eps, whole)) return;
    for (std::size_t r = 0; r < joints; ++r) lambda[r] -= x_[r] * scale_[r];
  }
}

}  // namespace cardan
