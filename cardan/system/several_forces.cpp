#include "cardan/system/several_forces.h"

#include <algorithm>
#include <cmath>

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
      one_q_(static_cast<std::size_t>(system.q_size())),
      one_v_(static_cast<std::size_t>(system.v_size())),
      constant_(static_cast<std::size_t>(system.v_size()), 0.0) {
  if (system.space() != Space::planar || reads_requests_) return;
  for (int p = 0; p < system.force_set().pool_count(); ++p) {
    const ForcePool& pool = system.force_set().pool(p);
    if (dynamic_cast<const GravityPool*>(&pool) != nullptr) {
      const Workspace work = system.workspace();
      pool.add_Q(system.motion(0, one_q_, one_v_, work), system.inputs(work), constant_);
    } else if (!add_springs(pool) && !add_torques(pool)) {
      others_.push_back(&pool);
    }
  }
  active_.resize(actives_.size());
}

SeveralForces::Law SeveralForces::law_of(const ForceLaw& law) {
  Law out{law.stiffness, law.damping, law.free, -1};
  if (!law.active) return out;
  out.active = static_cast<int>(actives_.size());
  actives_.push_back({&law.actuator, law.actuator_sign, !law.actuator.uses(0)});
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

template <int W> struct SeveralForces::Kernel {
  [[gnu::always_inline]] static inline Pack<W> at(const PackPlace* from, int k) {
    return load_pack<W>(from[k].number);
  }

  [[gnu::always_inline]] static inline void add(PackPlace* to, int k, const Pack<W>& x) {
    store_pack<W>(to[k].number, load_pack<W>(to[k].number) + x);
  }

  [[gnu::always_inline]] static inline Pack<W> force(const SeveralForces& of,
                                                     const Law& law,
                                                     const Pack<W>& measure,
                                                     const Pack<W>& rate) {
    Pack<W> f = law.stiffness * (measure - law.free) + law.damping * rate;
    if (law.active >= 0) f += at(of.active_.data(), law.active);
    return f;
  }

  [[gnu::always_inline]] static inline void spring(const SeveralForces& of,
                                                   const Spring& s,
                                                   const At& here,
                                                   PackPlace* Q) {
    Pack<W> d_x{}, d_y{}, r_x{}, r_y{}, arm_x[2]{}, arm_y[2]{};
    for (int i = 0; i < 2; ++i) {
      const double sign = i == 0 ? -1 : 1;
      const int b = s.body[i];
      if (b < 0) {
        d_x += sign * s.x[i];
        d_y += sign * s.y[i];
        continue;
      }
      const Pack<W> c = at(here.rotation, 2 * b), n = at(here.rotation, 2 * b + 1);
      arm_x[i] = c * s.x[i] - n * s.y[i];
      arm_y[i] = n * s.x[i] + c * s.y[i];
      const Pack<W> w = at(here.v, 3 * b + 2);
      d_x += sign * (at(here.q, 3 * b) + arm_x[i]);
      d_y += sign * (at(here.q, 3 * b + 1) + arm_y[i]);
      r_x += sign * (at(here.v, 3 * b) - w * arm_y[i]);
      r_y += sign * (at(here.v, 3 * b + 1) + w * arm_x[i]);
    }
    const Pack<W> squares = d_x * d_x + d_y * d_y;
    Pack<W> length;
    for (int l = 0; l < W; ++l) length[l] = __builtin_sqrt(squares[l]);
    const Pack<W> inverse = squares > 0.0 ? 1.0 / length : Pack<W>{};
    const Pack<W> u_x = d_x * inverse, u_y = d_y * inverse;
    const Pack<W> f = force(of, s.law, length - s.c, u_x * r_x + u_y * r_y);
    const Pack<W> f_x = f * u_x, f_y = f * u_y;
    for (int i = 0; i < 2; ++i) {
      const double sign = i == 0 ? 1 : -1;
      const int b = s.body[i];
      if (b < 0) continue;
      add(Q, 3 * b, sign * f_x);
      add(Q, 3 * b + 1, sign * f_y);
      add(Q, 3 * b + 2, sign * (arm_x[i] * f_y - arm_y[i] * f_x));
    }
  }

  [[gnu::always_inline]] static inline void torque(const SeveralForces& of,
                                                   const Torque& s,
                                                   const At& here,
                                                   PackPlace* Q) {
    Pack<W> measure = Pack<W>{} - s.c, rate{};
    for (int i = 0; i < 2; ++i) {
      if (s.body[i] < 0) continue;
      measure += s.weight[i] * at(here.q, 3 * s.body[i] + 2);
      rate += s.weight[i] * at(here.v, 3 * s.body[i] + 2);
    }
    const Pack<W> f = force(of, s.law, measure, rate);
    for (int i = 0; i < 2; ++i)
      if (s.body[i] >= 0) add(Q, 3 * s.body[i] + 2, -s.weight[i] * f);
  }

  [[gnu::always_inline]] static inline void all(const SeveralForces& of,
                                                const At& here,
                                                PackPlace* Q) {
    for (std::size_t k = 0; k < of.constant_.size(); ++k)
      store_pack<W>(Q[k].number, Pack<W>{} + of.constant_[k]);
    for (const Spring& s : of.springs_) spring(of, s, here, Q);
    for (const Torque& s : of.torques_) torque(of, s, here, Q);
  }
};

struct ForceCalls {
  CARDAN_EVERY_PROCESSOR static void of_4(const SeveralForces& of,
                                          const SeveralForces::At& at,
                                          PackPlace* Q) {
    SeveralForces::Kernel<4>::all(of, at, Q);
  }

  CARDAN_EVERY_PROCESSOR static void of_8(const SeveralForces& of,
                                          const SeveralForces::At& at,
                                          PackPlace* Q) {
    SeveralForces::Kernel<8>::all(of, at, Q);
  }
};

void SeveralForces::evaluate_active(int width, const PackPlace* time) {
  for (std::size_t k = 0; k < actives_.size(); ++k) {
    const Active& active = actives_[k];
    for (int l = 0; l < width; ++l) {
      const double x[] = {time->number[l], 0, 0};
      active_[k].number[l] =
          active.constant && l > 0 ? active_[k].number[0] : active.sign * active.formula->value(x);
    }
  }
}

void SeveralForces::evaluate(int width, const At& at, Workspace& work, PackPlace* Q) {
  evaluate_active(width, at.time);
  (width == 8 ? ForceCalls::of_8 : ForceCalls::of_4)(*this, at, Q);
  if (!others_.empty()) one_by_one(width, at, work, Q);
}

void SeveralForces::one_by_one(int width, const At& at, Workspace& work, PackPlace* Q) {
  const std::size_t bodies = one_v_.size() / 3;
  for (int l = 0; l < width; ++l) {
    for (std::size_t k = 0; k < one_v_.size(); ++k) {
      one_q_[k] = at.q[k].number[l];
      one_v_[k] = at.v[k].number[l];
    }
    for (std::size_t k = 0; k < 2 * bodies; ++k) work.rotation[k] = at.rotation[k].number[l];
    std::fill(work.Q.begin(), work.Q.end(), 0.0);
    const Motion here = system_.motion(at.time->number[l], one_q_, one_v_, work);
    const Inputs read = system_.inputs(work);
    for (const ForcePool* pool : others_) pool->add_Q(here, read, work.Q);
    for (std::size_t k = 0; k < one_v_.size(); ++k) Q[k].number[l] += work.Q[k];
  }
}

}  // namespace cardan
