// Elements by the names of their types.
#include "cardan/element/constraint_set.h"

#include <stdexcept>

#include <fmt/format.h>

#include "cardan/element/element_type.h"
#include "cardan/element/formula/formula.h"

namespace cardan {
namespace {

Space space_of(int dimension) {
  return dimension == 2 ? Space::planar : Space::spatial;
}

template <class M> const M& maker_of(Kind kind, std::string_view type, int dimension) {
  const ElementType* found = find_type(kind, type, space_of(dimension));
  const M* make = found != nullptr ? std::get_if<M>(&found->make) : nullptr;
  if (make == nullptr)
    throw std::invalid_argument(fmt::format("no {} of type '{}'", kind_name(kind), type));
  return *make;
}

const LimitMaker& limit_maker_of(std::string_view type, int dimension) {
  const bool stop = find_type(Kind::stop, type, space_of(dimension)) != nullptr;
  return maker_of<LimitMaker>(stop ? Kind::stop : Kind::contact, type, dimension);
}

}  // namespace

Made ConstraintSet::add_joint(std::string_view type, const ElementSpec& spec, CView q) {
  return maker_of<JointMaker>(Kind::joint, type, dimension_)(*this, spec, q);
}

Made ConstraintSet::add_driver(std::string_view type, const ElementSpec& spec) {
  if (spec.drive == nullptr) throw std::invalid_argument("a driver needs a function of time");
  return maker_of<MeasureMaker>(Kind::driver, type, dimension_).make(*this, spec, spec.drive);
}

Made ConstraintSet::add_measure(std::string_view type, const ElementSpec& spec) {
  return maker_of<MeasureMaker>(Kind::initial, type, dimension_).make(*this, spec, {});
}

Part ConstraintSet::add_limit(std::string_view type, const ElementSpec& spec, double c) {
  return limit_maker_of(type, dimension_).hard(*this, spec, c);
}

int ConstraintSet::adopt(std::unique_ptr<ConstraintPool> pool) {
  pools_.push_back(std::move(pool));
  driven_.push_back(false);
  return pool_count() - 1;
}

MadeForce ForceSet::add(std::string_view type, const ElementSpec& spec, CView q) {
  const ForceMaker make = maker_of<ForceMaker>(Kind::force, type, dimension_);
  if (spec.inputs.size() > max_formula_inputs)
    return ElementFault{
        "limit.formula-inputs", "a formula that names more than 32 requests", "at most 32", ""};
  return make(*this, spec, q);
}

ForcePart ForceSet::add_limit(std::string_view type, const ElementSpec& spec, const Limit& limit) {
  return limit_maker_of(type, dimension_).compliant(*this, spec, limit);
}

}  // namespace cardan
