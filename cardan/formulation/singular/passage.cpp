#include "cardan/formulation/singular/passage.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/partition.h"

namespace cardan {

namespace {

constexpr double steep =
    1.5;  // 1 / cos of the angle between the tangents chosen and those of a pose
constexpr double reach = 0.25;  // of the mechanism's size: how far a choice is kept

}  // namespace

// What is needed near a singular pose alone.
struct Passage::Machinery {
  explicit Machinery(MotionSolver& motion)
      : chart(motion),
        tangent(motion),
        crossing(motion),
        p(static_cast<std::size_t>(chart.freedoms())),
        r(p),
        q_0(static_cast<std::size_t>(motion.system().q_size())),
        d(static_cast<std::size_t>(motion.system().v_size())),
        shifted(q_0) {}

  Chart chart, tangent;
  SingularPoseInterpolator crossing;
  std::vector<double> p, r, q_0, d, shifted;
  bool chosen = false;
};

Passage::Passage(MotionSolver& motion) : motion_(motion), system_(motion.system()) {}

Passage::~Passage() = default;

Passage::Machinery& Passage::use() {
  if (m_ == nullptr) m_ = std::make_unique<Machinery>(motion_);
  return *m_;
}

Eval Passage::choose(double t, CView q, CView v) {
  Machinery& m = use();
  if (m.chosen) {
    system_.difference(q, m.q_0, m.d);
    if (system_.largest_move(m.d) < reach * system_.length()) return Eval::ok;
  }
  const double first = m.crossing.first_shift(v);
  for (const double s : {0.0, first, -first, 2 * first, -2 * first, 4 * first, -4 * first}) {
    for (std::size_t k = 0; k < m.d.size(); ++k) m.d[k] = s * v[k];
    system_.advance(q, m.d, m.shifted);
    if (motion_.linearise(t + s, m.shifted) != Eval::ok) continue;
    if (pivot_ratio(motion_) < (first > 0 ? SingularPoseInterpolator::clear_ratio : 0)) continue;
    m.chart.along(tangent_basis(motion_), q);
    std::copy(q.begin(), q.end(), m.q_0.begin());
    m.chosen = true;
    return Eval::ok;
  }
  return Eval::retry;
}

Eval Passage::motion(double t, CView q, CView v, EvaluatedState& out) {
  Machinery& m = use();
  if (across(t, q, v, out) == Eval::ok &&
      (m.crossing.crossed() ||
       (pivot_ratio(motion_) >= crossing_ratio && m.chart.stretch() < steep)))
    return Eval::ok;
  return beside(t, q, v, out);
}

Eval Passage::across(double t, CView q, CView v, EvaluatedState& out) {
  if (const Eval e = choose(t, q, v); e != Eval::ok) return e;
  Machinery& m = use();
  m.chart.coordinates(q, m.p);
  m.chart.rates(q, v, m.r);
  return m.chart.motion({t, m.p, m.r, q}, v, m.crossing, out);
}

Eval Passage::beside(double t, CView q, CView v, EvaluatedState& out) {
  if (const Eval e = motion_.linearise(t, q); e != Eval::ok) return e;
  Machinery& m = use();
  m.tangent.along(tangent_basis(motion_), q);
  m.tangent.coordinates(q, m.p);
  m.tangent.rates(q, v, m.r);
  return m.tangent.motion({t, m.p, m.r, q}, out);
}

Eval Passage::pose(double t, CView q, CView v, double s, View out) {
  if (const Eval e = choose(t, q, v); e != Eval::ok) return e;
  Machinery& m = use();
  m.chart.coordinates(q, m.p);
  m.chart.rates(q, v, m.r);
  for (std::size_t j = 0; j < m.p.size(); ++j) m.p[j] += s * m.r[j];
  for (std::size_t k = 0; k < m.d.size(); ++k) m.d[k] = s * v[k];
  system_.advance(q, m.d, out);
  return m.chart.positions(t + s, m.p, out, s == 0);
}

void Passage::serialize(Archive& archive) {
  bool chosen = m_ != nullptr && m_->chosen;
  archive.io(chosen);
  if (!chosen) return;
  Machinery& m = use();
  m.chosen = true;
  m.chart.serialize(archive);
  archive.io(m.q_0);
}

}  // namespace cardan
