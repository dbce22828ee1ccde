#pragma once
// Inside of the element makers: pools by type, and the geometry of an element's ends.
#include <cmath>
#include <numbers>

#include "cardan/element/constraint_set.h"
#include "cardan/element/element_pool.h"

namespace cardan {

template <class E>
Part ConstraintSet::add(std::string_view type,
                        const std::array<std::string_view, E::rows>& words,
                        E element,
                        FunctionPtr drive) {
  const bool driven = drive != nullptr;
  int k = 0;
  while (k < pool_count() && (pools_[k]->type() != type || driven_[k] != driven)) ++k;
  if (k == pool_count()) {
    pools_.push_back(std::make_unique<ElementPool<E>>(type, words, driven));
    driven_.push_back(driven);
  }
  auto& pool = dynamic_cast<ElementPool<E>&>(*pools_[k]);
  return {k, pool.add(std::move(element), std::move(drive))};
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
  return std::atan2(end.axis.y(), end.axis.x());
}

template <class E>
double pose_value(const E& element, CView q) {  // phi of a single equation in the given pose
  return element.phi(poses_of<E::D>({0, q}, element.body))[0];
}

template <class P> Pair<P> pair_of(P primitive, const ElementSpec& spec) {
  return {std::move(primitive), {spec.ends[0].body, spec.ends[1].body}};
}

using Maker = Made (*)(ConstraintSet&, const ElementSpec&, CView q);

struct MakerEntry {
  std::string_view type;
  Maker make;
};

// One table a file.
std::span<const MakerEntry> rolling_makers();  // gear, rack-and-pinion, rolling
std::span<const MakerEntry> cam_makers();      // point-on-curve, cam-flat, cam-cam

// In space; driven when there is a function of time.
Made make_spatial_measure(
    ConstraintSet&, std::string_view type, const ElementSpec&, CView q, const FunctionPtr& drive);
std::span<const std::string_view> spatial_driver_types();
std::span<const MakerEntry> spatial_link_makers();      // revolute-spherical, ...
std::span<const MakerEntry> spatial_wheel_makers();     // screw, gears, rolling
std::span<const MakerEntry> spatial_coupling_makers();  // coupler, point-on-curve
std::span<const MakerEntry> spatial_makers();           // revolute, spherical, universal, ...
std::span<const MakerEntry> embedded_makers();          // of planar models run in space

}  // namespace cardan
