// Directions of a spatial element: the axis on each side, and the direction across it from which
// angles are counted. Angles are zero in the given pose where nothing else is said.
#include <cmath>

#include <fmt/format.h>

#include "cardan/io/side_reader.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

Vec<3> vector(const Triple& p) {
  return Vec<3>(p.data());
}

Triple triple(const Vec<3>& p) {
  return {p.x(), p.y(), p.z()};
}

constexpr double least_angle_of_cross = 0.1;  // rad, in the given pose

bool list_of_lists(const TomlNode& node) {
  return node.kind == TomlNode::Kind::array && !node.items.empty() &&
         node.items[0].kind == TomlNode::Kind::array;
}

}  // namespace

void SideReader::read_spatial_axes(TableReader& keys, const Geometry& geometry, Ends& ends) {
  const bool wanted = geometry.axis[0] != AxisRule::none || geometry.axis[1] != AxisRule::none;
  if (wanted) {
    const Field f = keys.take_one_of({"axis", "axes"});
    std::array<std::optional<Triple>, 2> given;
    if (f && (f.key == "axes" || list_of_lists(*f.node))) {
      const auto axes = environment_.two_directions(f);
      ends.good = ends.good && axes;
      if (axes) given = {(*axes)[0], (*axes)[1]};
    } else if (f) {
      const auto axis = environment_.direction(f);
      ends.good = ends.good && axis;
      if (axis) given = {*axis, *axis};
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if (!given[k]) continue;
      if (!(vector(*given[k]).norm() > 0)) {
        faults_.error("model.zero-axis",
                      f.where(),
                      fmt::format("{} of length zero", f.key),
                      "a direction such as [0, 0, 1]");
        ends.good = false;
        return;
      }
      const Triple local =
          f.key == "axes" ? *given[k] : frames_.to_local_direction(ends.body[k], *given[k]);
      ends.axis[k] = triple(vector(local).normalized());
    }
    for (std::size_t k = 0; k < 2 && ends.good; ++k)
      if (!ends.axis[k] && geometry.axis[k] == AxisRule::required) {
        faults_.error("model.missing-key",
                      keys.where(),
                      "no 'axis'",
                      "a direction in the ground's frame such as axis = [0, 0, 1], two of them "
                      "where the sides differ, or markers");
        ends.good = false;
      }
  }
  for (std::size_t k = 0; k < 2; ++k)
    if (!ends.axis[k]) ends.axis[k] = frames_.to_local_direction(ends.body[k], {0, 0, 1});
  if (wanted) read_across(keys, ends);
  const Field sequence = keys.peek("sequence");
  const bool cross = geometry.cross || (sequence && sequence.node->kind == TomlNode::Kind::text &&
                                        sequence.node->text == "universal");
  if (ends.good && cross) cross_axes(keys, ends);
  if (ends.good) complete_across(ends);
}

// Each axis is where angles about the other start.
void SideReader::cross_axes(const TableReader& keys, Ends& ends) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec<3> a = vector(*ends.axis[k]),
                 other = vector(frames_.to_local_direction(
                     ends.body[k],
                     frames_.to_global_direction(ends.body[1 - k], *ends.axis[1 - k])));
    const Vec<3> rest = other - a.dot(other) * a;
    if (rest.norm() < least_angle_of_cross) {
      faults_.error("model.zero-axis",
                    keys.where(),
                    "axes of a cross that are parallel, or only one",
                    "two directions across each other, axis = [[...], [...]]: that on the first "
                    "body, and that on the second");
      ends.good = false;
      return;
    }
    if (!ends.across[k]) ends.across[k] = triple(rest.normalized());
  }
}

// In ground axes in the given pose: one direction for both sides, or two.
void SideReader::read_across(TableReader& keys, Ends& ends) {
  const Field f = keys.take("across");
  if (!f) return;
  std::array<Triple, 2> given{};
  if (list_of_lists(*f.node)) {
    const auto both = environment_.two_directions(f);
    ends.good = ends.good && both;
    if (both) given = {(*both)[0], (*both)[1]};
  } else {
    const auto one = environment_.direction(f);
    ends.good = ends.good && one;
    if (one) given = {*one, *one};
  }
  for (std::size_t k = 0; k < 2 && ends.good; ++k) {
    const Vec<3> a = vector(*ends.axis[k]),
                 x = vector(frames_.to_local_direction(ends.body[k], given[k])),
                 rest = x - a.dot(x) * a;
    if (!(rest.norm() > 1e-9 * x.norm())) {
      faults_.error("model.zero-axis",
                    f.where(),
                    "across of length zero or along the axis",
                    "a direction that is not parallel to the axis");
      ends.good = false;
      return;
    }
    ends.across[k] = triple(rest.normalized());
  }
}

// One direction in the given pose for both sides, as far as their axes allow.
void SideReader::complete_across(Ends& ends) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (ends.across[k]) continue;
    const Vec<3> a = vector(*ends.axis[k]);
    Vec<3> x = any_perpendicular(a);
    if (ends.across[1 - k]) {
      const Vec<3> other = vector(frames_.to_local_direction(
          ends.body[k], frames_.to_global_direction(ends.body[1 - k], *ends.across[1 - k])));
      const Vec<3> rest = other - a.dot(other) * a;
      if (rest.norm() > 1e-6) x = rest.normalized();
    }
    ends.across[k] = triple(x);
  }
}

}  // namespace cardan
