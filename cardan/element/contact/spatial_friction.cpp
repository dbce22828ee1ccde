// Friction in space. The frame (f, g, h) of side 0 is f across, h along the axis; x_1 is the point
// of side 1. Unit tangents t at the place where the bodies touch give a force t on body 1, its
// opposite on body 0, both with their moments about the mass centres, in body axes.
//   shift         x_1, t = h                      turn    torques radius h
//   line          x_1 - radius h, t = f, g        twist   shift and turn
//   circle        x_0 + radius n, n = (x_1 - x_0)/|x_1 - x_0|, t any two across n
//   barrel        foot of x_1 on the axis + radius n, n away from it, t = h, h x n
//   ball          torques radius e_x, radius e_y, radius e_z
// Where n is undefined (centres that coincide) any direction is taken: nothing is loaded there.
//
// Loads. The equations of a hinge and a ball joint hold x_1 - x_0 in ground axes, so their
// multipliers are the components of the reaction; those of slides are its components along f and g.
// Then follow the moments about f, g and, for slides that do not turn, h. With the part F of the
// force across the axis and the part M of the moment,
//   edges   |F/2 + M x h/L| + |F/2 - M x h/L| + 2 |M_h|/width,   |F| without L
//   thrust  |F_h|                                                 norm   |F| of all three
#include "cardan/element/contact/friction_geometry.h"
#include "cardan/element/element_pool.h"

namespace cardan {

int spatial_ways(const FrictionElement& e) {
  using Slide = FrictionElement::Slide;
  switch (e.slide) {
    case Slide::turn:
    case Slide::shift:
      return 1;
    case Slide::ball:
      return 3;
    default:
      return 2;
  }
}

void spatial_tangents(const FrictionElement& e, const Motion& at, View d, View s) {
  const auto pose = poses_of<3>(at.config(), e.body);
  const auto twist = twists_of<3>(pose, at.v, e.body);
  spatial_tangents<double>(e, static_cast<std::size_t>(spatial_ways(e)), pose, twist, d, s);
}

double spatial_load(const FrictionElement& e, const Mat<3, 3>& frame, CView lambda, View slopes) {
  return spatial_load<double>(e, frame, lambda, slopes);
}

}  // namespace cardan
