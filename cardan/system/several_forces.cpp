#include "cardan/system/several_forces.h"

#include <algorithm>

#include "cardan/element/force/gravity_pool.h"
#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/planar/planar_primitive.h"
#include "cardan/system/applied_forces.h"

namespace cardan {

namespace {

using SpringsOfPlane = LawForcePool<Length<2>>;
using TorquesOfPlane = LawForcePool<Angle>;

// Linear in the measure and its rate, and what is added follows time at most.
bool has_pack_form(const ForceLaw& law, std::span<const int> inputs) {
  if (law.spring != nullptr || law.damper != nullptr || law.onset > 0 || !inputs.empty())
    return false;
  return !law.active ||
         (!law.actuator.uses(1) && !law.actuator.uses(2) && law.actuator.conditions() == 0);
}

template <class Pool> bool all_have_pack_form(const Pool& pool) {
  for (int e = 0; e < pool.count(); ++e)
    if (!has_pack_form(pool.element(e).laws[0], pool.element(e).inputs)) return false;
  return true;
}

}  // namespace

SeveralForces::SeveralForces(const System& system)
    : system_(system),
      reads_requests_(AppliedForces(system).reads_requests()),
      weights_(static_cast<std::size_t>(system.v_size()), 0.0),
      one_q_(static_cast<std::size_t>(system.q_size())),
      one_v_(static_cast<std::size_t>(system.v_size())) {
  if (system.space() != Space::planar || reads_requests_) return;
  for (int p = 0; p < system.force_set().pool_count(); ++p) {
    const ForcePool& pool = system.force_set().pool(p);
    if (dynamic_cast<const GravityPool*>(&pool) != nullptr) {
      const Workspace work = system.workspace();
      pool.add_Q(system.motion(0, one_q_, one_v_, work), system.inputs(work), weights_);
    } else if (!add_springs(pool) && !add_torques(pool)) {
      others_.push_back(&pool);
    }
  }
}

SeveralForces::Law SeveralForces::law_of(const ForceLaw& law) {
  Law out{law.stiffness, law.damping, law.free, -1};
  if (!law.active) return out;
  out.active = static_cast<int>(actives_.size());
  out.stored = law.stored;
  Active active{&law.actuator, law.actuator_sign, 0, !law.actuator.uses(0)};
  const double at_zero[] = {0, 0, 0};
  if (active.constant) active.value = active.sign * law.actuator.value(at_zero);
  active_changes_ = active_changes_ || !active.constant;
  actives_.push_back(active);
  return out;
}

bool SeveralForces::add_springs(const ForcePool& pool) {
  const auto* list = dynamic_cast<const SpringsOfPlane*>(&pool);
  if (list == nullptr || !all_have_pack_form(*list)) return false;
  for (int e = 0; e < list->count(); ++e) {
    const auto& element = list->element(e);
    Spring made{};
    for (std::size_t s = 0; s < 2; ++s) {
      made.body[s] = element.pair.body[s];
      made.x[s] = element.pair.primitive.s[s].x();
      made.y[s] = element.pair.primitive.s[s].y();
    }
    made.c = element.pair.primitive.c;
    made.law = law_of(element.laws[0]);
    springs_.push_back(made);
  }
  return true;
}

bool SeveralForces::add_torques(const ForcePool& pool) {
  const auto* list = dynamic_cast<const TorquesOfPlane*>(&pool);
  if (list == nullptr || !all_have_pack_form(*list)) return false;
  for (int e = 0; e < list->count(); ++e) {
    const auto& element = list->element(e);
    Torque made{};
    for (std::size_t s = 0; s < 2; ++s) {
      made.body[s] = element.pair.body[s];
      made.weight[s] = element.pair.primitive.turn_weight[s];
    }
    made.c = element.pair.primitive.c;
    made.law = law_of(element.laws[0]);
    torques_.push_back(made);
  }
  return true;
}

// ---- evaluation

void SeveralForces::evaluate_active(int width, const double* time, double* out) const {
  for (const Active& active : actives_)
    for (int l = 0; l < width; ++l) {
      const double x[] = {time[l], 0, 0};
      *out++ = active.constant ? active.value : active.sign * active.formula->value(x);
    }
}

std::vector<char> SeveralForces::angles_read() const {
  if (others()) return AppliedForces(system_).angles_read();
  std::vector<char> read(static_cast<std::size_t>(system_.body_count()), 0);
  for (const Torque& torque : torques_)
    for (const int b : torque.body)
      if (b >= 0 && torque.law.stiffness != 0) read[static_cast<std::size_t>(b)] = 1;
  return read;
}

void SeveralForces::evaluate_others(int width, const At& at, Workspace& work, double* Q) {
  const auto w = static_cast<std::size_t>(width), bodies = one_v_.size() / 3;
  for (std::size_t l = 0; l < w; ++l) {
    for (std::size_t k = 0; k < one_v_.size(); ++k) {
      one_q_[k] = at.q[k * w + l];
      one_v_[k] = at.v[k * w + l];
    }
    for (std::size_t k = 0; k < 2 * bodies; ++k) work.rotation[k] = at.rotation[k * w + l];
    std::fill(work.Q.begin(), work.Q.end(), 0.0);
    const Motion here = system_.motion(at.time[l], one_q_, one_v_, work);
    const Inputs read = system_.inputs(work);
    for (const ForcePool* pool : others_) pool->add_Q(here, read, work.Q);
    for (std::size_t k = 0; k < one_v_.size(); ++k) Q[k * w + l] = work.Q[k];
  }
}

}  // namespace cardan
