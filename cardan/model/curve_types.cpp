// The table of curves: functions of one variable, planar curves for cams, curves in space.
#include <algorithm>

#include "cardan/model/key_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using key_parts::free_number;

KeySpec length_key(std::string_view name, std::string_view doc) {
  return {.name = name,
          .kind = number,
          .dimensions = {dim::length},
          .doc = doc,
          .range = Range::positive};
}

KeySpec centre_key() {
  return {.name = "centre",
          .kind = numbers,
          .dimensions = {dim::length, dim::length},
          .otherwise = "[0, 0]",
          .doc = "centre in the frame of the cam"};
}

std::vector<KeySpec> rise_keys() {
  return {{.name = "from", .kind = numbers, .doc = "where the rise begins, [x, y]"},
          {.name = "to", .kind = numbers, .doc = "where it ends, [x, y]"},
          free_number("period", "none", "x after which it all begins again"),
          free_number("gain", "0", "by how much each period lies above the last")};
}

std::vector<KeySpec> table_keys(std::string_view what, bool in_space = false) {
  return {
      {.name = what,
       .kind = points,
       .otherwise = "from `file`",
       .doc = in_space ? "the points, [[x, y, z], ...]" : "the points, [[x, y], ...]"},
      {.name = "file",
       .kind = text,
       .otherwise = "none",
       .doc = in_space ? "CSV file with three columns, below the model's folder"
                       : "CSV file with two columns, below the model's folder"},
      {.name = "units",
       .kind = names,
       .otherwise = "SI",
       .doc =
           in_space
               ? "units of the file's three columns; without it those in brackets in its first line"
               : "units of the file's two columns; without it those in brackets in its first line"},
      {.name = "columns",
       .kind = names,
       .otherwise = "all",
       .doc = "which columns of a file that has more: words of its first line, or numbers such as "
              "\"3\""}};
}

std::vector<CurveSpec> make_spatial() {
  const KeySpec closed{.name = "closed",
                       .kind = boolean,
                       .otherwise = "false",
                       .doc = "it returns smoothly to its beginning"};
  std::vector<KeySpec> spline = table_keys("points", true), formulas;
  spline.push_back(closed);
  for (const auto name : {"x", "y", "z"})
    formulas.push_back({.name = name,
                        .kind = motion,
                        .dimensions = {dim::length},
                        .doc = "formula of `u`, or the name of a curve"});
  formulas.push_back(
      {.name = "from", .kind = number, .dimensions = {dim::none}, .doc = "where `u` begins"});
  formulas.push_back(
      {.name = "to", .kind = number, .dimensions = {dim::none}, .doc = "where `u` ends"});
  formulas.push_back(closed);
  return {{"space-spline",
           CurveShape::spatial,
           "Smooth curve through points in space; an open one goes on straight beyond its ends.",
           std::move(spline)},
          {"space-curve",
           CurveShape::spatial,
           "Curve in space by formulas, such as a helix; an open one goes on straight beyond its "
           "ends.",
           std::move(formulas)}};
}

KeySpec outside_key() {
  return {.name = "outside",
          .kind = choice,
          .otherwise = "undefined",
          .doc = "beyond the points: a fault, the last value, the last slope, or the same again",
          .choices = {"undefined", "hold", "extend", "repeat"}};
}

std::vector<CurveSpec> make_functions() {
  std::vector<KeySpec> spline = table_keys("table"), linear = table_keys("table");
  spline.push_back({.name = "periodic",
                    .kind = boolean,
                    .otherwise = "false",
                    .doc = "smooth from the last point to the first, and repeated"});
  spline.push_back({.name = "slopes",
                    .kind = numbers,
                    .otherwise = "no curvature there",
                    .doc = "slopes at both ends, [first, last]"});
  spline.push_back(free_number("smoothing",
                               "none",
                               "standard deviation of measured values: the curve is smoothed so "
                               "much that it misses the points by it (quintic); 0: through them"));
  spline.push_back(outside_key());
  linear.push_back(outside_key());
  return {
      {"constant", CurveShape::function, "A constant.", {free_number("value", "", "the constant")}},
      {"polynomial",
       CurveShape::function,
       "c0 + c1 x + c2 x^2 + ...",
       {{.name = "coefficients", .kind = numbers, .doc = "c0, c1, c2, ... in SI units"}}},
      {"harmonic",
       CurveShape::function,
       "offset + amplitude sin(frequency x + phase).",
       {free_number("amplitude", "", "amplitude"),
        free_number("frequency", "", "radians per unit of x"),
        free_number("phase", "0", "angle at x = 0"),
        free_number("offset", "0", "mean value")}},
      {"cubic-step",
       CurveShape::function,
       "Rise from rest to rest, cubic: the acceleration jumps at both ends.",
       rise_keys()},
      {"quintic-step",
       CurveShape::function,
       "Rise from rest to rest, quintic (3-4-5).",
       rise_keys()},
      {"cycloidal", CurveShape::function, "Rise from rest to rest, cycloidal.", rise_keys()},
      {"modified-sine",
       CurveShape::function,
       "Rise from rest to rest, modified sine.",
       rise_keys()},
      {"spline", CurveShape::function, "Cubic spline through a table.", std::move(spline)},
      {"linear", CurveShape::function, "Straight lines through a table.", std::move(linear)}};
}

std::vector<CurveSpec> make_curves() {
  std::vector<CurveSpec> all = make_functions();
  all.push_back({"closed-spline",
                 CurveShape::planar,
                 "Closed smooth curve through points.",
                 table_keys("points")});
  all.push_back({"open-spline",
                 CurveShape::planar,
                 "Open smooth curve through points, straight beyond its ends.",
                 table_keys("points")});
  all.push_back({"polar",
                 CurveShape::planar,
                 "Closed curve given by its radius over the polar angle, 0 to 2 pi.",
                 {{.name = "radius",
                   .kind = motion,
                   .dimensions = {dim::length},
                   .doc = "formula of `angle`, or the name of a curve"}}});
  all.push_back({"circle",
                 CurveShape::planar,
                 "Circle; off the origin an eccentric.",
                 {length_key("radius", "radius"), centre_key()}});
  all.push_back({"ellipse",
                 CurveShape::planar,
                 "Ellipse.",
                 {{.name = "half_axes",
                   .kind = numbers,
                   .dimensions = {dim::length, dim::length},
                   .doc = "half axes [a, b]",
                   .range = Range::positive},
                  centre_key(),
                  {.name = "angle",
                   .kind = number,
                   .dimensions = {dim::none},
                   .otherwise = "0",
                   .doc = "of the first half axis from x"}}});
  for (auto& curve : make_spatial()) all.push_back(std::move(curve));
  return all;
}

}  // namespace

const std::vector<CurveSpec>& curve_types() {
  static const std::vector<CurveSpec> all = make_curves();
  return all;
}

const CurveSpec* find_curve_type(std::string_view type) {
  const auto& all = curve_types();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const CurveSpec& s) { return s.type == type; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace cardan
