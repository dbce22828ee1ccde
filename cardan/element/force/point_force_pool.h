#pragma once
// A force on a point of side 1 and its opposite on a point of side 0. Components are formulas in
// ground axes, or in the axes of side 1 (F = A F'). With the points' Jacobians x_q:
//   Q_i = +-x_q^T F,   Q_q = +-((x_q^T F)_q with F fixed, plus x_q^T F_q),
// where F_q d = w x F for a force fixed in the body, else 0. Components in ground axes that are
// constants, F_c, have the potential -F_c.(x_1 - x_0), with x = 0 of a point of the ground; all else
// is power.
#include "cardan/element/element_pool.h"
#include "cardan/element/force/unit_force.h"
#include "cardan/element/formula/formula.h"

namespace cardan {

template <int D> class PointForcePool final : public ForcePool, public UnitForces {
 public:
  static constexpr int N = n_v<D>, W = n_turn<D>;

  struct Element {
    std::array<int, 2> body{};
    std::array<Vec<D>, 2> s;
    std::array<Expression, D> force;
    bool body_fixed = false;
    std::vector<int> inputs;
    Vec<D> constant = Vec<D>::Zero();  // F_c, found when it is added
  };

  explicit PointForcePool(std::string_view type) : type_(type) {}

  int add(Element element) {
    for (int r = 0; r < D && !element.body_fixed; ++r)
      if (element.force[r].constant()) element.constant[r] = element.force[r].value({});
    elements_.push_back(std::move(element));
    return count() - 1;
  }

  std::string_view type() const override { return type_; }

  int count() const override { return static_cast<int>(elements_.size()); }

  int sides() const override { return 2; }

  int body(int element, int side) const override { return elements_[element].body[side]; }

  std::span<const int> inputs(int element) const override { return elements_[element].inputs; }

  Dependence dependence(int element, const InputDependence& inputs) const override {
    const Element& e = elements_[element];
    Dependence d{.positions = true};  // the lever arms
    for (const Expression& component : e.force) d |= dependence_of(component, e.inputs, inputs);
    return d;
  }

  std::vector<const Expression*> formulas(int element) const override {
    std::vector<const Expression*> list;
    for (const Expression& component : elements_[element].force) list.push_back(&component);
    return list;
  }

  void add_Q(const Motion& at, const Inputs& inputs, View out) const override {
    for (const Element& e : elements_) {
      const State s(e, at.config());
      const Vec<D> F = force(e, s, at.t, inputs);
      for (int i = 0; i < 2; ++i)
        if (e.body[i] >= 0)
          Eigen::Map<Vec<N>>(out.data() + std::ptrdiff_t{e.body[i]} * N) += side_force(s, i, F);
    }
  }

  void add_Q_q(const Motion& at, const Inputs& inputs, double c, Blocks out) const override {
    for (int k = 0; k < count(); ++k) {
      const Element& e = elements_[k];
      const State s(e, at.config());
      const auto blocks = slopes(e, s, force(e, s, at.t, inputs));
      for (int b = 0; b < 4; ++b)
        if (const Slot slot = out.slots[4 * k + b])
          block_at<N, N>(out.values, slot) += c * blocks[b];
    }
  }

  void add_Q_v(const Motion&, const Inputs&, double, Blocks) const override {}

  void Q_input(const Motion& at,
               const Inputs& inputs,
               int element,
               int k,
               View dQ_value,
               View dQ_rate) const override {
    const Element& e = elements_[element];
    const State s(e, at.config());
    FormulaPoint point(at.t, 0, 0, e.inputs, inputs);
    Vec<D> to_value, to_rate;
    for (int r = 0; r < D; ++r) {
      const auto slope = point.input_slope(e.force[r], k);
      to_value[r] = slope.measure;
      to_rate[r] = slope.rate;
    }
    for (int i = 0; i < 2; ++i) {
      Eigen::Map<Vec<N>>(dQ_value.data() + i * N) = side_force(s, i, in_ground(e, s, to_value));
      Eigen::Map<Vec<N>>(dQ_rate.data() + i * N) = side_force(s, i, in_ground(e, s, to_rate));
    }
  }

  void condition_values(const Motion& at, const Inputs& inputs, View out) const override {
    for (const Element& e : elements_)
      for (const Expression& component : e.force)
        FormulaPoint(at.t, 0, 0, e.inputs, inputs).condition_values(component, out);
  }

  double potential(const Config& at) const override {
    double sum = 0;
    for (const Element& e : elements_) {
      const State s(e, at);
      for (int i = 0; i < 2; ++i)
        if (e.body[i] >= 0) sum -= sign(i) * e.constant.dot(s.pose[i].r + s.p[i]);
    }
    return sum;
  }

  double power(const Motion& at, const Inputs& inputs) const override {
    double sum = 0;
    for (const Element& e : elements_) {
      const State s(e, at.config());
      const Vec<D> F = force(e, s, at.t, inputs) - e.constant;
      for (int i = 0; i < 2; ++i) {
        const Twist<D> twist = twist_of<D>(s.pose[i], at.v, e.body[i]);
        sum += sign(i) * F.dot(twist.u + cross(twist.w, s.p[i]));
      }
    }
    return sum;
  }

  double dissipation(const Motion&, const Inputs&) const override { return 0; }

  // Of Q v, without the constant components: Q_q^T v and Q.
  void add_power_slopes(const Motion& at,
                        const Inputs& inputs,
                        const PowerSlopes& out) const override {
    for (const Element& e : elements_) {
      const State s(e, at.config());
      const Vec<D> F = force(e, s, at.t, inputs) - e.constant;
      const auto blocks = slopes(e, s, F);
      for (int i = 0; i < 2; ++i) {
        if (e.body[i] < 0) continue;
        const auto first = std::ptrdiff_t{e.body[i]} * N;
        Eigen::Map<Vec<N>>(out.applied_v.data() + first) += side_force(s, i, F);
        const Eigen::Map<const Vec<N>> v(at.v.data() + first);
        for (int j = 0; j < 2; ++j)
          if (e.body[j] >= 0)
            Eigen::Map<Vec<N>>(out.applied_q.data() + std::ptrdiff_t{e.body[j]} * N) +=
                blocks[2 * i + j].transpose() * v;
      }
    }
  }

  std::span<const std::string_view> outputs() const override {
    static constexpr std::array<std::string_view, 3> names{"fx", "fy", "fz"};
    return {names.data(), D};
  }

  std::span<const std::string_view> output_units() const override {
    static constexpr std::array<std::string_view, 3> units{"N", "N", "N"};
    return {units.data(), D};
  }

  void output(const Motion& at, const Inputs& inputs, int element, View out) const override {
    const Element& e = elements_[element];
    Eigen::Map<Vec<D>>(out.data()) = force(e, State(e, at.config()), at.t, inputs);
  }

  int components() const override { return D; }

  int output_of(int component) const override { return component; }

  void unit_force(const Motion& at, int element, int component, View Q) const override {
    const State s(elements_[element], at.config());
    for (int i = 0; i < 2; ++i)
      Eigen::Map<Vec<N>>(Q.data() + i * N) = side_force(s, i, Vec<D>::Unit(component));
  }

 private:
  struct State {
    std::array<Pose<D>, 2> pose;
    std::array<Vec<D>, 2> p;

    State(const Element& e, const Config& at) {
      for (int i = 0; i < 2; ++i) {
        pose[i] = pose_of<D>(at, e.body[i]);
        p[i] = arm(pose[i], e.s[i]);
      }
    }
  };

  static double sign(int side) { return side == 0 ? -1 : 1; }

  static Vec<D> in_ground(const Element& e, const State& s, const Vec<D>& F) {
    return e.body_fixed ? arm(s.pose[1], F) : F;
  }

  static Vec<D> force(const Element& e, const State& s, double t, const Inputs& inputs) {
    const FormulaPoint point(t, 0, 0, e.inputs, inputs);
    Vec<D> F;
    for (int r = 0; r < D; ++r) F[r] = point.value(e.force[r]);
    return in_ground(e, s, F);
  }

  static Vec<N> side_force(const State& s, int side, const Vec<D>& F) {
    Vec<N> Q;
    Q.template head<D>() = sign(side) * F;
    Q.template tail<W>() =
        sign(side) * turn_columns(Mat<1, D>(F.transpose()), s.pose[side], s.p[side]).transpose();
    return Q;
  }

  static std::array<Mat<N, N>, 4> slopes(const Element& e, const State& s, const Vec<D>& F) {
    std::array<Mat<N, N>, 4> blocks;
    for (auto& block : blocks) block.setZero();
    for (int i = 0; i < 2; ++i) {
      blocks[3 * i].template bottomRightCorner<W, W>() +=
          sign(i) * turn_curvature(s.pose[i], s.p[i], F);
      if (!e.body_fixed) continue;
      const Mat<D, W> F_q = turn_columns(Mat<D, D>(Mat<D, D>::Identity()), s.pose[1], F);
      for (int w = 0; w < W; ++w)
        blocks[2 * i + 1].col(D + w) += side_force(s, i, Vec<D>(F_q.col(w)));
    }
    return blocks;
  }

  std::string_view type_;
  std::vector<Element> elements_;
};

}  // namespace cardan
