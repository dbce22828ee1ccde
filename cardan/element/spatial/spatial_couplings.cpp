// Couplers of two joint coordinates, and points on curves in space.
//   coupler         factor_1 y_1 + factor_2 y_2 - c, y an angle or a displacement of a joint
//   point-on-curve  a planar curve lies in the plane of f_i and g_i: its signed distance, and
//                   h_i.d; a curve in space: the two offsets across it
#include "cardan/element/planar/cam_curve.h"
#include "cardan/element/spatial/spatial_curve.h"
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/spatial/turns.h"
#include "cardan/element/type_parts.h"
#include "cardan/element/weighted_sum.h"

namespace cardan {
namespace {

using namespace type_parts;

using Turn = Pair<Azimuth>;
using Slide = Pair<Dot2<3>>;

ElementSpec at_ends(const CoupledJoint& joint) {
  ElementSpec spec;
  spec.ends = joint.ends;
  return spec;
}

Turn turn_of(ConstraintSet& set, const CoupledJoint& joint, CView q, bool counted) {
  const EndFrame i(joint.ends[0]), j(joint.ends[1]);
  Turn turn = azimuth(at_ends(joint), i.f, i.g, j.f);
  if (counted) turn.primitive.turn = {count_own_turns(set.turns(), turn, q)};
  return turn;
}

Slide slide_of(const CoupledJoint& joint) {
  return along(at_ends(joint), EndFrame(joint.ends[0]).h, 0);
}

template <class A, class B>
Part coupled(ConstraintSet& set,
             std::string_view type,
             UnitKind unit,
             const ElementSpec& spec,
             WeightedSum<A, B> sum,
             CView q) {
  const double value = sum.phi(poses_of<3>({0, q}, sum.body))[0];
  sum.c = spec.number_or("value", value);
  return set.add(type, {{{"relation of the joints", unit}}}, std::move(sum));
}

Made make_coupler(ConstraintSet& set, const ElementSpec& spec, CView q) {
  if (spec.coupled.size() != 2)
    return ElementFault{"model.missing-key",
                        "a coupler that does not name two joints",
                        "two joints and their factors",
                        "write joints = [\"first\", \"second\"]"};
  const CoupledJoint *one = &spec.coupled[0], *two = &spec.coupled[1];
  if (!one->angle && two->angle) std::swap(one, two);
  if (!one->angle)
    return std::vector{
        coupled(set,
                "coupled slides",
                UnitKind::length,
                spec,
                WeightedSum<Slide, Slide>(slide_of(*one), slide_of(*two), one->factor, two->factor),
                q)};
  if (!two->angle) {
    WeightedSum<Turn, Slide> sum(
        turn_of(set, *one, q, false), slide_of(*two), one->factor, two->factor);
    sum.pitch = 2 * std::numbers::pi * std::abs(one->factor);
    return std::vector{coupled(set, "coupled turn and slide", UnitKind::length, spec, sum, q)};
  }
  const double pitch = 2 * std::numbers::pi * common_pitch(one->factor, two->factor);
  WeightedSum<Turn, Turn> sum(turn_of(set, *one, q, pitch == 0),
                              turn_of(set, *two, q, pitch == 0),
                              one->factor,
                              two->factor);
  sum.pitch = pitch;
  return std::vector{coupled(set, "coupled turns", UnitKind::angle, spec, sum, q)};
}

Made make_point_on_curve(ConstraintSet& set, const ElementSpec& spec, CView) {
  const EndFrame i(spec.ends[0]);
  if (const SpaceCurvePtr* curve = ElementSpec::find(spec.space_curves, "curve")) {
    SpaceCurveOffset p;
    p.s = {i.f, i.g, i.h, i.x, spec.ends[1].point};
    p.curve = std::make_shared<SpaceCurveFoot>(*curve);
    return std::vector{
        set.add("on space curve",
                {in_length("offset from the curve"), in_length("offset from the curve")},
                pair_of(p, spec))};
  }
  const PlanarCurvePtr* curve = ElementSpec::find(spec.curves, "curve");
  if (curve == nullptr || *curve == nullptr)
    return ElementFault{
        "model.missing-key", "no curve", "a planar curve or one in space", "name a [[curve]]"};
  CurveDistance p;
  p.s = {i.f, i.g, i.x, spec.ends[1].point};
  p.curve = std::make_shared<CurveFoot>(*curve);
  return std::vector{
      set.add("on curve", {in_length("distance from the curve")}, pair_of(p, spec)),
      set.add("in plane", {in_length("distance from the plane")}, along(spec, i.h, 0))};
}

// ---- descriptions

// Factors carry the units, so the sum of an angle and a displacement counts as a length.
ElementType coupler() {
  return {.type = "coupler",
          .doc = "A linear relation of two joint coordinates: factor_1 y_1 + factor_2 y_2 = value.",
          .geometry = {.sides = 0},
          .keys = {{.name = "joints", .kind = ValueKind::names, .doc = "names of the two joints"},
                   {.name = "factors",
                    .kind = ValueKind::numbers,
                    .dimensions = {},
                    .doc = "of their coordinates, as plain numbers (metres and radians)"},
                   {.name = "coordinates",
                    .kind = ValueKind::names,
                    .otherwise = "the joint's own",
                    .doc = "`angle` or `displacement` of each, for cylindrical joints"},
                   {.name = "value",
                    .kind = ValueKind::numbers,
                    .dimensions = {},
                    .otherwise = from_pose,
                    .doc = "of the sum, as a list of one number"}},
          .no_coordinate = "it relates the coordinates of other joints",
          .friction = NoFriction{"it has no place"},
          .drawing = Drawing::none,
          .make = make_coupler};
}

ElementType point_on_curve() {
  return {.type = "point-on-curve",
          .doc =
              "A point of the second body stays on a curve of the first: a planar one in the "
              "plane across its axis with x along `across`, or one in space with z along the "
              "axis.",
          .geometry = {.role = {"surface", "point"},
                       .point = {PointRule::origin, PointRule::required},
                       .axis = first_axis,
                       .at = At::second},
          .keys = {{.name = "curve",
                    .kind = ValueKind::curve,
                    .doc = "name of a `[[curve]]`, planar or in space"}},
          .no_coordinate = "the place along a curve is no single measure of two bodies",
          .friction = NoFriction{"followers on curves slide without loss so far"},
          .drawing = Drawing::track,
          .make = make_point_on_curve};
}

}  // namespace

double common_pitch(double a, double b) {
  double x = std::abs(a), y = std::abs(b);
  const double smallest = 1e-4 * std::min(x, y);
  while (y > smallest) {
    const double rest = std::abs(x - y * std::round(x / y));
    if (rest < 1e-11 * (std::abs(a) + std::abs(b))) return y;
    x = y;
    y = rest;
  }
  return 0;
}

std::vector<ElementType> spatial_coupling_types() {
  std::vector<ElementType> all{coupler(), point_on_curve()};
  for (ElementType& type : all) type.space = Space::spatial;
  return all;
}

}  // namespace cardan
