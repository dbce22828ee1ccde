// Joints with curves: point-on-curve, cam-flat, cam-cam. The curve belongs to the first side.
#include "cardan/element/planar/cam_joints.h"

#include "cardan/element/maker.h"
#include "cardan/element/planar/planar_cam.h"
#include "cardan/element/type_parts.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

using namespace type_parts;

const PlanarCurve* curve_of(const ElementSpec& spec, std::string_view key) {
  const PlanarCurvePtr* found = ElementSpec::find(spec.curves, key);
  return found != nullptr ? found->get() : nullptr;
}

ElementFault no_curve(std::string_view key) {
  return {
      "model.missing-key", "no " + std::string(key), "a planar curve", "name a planar [[curve]]"};
}

std::optional<ElementFault> convex_fault(const ElementSpec& spec, std::string_view key) {
  const PlanarCurve* curve = curve_of(spec, key);
  if (curve == nullptr) return no_curve(key);
  const std::string fault = fault_in_convex(*curve);
  if (fault.empty()) return std::nullopt;
  return ElementFault{"model.curve-not-convex",
                      fault,
                      "a closed convex curve",
                      "a flat face or a second cam touches convex cams only; a follower with a "
                      "point may run on any"};
}

std::shared_ptr<const SupportFunction> support_of(const ElementSpec& spec, std::string_view key) {
  return std::make_shared<SupportFunction>(*ElementSpec::find(spec.curves, key));
}

Made make_point_on_curve(ConstraintSet& set, const ElementSpec& spec, CView) {
  if (curve_of(spec, "curve") == nullptr) return no_curve("curve");
  const Vec<2> a = axis_of<2>(spec.ends[0]);
  CurveContact p;
  p.s = {a, perp(a), point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.curve = std::make_shared<CurveFoot>(*ElementSpec::find(spec.curves, "curve"));
  return std::vector<Part>{
      set.add("point-on-curve", {in_length("distance from the curve")}, pair_of(p, spec))};
}

// The cam's side of the face is where its middle lies in the pose.
Made make_cam_flat(ConstraintSet& set, const ElementSpec& spec, CView q) {
  if (auto fault = convex_fault(spec, "curve")) return *fault;
  const auto& [cam, flat] = spec.ends;
  FlatContact p;
  p.support = support_of(spec, "curve");
  const Vec<2> normal = perp(axis_of<2>(flat)), x = axis_of<2>(cam);
  const Vec<2> middle =
      p.support->centre().x() * x + p.support->centre().y() * perp(x) + point_of<2>(cam);
  Dot2<2> side;
  side.s = {normal, point_of<2>(flat), middle};
  const std::array<int, 2> body{flat.body, cam.body};
  const double sign = pose_value(Pair<Dot2<2>>{side, body}, q) < 0 ? -1 : 1;
  p.s = {sign * normal, point_of<2>(flat), point_of<2>(cam)};
  p.offset = elementary::atan2(-sign * normal.y(), -sign * normal.x()) - axis_angle(cam);
  return std::vector<Part>{
      set.add("cam-flat", {in_length("gap between cam and face")}, Pair<FlatContact>{p, body})};
}

Made make_cam_cam(ConstraintSet& set, const ElementSpec& spec, CView) {
  constexpr std::string_view keys[] = {"curve_i", "curve_j"};
  CamContact contact;
  for (std::size_t i = 0; i < 2; ++i) {
    if (auto fault = convex_fault(spec, keys[i])) return *fault;
    contact.body[i] = spec.ends[i].body;
    contact.s[i] = point_of<2>(spec.ends[i]);
    contact.axis_angle[i] = axis_angle(spec.ends[i]);
    contact.support[i] = support_of(spec, keys[i]);
  }
  return std::vector<Part>{set.add("cam-cam", {in_length("gap between the cams")}, contact)};
}

KeySpec curve_key() {
  return {.name = "curve",
          .kind = ValueKind::curve,
          .doc = "name of a planar `[[curve]]`, in the frame of the first side"};
}

// They have all but the name and the geometry in common.
ElementType cam(std::string_view type,
                std::string_view doc,
                Geometry geometry,
                KeySpec curves,
                EmbeddingRule embedding,
                JointMaker make) {
  return {.kind = Kind::joint,
          .type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = {std::move(curves)},
          .no_coordinate = "the place along a curve is no single measure of two bodies",
          .friction = NoFriction{"followers on curves slide without loss so far"},
          .embedding = embedding,
          .drawing = Drawing::track,
          .make = make};
}

}  // namespace

std::vector<ElementType> cam_joint_types() {
  return {cam("point-on-curve",
              "A point of the second body stays on a curve of the first.",
              {.role = {"curve", "point"},
               .point = {PointRule::origin, PointRule::required},
               .axis = {AxisRule::body, AxisRule::none},
               .at = At::second},
              curve_key(),
              embed_about_z,
              make_point_on_curve),
          cam("cam-flat",
              "A curve of the first body touches a flat face of the second; the axis runs along "
              "the face.",
              {.role = {"cam", "flat"},
               .point = {PointRule::origin, PointRule::required},
               .axis = {AxisRule::body, AxisRule::required},
               .at = At::second},
              curve_key(),
              embed_unchanged,
              make_cam_flat),
          cam("cam-cam",
              "Two convex curves, one on each body, touch from outside.",
              {.role = {"first cam", "second cam"},
               .point = origins,
               .axis = {AxisRule::body, AxisRule::body},
               .at = At::none},
              {.name = "curves",
               .kind = ValueKind::curves,
               .doc = "names of the two planar curves",
               .parts = {"curve_i", "curve_j"}},
              embed_unchanged,
              make_cam_cam)};
}

bool only_pushes(const ElementType& type) {
  const JointMaker* make = std::get_if<JointMaker>(&type.make);
  return make != nullptr && (*make == make_cam_flat || *make == make_cam_cam);
}

}  // namespace cardan
