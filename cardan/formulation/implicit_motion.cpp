#include "cardan/formulation/implicit_motion.h"

#include <algorithm>

#include "cardan/math/rotation.h"

namespace cardan {

namespace {

void join(const std::vector<double>& re,
          const std::vector<double>& im,
          std::vector<std::complex<double>>& out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {re[k], im[k]};
}

void part_again(const std::vector<std::complex<double>>& x,
                std::vector<double>& re,
                std::vector<double>& im) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    re[k] = x[k].real();
    im[k] = x[k].imag();
  }
}

}  // namespace

ForceRates::ForceRates(const SparseMatrix& M, const SparseMatrix& Q_q, const SparseMatrix& Q_v) {
  for (int c = 0; c < M.cols(); ++c)
    for (int k = M.outerIndexPtr()[c]; k < M.outerIndexPtr()[c + 1]; ++k) {
      const double mass = M.valuePtr()[k];
      if (M.innerIndexPtr()[k] != c || !(mass > 0)) continue;
      damping = std::max(damping, -Q_v.valuePtr()[k] / mass);
      stiffness = std::max(stiffness, -Q_q.valuePtr()[k] / mass);
    }
}

ImplicitMotion::ImplicitMotion(const System& system, const std::vector<char>& active, bool states)
    : system_(system),
      matrix_(system, active),
      n_q_(static_cast<std::size_t>(system.q_size())),
      n_v_(static_cast<std::size_t>(system.v_size())),
      n_z_(states ? static_cast<std::size_t>(system.states().size()) : 0),
      unit_(n_q_),
      q_(n_q_),
      v_(n_v_),
      rate_(n_q_),
      re_(piece()),
      im_(re_),
      q_both_(n_v_),
      v_both_(n_v_),
      z_both_(re_.z.size()) {}

ImplicitMotion::Piece ImplicitMotion::piece() const {
  Piece p;
  p.q.resize(n_v_);
  p.v.resize(n_v_);
  p.z.resize(static_cast<std::size_t>(system_.states().size()));
  if (system_.space() == Space::spatial)
    p.length.resize(static_cast<std::size_t>(system_.body_count()));
  p.turns.resize(static_cast<std::size_t>(system_.turn_count()));
  return p;
}

CView ImplicitMotion::unit_pose(CView q) {
  if (system_.space() == Space::planar) return q;
  std::copy(q.begin(), q.end(), unit_.begin());
  for (int b = 0; b < system_.body_count(); ++b)
    Eigen::Map<Quaternion>(unit_.data() + system_.layout().q_rotation(b)).normalize();
  return unit_;
}

void ImplicitMotion::linearise(double t,
                               CView q,
                               CView v,
                               CView a,
                               CView lambda,
                               const Workspace& of,
                               const ConstraintFeedback& feedback) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  matrix_.linearise(t, q, v, a, lambda, of, feedback);
  const Linearisation& at = matrix_.linearisation();
  rates_ = {at.M(), at.Q_q(), at.Q_v()};
}

void ImplicitMotion::take(CView y, Piece& p) const {
  system_.tangent(q_, y.first(n_q_), p.q);
  std::copy_n(y.data() + n_q_, n_v_, p.v.begin());
  std::fill(p.z.begin(), p.z.end(), 0.0);
  std::copy_n(y.data() + n_q_ + n_v_, n_z_, p.z.begin());
  for (std::size_t b = 0; b < p.length.size(); ++b) {
    const int first = system_.layout().q_rotation(static_cast<int>(b));
    const Eigen::Map<const Quaternion> e(q_.data() + first), d(y.data() + first);
    p.length[b] = e.dot(d) / e.squaredNorm();
  }
  std::copy_n(y.data() + n_q_ - p.turns.size(), p.turns.size(), p.turns.begin());
}

void ImplicitMotion::give(const Piece& p, View y) {
  system_.rate(q_, p.q, y.first(n_q_));
  for (std::size_t b = 0; b < p.length.size(); ++b) {
    const int first = system_.layout().q_rotation(static_cast<int>(b));
    Eigen::Map<Quaternion>(y.data() + first) +=
        p.length[b] * Eigen::Map<const Quaternion>(q_.data() + first);
  }
  std::copy(p.turns.begin(), p.turns.end(), y.data() + n_q_ - p.turns.size());
  std::copy(p.v.begin(), p.v.end(), y.data() + n_q_);
  std::copy_n(p.z.begin(), n_z_, y.data() + n_q_ + n_v_);
}

void ImplicitMotion::follow(double c, const Piece& moved, Piece& to) {
  for (std::size_t b = 0; b < to.length.size(); ++b) {
    const auto body = static_cast<int>(b);
    to.length[b] -= 0.25 * c *
                    system_.layout()
                        .rotation(CView(moved.q), body)
                        .dot(system_.layout().rotation(CView(v_), body));
  }
  if (to.turns.empty()) return;
  system_.rate(q_, moved.v, rate_);
  for (std::size_t k = 0; k < to.turns.size(); ++k)
    to.turns[k] += c * rate_[n_q_ - to.turns.size() + k];
}

Eval ImplicitMotion::solve(int k, View re, View im) {
  const std::complex<double> c = matrix_.shift(k);
  if (c.imag() == 0) {
    for (const View y : {re, im}) {  // a real matrix acts on both parts alike
      if (y.empty()) continue;
      take(y, re_);
      matrix_.solve(k, re_.q.data(), re_.v.data(), re_.z.data());
      follow(c.real(), re_, re_);
      give(re_, y);
    }
    return as_vector(re).allFinite() ? Eval::ok : Eval::retry;
  }
  take(re, re_);
  take(im, im_);
  join(re_.q, im_.q, q_both_);
  join(re_.v, im_.v, v_both_);
  join(re_.z, im_.z, z_both_);
  matrix_.solve(k, q_both_.data(), v_both_.data(), z_both_.data());
  part_again(q_both_, re_.q, im_.q);
  part_again(v_both_, re_.v, im_.v);
  part_again(z_both_, re_.z, im_.z);
  follow(c.real(), re_, re_);
  follow(-c.imag(), im_, re_);
  follow(c.real(), im_, im_);
  follow(c.imag(), re_, im_);
  give(re_, re);
  give(im_, im);
  return as_vector(re).allFinite() && as_vector(im).allFinite() ? Eval::ok : Eval::retry;
}

}  // namespace cardan
