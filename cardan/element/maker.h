#pragma once
// Inside of the element makers: pools by type, and the geometry of an element's ends.
#include <cmath>
#include <numbers>

#include "cardan/element/constraint_set.h"
#include "cardan/element/element_pool.h"
#include "cardan/math/elementary.h"

namespace cardan {

template <class E>
Part ConstraintSet::add(std::string_view type,
                        const std::array<EquationLabel, E::rows>& labels,
                        E element,
                        FunctionPtr drive) {
  const bool driven = drive != nullptr;
  for (int k = 0; k < pool_count(); ++k)
    if (pools_[k]->type() == type && driven_[k] == driven)
      if (auto* pool = dynamic_cast<ElementPool<E>*>(pools_[k].get()))
        return {k, pool->add(std::move(element), std::move(drive))};
  auto pool = std::make_unique<ElementPool<E>>(type, labels, driven);
  const int added = pool->add(std::move(element), std::move(drive));
  pools_.push_back(std::move(pool));
  driven_.push_back(driven);
  return {pool_count() - 1, added};
}

template <int D> Vec<D> point_of(const ElementEnd& end) {
  return end.point.template head<D>();
}

template <int D> Vec<D> axis_of(const ElementEnd& end) {
  return end.axis.template head<D>().normalized();
}

// The frame of an end in space: f across, h along the axis, g = h x f.
struct EndFrame {
  Vec<3> x, f, g, h;

  explicit EndFrame(const ElementEnd& end) : x(end.point), h(end.axis.normalized()) {
    f = (end.across - h * h.dot(end.across)).normalized();
    g = h.cross(f);
  }
};

inline double axis_angle(const ElementEnd& end) {
  return elementary::atan2(end.axis.y(), end.axis.x());
}

template <class E>
double pose_value(const E& element, CView q) {  // phi of a single equation in the given pose
  return element.phi(poses_of<E::D>({0, q}, element.body))[0];
}

template <class P> Pair<P> pair_of(P primitive, const ElementSpec& spec) {
  return {std::move(primitive), {spec.ends[0].body, spec.ends[1].body}};
}

}  // namespace cardan
