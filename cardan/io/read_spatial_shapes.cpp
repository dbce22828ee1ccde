// Shapes of spatial bodies and of the ground.
#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/math/rotation.h"
#include "cardan/model/solids.h"

namespace cardan {

namespace {

constexpr const char* kinds = "one of box, cylinder, tube, sphere, cone, bar, mesh";

}  // namespace

std::optional<Shape> ModelReader::read_spatial_shape(const TomlNode& table) {
  TableReader keys(table, faults_);
  const std::size_t before = faults_.seen();
  const Field kind = keys.take_one_of({"box", "cylinder", "tube", "sphere", "cone", "bar", "mesh"});
  if (!kind) {
    faults_.error("model.missing-key", table.where, "a shape of no kind", kinds);
    return std::nullopt;
  }
  Shape shape;
  shape.kind = kind.key;
  const bool lengthy = shape.kind == "cylinder" || shape.kind == "tube" || shape.kind == "cone";
  const std::vector<Dimension> lengths(3, dimension::length);
  if (shape.kind == "box")
    shape.sizes = environment_.numbers(kind, lengths, Range::positive).value_or(lengths_of_one(3));
  else if (shape.kind == "tube")
    shape.sizes =
        environment_.numbers(kind, {dimension::length, dimension::length}, Range::not_negative)
            .value_or(lengths_of_one(2));
  else if (shape.kind == "bar")
    shape.points = environment_.points(kind, 2, 2).value_or(std::vector<Triple>(2));
  else if (shape.kind != "mesh")
    shape.sizes = {environment_.number(kind, dimension::length, Range::positive).value_or(1)};
  if (shape.kind == "tube" && !(shape.sizes[0] > shape.sizes[1]))
    faults_.error("model.bad-value",
                  kind.where(),
                  fmt::format("tube = [{}, {}]", shape.sizes[0], shape.sizes[1]),
                  "outer radius, then a smaller inner radius");
  if (lengthy) {
    read_line(keys, shape);
  } else if (shape.kind == "bar") {
    const Field f = keys.take("width");
    shape.sizes = {f ? environment_.number(f, dimension::length, Range::positive).value_or(0) : 0};
  } else if (shape.kind == "mesh") {
    read_mesh(keys, kind, shape);
  } else {
    const Field at = keys.take("at");
    shape.points = {at ? environment_.point(at).value_or(Triple{}) : Triple{}};
    if (shape.kind == "box")
      if (const Field f = keys.take("orientation"))
        shape.orientation = orientations_.read(f).value_or(Quad{1, 0, 0, 0});
  }
  if (const Field f = keys.take("colour")) shape.colour = environment_.text(f).value_or("");
  keys.finish(key_names(find_section("shape.spatial")->keys),
              fmt::format("the shape '{}'", shape.kind));
  return faults_.seen() == before ? std::optional(shape) : std::nullopt;
}

std::vector<double> ModelReader::lengths_of_one(std::size_t count) {
  return std::vector<double>(count, 1.0);
}

// The two ends of a round solid: given, or by its length about a centre along an axis.
bool ModelReader::read_line(TableReader& keys, Shape& shape) {
  const Field ends = keys.take("ends"), length = keys.take("length"), at = keys.take("at"),
              axis = keys.take("axis");
  if (ends) {
    for (const Field& f : {length, at, axis})
      if (f)
        faults_.error("model.conflicting-keys",
                      f.where(),
                      fmt::format("'{}' beside 'ends'", f.key),
                      "both ends, or a length about a centre");
    shape.points = environment_.points(ends, 2, 2).value_or(std::vector<Triple>(2));
  } else if (!length) {
    faults_.error(
        "model.missing-key",
        keys.where(),
        fmt::format("a {} without a length", shape.kind),
        "ends = [[x, y, z], [x, y, z]], or length with at and axis",
        fmt::format("shape = {{ {} = \"20 mm\", length = \"40 mm\" }}: the first is the radius",
                    shape.kind));
    shape.points.resize(2);
    return false;
  } else {
    const double h =
        environment_.number(length, dimension::length, Range::positive).value_or(1) / 2;
    const Triple centre = at ? environment_.point(at).value_or(Triple{}) : Triple{};
    Vec<3> u(0, 0, 1);
    if (axis)
      if (const auto given = environment_.direction(axis)) u = Vec<3>(given->data());
    if (!(u.norm() > 0)) {
      faults_.error(
          "model.zero-axis", axis.where(), "axis of length zero", "a direction such as [0, 0, 1]");
      u = {0, 0, 1};
    }
    u *= h / u.norm();
    const Vec<3> c(centre.data()), a = c - u, b = c + u;
    shape.points = {{a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}};
  }
  if (shape.points[0] == shape.points[1])
    faults_.error("model.zero-length",
                  keys.where(),
                  fmt::format("a {} of no length", shape.kind),
                  "two different ends");
  return true;
}

}  // namespace cardan
