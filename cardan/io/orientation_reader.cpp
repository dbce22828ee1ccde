// Orientations: a quaternion, axis and angle, three angles with their sequence, two axis
// directions, or the x axis from one point to another.
#include "cardan/io/orientation_reader.h"

#include <fmt/format.h>

#include "cardan/math/rotation.h"

namespace cardan {

namespace {

Vec<3> vector(const Triple& p) {
  return Vec<3>(p.data());
}

Quad quad(const Quaternion& e) {
  return {e[0], e[1], e[2], e[3]};
}

constexpr const char* forms =
    "one of quaternion = [w, x, y, z], axis with angle, angles with sequence, two of x, y and z, "
    "or "
    "from and to";

}  // namespace

std::optional<Quad> OrientationReader::read(const Field& f) {
  if (f.node->kind != TomlNode::Kind::table) {
    environment_.wrong_type(f, "a table such as { axis = [0, 0, 1], angle = \"30 deg\" }");
    return std::nullopt;
  }
  TableReader keys(*f.node, faults_);
  std::optional<Quad> out;
  const std::size_t before = faults_.seen();
  if (const Field q = keys.take("quaternion"))
    out = read_quaternion(q);
  else if (keys.has("angles") || keys.has("sequence"))
    out = read_angles(keys);
  else if (keys.has("axis") || keys.has("angle"))
    out = read_axis_angle(keys);
  else if (keys.has("from") || keys.has("to"))
    out = read_towards(keys);
  else
    out = read_two_axes(keys);
  keys.finish(key_names(find_section("orientation")->keys), "an orientation");
  return faults_.seen() == before ? out : std::nullopt;
}

std::optional<Quad> OrientationReader::read_quaternion(const Field& f) {
  const auto e = environment_.numbers(f, std::vector<Dimension>(4, dimension::none));
  if (!e) return std::nullopt;
  const Quaternion q(e->data());
  if (std::abs(q.norm() - 1) > 1e-3) {
    faults_.error("model.bad-value",
                  f.where(),
                  fmt::format("a quaternion of length {:.6g}", q.norm()),
                  "four numbers w, x, y, z of a unit quaternion, w first");
    return std::nullopt;
  }
  return quad(q.normalized());
}

std::optional<Quad> OrientationReader::read_axis_angle(TableReader& keys) {
  const Field axis = keys.need("axis", "the axis of the turn"),
              angle = keys.need("angle", "the angle of the turn");
  if (!axis || !angle) return std::nullopt;
  const auto direction = environment_.direction(axis);
  const auto turn = environment_.number(angle, dimension::none);
  if (!direction || !turn) return std::nullopt;
  if (!(vector(*direction).norm() > 0)) {
    faults_.error(
        "model.zero-axis", axis.where(), "axis of length zero", "a direction such as [0, 0, 1]");
    return std::nullopt;
  }
  return quad(quaternion_about(vector(*direction), *turn));
}

std::optional<Quad> OrientationReader::read_angles(TableReader& keys) {
  const Field angles = keys.need("angles", "three angles"),
              sequence = keys.need("sequence",
                                   "the axes turned about, in order: \"xyz\" (Bryant angles), "
                                   "\"zxz\" (Euler angles), ..."),
              fixed = keys.take("fixed_axes");
  if (!angles || !sequence) return std::nullopt;
  const auto values = environment_.numbers(angles, std::vector<Dimension>(3, dimension::none));
  const auto text = environment_.text(sequence);
  const bool about_fixed = fixed && environment_.boolean(fixed).value_or(false);
  if (!values || !text) return std::nullopt;
  const auto e = quaternion_of_angles(*text, Vec<3>(values->data()), about_fixed);
  if (!e) {
    faults_.error("model.bad-value",
                  sequence.where(),
                  fmt::format("sequence = \"{}\"", *text),
                  "three letters of x, y, z, none the same as the one before");
    return std::nullopt;
  }
  return quad(*e);
}

std::optional<Quad> OrientationReader::read_towards(TableReader& keys) {
  const Field from = keys.need("from", "the point looked from"),
              to = keys.need("to", "the point looked at"), up = keys.take("z");
  if (!from || !to) return std::nullopt;
  const auto a = environment_.point(from), b = environment_.point(to);
  const auto z = up ? environment_.direction(up) : std::nullopt;
  if (!a || !b || (up && !z)) return std::nullopt;
  return towards(vector(*b) - vector(*a), z, to, up);
}

std::optional<Quad> OrientationReader::towards(const Vec<3>& x,
                                               const std::optional<Triple>& z,
                                               const Field& to,
                                               const Field& up) {
  if (!(x.norm() > 0)) {
    faults_.error(
        "model.zero-length", to.where(), "two points at the same place", "two different points");
    return std::nullopt;
  }
  if (!z) return quad(quaternion_of_x_axis(x));
  const auto e = quaternion_of_axes(0, x, 2, vector(*z));
  if (!e) {
    faults_.error("model.zero-axis",
                  up.where(),
                  fmt::format("{} of length zero or along the x axis", up.key),
                  "another direction");
    return std::nullopt;
  }
  return quad(*e);
}

// Two of x, y, z: z is kept as given before x, x before y, and the other is made perpendicular.
std::optional<Quad> OrientationReader::read_two_axes(TableReader& keys) {
  struct Given {
    int axis;
    Field field;
    Vec<3> direction;
  };

  std::vector<Given> given;
  for (const auto& [name, axis] : {std::pair{"z", 2}, std::pair{"x", 0}, std::pair{"y", 1}})
    if (const Field f = keys.take(name)) {
      const auto direction = environment_.direction(f);
      if (!direction) return std::nullopt;
      given.push_back({axis, f, vector(*direction)});
    }
  if (given.size() != 2) {
    faults_.error("model.missing-key",
                  keys.where(),
                  given.empty() ? "an orientation of no kind"
                                : fmt::format("{} axis directions", given.size()),
                  forms);
    return std::nullopt;
  }
  const auto e =
      quaternion_of_axes(given[0].axis, given[0].direction, given[1].axis, given[1].direction);
  if (e) return quad(*e);
  faults_.error("model.zero-axis",
                given[1].field.where(),
                "axis directions of length zero or parallel",
                "two directions that are not parallel");
  return std::nullopt;
}

}  // namespace cardan
