// [[curve]]: motion laws, splines through tables, and planar curves for cams.
#include <algorithm>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/math/curve.h"
#include "cardan/math/smoothing_spline.h"

namespace cardan {

namespace {

constexpr std::size_t most_points = 1'000'000;

std::vector<double> column(const std::vector<Triple>& points, std::size_t k) {
  std::vector<double> values;
  for (const auto& p : points) values.push_back(p[k]);
  return values;
}

}  // namespace

void ModelReader::read_curves() {
  environment_.set_curve_reader(
      [this](const std::string& name, const TomlNode& table) { return read_curve(name, table); });
  for (const auto& [name, function] : options_.functions) {
    if (!is_identifier(name) || environment_.has_parameter(name))
      faults_.error("model.bad-name",
                    {sources_.back().root.where.file},
                    fmt::format("the function '{}'", name),
                    "a name of letters, digits and _ that no parameter has");
    environment_.add_function(name, function);
    faults_.note("io.no-function",
                 {sources_.back().root.where.file},
                 fmt::format("the function '{}' of a program", name),
                 "",
                 "this run can be neither resumed nor verified");
  }
  for (const auto& source : sources_)
    read_list(source.root, "curve", [&](const TomlNode& table) {
      const Faults::Subject subject(faults_, "curve", "");
      TableReader keys(table, faults_);
      const Field f = keys.need("name", "a name to use in formulas and joints");
      const auto name = f ? environment_.text(f) : std::nullopt;
      if (!name) return;
      if (!is_identifier(*name))
        faults_.error("model.bad-name",
                      f.where(),
                      fmt::format("the curve '{}'", *name),
                      "a name of letters, digits and _");
      else if (environment_.has_curve(*name) || environment_.has_parameter(*name))
        faults_.error("model.duplicate-name",
                      f.where(),
                      fmt::format("a second curve or parameter '{}'", *name),
                      "each name once");
      else
        environment_.add_curve(*name, table);
    });
}

Curve ModelReader::read_curve(const std::string&, const TomlNode& table) {
  TableReader keys(table, faults_);
  keys.take("name");
  const Field f = keys.take("type");
  if (!f)
    keys.missing("type",
                 "constant, polynomial, harmonic, spline, ...",
                 table.find("table") != nullptr || table.find("file") != nullptr
                     ? "type = \"spline\" goes smoothly through the points"
                     : "");
  const auto type = f ? environment_.text(f) : std::nullopt;
  if (!type) return {};
  const CurveSpec* spec = find_curve_type(*type);
  if (spec == nullptr) {
    std::vector<std::string> known;
    for (const auto& s : curve_types()) known.emplace_back(s.type);
    const std::string near = nearest_name(*type, known);
    faults_.error("model.unknown-type",
                  f.where(),
                  fmt::format("the unknown curve type \"{}\"", *type),
                  fmt::format("one of {}", fmt::join(known, ", ")),
                  near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
    return {};
  }
  const std::size_t before = faults_.seen();
  Curve curve;
  if (spec->shape == CurveShape::planar)
    curve.planar = read_planar_curve(keys, *spec);
  else if (spec->shape == CurveShape::spatial)
    curve.spatial = read_space_curve(keys, *spec);
  else
    curve.function = read_function(keys, *spec);
  auto known = key_names(spec->keys);
  known.insert(known.end(), {"name", "type"});
  keys.finish(known, fmt::format("the curve type '{}'", spec->type));
  return faults_.seen() == before ? curve : Curve{};
}

std::optional<double> ModelReader::free_number(const Field& f) {
  const auto e = environment_.formula(f, std::nullopt, {});
  if (!e) return std::nullopt;
  const double value = e->value({});
  return value == value ? std::optional(value) : std::nullopt;
}

double ModelReader::curve_number(TableReader& keys,
                                 const char* key,
                                 std::optional<double> otherwise) {
  const Field f = otherwise ? keys.take(key) : keys.need(key, "a number");
  return f ? free_number(f).value_or(1) : otherwise.value_or(1);
}

std::optional<std::vector<double>> ModelReader::free_numbers(const Field& f,
                                                             std::size_t least,
                                                             std::size_t most) {
  if (f.node->kind != TomlNode::Kind::array) {
    environment_.wrong_type(f, "a list of numbers");
    return std::nullopt;
  }
  if (f.node->items.size() < least || f.node->items.size() > most) {
    faults_.error(
        "model.vector-length",
        f.where(),
        fmt::format("{} = a list of {}", f.key, f.node->items.size()),
        least == most ? fmt::format("{} numbers", least) : fmt::format("at least {}", least));
    return std::nullopt;
  }
  std::vector<double> values;
  for (const auto& item : f.node->items) {
    const auto value = free_number({f.key, &item});
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

FunctionPtr ModelReader::read_function(TableReader& keys, const CurveSpec& spec) {
  if (spec.type == "constant") return constant_curve(curve_number(keys, "value", {}));
  if (spec.type == "polynomial") {
    const Field f = keys.need("coefficients", "a list of numbers");
    const auto coefficients = f ? free_numbers(f, 1, 100) : std::nullopt;
    return coefficients ? polynomial(*coefficients) : nullptr;
  }
  if (spec.type == "harmonic") {
    const double amplitude = curve_number(keys, "amplitude", {}),
                 frequency = curve_number(keys, "frequency", {});
    return harmonic(
        amplitude, frequency, curve_number(keys, "phase", 0), curve_number(keys, "offset", 0));
  }
  if (spec.type == "spline" || spec.type == "linear") return read_spline(keys, spec);
  return read_rise(keys, spec);
}

FunctionPtr ModelReader::read_rise(TableReader& keys, const CurveSpec& spec) {
  const Field from_field = keys.need("from", "[x, y]"), to_field = keys.need("to", "[x, y]");
  const Field period_field = keys.take("period");
  const auto period = period_field ? free_number(period_field) : 0.0;
  const double gain = curve_number(keys, "gain", 0);
  const auto from = from_field ? free_numbers(from_field, 2, 2) : std::nullopt,
             to = to_field ? free_numbers(to_field, 2, 2) : std::nullopt;
  if (!from || !to || !period) return nullptr;
  const double x0 = (*from)[0], x1 = (*to)[0], y0 = (*from)[1], y1 = (*to)[1];
  if (!(x0 < x1)) {
    faults_.error("model.bad-value",
                  to_field.where(),
                  fmt::format("a rise from x = {} to x = {}", x0, x1),
                  "an end behind the beginning");
    return nullptr;
  }
  const auto rise = spec.type == "cubic-step"     ? cubic_step
                    : spec.type == "quintic-step" ? quintic_step
                    : spec.type == "cycloidal"    ? cycloidal
                                                  : modified_sine;
  FunctionPtr f = rise(x0, x1, y0, y1);
  if (!period_field) return f;
  if (*period < x1 - x0) {
    faults_.error("model.bad-value",
                  period_field.where(),
                  fmt::format("period = {}", *period),
                  fmt::format("at least the length of the rise, {}", x1 - x0));
    return nullptr;
  }
  return repeated(std::move(f), x0, *period, gain);
}

FunctionPtr ModelReader::read_spline(TableReader& keys, const CurveSpec& spec) {
  const Field place = keys.peek("table") ? keys.peek("table") : keys.peek("file");
  const auto points = read_curve_points(keys, "table");
  SplineOptions options;
  const Field outside = keys.take("outside");
  if (outside) {
    const auto word = environment_.text(outside);
    constexpr std::array<std::string_view, 4> words{"undefined", "hold", "extend", "repeat"};
    const auto found = std::find(words.begin(), words.end(), word.value_or("undefined"));
    if (found == words.end())
      faults_.error("model.bad-value",
                    outside.where(),
                    fmt::format("outside = \"{}\"", *word),
                    fmt::format("one of {}", fmt::join(words, ", ")));
    else
      options.outside = static_cast<Outside>(found - words.begin());
  }
  if (spec.type == "spline") {
    const Field periodic = keys.take("periodic"), slopes_field = keys.take("slopes");
    if (periodic && environment_.boolean(periodic).value_or(false))
      options.ends = SplineEnds::periodic;
    if (slopes_field && options.ends == SplineEnds::periodic)
      faults_.error("model.conflicting-keys",
                    slopes_field.where(),
                    "'slopes' of a periodic spline",
                    "one of the two");
    if (const auto slopes = slopes_field ? free_numbers(slopes_field, 2, 2) : std::nullopt) {
      options.ends = SplineEnds::clamped;
      options.first_slope = (*slopes)[0];
      options.last_slope = (*slopes)[1];
    }
  }
  const Field smoothing = spec.type == "spline" ? keys.take("smoothing") : Field{};
  if (smoothing && options.ends != SplineEnds::natural)
    faults_.error("model.conflicting-keys",
                  smoothing.where(),
                  "'smoothing' of a spline that is periodic or has given slopes",
                  "one of them");
  if (points.empty()) return nullptr;
  const auto x = column(points, 0), y = column(points, 1);
  if (smoothing) return read_smoothing(smoothing, place, x, y, options.outside);
  const std::string fault =
      spec.type == "linear" ? fault_in_table(x, y) : fault_in_spline(x, y, options);
  if (!fault.empty()) {
    faults_.error("model.bad-table", place.where(), fault, "points whose x increase");
    return nullptr;
  }
  return spec.type == "linear" ? linear_table(x, y, options.outside) : cubic_spline(x, y, options);
}

FunctionPtr ModelReader::read_smoothing(const Field& smoothing,
                                        const Field& place,
                                        const std::vector<double>& x,
                                        const std::vector<double>& y,
                                        Outside outside) {
  const auto found = free_number(smoothing);
  if (!found) return nullptr;
  const double deviation = found.value_or(0);
  if (!(deviation >= 0)) {
    faults_.error("model.bad-value",
                  smoothing.where(),
                  fmt::format("smoothing = {}", deviation),
                  "the standard deviation of the values: zero, or above it");
    return nullptr;
  }
  const std::string fault = fault_in_smoothing(x, y, deviation);
  if (fault.empty()) return smoothing_spline(x, y, deviation, outside);
  faults_.error("model.bad-table", place.where(), fault, "four points or more whose x increase");
  return nullptr;
}

PlanarCurvePtr ModelReader::read_planar_curve(TableReader& keys, const CurveSpec& spec) {
  if (spec.type == "polar") {
    const Field f = keys.need("radius", "a formula of `angle`, or the name of a curve");
    const FunctionPtr radius =
        f ? read_motion(f, dimension::length, "angle", dimension::none) : nullptr;
    if (!radius) return nullptr;
    const std::string fault = fault_in_polar(*radius);
    if (fault.empty()) return polar_curve(radius);
    faults_.error("model.bad-value",
                  f.where(),
                  fault,
                  "a positive radius that closes smoothly after one turn");
    return nullptr;
  }
  if (spec.type == "closed-spline" || spec.type == "open-spline") {
    const bool closed = spec.type == "closed-spline";
    const Field place = keys.peek("points") ? keys.peek("points") : keys.peek("file");
    std::vector<Vec<2>> points;
    for (const auto& p : read_curve_points(keys, "points")) points.emplace_back(p[0], p[1]);
    if (points.empty()) return nullptr;
    const std::string fault = fault_in_points(points, closed);
    if (fault.empty())
      return closed ? closed_spline_curve(std::move(points)) : open_spline_curve(std::move(points));
    faults_.error(
        "model.bad-table", place.where(), fault, "different points in order along the curve");
    return nullptr;
  }
  Triple centre{};
  if (const Field f = keys.take("centre")) centre = environment_.point(f).value_or(centre);
  const Vec<2> c(centre[0], centre[1]);
  if (spec.type == "circle") {
    const Field f = keys.need("radius", "a length");
    return circle_curve(
        f ? environment_.number(f, dimension::length, Range::positive).value_or(1) : 1, c);
  }
  const Field axes_field = keys.need("half_axes", "two lengths"), angle_field = keys.take("angle");
  const auto axes = axes_field
                        ? environment_.numbers(
                              axes_field, {dimension::length, dimension::length}, Range::positive)
                        : std::nullopt;
  const double angle =
      angle_field ? environment_.number(angle_field, dimension::none).value_or(0) : 0;
  return axes ? ellipse_curve((*axes)[0], (*axes)[1], c, angle) : nullptr;
}

// Points of a table, inline or from a file; empty after a fault.
std::vector<Triple> ModelReader::read_curve_points(TableReader& keys,
                                                   std::string_view key,
                                                   std::size_t columns) {
  const char* form = columns == 2 ? "[[x, y], ...]" : "[[x, y, z], ...]";
  const Field units = keys.take("units"), chosen = keys.take("columns");
  if (!keys.has(key) && !keys.has("file")) {
    keys.need(key, fmt::format("{} = {} or file = \"name.csv\"", key, form));
    return {};
  }
  const Field f = keys.take_one_of({key, "file"});
  if (f.key == "file") return read_csv(f, column_factors(units, columns), chosen);
  if (units)
    faults_.error("model.conflicting-keys",
                  units.where(),
                  "'units' of points in the model file",
                  "units beside the numbers",
                  "units are for the columns of a CSV file");
  if (chosen)
    faults_.error("model.conflicting-keys",
                  chosen.where(),
                  "'columns' of points in the model file",
                  "columns of a CSV file alone");
  if (f.node->kind != TomlNode::Kind::array) {
    environment_.wrong_type(f, fmt::format("a list of points, {}", form));
    return {};
  }
  std::vector<Triple> points;
  for (const auto& item : f.node->items) {
    const auto p = free_numbers({f.key, &item}, columns, columns);
    if (!p || points.size() == most_points) return {};
    points.push_back({(*p)[0], (*p)[1], columns == 3 ? (*p)[2] : 0});
  }
  if (points.empty())
    faults_.error("model.bad-table", f.where(), "no points", fmt::format("points, {}", form));
  return points;
}

}  // namespace cardan
