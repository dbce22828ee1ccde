// Joints of planar models run in space that space has no type of its own for. Their sides are as in
// the plane but for `rolling`: the line has its direction as axis and its left normal across.
//   cam-flat, cam-cam  the planar element (embedded.h)
//   rolling            rack and pinion, and the distance of the disc from the line
#include <algorithm>

#include "cardan/element/embedded.h"
#include "cardan/element/planar/planar_cam.h"
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/spatial/spatial_rolling.h"
#include "cardan/element/type_parts.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

std::vector<double> flat_pose(CView q) {
  std::vector<double> out;
  for (std::size_t b = 0; 7 * b < q.size(); ++b) {
    const double* p = q.data() + 7 * b;
    out.insert(out.end(), {p[0], p[1], 2 * elementary::atan2(p[6], p[3])});
  }
  return out;
}

// Makes the element in the plane and takes it over.
template <class E>
Made embedded(ConstraintSet& set, std::string_view type, const ElementSpec& spec, CView q) {
  ConstraintSet plane(2);
  const Made made = plane.add_joint(type, spec, flat_pose(q));
  if (!made) return made.why();
  const auto& pool = dynamic_cast<const ElementPool<E>&>(plane.pool(0));
  FromPlane<E> element;
  element.planar = pool.element(0);
  element.body = element.planar.body;
  if constexpr (requires { element.planar.primitive.support; })
    element.scale = element.planar.primitive.support->size();
  else
    element.scale = element.planar.size();
  return std::vector{set.add(type, {pool.equation(0)}, std::move(element))};
}

Made make_cam_flat(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return embedded<Pair<FlatContact>>(set, "cam-flat", spec, q);
}

Made make_cam_cam(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return embedded<CamContact>(set, "cam-cam", spec, q);
}

Made make_rolling(ConstraintSet& set, const ElementSpec& spec, CView q) {
  ElementSpec meshing = spec;  // pinion first
  std::swap(meshing.ends[0], meshing.ends[1]);
  Made made = set.add_joint("rack-and-pinion", meshing, q);
  if (!made) return made;
  const Vec<3> normal = EndFrame(spec.ends[0]).f;
  const double side = pose_value(along(spec, normal, 0), q) < 0 ? -1 : 1;
  auto parts = made.value();
  parts.push_back(set.add("contact",
                          {in_length("distance of the disc from the line")},
                          along(spec, normal, side * spec.number_or("radius", 0))));
  return parts;
}

// What the planar type says, with its sides in space.
ElementType in_space(const std::vector<ElementType>& planar,
                     std::string_view type,
                     Drawing drawing,
                     JointMaker make) {
  ElementType spatial = *std::find_if(
      planar.begin(), planar.end(), [&](const ElementType& t) { return t.type == type; });
  spatial.space = Space::spatial;
  spatial.written = false;
  spatial.embedding = Unstated{};
  spatial.holds_plane = false;
  spatial.drawing = drawing;
  spatial.make = make;
  return spatial;
}

}  // namespace

std::vector<ElementType> embedded_joint_types() {
  const auto cams = cam_joint_types(), wheels = rolling_joint_types();
  return {in_space(cams, "cam-flat", Drawing::track, make_cam_flat),
          in_space(cams, "cam-cam", Drawing::track, make_cam_cam),
          in_space(wheels, "rolling", Drawing::ball, make_rolling)};
}

}  // namespace cardan
