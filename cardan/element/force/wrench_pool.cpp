#include "cardan/element/force/wrench_pool.h"

namespace cardan {
namespace {

Mat<3, 3> cross_matrix(const Vec<3>& a) {
  Mat<3, 3> out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

using Both = std::array<Vec<6>, 2>;

}  // namespace

struct WrenchPool::State {
  std::array<Pose<3>, 2> pose;
  Vec<3> p, c;

  State(const Element& e, const Config& at) : pose(poses_of<3>(at, e.body)) {
    p = arm(pose[1], e.s);
    c = pose[1].r + p - pose[0].r;
  }

  // Components to ground axes.
  Vec<6> turned(const Element& e, const Vec<6>& local) const {
    if (e.frame == ForceFrame::global) return local;
    const Mat<3, 3> A = pose[e.frame == ForceFrame::second ? 1 : 0].A * e.axes;
    Vec<6> out;
    out << A * local.head<3>(), A * local.tail<3>();
    return out;
  }

  Vec<6> wrench(const Element& e, double t, const Inputs& inputs) const {
    return turned(e, components(e, t, inputs));
  }

  Vec<6> wrench_without_potential(const Element& e, double t, const Inputs& inputs) const {
    return turned(e, components(e, t, inputs) - e.constant);
  }

  static Vec<6> components(const Element& e, double t, const Inputs& inputs) {
    const FormulaPoint point(t, 0, 0, e.inputs, inputs);
    Vec<6> local;
    for (int r = 0; r < 6; ++r) local[r] = point.value(e.wrench[static_cast<std::size_t>(r)]);
    return local;
  }

  Both forces(const Vec<6>& w) const {
    const Vec<3> F = w.head<3>(), T = w.tail<3>();
    Both Q;
    Q[0] << -F, -pose[0].A.transpose() * (c.cross(F) + T);
    Q[1] << F, pose[1].A.transpose() * (p.cross(F) + T);
    return Q;
  }

  // Of the forces by a wrench w, side by side; its components turn with their axes.
  std::array<Mat<6, 6>, 4> slopes(const Element& e, const Vec<6>& w) const {
    const Vec<3> F = w.head<3>(), T = w.tail<3>();
    const Mat<3, 3>&A0 = pose[0].A, &A1 = pose[1].A;
    std::array<Mat<6, 6>, 4> blocks;
    for (auto& block : blocks) block.setZero();
    const Mat<3, 3> lever = A0.transpose() * cross_matrix(F);  // moment per shift of the point
    blocks[0].bottomLeftCorner<3, 3>() = -lever;
    blocks[0].bottomRightCorner<3, 3>() = -cross_matrix(A0.transpose() * (c.cross(F) + T));
    blocks[1].bottomLeftCorner<3, 3>() = lever;
    blocks[1].bottomRightCorner<3, 3>() = -lever * cross_matrix(p) * A1;
    blocks[3].bottomRightCorner<3, 3>() =
        turn_curvature(pose[1], p, F) + cross_matrix(A1.transpose() * T);
    if (e.frame != ForceFrame::global) {
      const int turning = e.frame == ForceFrame::second ? 1 : 0;
      for (int column = 0; column < 3; ++column) {
        const Vec<3> axis = pose[static_cast<std::size_t>(turning)].A.col(column);
        Vec<6> change;
        change << axis.cross(F), axis.cross(T);
        const Both Q = forces(change);
        for (int i = 0; i < 2; ++i)
          blocks[static_cast<std::size_t>(2 * i + turning)].col(3 + column) +=
              Q[static_cast<std::size_t>(i)];
      }
    }
    return blocks;
  }
};

int WrenchPool::add(Element element) {
  const bool carried = element.frame == ForceFrame::first ||
                       (element.frame == ForceFrame::global && element.body[0] < 0);
  for (std::size_t r = 0; r < 3 && carried; ++r)
    if (element.wrench[r].constant())
      element.constant[static_cast<int>(r)] = element.wrench[r].value({});
  elements_.push_back(std::move(element));
  return count() - 1;
}

double WrenchPool::potential(const Config& at) const {
  double sum = 0;
  for (const Element& e : elements_) {
    const State s(e, at);
    sum -= s.turned(e, e.constant).head<3>().dot(s.c);
  }
  return sum;
}

void WrenchPool::add_Q(const Motion& at, const Inputs& inputs, View out) const {
  for (const Element& e : elements_) {
    const State s(e, at.config());
    const Both Q = s.forces(s.wrench(e, at.t, inputs));
    for (std::size_t i = 0; i < 2; ++i)
      if (e.body[i] >= 0) Eigen::Map<Vec<6>>(out.data() + std::ptrdiff_t{e.body[i]} * 6) += Q[i];
  }
}

void WrenchPool::add_Q_q(const Motion& at, const Inputs& inputs, double c, Blocks out) const {
  for (int k = 0; k < count(); ++k) {
    const Element& e = elements_[static_cast<std::size_t>(k)];
    const State s(e, at.config());
    const auto blocks = s.slopes(e, s.wrench(e, at.t, inputs));
    for (std::size_t b = 0; b < 4; ++b)
      if (const Slot slot = out.slots[4 * static_cast<std::size_t>(k) + b])
        block_at<6, 6>(out.values, slot) += c * blocks[b];
  }
}

// Of Q v, without the constant components: Q_q^T v and Q.
void WrenchPool::add_power_slopes(const Motion& at,
                                  const Inputs& inputs,
                                  const PowerSlopes& out) const {
  for (const Element& e : elements_) {
    const State s(e, at.config());
    const Vec<6> w = s.wrench_without_potential(e, at.t, inputs);
    const Both Q = s.forces(w);
    const auto blocks = s.slopes(e, w);
    for (std::size_t i = 0; i < 2; ++i) {
      if (e.body[i] < 0) continue;
      const auto first = std::ptrdiff_t{e.body[i]} * 6;
      Eigen::Map<Vec<6>>(out.applied_v.data() + first) += Q[i];
      const Eigen::Map<const Vec<6>> v(at.v.data() + first);
      for (std::size_t j = 0; j < 2; ++j)
        if (e.body[j] >= 0)
          Eigen::Map<Vec<6>>(out.applied_q.data() + std::ptrdiff_t{e.body[j]} * 6) +=
              blocks[2 * i + j].transpose() * v;
    }
  }
}

void WrenchPool::Q_input(
    const Motion& at, const Inputs& inputs, int element, int k, View dQ_value, View dQ_rate) const {
  const Element& e = elements_[static_cast<std::size_t>(element)];
  const State s(e, at.config());
  FormulaPoint point(at.t, 0, 0, e.inputs, inputs);
  Vec<6> to_value, to_rate;
  for (int r = 0; r < 6; ++r) {
    const auto slope = point.input_slope(e.wrench[static_cast<std::size_t>(r)], k);
    to_value[r] = slope.measure;
    to_rate[r] = slope.rate;
  }
  const Both value = s.forces(s.turned(e, to_value)), rate = s.forces(s.turned(e, to_rate));
  for (std::size_t i = 0; i < 2; ++i) {
    Eigen::Map<Vec<6>>(dQ_value.data() + 6 * i) = value[i];
    Eigen::Map<Vec<6>>(dQ_rate.data() + 6 * i) = rate[i];
  }
}

std::vector<const Expression*> WrenchPool::formulas(int element) const {
  std::vector<const Expression*> list;
  for (const Expression& component : elements_[element].wrench) list.push_back(&component);
  return list;
}

Dependence WrenchPool::dependence(int element, const InputDependence& inputs) const {
  const Element& e = elements_[static_cast<std::size_t>(element)];
  Dependence d{.positions = true};  // the axes of the bodies
  for (const Expression& component : e.wrench) d |= dependence_of(component, e.inputs, inputs);
  return d;
}

void WrenchPool::condition_values(const Motion& at, const Inputs& inputs, View out) const {
  for (const Element& e : elements_) {
    const FormulaPoint point(at.t, 0, 0, e.inputs, inputs);
    for (const Expression& component : e.wrench) point.condition_values(component, out);
  }
}

double WrenchPool::power(const Motion& at, const Inputs& inputs) const {
  double sum = 0;
  for (const Element& e : elements_) {
    const State s(e, at.config());
    const Both Q = s.forces(s.wrench_without_potential(e, at.t, inputs));
    for (std::size_t i = 0; i < 2; ++i)
      if (e.body[i] >= 0)
        sum += Q[i].dot(Eigen::Map<const Vec<6>>(at.v.data() + std::ptrdiff_t{e.body[i]} * 6));
  }
  return sum;
}

namespace {

constexpr std::string_view names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
constexpr std::string_view units[] = {"N", "N", "N", "N*m", "N*m", "N*m"};

}  // namespace

std::span<const std::string_view> WrenchPool::outputs() const {
  return std::span(names).subspan(torque_ ? 3 : 0);
}

std::span<const std::string_view> WrenchPool::output_units() const {
  return std::span(units).subspan(torque_ ? 3 : 0);
}

void WrenchPool::output(const Motion& at, const Inputs& inputs, int element, View out) const {
  const Element& e = elements_[static_cast<std::size_t>(element)];
  const Vec<6> w = State(e, at.config()).wrench(e, at.t, inputs);
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = w[static_cast<int>(torque_ ? r + 3 : r)];
}

void WrenchPool::unit_force(const Motion& at, int element, int component, View Q) const {
  const Element& e = elements_[static_cast<std::size_t>(element)];
  const Both both = State(e, at.config()).forces(Vec<6>::Unit(torque_ ? component + 3 : component));
  for (int i = 0; i < 2; ++i)
    Eigen::Map<Vec<6>>(Q.data() + i * 6) = both[static_cast<std::size_t>(i)];
}

}  // namespace cardan
