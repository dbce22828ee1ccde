#pragma once
// Inside of the makers of measures and contacts. A measure is one class that says which pair of
// ends it evaluates and what its equation is called:
//   struct M {
//     static constexpr std::string_view pool, limit_pool;   // elements of one pool are alike
//     static constexpr EquationLabel label;
//     static auto pair(const ElementSpec&);
//   };
// From it follow the equation f - c(t) of a driver, f of a request, f - c of a stop, and the force
// of a compliant one.
#include "cardan/element/element_type.h"
#include "cardan/element/force/force_maker.h"
#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/maker.h"

namespace cardan {

template <class P>
ForcePart ForceSet::place_limit(std::string_view name, const Pair<P>& pair, const Limit& limit) {
  using Pool = LawForcePool<P>;
  static constexpr std::string_view names[] = {"measure", "rate", "force"},
                                    units[] = {"m", "m/s", "N"};
  ForceLaw law;
  law.stiffness = limit.stiffness;
  law.damping = limit.damping;
  law.onset = limit.onset;
  law.lower = limit.lower;
  law.upper = limit.upper;
  return place<Pool>(name, {pair, {law}, {}}, typename Pool::Shown{names, units, 1});
}

template <class P>
Part add_hard_limit(ConstraintSet& set,
                    std::string_view pool,
                    const EquationLabel& label,
                    Pair<P> pair,
                    double limit) {
  pair.primitive.c += limit;
  return set.add(pool, {label}, std::move(pair));
}

template <class M>
Made make_measure(ConstraintSet& set, const ElementSpec& spec, const FunctionPtr& drive) {
  return std::vector{set.add(M::pool, {M::label}, M::pair(spec), drive)};
}

template <class M> Part make_hard_limit(ConstraintSet& set, const ElementSpec& spec, double limit) {
  return add_hard_limit(set, M::limit_pool, M::label, M::pair(spec), limit);
}

template <class M>
ForcePart make_compliant_limit(ForceSet& set,
                               const ElementSpec& spec,
                               const ForceSet::Limit& limit) {
  return set.place_limit(M::limit_pool, M::pair(spec), limit);
}

template <class M> constexpr MeasureMaker measure_maker{make_measure<M>};
template <class M> constexpr LimitMaker limit_maker{make_hard_limit<M>, make_compliant_limit<M>};

// A measure of one space with its two makers. Its keys and texts are in measure_types.cpp.
struct MeasureRow {
  Measure measure;
  Geometry geometry;
  MeasureMaker make;
  LimitMaker limit;
};

std::vector<MeasureRow> planar_measures();
std::vector<MeasureRow> spatial_measures();

// Angular velocities, which only initial conditions have.
Made make_angular_velocity(ConstraintSet&, const ElementSpec&, const FunctionPtr&);
Made make_angular_velocity_body(ConstraintSet&, const ElementSpec&, const FunctionPtr&);

KeySpec sequence_key();  // of three angles in space

// How a limit acts: hard, or compliant when it has a stiffness.
std::vector<KeySpec> limit_keys(UnitKind);

}  // namespace cardan
