// Drivers and measures of space. Ends are frames (f, g, h) at x with R_mn = e_m(i).e_n(j).
//   x, y, z, distance, displacement = h_i.d, angle of f_j about h_i counted from f_i
//   angle-1, angle-2, angle-3 of a sequence R = R_a(1) R_b(2) R_c(3), s = sign of the permutation:
//     a, b, c different:  atan2(-s R_bc, R_cc),  asin(s R_ac),  atan2(-s R_ab, R_aa)
//     c = a, k the third: atan2(R_ba, -s R_ka),  acos(R_aa),    atan2(R_ab, s R_ak)
//   angular-velocity        of body j along h_i of the ground
//   angular-velocity-body   of body j along its own h_j
//   "universal": turn of the cross about the arm h_i, and of j about its arm h_j
#include "cardan/element/contact/limit_maker.h"
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/spatial/turn_rate.h"
#include "cardan/element/spatial/turns.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

using namespace type_parts;

// Axes of three turns by their numbers; of a universal joint the two arms of its cross.
struct Sequence {
  int a = 0, b = 1, c = 2;
  bool universal = false;
};

constexpr WordChoice<Sequence> sequences[] = {{"xyz", {0, 1, 2}},
                                              {"yzx", {1, 2, 0}},
                                              {"zxy", {2, 0, 1}},
                                              {"xzy", {0, 2, 1}},
                                              {"yxz", {1, 0, 2}},
                                              {"zyx", {2, 1, 0}},
                                              {"xyx", {0, 1, 0}},
                                              {"xzx", {0, 2, 0}},
                                              {"yxy", {1, 0, 1}},
                                              {"yzy", {1, 2, 1}},
                                              {"zxz", {2, 0, 2}},
                                              {"zyz", {2, 1, 2}},
                                              {"universal", {0, 1, 2, true}}};

struct Axes {
  std::array<Vec<3>, 3> i, j;

  explicit Axes(const ElementSpec& spec) {
    const EndFrame first(spec.ends[0]), second(spec.ends[1]);
    i = {first.f, first.g, first.h};
    j = {second.f, second.g, second.h};
  }
};

ElementSpec swapped(ElementSpec spec) {
  std::swap(spec.ends[0], spec.ends[1]);
  return spec;
}

using SpatialAngle = std::variant<Pair<Azimuth>, Pair<Inclination>>;

SpatialAngle universal_angle(const ElementSpec& spec, int which) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  if (which == 0) return azimuth(spec, i.f, i.g, j.h);
  return azimuth(swapped(spec), j.f, -j.g, i.h);
}

// Angle number `which` of a sequence of axes a, b, c.
SpatialAngle sequence_angle(const ElementSpec& spec, int which) {
  const auto& [a, b, c, universal] = chosen(spec, "sequence", sequences);
  if (universal) return universal_angle(spec, which);
  const Axes e(spec);
  const bool proper = a == c;
  const int k = 3 - a - b;
  const double s = (b - a + 3) % 3 == 1 ? 1 : -1;
  if (which == 0)
    return proper ? azimuth(spec, -s * e.i[k], e.i[b], e.j[a])
                  : azimuth(spec, e.i[c], -s * e.i[b], e.j[c]);
  if (which == 2)
    return proper ? azimuth(swapped(spec), s * e.j[k], e.j[b], e.i[a])
                  : azimuth(swapped(spec), e.j[a], -s * e.j[b], e.i[a]);
  Inclination p;
  p.s = {e.i[a], e.j[c]};
  p.sign = proper ? -1 : s;
  p.c = proper ? -std::numbers::pi / 2 : 0;
  return pair_of(p, spec);
}

std::optional<ElementFault> no_third_angle(const ElementSpec& spec) {
  if (!chosen(spec, "sequence", sequences).universal) return {};
  return ElementFault{"model.bad-value",
                      "a third angle of a universal joint",
                      "angle-1 or angle-2",
                      "its cross leaves two angles"};
}

// ---- lengths

template <int axis> struct Component {
  static constexpr std::array<std::string_view, 3> names{"x", "y", "z"},
      limits{"limit of x", "limit of y", "limit of z"};
  static constexpr std::string_view pool = names[axis], limit_pool = limits[axis];
  static constexpr EquationLabel label = in_length(names[axis]);

  static auto pair(const ElementSpec& spec) { return points<Coordinate<3, axis>>(spec); }
};

struct Apart {
  static constexpr std::string_view pool = "length", limit_pool = "limit of a distance";
  static constexpr EquationLabel label = in_length("distance");

  static auto pair(const ElementSpec& spec) { return points<Length<3>>(spec); }
};

struct Along {
  static constexpr std::string_view pool = "displacement", limit_pool = "limit along a direction";
  static constexpr EquationLabel label = in_length("displacement");

  static auto pair(const ElementSpec& spec) { return along(spec, EndFrame(spec.ends[0]).h, 0); }
};

// ---- angles: azimuths count turns, inclinations have none

constexpr EquationLabel angle_label = in_angle("angle");
constexpr std::string_view turn_limit = "limit of an angle",
                           inclination_limit = "limit of an inclination";

struct Turn {
  static SpatialAngle angle(const ElementSpec& spec) {
    const EndFrame i(spec.ends[0]), j(spec.ends[1]);
    return azimuth(spec, i.f, i.g, j.f);
  }
};

template <int which> struct OfSequence {
  static SpatialAngle angle(const ElementSpec& spec) { return sequence_angle(spec, which); }
};

Pair<Azimuth> counted(Pair<Azimuth> pair, WindingTable* turns, std::optional<double> near) {
  pair.primitive.turn = {register_winding(turns, pair, near)};
  return pair;
}

template <class M>
Made make_angle(ConstraintSet& set, const ElementSpec& spec, const FunctionPtr& drive) {
  const SpatialAngle angle = M::angle(spec);
  if (const auto* level = std::get_if<Pair<Inclination>>(&angle))
    return std::vector{set.add("inclination", {angle_label}, *level, drive)};
  auto turn = std::get<Pair<Azimuth>>(angle);
  if (drive != nullptr)
    turn.primitive.period = 2 * std::numbers::pi;
  else
    turn =
        counted(turn, set.turns(), spec.number("value") ? spec.number("value") : spec.start_angle);
  return std::vector{set.add("angle", {angle_label}, turn, drive)};
}

Made make_third_angle(ConstraintSet& set, const ElementSpec& spec, const FunctionPtr& drive) {
  if (auto fault = no_third_angle(spec)) return *fault;
  return make_angle<OfSequence<2>>(set, spec, drive);
}

template <class M> Part make_hard_angle(ConstraintSet& set, const ElementSpec& spec, double limit) {
  const SpatialAngle angle = M::angle(spec);
  if (const auto* turn = std::get_if<Pair<Azimuth>>(&angle))
    return add_hard_limit(
        set, turn_limit, angle_label, counted(*turn, set.turns(), spec.start_angle), limit);
  return add_hard_limit(
      set, inclination_limit, angle_label, std::get<Pair<Inclination>>(angle), limit);
}

template <class M>
ForcePart make_compliant_angle(ForceSet& set,
                               const ElementSpec& spec,
                               const ForceSet::Limit& limit) {
  const SpatialAngle angle = M::angle(spec);
  if (const auto* turn = std::get_if<Pair<Azimuth>>(&angle))
    return set.place_limit(turn_limit, counted(*turn, set.turns(), spec.start_angle), limit);
  return set.place_limit(inclination_limit, std::get<Pair<Inclination>>(angle), limit);
}

Made make_rate(ConstraintSet& set, const ElementSpec& spec, bool in_body) {
  TurnRate rate;
  rate.body = {spec.ends[0].body, spec.ends[1].body};
  rate.direction = EndFrame(spec.ends[in_body ? 1 : 0]).h;
  rate.in_body = in_body;
  return std::vector{set.add("angular velocity", {in_angle("angular velocity")}, rate)};
}

template <class M> MeasureRow row(Measure measure, Geometry geometry) {
  return {measure, geometry, measure_maker<M>, limit_maker<M>};
}

template <class M> MeasureRow angle_row(Measure measure, Geometry geometry) {
  return {measure, geometry, {make_angle<M>}, {make_hard_angle<M>, make_compliant_angle<M>}};
}

MeasureRow third_angle_row() {
  return {Measure::angle_3,
          frames_only(),
          {make_third_angle},
          {make_hard_angle<OfSequence<2>>, make_compliant_angle<OfSequence<2>>, no_third_angle}};
}

}  // namespace

std::vector<MeasureRow> spatial_measures() {
  return {row<Component<0>>(Measure::x, two_origins()),
          row<Component<1>>(Measure::y, two_origins()),
          row<Component<2>>(Measure::z, two_origins()),
          angle_row<Turn>(Measure::angle, axes_only()),
          angle_row<OfSequence<0>>(Measure::angle_1, frames_only()),
          angle_row<OfSequence<1>>(Measure::angle_2, frames_only()),
          third_angle_row(),
          row<Apart>(Measure::distance, two_points()),
          row<Along>(Measure::displacement, points_along_axis())};
}

Made make_angular_velocity(ConstraintSet& set, const ElementSpec& spec, const FunctionPtr&) {
  return make_rate(set, spec, false);
}

Made make_angular_velocity_body(ConstraintSet& set, const ElementSpec& spec, const FunctionPtr&) {
  return make_rate(set, spec, true);
}

KeySpec sequence_key() {
  return {.name = "sequence",
          .kind = ValueKind::choice,
          .otherwise = "xyz",
          .doc =
              "axes of the three turns from the first frame to the second, each about the axis "
              "as turned before; `universal`: of the cross of a universal joint",
          .choices = words_of(sequences)};
}

}  // namespace cardan
