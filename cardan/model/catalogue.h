#pragma once
// Keys of a model file: what each is and what it holds, for the sections and curves here and for
// the element types of element/element_type.h. The reader checks against them, and the JSON Schema
// and the tables of the user guide are made from them.
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
  choice,    // one of `choices`                                   -> std::string
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

}  // namespace cardan
