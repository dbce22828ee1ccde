#pragma once
// The one table of what a model file may say: element types with their geometry and keys, and the
// keys of every other section. The reader checks against it, and the JSON Schema, the tables of the
// user guide and compile are made from it.
//
// Every element has two sides, i and j (the ground where only `body` is given: side i). What it
// measures is j relative to i: angle phi_j - phi_i, vector P_j - P_i. A force or torque acts on
// side j and its opposite on side i.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/units.h"
#include "cardan/model/model.h"

namespace cardan {

enum class ValueKind {
  number,    // constant with a dimension                          -> double
  integer,   // whole number                                        -> double
  boolean,   // true or false                                       -> bool
  text,      // any string                                          -> std::string
  choice,    // one of `choices`            -> std::string, and the flag of `parts` in its place
  numbers,   // list of constants, one dimension each               -> std::vector<double>
  points,    // list of points (sections only)
  names,     // list of strings (sections only)
  motion,    // function of `variable`: formula or name of a curve  -> FunctionPtr
  formula,   // formula of t, own length and rate, requests         -> Expression
  formulas,  // list of formulas, one setting each, named by `parts` -> Expression
  curve,     // name of a planar curve, in space of either -> PlanarCurvePtr, SpaceCurvePtr
  curves,    // list of them, one setting each, named by `parts`    -> PlanarCurvePtr
  table      // table or list of tables (sections only)
};

enum class Range { any, not_negative, positive };

struct KeySpec {
  std::string_view name;
  ValueKind kind = ValueKind::number;
  std::vector<Dimension> dimensions{};  // one, or one per component
  std::string_view otherwise{};         // default in words; empty: required
  std::string_view doc{};
  Range range = Range::any;
  std::vector<std::string_view> choices{};
  std::vector<std::string_view> parts{};
  std::string_view variable = "t";  // of a motion
  Dimension of_variable = dimension::time;
  bool either = false;  // a point or direction: two numbers in the plane, three in space

  bool required() const { return otherwise.empty(); }
};

enum class PointRule {
  none,      // the element has no point on this side
  required,  // must be given
  origin,    // default: the origin of the body's frame
  meeting    // default: the origin of body j, where it is in the given pose
};

enum class AxisRule {
  none,      // not used beyond measuring angles
  required,  // must be given
  body,      // default: the x axis of the body
  pose       // default: the ground's x axis in the given pose
};

enum class At { none, both, first, second, each };  // which sides a single global point `at` fixes

struct Geometry {
  int sides = 2;  // 0: none at all
  std::array<std::string_view, 2> role{"first body", "second body"};
  std::array<PointRule, 2> point{};
  std::array<AxisRule, 2> axis{};
  At at = At::none;
  bool cross = false;  // axes across each other: angles start where each meets the other
};

struct TypeSpec {
  Kind kind = Kind::joint;
  std::string_view type;
  std::string_view doc;
  Geometry geometry;
  std::vector<KeySpec> keys;
  Space space = Space::planar;
};

const std::vector<TypeSpec>& element_types();  // of both spaces
const TypeSpec* find_type(Kind, std::string_view type, Space = Space::planar);
std::vector<std::string> type_names(Kind, Space = Space::planar);
std::string_view kind_name(Kind);  // "joint", "driver", ...

// Driver, request, stop or initial condition that measures a joint's freedom: "angle",
// "displacement" or "distance"; empty when the joint type has no single such measure.
std::string_view measure_of_joint(std::string_view joint_type);
// All measures of a joint, the one above first: a cylindrical joint has an angle and a
// displacement.
std::vector<std::string_view> measures_of_joint(std::string_view joint_type);

bool on_joint(Kind);  // may name a joint whose freedom is meant: drivers, requests and stops

// Keys every joint, driver, force or request may have besides those of its type: name, between,
// body, at, points, ...
const std::vector<KeySpec>& common_keys(Kind);

// The other sections, by name: "model", "body", "shape", "initial", "marker", "ground", "repeat",
// "output" and "analysis.TYPE"; "body.spatial", "shape.spatial", "marker.spatial",
// "initial.spatial" and "orientation" in space.
struct SectionSpec {
  std::string_view name;
  std::string_view doc;
  std::vector<KeySpec> keys;
};

const std::vector<SectionSpec>& sections();
const SectionSpec* find_section(std::string_view name);

// Curves by type: functions of one variable, cam profiles in the plane, curves in space.
enum class CurveShape { function, planar, spatial };

struct CurveSpec {
  std::string_view type;
  CurveShape shape = CurveShape::function;
  std::string_view doc;
  std::vector<KeySpec> keys;
};

const std::vector<CurveSpec>& curve_types();
const CurveSpec* find_curve_type(std::string_view type);

// Markdown tables of the user guide for one part of the catalogue: "joint", "driver", ..., "curve",
// or a section.
std::string reference_tables(std::string_view part);

}  // namespace cardan
