// Bodies and markers of spatial models: frames, velocities, mass properties.
#include <cmath>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/math/rotation.h"
#include "cardan/model/solids.h"

namespace cardan {

namespace {

Vec<3> vector(const Triple& p) {
  return Vec<3>(p.data());
}

Triple triple(const Vec<3>& p) {
  return {p.x(), p.y(), p.z()};
}

Quaternion quaternion(const Quad& e) {
  return Quaternion(e.data());
}

// Whatever was given of these does not go with something else: "'inertia' of a massless body".
void refuse_each(std::initializer_list<Field> given,
                 std::string_view beside,
                 std::string_view expected,
                 Faults& faults) {
  for (const Field& f : given)
    if (f)
      faults.error("model.conflicting-keys",
                   f.where(),
                   fmt::format("'{}' {}", f.key, beside),
                   std::string(expected));
}

}  // namespace

void ModelReader::read_spatial_body(TableReader& keys, Body& body, int index) {
  const std::size_t faults_before = faults_.seen();
  double length = 0, width = 0;
  read_spatial_frame(keys, body, length, width);
  read_spatial_velocity(keys, body);
  const Field shape = keys.peek("shape");
  body.shapes = read_shapes(keys);
  if (length > 0 && shape) ask_about_bar_shape(shape, body, length);
  read_spatial_mass(keys, body, length, width, faults_.seen() == faults_before);
  if (length > 0 && body.shapes.empty())
    body.shapes.push_back({"bar", {width}, {{0, 0, 0}, {length, 0, 0}}, "", {1, 0, 0, 0}, {}});
  read_spatial_fixed(keys, body, index);
  keys.finish(key_names(find_section("body.spatial")->keys), "[[body]]");
}

// A slender round shape lies along z where nothing is said, which is across a bar.
void ModelReader::ask_about_bar_shape(const Field& f, const Body& body, double length) {
  if (f.node->kind != TomlNode::Kind::table || body.shapes.size() != 1) return;
  const Shape& shape = body.shapes.front();
  for (const auto key : {"ends", "axis", "at"})
    if (f.node->find(key) != nullptr) return;
  if (shape.kind != "cylinder" && shape.kind != "tube" && shape.kind != "cone") return;
  const double own = (vector(shape.points[1]) - vector(shape.points[0])).norm();
  if (own < 4 * shape.sizes[0]) return;
  environment_.ask(f,
                   fmt::format("a {} across the bar, about its first end", shape.kind),
                   fmt::format("ends = [[0, 0, 0], [{:g}, 0, 0]] lays it along the bar; so does "
                               "`width` without a shape",
                               length));
}

// A bar from one point to another, or a frame at a point.
void ModelReader::read_spatial_frame(TableReader& keys, Body& body, double& length, double& width) {
  if (!keys.has("from") && !keys.has("to")) {
    if (const Field f = keys.take("at")) body.at = environment_.point(f).value_or(Triple{});
    if (const Field f = keys.take("orientation"))
      body.orientation = orientations_.read(f).value_or(Quad{1, 0, 0, 0});
    return;
  }
  for (const auto key : {"at", "orientation"})
    if (const Field f = keys.take(key))
      faults_.error("model.conflicting-keys",
                    f.where(),
                    fmt::format("'{}' beside 'from' and 'to'", key),
                    "a bar between two points, or a frame at a point",
                    "'z' turns a bar about its line");
  const Field from_field = keys.need("from", "the two ends of a bar, from and to"),
              to_field = keys.need("to", "the two ends of a bar, from and to"), up = keys.take("z");
  if (const Field f = keys.take("width"))
    width = environment_.number(f, dimension::length, Range::positive).value_or(0);
  if (!from_field || !to_field) return;
  const auto from = environment_.point(from_field), to = environment_.point(to_field);
  const auto z = up ? environment_.direction(up) : std::nullopt;
  if (!from || !to || (up && !z)) return;
  body.at = *from;
  length = (vector(*to) - vector(*from)).norm();
  body.orientation = orientations_.towards(vector(*to) - vector(*from), z, to_field, up)
                         .value_or(Quad{1, 0, 0, 0});
}

void ModelReader::read_spatial_velocity(TableReader& keys, Body& body) {
  if (const Field f = keys.take("velocity")) {
    body.velocity = environment_.point(f, dimension::velocity).value_or(Triple{});
    body.velocity_given = true;
  }
  const Field f = keys.take_one_of({"angular_velocity", "angular_velocity_body"});
  if (!f) return;
  body.velocity_given = true;
  body.omega = environment_.point(f, dimension::rate).value_or(Triple{});
  if (f.key == "angular_velocity")
    body.omega =
        triple(matrix_of_quaternion(quaternion(body.orientation)).transpose() * vector(body.omega));
}

// `sound`: nothing before was wrong from which a missing inertia could follow.
void ModelReader::read_spatial_mass(
    TableReader& keys, Body& body, double length, double width, bool sound) {
  const bool bar = length > 0;
  const Field mass = keys.take("mass"), density = keys.take("density"),
              inertia = keys.take("inertia"), axes = keys.take("inertia_axes"),
              about = keys.take("inertia_at"), centre = keys.take("centre"),
              massless = keys.take("massless");
  if (centre) body.centre = environment_.point(centre).value_or(Triple{});
  if (massless && environment_.boolean(massless).value_or(false)) {
    refuse_each({mass, density, inertia}, "of a massless body", "massless = true alone", faults_);
    return;
  }
  if (density && mass)
    faults_.error(
        "model.conflicting-keys", density.where(), "both 'mass' and 'density'", "one of the two");
  if (!inertia)
    refuse_each({axes, about}, "without 'inertia'", "the inertia it belongs to", faults_);
  const Solid solid = bar && body.shapes.empty() ? round_bar(length, width) : solid_of(body.shapes);
  if (mass) {
    body.mass = environment_.number(mass, dimension::mass).value_or(1);
    if (!(body.mass > 0))
      faults_.error(body.mass < 0 ? "model.negative-mass" : "model.zero-mass",
                    mass.where(),
                    fmt::format("mass = {} kg", body.mass),
                    "a mass greater than zero",
                    body.mass == 0 ? "a body without mass is written massless = true" : "");
  } else if (density) {
    const double rho =
        environment_.number(density, dimension::density, Range::positive).value_or(1);
    if (!(solid.volume > 0))
      faults_.error("model.missing-key",
                    density.where(),
                    "a density, but nothing with a volume",
                    bar ? "the bar's width" : "a shape: box, cylinder, tube, sphere, cone, mesh");
    body.mass = rho * solid.volume;
  } else {
    keys.missing("mass", "mass, or density with a shape, or massless = true");
  }
  if (!centre && solid.volume > 0)
    body.centre = triple(solid.centroid);
  else if (!centre && bar)
    body.centre = {length / 2, 0, 0};
  Mat<3, 3> J = Mat<3, 3>::Zero();
  if (inertia) {
    J = read_tensor(inertia);
    if (axes) J = turned(J, quaternion(orientations_.read(axes).value_or(Quad{1, 0, 0, 0})));
    if (about)
      if (const auto point = environment_.point(about))
        J = moved_to_centre(J, body.mass, vector(body.centre) - vector(*point));
  } else if (solid.volume > 0) {
    J = body.mass / solid.volume * solid.tensor;
    if (centre)  // the shape's tensor belongs to its own centroid
      faults_.error("model.missing-key",
                    centre.where(),
                    "a mass centre of its own, but no 'inertia'",
                    "the inertia about the mass centre, or no 'centre'");
  } else if ((mass || density) && sound && !(bar && length == 0)) {
    faults_.error("model.missing-key",
                  keys.where(),
                  "no 'inertia'",
                  "inertia = [xx, yy, zz] about the mass centre, or a shape with a volume",
                  bar ? "width = \"20 mm\" makes it a round bar, whose inertia is known"
                      : "shape = { box = [...] }, { cylinder = ... } or { sphere = ... } gives it; "
                        "inertia = [0, 0, 0] "
                        "only for a point mass");
  }
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(body.tensor.data()) = J;
}

// [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three rows; off the diagonal J_xy = -sum of m x y.
Mat<3, 3> ModelReader::read_tensor(const Field& f) {
  const bool rows = f.node->kind == TomlNode::Kind::array && !f.node->items.empty() &&
                    f.node->items[0].kind == TomlNode::Kind::array;
  Mat<3, 3> J = Mat<3, 3>::Identity();
  if (rows) {
    const auto all = environment_.points(f, 3, 3, dimension::inertia);
    for (std::size_t r = 0; all && r < 3; ++r)
      J.row(static_cast<Eigen::Index>(r)) = vector((*all)[r]).transpose();
    return J;
  }
  const std::size_t count =
      f.node->kind == TomlNode::Kind::array && f.node->items.size() == 6 ? 6 : 3;
  if (f.node->kind == TomlNode::Kind::array && f.node->items.size() != count) {
    faults_.error("model.vector-length",
                  f.where(),
                  fmt::format("inertia = a list of {}", f.node->items.size()),
                  "[xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three rows of three numbers");
    return J;
  }
  const auto v = environment_.numbers(f, std::vector<Dimension>(count, dimension::inertia));
  if (!v) return J;
  J = Vec<3>((*v)[0], (*v)[1], (*v)[2]).asDiagonal();
  if (count == 6) {
    J(0, 1) = J(1, 0) = (*v)[3];
    J(0, 2) = J(2, 0) = (*v)[4];
    J(1, 2) = J(2, 1) = (*v)[5];
  }
  return J;
}

void ModelReader::read_spatial_marker(TableReader& keys, Marker& marker) {
  const Field turn = keys.take("orientation");
  if (turn) marker.orientation = orientations_.read(turn).value_or(Quad{1, 0, 0, 0});
  const Field place = keys.take_one_of({"at", "point"});
  if (place) marker.point = environment_.point(place).value_or(Triple{});
  if (place && place.key == "at") {
    marker.point = BodyFrames(model_).to_local(marker.body, marker.point);
    if (marker.body >= 0) {
      const Quaternion own =
          quaternion(model_.bodies[static_cast<std::size_t>(marker.body)].orientation);
      const Quaternion e =
          quaternion_product(quaternion_inverse(own), quaternion(marker.orientation));
      marker.orientation = {e[0], e[1], e[2], e[3]};
    }
  }
  keys.finish(key_names(find_section("marker.spatial")->keys), "[[marker]]");
}

}  // namespace cardan
