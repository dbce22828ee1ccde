#pragma once
// A pool of equal elements, contiguous. The element (a Pair, or a class of its own with the same
// functions) works on poses and twists of its sides; the pool finds them, adds the drivers' time
// terms phi = f - c(t), and writes blocks. Elements without second-derivative products of their own
// get differences (difference.h).
#include <stdexcept>
#include <vector>

#include "cardan/element/difference.h"
#include "cardan/element/pair.h"
#include "cardan/element/pool.h"
#include "cardan/math/function.h"

namespace cardan {

// The ground's coordinates, rotation and velocity, so that it reads like a body that never moves.
inline constexpr double ground_q[7] = {0, 0, 0, 1, 0, 0, 0}, ground_angle_q[3] = {0, 0, 0};
inline constexpr double ground_rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
inline constexpr double ground_v[6] = {0, 0, 0, 0, 0, 0};

template <int D> Pose<D> pose_of(const Config& at, int body) {
  const double* at_rest = D == 2 ? ground_angle_q : ground_q;
  const double* q = body < 0 ? at_rest : at.q.data() + n_q<D> * std::ptrdiff_t{body};
  if (at.rotation == nullptr) return pose_from<D>(q);
  return pose_from<D>(
      q, body < 0 ? ground_rotation : at.rotation + rotation_size(D) * std::ptrdiff_t{body});
}

template <int D> Twist<D> twist_of(const Pose<D>& pose, CView v, int body) {
  return twist_from<D>(pose, body < 0 ? ground_v : v.data() + n_v<D> * std::ptrdiff_t{body});
}

// Poses and twists of an element's sides, built in place.
template <int D, std::size_t n>
std::array<Pose<D>, n> poses_of(const Config& at, const std::array<int, n>& body) {
  return [&]<std::size_t... s>(std::index_sequence<s...>) {
    return std::array<Pose<D>, n>{pose_of<D>(at, body[s])...};
  }
  (std::make_index_sequence<n>{});
}

template <int D, std::size_t n>
std::array<Twist<D>, n> twists_of(const std::array<Pose<D>, n>& poses,
                                  CView v,
                                  const std::array<int, n>& body) {
  return [&]<std::size_t... s>(std::index_sequence<s...>) {
    return std::array<Twist<D>, n>{twist_of<D>(poses[s], v, body[s])...};
  }
  (std::make_index_sequence<n>{});
}

template <class E>
concept HasProducts = requires(const E& e,
                               std::array<Pose<E::D>, E::sides> poses,
                               std::array<Twist<E::D>, E::sides> twists,
                               Vec<E::rows> lambda) {
  e.phi_q_a_q(poses, twists);
  e.gamma_q(poses, twists);
  e.gamma_v(poses, twists);
  e.phi_qT_lambda_q(poses, lambda);
};

// Angles of space count turns beside the bodies' coordinates (turns.h).
template <class E>
concept Unwinds = requires(const E& e) {
  e.period();
};

template <class E> class ElementPool final : public ConstraintPool {
 public:
  static constexpr int D = E::D, N = n_v<D>;
  using Labels = std::array<EquationLabel, E::rows>;

  ElementPool(std::string_view type, const Labels& labels, bool driven)
      : type_(type), labels_(labels), driven_(driven) {
    if (driven && E::rows != 1) throw std::logic_error("only single equations are driven");
  }

  // Returns the element's number. c(t) is asked of driven pools only.
  int add(E element, FunctionPtr drive = {}) {
    if (driven_ != (drive != nullptr))
      throw std::logic_error("a driven pool needs c(t), another takes none");
    elements_.push_back(std::move(element));
    if (driven_) drive_.push_back(std::move(drive));
    return count() - 1;
  }

  const E& element(int e) const { return elements_[e]; }

  std::string_view type() const override { return type_; }

  int count() const override { return static_cast<int>(elements_.size()); }

  int rows() const override { return E::rows; }

  int sides() const override { return E::sides; }

  int body(int element, int side) const override { return elements_[element].body[side]; }

  EquationLabel equation(int row) const override { return labels_[row]; }

  void add_nu_q(const Config&, double, Blocks) const override {}

  bool differenced() const override { return !HasProducts<E>; }

  bool at_velocity_level(int) const override {
    return requires {
      E::velocity_level;
    };
  }

  [[gnu::flatten]] void phi(const Config& at, View out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at, e);
      Vec<E::rows> value = elements_[e].phi(p);
      if constexpr (Unwinds<E>) elements_[e].unwind(p, at.q, value);
      segment(out, e) = value;
    }
    for (std::size_t e = 0; e < drive_.size(); ++e) out[e] -= drive_[e]->at(at.t).f;
    if constexpr (Unwinds<E>)
      for (int e = 0; e < count(); ++e)
        if (const double period = elements_[e].period(); period != 0)
          out[e] -= period * std::round(out[e] / period);
  }

  void nu(const Config& at, View out) const override {
    for (double& x : out) x = 0;
    for (std::size_t e = 0; e < drive_.size(); ++e) out[e] = drive_[e]->at(at.t).d;
  }

  [[gnu::flatten]] void gamma(const Motion& at, View out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at.config(), e);
      segment(out, e) = elements_[e].gamma(p, twists(p, at.v, e));
    }
    for (std::size_t e = 0; e < drive_.size(); ++e) out[e] += drive_[e]->at(at.t).dd;
  }

  [[gnu::flatten]] void phi_q(const Config& at, Blocks out) const override {
    for (int e = 0; e < count(); ++e) {
      const Row J = elements_[e].phi_q(poses(at, e));
      for (int s = 0; s < E::sides; ++s)
        if (const Slot slot = out.slots[e * E::sides + s])
          block_at<E::rows, N>(out.values, slot) = J[s];
    }
  }

  void add_phi_q_a_q(const Config& at, CView a, double c, Blocks out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at, e);
      if constexpr (HasProducts<E>)
        add(elements_[e].phi_q_a_q(p, twists(p, a, e)), e, c, out);
      else
        add(differences(e, p).phi_q_a_q(velocities(a, e)), e, c, out);
    }
  }

  void add_gamma_q(const Motion& at, double c, Blocks out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at.config(), e);
      if constexpr (HasProducts<E>)
        add(elements_[e].gamma_q(p, twists(p, at.v, e)), e, c, out);
      else
        add(differences(e, p).gamma_q(velocities(at.v, e)), e, c, out);
    }
  }

  void add_gamma_v(const Motion& at, double c, Blocks out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at.config(), e);
      if constexpr (HasProducts<E>)
        add(elements_[e].gamma_v(p, twists(p, at.v, e)), e, c, out);
      else
        add(differences(e, p).gamma_v(velocities(at.v, e)), e, c, out);
    }
  }

  void add_phi_qT_lambda_q(const Config& at, CView lambda, double c, Blocks out) const override {
    for (int e = 0; e < count(); ++e) {
      const Poses p = poses(at, e);
      const Eigen::Map<const Vec<E::rows>> mu(lambda.data() + std::ptrdiff_t{e} * E::rows);
      if constexpr (HasProducts<E>)
        add(elements_[e].phi_qT_lambda_q(p, Vec<E::rows>(mu)), e, c, out);
      else
        add(differences(e, p).phi_qT_lambda_q(mu), e, c, out);
    }
  }

 private:
  using Poses = std::array<Pose<D>, E::sides>;
  using Twists = std::array<Twist<D>, E::sides>;
  using Velocities = std::array<Vec<N>, E::sides>;
  using Row = std::array<Mat<E::rows, N>, E::sides>;

  static auto segment(View out, int e) {
    return Eigen::Map<Vec<E::rows>>(out.data() + std::ptrdiff_t{e} * E::rows);
  }

  Poses poses(const Config& at, int e) const { return poses_of<D>(at, elements_[e].body); }

  Twists twists(const Poses& p, CView v, int e) const {
    return twists_of<D>(p, v, elements_[e].body);
  }

  Velocities velocities(CView v, int e) const {
    Velocities out;
    for (int s = 0; s < E::sides; ++s) {
      const int b = elements_[e].body[s];
      if (b < 0)
        out[s].setZero();
      else
        out[s] = Eigen::Map<const Vec<N>>(v.data() + std::ptrdiff_t{b} * N);
    }
    return out;
  }

  Differences<E> differences(int e, const Poses& p) const { return {elements_[e], p}; }

  // Row blocks (slots as phi_q) or square ones; slots of this element follow each other in both.
  template <int R, std::size_t n>
  void add(const std::array<Mat<R, N>, n>& blocks, int e, double c, Blocks out) const {
    for (std::size_t k = 0; k < n; ++k)
      if (const Slot slot = out.slots[e * n + k]) block_at<R, N>(out.values, slot) += c * blocks[k];
  }

  std::string_view type_;
  Labels labels_;
  bool driven_;
  std::vector<E> elements_;
  std::vector<FunctionPtr> drive_;  // of a driven pool, one per element
};

}  // namespace cardan
