#include "cardan/formulation/singular/passage_proof.h"

#include "cardan/formulation/explicit/partition.h"

namespace cardan {

namespace {

constexpr int halvings = 40;
constexpr double narrow = 1e-9;  // of the mechanism's size: an interval with no gap left in it

}  // namespace

PassageProof::PassageProof(MotionSolver& motion)
    : motion_(motion),
      system_(motion.system()),
      chart_(motion),
      crossing_(motion),
      there_(motion.system()),
      p_from_(static_cast<std::size_t>(chart_.freedoms())),
      p_to_(p_from_),
      p_(p_from_),
      r_(p_from_),
      q_(there_.q),
      v_(there_.v),
      way_(there_.v),
      d_(there_.v),
      rows_(there_.lambda) {}

bool PassageProof::behind(CView u, CView w) {
  system_.equations().multiply(motion_.work().packed, w, rows_);
  return as_vector(u).dot(as_vector(CView(rows_))) < 0;
}

bool PassageProof::exists(const End& from, const End& to, CView u, CView w) {
  const auto ratio_at = [&](const End& end) {
    return motion_.linearise(end.t, end.q) == Eval::ok ? pivot_ratio(motion_) : 0.0;
  };
  const End& base = ratio_at(from) > ratio_at(to) ? from : to;  // tangents of the better pose
  if (motion_.linearise(base.t, base.q) != Eval::ok) return false;
  chart_.along(tangent_basis(motion_), base.q);
  chart_.coordinates(from.q, p_from_);
  chart_.coordinates(to.q, p_to_);
  system_.difference(to.q, from.q, way_);
  const double length = system_.largest_move(way_), h = to.t - from.t;
  double low = 0, high = 1;
  for (int k = 0; k < halvings && (high - low) * length > narrow * system_.length(); ++k) {
    const double s = 0.5 * (low + high), s2 = s * s, s3 = s2 * s;
    for (std::size_t j = 0; j < p_.size(); ++j) p_[j] = p_from_[j] + s * (p_to_[j] - p_from_[j]);
    for (std::size_t i = 0; i < way_.size(); ++i) {
      v_[i] = from.v[i] + s * (to.v[i] - from.v[i]);
      d_[i] = (3 * s2 - 2 * s3) * way_[i] +
              h * ((s3 - 2 * s2 + s) * from.v[i] + (s3 - s2) * to.v[i]);  // cubic in time
    }
    system_.advance(from.q, d_, q_);
    chart_.rates(q_, v_, r_);
    if (chart_.motion({from.t + s * h, p_, r_, q_}, v_, crossing_, there_) != Eval::ok)
      return false;
    if (crossing_.crossed()) return true;
    (behind(u, w) ? high : low) = s;
  }
  return true;
}

}  // namespace cardan
