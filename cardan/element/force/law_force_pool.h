#pragma once
// Forces that follow a law of what a primitive measures: springs of a length or an angle, torques,
// bushings. With the measure y(q) of pair.h, J = y_q and the law f(y, y', t, requests) of each row:
//   Q = -J^T f,   Q_q = -(J^T f)_q - J^T (f_y J + f_rate (J v)_q),   Q_v = -J^T f_rate J.
// Where a length is zero its direction is undefined: the force is zero, and Q_q is that of a spring
// of slope f_y in all directions, which is exact when the force vanishes with the length.
#include <algorithm>
#include <utility>

#include "cardan/element/element_pool.h"
#include "cardan/element/force/force_law.h"
#include "cardan/element/force/unit_force.h"

namespace cardan {

// Forces of which one number is the load of something else: the friction of compliant contacts.
class LoadPool : public ForcePool {
 public:
  // The force shown of an element of one row, and its slopes along increments and velocities of its sides,
  // n_v numbers each, overwritten.
  virtual double load_slopes(
      const Motion&, const Inputs&, int element, View load_q, View load_v) const = 0;

  virtual std::span<const ForceLaw> laws(int element) const = 0;  // one for each row
  // What the law of a row is a function of, and its rate.
  virtual std::pair<double, double> measure_of(const Motion&, int element, int row) const = 0;
};

template <class P> class LawForcePool final : public LoadPool, public UnitForces {
 public:
  static constexpr int D = P::D, N = n_v<D>, R = P::rows, S = P::sides;

  struct Element {
    Pair<P> pair;
    std::array<ForceLaw, R> laws;
    std::vector<int> inputs;
  };

  // What the user sees: measure, rate and force (three outputs of one row), the force alone (one
  // output), or measures and forces of all rows. shown_sign -1 shows the force on end 1 along the
  // measure instead of the resistance.
  struct Shown {
    std::span<const std::string_view> names, units;
    double sign = 1;
  };

  LawForcePool(std::string_view type, const Shown& shown) : type_(type), shown_(shown) {}

  int add(Element element) {
    for (const ForceLaw& law : element.laws) {
      powered_ = powered_ || law.powered();
      loses_ = loses_ || law.loses();
    }
    elements_.push_back(std::move(element));
    return count() - 1;
  }

  std::string_view type() const override { return type_; }

  int count() const override { return static_cast<int>(elements_.size()); }

  const Element& element(int k) const { return elements_[static_cast<std::size_t>(k)]; }

  int sides() const override { return S; }

  int body(int element, int side) const override { return elements_[element].pair.body[side]; }

  std::span<const int> inputs(int element) const override { return elements_[element].inputs; }

  // The direction in which the law acts follows the bodies.
  Dependence dependence(int element, const InputDependence& inputs) const override {
    const Element& e = elements_[element];
    Dependence d{.positions = true};
    for (const ForceLaw& law : e.laws) d |= law.dependence(e.inputs, inputs);
    return d;
  }

  std::vector<const Expression*> formulas(int element) const override {
    std::vector<const Expression*> list;
    for (const ForceLaw& law : elements_[element].laws)
      if (law.active) list.push_back(&law.actuator);
    return list;
  }

  [[gnu::flatten]] void add_Q(const Motion& at, const Inputs& inputs, View out) const override {
    for (const Element& e : elements_) {
      const State s(e, at);
      Vec<R> f;
      for (int r = 0; r < R; ++r) {
        FormulaPoint point(at.t, s.y[r], s.rate[r], e.inputs, inputs);
        f[r] = e.laws[r].force(s.y[r], s.rate[r], point);
      }
      for (int i = 0; i < S; ++i)
        if (e.pair.body[i] >= 0) body_segment(out, e.pair.body[i]) -= s.J[i].transpose() * f;
    }
  }

  void add_Q_q(const Motion& at, const Inputs& inputs, double c, Blocks out) const override {
    for (int k = 0; k < count(); ++k) {
      const Element& e = elements_[k];
      const State s(e, at);
      const auto law = laws(e, s, at.t, inputs);
      auto blocks = e.pair.phi_qT_lambda_q(s.poses, resistance(law));
      const Row rate_q = s.rate_q(e, at);
      for (int i = 0; i < S; ++i)
        for (int j = 0; j < S; ++j)
          for (int r = 0; r < R; ++r)
            blocks[i * S + j] += s.J[i].row(r).transpose() *
                                 (law[r].f_y * s.J[j].row(r) + law[r].f_rate * rate_q[j].row(r));
      if constexpr (std::is_same_v<P, Length<D>>)
        if (s.y[0] == 0) add_central_stiffness(e, s, law[0].f_y, blocks);
      add(blocks, k, -c, out);
    }
  }

  void add_Q_v(const Motion& at, const Inputs& inputs, double c, Blocks out) const override {
    for (int k = 0; k < count(); ++k) {
      const Element& e = elements_[k];
      const State s(e, at);
      const auto law = laws(e, s, at.t, inputs);
      Square blocks;
      for (int i = 0; i < S; ++i)
        for (int j = 0; j < S; ++j) {
          blocks[i * S + j].setZero();
          for (int r = 0; r < R; ++r)
            blocks[i * S + j] += law[r].f_rate * s.J[i].row(r).transpose() * s.J[j].row(r);
        }
      add(blocks, k, -c, out);
    }
  }

  void Q_input(const Motion& at,
               const Inputs& inputs,
               int element,
               int k,
               View dQ_value,
               View dQ_rate) const override {
    const Element& e = elements_[element];
    const State s(e, at);
    Vec<R> to_value, to_rate;
    for (int r = 0; r < R; ++r) {
      FormulaPoint point(at.t, s.y[r], s.rate[r], e.inputs, inputs);
      const auto slope = point.input_slope(e.laws[r].actuator, k);
      to_value[r] = e.laws[r].actuator_sign * slope.measure;
      to_rate[r] = e.laws[r].actuator_sign * slope.rate;
    }
    for (int i = 0; i < S; ++i) {
      body_segment(dQ_value, i) = -s.J[i].transpose() * to_value;
      body_segment(dQ_rate, i) = -s.J[i].transpose() * to_rate;
    }
  }

  void condition_values(const Motion& at, const Inputs& inputs, View out) const override {
    for (const Element& e : elements_) {
      if (std::none_of(e.laws.begin(), e.laws.end(), [](const ForceLaw& l) { return l.located(); }))
        continue;
      const State s(e, at);
      for (int r = 0; r < R; ++r)
        e.laws[r].condition_values(
            s.y[r], s.rate[r], FormulaPoint(at.t, s.y[r], s.rate[r], e.inputs, inputs), out);
    }
  }

  double potential(const Config& at) const override {
    double sum = 0;
    for (const Element& e : elements_) {
      const Vec<R> y = measure(e, poses_of<D>(at, e.pair.body), at.q);
      for (int r = 0; r < R; ++r) sum += e.laws[r].potential(y[r]);
    }
    return sum;
  }

  double power(const Motion& at, const Inputs& inputs) const override {
    if (!powered_) return 0;
    return sum_rows(at, inputs, [](const ForceLaw& law, const ForceLaw::Value& f, double rate) {
      return -(f.damped + (law.stored ? 0 : f.active)) * rate;
    });
  }

  double dissipation(const Motion& at, const Inputs& inputs) const override {
    if (!loses_) return 0;
    return sum_rows(at, inputs, [](const ForceLaw&, const ForceLaw::Value& f, double rate) {
      return f.damped * rate;
    });
  }

  // Of -f_active y', but for actuators with a potential, and f_damped y'.
  void add_power_slopes(const Motion& at,
                        const Inputs& inputs,
                        const PowerSlopes& out) const override {
    for (const Element& e : elements_) {
      const State s(e, at);
      const Row rate_q = s.rate_q(e, at);
      for (int r = 0; r < R; ++r) {
        FormulaPoint point(at.t, s.y[r], s.rate[r], e.inputs, inputs);
        const ForceLaw::Parts f = e.laws[r].parts(s.y[r], s.rate[r], point);
        const double active_rate = f.active + f.active_rate * s.rate[r],
                     damped_rate = f.damped + f.damped_rate * s.rate[r];
        for (int i = 0; i < S; ++i) {
          const int b = e.pair.body[i];
          if (b < 0) continue;
          const Vec<N> J = s.J[i].row(r).transpose(), turn = rate_q[i].row(r).transpose();
          body_segment(out.applied_q, b) -= f.active_y * s.rate[r] * J + active_rate * turn;
          body_segment(out.applied_v, b) -= active_rate * J;
          body_segment(out.dissipated_q, b) += f.damped_y * s.rate[r] * J + damped_rate * turn;
          body_segment(out.dissipated_v, b) += damped_rate * J;
        }
      }
    }
  }

  double load_slopes(const Motion& at,
                     const Inputs& inputs,
                     int element,
                     View load_q,
                     View load_v) const override {
    const Element& e = elements_[element];
    const State s(e, at);
    const auto law = laws(e, s, at.t, inputs);
    const Row rate_q = s.rate_q(e, at);
    for (int i = 0; i < S; ++i) {
      const Vec<N> J = s.J[i].row(0).transpose(), turn = rate_q[i].row(0).transpose();
      body_segment(load_q, i) = shown_.sign * (law[0].f_y * J + law[0].f_rate * turn);
      body_segment(load_v, i) = shown_.sign * law[0].f_rate * J;
    }
    return shown_.sign * law[0].total();
  }

  std::span<const ForceLaw> laws(int element) const override { return elements_[element].laws; }

  std::pair<double, double> measure_of(const Motion& at, int element, int row) const override {
    const State s(elements_[element], at);
    return {s.y[row], s.rate[row]};
  }

  std::span<const std::string_view> outputs() const override { return shown_.names; }

  std::span<const std::string_view> output_units() const override { return shown_.units; }

  void output(const Motion& at, const Inputs& inputs, int element, View out) const override {
    const Element& e = elements_[element];
    const State s(e, at);
    const Vec<R> force = shown_.sign * resistance(laws(e, s, at.t, inputs));
    if constexpr (R == 1) {
      if (out.size() == 3) {
        out[0] = s.y[0];
        out[1] = s.rate[0];
      }
      out.back() = force[0];
    } else {
      Eigen::Map<Vec<R>>(out.data()) = s.y;
      Eigen::Map<Vec<R>>(out.data() + R) = force;
    }
  }

  int components() const override { return R; }

  int output_of(int component) const override {
    return R == 1 ? static_cast<int>(shown_.names.size()) - 1 : R + component;
  }

  void unit_force(const Motion& at, int element, int component, View Q) const override {
    const State s(elements_[element], at);
    for (int i = 0; i < S; ++i)
      body_segment(Q, i) = -shown_.sign * s.J[i].row(component).transpose();
  }

 private:
  using Poses = std::array<Pose<D>, S>;
  using Row = std::array<Mat<R, N>, S>;
  using Square = std::array<Mat<N, N>, std::size_t{S} * S>;
  using Laws = std::array<ForceLaw::Value, R>;

  struct State {
    Poses poses;
    Vec<R> y, rate;
    Row J;

    State(const Element& e, const Motion& at) : poses(poses_of<D>(at.config(), e.pair.body)) {
      y = measure(e, poses, at.q);
      J = e.pair.phi_q(poses);
      rate.setZero();
      for (int i = 0; i < S; ++i) {
        const int b = e.pair.body[i];
        if (b >= 0) rate += J[i] * Eigen::Map<const Vec<N>>(at.v.data() + std::ptrdiff_t{b} * N);
      }
    }

    Row rate_q(const Element& e, const Motion& at) const {
      return e.pair.phi_q_a_q(poses, twists_of<D>(poses, at.v, e.pair.body));
    }
  };

  static Vec<R> measure(const Element& e, const Poses& poses, CView q) {
    Vec<R> y = e.pair.phi(poses);
    if constexpr (Unwinds<Pair<P>>) e.pair.unwind(poses, q, y);
    return y;
  }

  static Eigen::Map<Vec<N>> body_segment(View out, int b) {
    return Eigen::Map<Vec<N>>(out.data() + std::ptrdiff_t{b} * N);
  }

  static Laws laws(const Element& e, const State& s, double t, const Inputs& inputs) {
    Laws out;
    for (int r = 0; r < R; ++r) {
      FormulaPoint point(t, s.y[r], s.rate[r], e.inputs, inputs);
      out[r] = e.laws[r].at(s.y[r], s.rate[r], point);
    }
    return out;
  }

  static Vec<R> resistance(const Laws& laws) {
    Vec<R> f;
    for (int r = 0; r < R; ++r) f[r] = laws[r].total();
    return f;
  }

  static void add_central_stiffness(const Element& e,
                                    const State& s,
                                    double slope,
                                    Square& blocks) {
    Pair<Coincident<D>> points;
    points.primitive.s = e.pair.primitive.s;
    const auto J = points.phi_q(s.poses);
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S; ++j) blocks[i * S + j] += slope * J[i].transpose() * J[j];
  }

  void add(const Square& blocks, int e, double c, Blocks out) const {
    for (int k = 0; k < S * S; ++k)
      if (const Slot slot = out.slots[e * S * S + k])
        block_at<N, N>(out.values, slot) += c * blocks[k];
  }

  template <class F> double sum_rows(const Motion& at, const Inputs& inputs, F&& term) const {
    double sum = 0;
    for (const Element& e : elements_) {
      const State s(e, at);
      const auto law = laws(e, s, at.t, inputs);
      for (int r = 0; r < R; ++r) sum += term(e.laws[r], law[r], s.rate[r]);
    }
    return sum;
  }

  std::string_view type_;
  Shown shown_;
  std::vector<Element> elements_;
  bool powered_ = false, loses_ = false;
};

}  // namespace cardan
