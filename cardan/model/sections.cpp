// The keys of everything in a model file that is not an element: the file itself, bodies, shapes,
// markers, curves, repetition, output and analyses.
#include <algorithm>

#include "cardan/model/analysis_type.h"
#include "cardan/model/key_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using key_parts::number_key;
using key_parts::simple_key;

KeySpec point_key(std::string_view name,
                  Dimension d,
                  std::string_view otherwise,
                  std::string_view doc) {
  return {.name = name, .kind = numbers, .dimensions = {d, d}, .otherwise = otherwise, .doc = doc};
}

KeySpec place_key(std::string_view name,
                  Dimension d,
                  std::string_view otherwise,
                  std::string_view doc) {
  KeySpec key = point_key(name, d, otherwise, doc);
  key.either = true;
  return key;
}

KeySpec name_key(std::string_view otherwise = "") {
  return simple_key("name", text, otherwise, "for messages, results and references");
}

std::vector<KeySpec> list_keys() {
  return {simple_key("body", table, "none", "list of bodies"),
          simple_key("marker", table, "none", "list of markers"),
          simple_key("joint", table, "none", "list of joints"),
          simple_key("driver", table, "none", "list of drivers"),
          simple_key("force", table, "none", "list of forces"),
          simple_key("stop", table, "none", "list of stops"),
          simple_key("contact", table, "none", "list of contacts"),
          simple_key("request", table, "none", "list of requests"),
          simple_key("state", table, "none", "list of first-order states"),
          simple_key("input", table, "none", "list of inputs"),
          simple_key("block", table, "none", "list of ready blocks of controllers and actuators"),
          simple_key("coordinate", table, "none", "list of coordinates of one's own"),
          simple_key("constraint", table, "none", "list of equations that coordinates meet"),
          simple_key("initial", table, "none", "list of initial conditions"),
          simple_key("repeat", table, "none", "list of repeated parts")};
}

SectionSpec model_section() {
  SectionSpec s{"model", "The file itself.", {}};
  s.keys = {
      simple_key("title", text, "the file's name", "one line for reports"),
      {.name = "space",
       .kind = choice,
       .otherwise = "planar",
       .doc = "points have two numbers in the plane and three in space",
       .choices = {"planar", "spatial"}},
      place_key("gravity", dim::acceleration, "none", "acceleration of gravity in ground axes"),
      simple_key(
          "include", names, "none", "other model files to read first, below this file's folder"),
      simple_key("parameters", table, "none", "named values: numbers or formulas"),
      simple_key("ground", table, "none", "`shape`: what to draw of the ground"),
      simple_key("curve", table, "none", "list of curves")};
  for (auto& k : list_keys()) s.keys.push_back(std::move(k));
  s.keys.push_back(
      simple_key("equations", table, "none", "equations of motion of one's own coordinates"));
  s.keys.push_back(simple_key("analysis", table, "none", "list of analyses, run in order"));
  s.keys.push_back(
      simple_key("assembly", table, "none", "which of several assembled positions is meant"));
  s.keys.push_back(simple_key("output", table, "none", "what to store"));
  s.keys.push_back(simple_key("sweep", table, "none", "list of sweeps, for `cardan sweep`"));
  return s;
}

SectionSpec body_section() {
  return {"body",
          "A rigid body. Its frame lies at `from` with the x axis towards `to`, or at `at` turned "
          "by `angle`.",
          {name_key(),
           point_key("from",
                     dim::length,
                     "use `at`",
                     "one end of a bar, in ground axes: origin of the frame"),
           point_key("to", dim::length, "use `at`", "the other end of the bar"),
           number_key("width",
                      dim::length,
                      "0",
                      "of the bar: for drawing and for its inertia",
                      Range::positive),
           point_key("at", dim::length, "[0, 0]", "guess of the frame's origin"),
           number_key("angle", dim::none, "0", "guess of the frame's angle"),
           point_key("velocity", dim::velocity, "[0, 0]", "guess of the origin's velocity"),
           number_key("rate", dim::rate, "0", "guess of the angular velocity"),
           {.name = "fixed",
            .kind = names,
            .otherwise = "[]",
            .doc = "which of these guesses are initial conditions",
            .choices = {"x", "y", "angle", "vx", "vy", "rate"}},
           number_key("mass", dim::mass, "from `density`", "mass", Range::positive),
           number_key("inertia",
                      dim::inertia,
                      "from the bar or shape",
                      "moment of inertia about the mass centre; 0: a point mass",
                      Range::not_negative),
           point_key("centre",
                     dim::length,
                     "middle of the bar or shape, else [0, 0]",
                     "mass centre in the body's frame"),
           number_key("density",
                      dim::density,
                      "none",
                      "mass from bar or shape and `thickness`",
                      Range::positive),
           number_key(
               "thickness", dim::length, "none", "of the plate, with `density`", Range::positive),
           simple_key(
               "massless", boolean, "false", "the body has no mass (`inertia` may still be given)"),
           simple_key("shape", table, "none", "a shape or a list of shapes")}};
}

SectionSpec shape_section() {
  return {
      "shape",
      "What a body looks like and, where its mass or inertia is not given, what it weighs. Exactly "
      "one of the first six.",
      {point_key("box", dim::length, "none", "width and height, centred at `at`"),
       number_key("disc", dim::length, "none", "radius, centred at `at`", Range::positive),
       simple_key("polygon", points, "none", "corners in order"),
       simple_key("bar", points, "none", "two ends; with `width`"),
       point_key(
           "slider", dim::length, "none", "width and height of a sliding block, centred at `at`"),
       simple_key("hatch", points, "none", "two ends of a hatched ground line (drawing only)"),
       point_key("at", dim::length, "[0, 0]", "centre, in the body's frame"),
       number_key("angle", dim::none, "0", "turn about that centre"),
       number_key("width", dim::length, "0", "of a bar", Range::positive),
       simple_key("colour", text, "by the viewer", "name or `#rrggbb`")}};
}

std::vector<SectionSpec> small_sections() {
  SectionSpec repeat{
      "repeat", "Repeats what it holds; `{i}`, `{i-1}`, `{2*i+1}` in strings become numbers.", {}};
  repeat.keys = {
      {.name = "count", .kind = integer, .doc = "how many times", .range = Range::not_negative},
      simple_key("index", text, "i", "name of the counter, usable in formulas and in braces"),
      {.name = "first", .kind = integer, .otherwise = "0", .doc = "first value of the counter"}};
  for (auto& k : list_keys()) repeat.keys.push_back(std::move(k));
  return {
      {"marker",
       "A named point of a body with a direction.",
       {name_key(),
        {.name = "body", .kind = text, .doc = "the body, or `ground`"},
        point_key(
            "at", dim::length, "use `point`", "where it is in the given pose, in ground axes"),
        point_key("point", dim::length, "[0, 0]", "where it is in the body's frame"),
        number_key("angle",
                   dim::none,
                   "0",
                   "of its x axis: in ground axes with `at`, else in the body's frame")}},
      {"ground",
       "The ground.",
       {simple_key("shape", table, "none", "a shape or a list of shapes")}},
      std::move(repeat),
      {"sweep",
       "Runs of the model with other values of its parameters, each of them measured: what `cardan "
       "sweep` does. `run` takes no notice of it.",
       {name_key("none; several sweeps in a file need one each"),
        simple_key("vary",
                   table,
                   "",
                   "table of parameters: a range `\"60:5:90 mm\"`, a list of values, or a "
                   "distribution `\"normal(80 mm, 0.05 mm)\"`"),
        simple_key("measure", table, "", "table of names and formulas of channels"),
        simple_key(
            "samples", names, "none", "channels whose rows are kept of every point, with `*`"),
        simple_key(
            "zip", boolean, "false", "values side by side instead of all their combinations"),
        simple_key("sample", integer, "none", "so many points of a Latin hypercube instead"),
        simple_key("sobol", boolean, "false", "a sample of a Sobol sequence"),
        simple_key("seed", integer, "0", "of the random numbers of a sample")}},
      {"assembly",
       "How the mechanism is put together, for every analysis.",
       {{.name = "branch",
         .kind = integer,
         .otherwise = "1, the position nearest to the drawing",
         .doc = "number in the list of `cardan assemble --branches`, or a condition over "
                "requests that holds in one branch alone: \"coupler_y > 0\"",
         .range = Range::positive},
        number_key("time",
                   dim::time,
                   "0",
                   "when it is put together: initial conditions hold then, and the first analysis "
                   "begins there, forwards or backwards")}},
      {"output",
       "What is stored.",
       {number_key(
            "step", dim::time, "a 200th of the time", "time between stored rows", Range::positive),
        simple_key("channels", names, "all", "patterns of channel names, with `*`"),
        simple_key("multipliers",
                   boolean,
                   "false",
                   "store the Lagrange multiplier of every equation too, `JOINT.lambda`"),
        simple_key("residuals",
                   boolean,
                   "false",
                   "store the 2-norms of the violation too, of all equations and of each joint"),
        simple_key("tables",
                   table,
                   "none",
                   "a list of tables to make of the rows: a pattern of channels, a list of "
                   "patterns, or a table of settings"),
        simple_key("plots", table, "none", "a list of plots to make, likewise"),
        simple_key(
            "animation", table, "none", "`true`, or a table of settings: an animation is made")}},
      {"output.tables",
       "A table of channels: their extremes, or their values at some times.",
       {simple_key("name", text, "table-1, ...", "of its file: letters, digits, - and _"),
        simple_key("channels", names, "", "a pattern of channel names with `*`, or several"),
        {.name = "at",
         .kind = numbers,
         .otherwise = "extremes",
         .doc = "times: the rows nearest to them"},
        {.name = "rows",
         .kind = integer,
         .otherwise = "extremes",
         .doc = "or so many rows, evenly spread",
         .range = Range::positive},
        {.name = "digits",
         .kind = integer,
         .otherwise = "7",
         .doc = "significant digits where people read it",
         .range = Range::positive},
        {.name = "format",
         .kind = choice,
         .otherwise = "csv",
         .doc = "of the file",
         .choices = {"csv", "text", "markdown"}}}},
      {"output.plots",
       "A plot of channels over time or over another channel.",
       {simple_key("name", text, "plot-1, ...", "of its file: letters, digits, - and _"),
        simple_key("channels", names, "", "a pattern of channel names with `*`, or several"),
        simple_key("x", text, "time", "a channel for the x axis"),
        simple_key("title", text, "that of the run", "above the plot"),
        simple_key("log", boolean, "false", "logarithmic y axis"),
        simple_key("equal", boolean, "false", "one unit is as long in x as in y")}},
      {"output.animation",
       "The animation, as the report begins with it and as a file.",
       {number_key("seconds",
                   dim::time,
                   "as the motion, or 8 s where that is short or long",
                   "how long the file plays",
                   Range::positive),
        simple_key("follow", text, "none", "a body that stays in the middle of the view"),
        {.name = "view",
         .kind = choice,
         .otherwise = "free",
         .doc = "where it is seen from, in space",
         .choices = {"free", "front", "side", "top"}},
        simple_key("traces", boolean, "false", "the paths of points"),
        simple_key("arrows", boolean, "false", "the reactions"),
        simple_key("names", boolean, "false", "the names of bodies and joints")}}};
}

SectionSpec initial_section() {
  return {
      "initial",
      "What is prescribed at the start: a joint's freedom, coordinates of a body or of one of its "
      "points, or what lies between two bodies.",
      {name_key("that of the joint or body"),
       simple_key(
           "joint",
           text,
           "none",
           "with `angle` and `rate`, `displacement` and `velocity`, or `distance` and `rate`"),
       simple_key("body", text, "none", "with `x`, `y`, `angle`, `vx`, `vy`, `rate`"),
       simple_key("marker", text, "none", "with `x`, `y`, `vx`, `vy`"),
       simple_key(
           "between",
           names,
           "none",
           "two bodies, with `distance` and `points`, `displacement` and `axis`, or `angle`"),
       simple_key("markers", names, "none", "two markers likewise"),
       simple_key("formula",
                  text,
                  "none",
                  "of requests and their rates, with `value` and `rate`: \"a - 2*b\", or "
                  "\"rate(a) + rate(b)\""),
       key_parts::free_number("value", "not prescribed", "of the formula, in its unit"),
       point_key("at", dim::length, "none", "as in elements"),
       point_key("point", dim::length, "[0, 0]", "with `body`: the point meant, in its frame"),
       simple_key("points", points, "none", "with `between`: in the frames of the two bodies"),
       point_key("axis", dim::none, "none", "with `displacement`: direction in ground axes"),
       simple_key("axes",
                  points,
                  "none",
                  "with `displacement`: the directions in the frames of the two bodies"),
       number_key("x", dim::length, "not prescribed", "x coordinate"),
       number_key("y", dim::length, "not prescribed", "y coordinate"),
       number_key("angle", dim::none, "not prescribed", "angle"),
       number_key("vx", dim::velocity, "not prescribed", "velocity in x"),
       number_key("vy", dim::velocity, "not prescribed", "velocity in y"),
       number_key(
           "rate", dim::rate, "not prescribed", "angular velocity; of a distance its rate in m/s"),
       number_key("distance", dim::length, "not prescribed", "distance"),
       number_key("displacement", dim::length, "not prescribed", "displacement along an axis"),
       number_key(
           "velocity", dim::velocity, "not prescribed", "rate of a displacement or distance")}};
}

}  // namespace

const std::vector<SectionSpec>& sections() {
  static const std::vector<SectionSpec> all = [] {
    std::vector<SectionSpec> s{model_section(), body_section(), shape_section(), initial_section()};
    for (const auto& group : {small_sections(),
                              analysis_sections(),
                              spatial_sections(),
                              state_sections(),
                              equation_sections()})
      s.insert(s.end(), group.begin(), group.end());
    return s;
  }();
  return all;
}

const SectionSpec* find_section(std::string_view name) {
  const auto& all = sections();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SectionSpec& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool on_joint(Kind kind) {
  return kind == Kind::driver || kind == Kind::request || kind == Kind::stop;
}

const std::vector<KeySpec>& common_keys(Kind kind) {
  static const auto make = [](bool joint) {
    std::vector<KeySpec> keys{name_key("type and number")};
    keys.push_back(simple_key("type", text, joint ? "follows from `joint`" : "", "which element"));
    if (joint)
      keys.push_back(
          simple_key("joint",
                     text,
                     "none",
                     "name of the joint whose freedom is meant: bodies and points follow"));
    keys.push_back(simple_key("between", names, "by type", "the two bodies; `ground` is one"));
    keys.push_back(simple_key("body", text, "by type", "the one body, relative to the ground"));
    keys.push_back(
        simple_key("markers", names, "by type", "two markers: bodies, points and axes at once"));
    keys.push_back(simple_key("marker", text, "by type", "one marker, relative to the ground"));
    keys.push_back(
        place_key("at",
                  dim::length,
                  "by type",
                  "point in ground axes in the given pose; two points where they differ"));
    keys.push_back(
        simple_key("points", points, "by type", "the points in the frames of the two bodies"));
    keys.push_back(
        place_key("point", dim::length, "by type", "with `body`: the point in the body's frame"));
    keys.push_back(place_key(
        "axis",
        dim::none,
        "by type",
        "direction in ground axes in the given pose; in space two where the sides differ"));
    keys.push_back(
        simple_key("axes", points, "by type", "the directions in the frames of the two bodies"));
    keys.push_back(simple_key("across",
                              points,
                              "the same on both sides",
                              "in space: direction, across the axis, where angles about it start; "
                              "in ground axes in the given pose, one or one for each side"));
    return keys;
  };
  static const std::vector<KeySpec> plain = make(false), measured = make(true);
  return on_joint(kind) ? measured : plain;
}

}  // namespace cardan
