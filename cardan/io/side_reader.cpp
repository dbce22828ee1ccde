// Where an element sits: its two bodies, a point and a direction on each. Given by markers, in the
// bodies' frames, or as seen in the given pose; the catalogue says what a type needs and what it
// may leave out.
#include "cardan/io/side_reader.h"

#include <cmath>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

Triple turned(const Quad& orientation, const Triple& p) {
  const Vec<3> out = matrix_of_quaternion(Quaternion(orientation.data())) * Vec<3>(p.data());
  return {out.x(), out.y(), out.z()};
}

}  // namespace

bool SideReader::read(TableReader& keys, const Geometry& geometry, std::vector<Side>& sides) {
  Ends ends;
  if (!read_ends(keys, ends)) {
    for (const auto key : {"at", "point", "points", "axis", "axes", "across"}) keys.take(key);
    return false;
  }
  read_points(keys, geometry, ends);
  if (model_.space == Space::spatial)
    read_spatial_axes(keys, geometry, ends);
  else
    read_axes(keys, geometry, ends);
  if (!ends.good) return false;
  sides.clear();
  for (std::size_t k = 0; k < 2; ++k)
    sides.push_back({ends.body[k],
                     ends.point[k].value_or(Triple{}),
                     ends.axis[k].value_or(Triple{1, 0, 0}),
                     ends.across[k].value_or(Triple{0, 1, 0})});
  return true;
}

// False when the bodies are not known.
bool SideReader::read_ends(TableReader& keys, Ends& ends) {
  const Field f = keys.take_one_of({"between", "body", "markers", "marker"});
  if (!f) {
    faults_.error("model.missing-key",
                  keys.where(),
                  "no bodies",
                  "between = [\"a\", \"b\"], body = \"a\" or markers = [\"m\", \"n\"]");
    return false;
  }
  ends.one_sided = f.key == "body" || f.key == "marker";
  ends.by_markers = f.key == "marker" || f.key == "markers";
  std::vector<std::string> names;
  if (ends.one_sided) {
    const auto name = environment_.text(f);
    if (!name) return false;
    names = {*name};
  } else {
    const auto list = environment_.names(f);
    if (!list) return false;
    names = *list;
    if (names.size() != 2) {
      faults_.error("model.vector-length",
                    f.where(),
                    fmt::format("{} = a list of {}", f.key, names.size()),
                    "two names");
      return false;
    }
  }
  const std::size_t faults_before = faults_.seen();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::size_t side = ends.one_sided ? 1 : k;
    const SourcePos& where = ends.one_sided ? f.where() : f.node->items[k].where;
    if (!ends.by_markers) {
      ends.body[side] = names_.body(names[k], where);
    } else if (const Marker* m = names_.marker(names[k], where)) {
      ends.body[side] = m->body;
      ends.point[side] = m->point;
      ends.axis[side] = Triple{elementary::cos(m->angle), elementary::sin(m->angle), 0};
      if (model_.space == Space::spatial) {
        ends.axis[side] = turned(m->orientation, {0, 0, 1});
        ends.across[side] = turned(m->orientation, {1, 0, 0});
      }
    }
  }
  if (faults_.seen() > faults_before) return false;
  if (ends.by_markers && ends.one_sided) ends.point[0] = Triple{};
  if (ends.body[0] != ends.body[1]) return true;
  if (!names_.cut_short)
    faults_.error("model.self-joint",
                  f.where(),
                  ends.body[0] == ground ? "the ground on both sides"
                                         : fmt::format("'{}' on both sides", names.back()),
                  "two different bodies");
  return false;
}

void SideReader::read_points(TableReader& keys, const Geometry& geometry, Ends& ends) {
  const bool wanted = geometry.point[0] != PointRule::none || geometry.point[1] != PointRule::none;
  if (wanted && !ends.by_markers) {
    const std::vector<std::string_view> forms =
        geometry.at == At::none
            ? std::vector<std::string_view>{ends.one_sided ? "point" : "points"}
            : std::vector<std::string_view>{"at", ends.one_sided ? "point" : "points"};
    const Field f = keys.take_one_of(forms);
    if (f && f.key == "at") {
      read_at(f, geometry, ends);
    } else if (f && f.key == "points") {
      const auto points = environment_.points(f, 2, 2);
      ends.good = ends.good && points;
      if (points) ends.point = {(*points)[0], (*points)[1]};
    } else if (f) {
      const auto point = environment_.point(f);
      ends.good = ends.good && point;
      if (point) ends.point[1] = *point;
      if (point && geometry.at == At::both) ends.point[0] = frames_.to_global(ends.body[1], *point);
    }
  }
  if (wanted) complete_points(keys, geometry, ends);
}

// One point where both bodies meet, or one on each, as seen in the given pose.
void SideReader::read_at(const Field& f, const Geometry& geometry, Ends& ends) {
  const bool list_of_points = f.node->kind == TomlNode::Kind::array && !f.node->items.empty() &&
                              f.node->items[0].kind == TomlNode::Kind::array;
  std::array<std::optional<Triple>, 2> global;
  if (geometry.at == At::each && !ends.one_sided && !list_of_points) {
    faults_.error(
        "model.vector-length",
        f.where(),
        fmt::format("at = {}", describe(*f.node)),
        fmt::format("two points, [{0}, {0}], one on each body", environment_.point_form()));
    ends.good = false;
  } else if (geometry.at == At::each && !ends.one_sided) {
    const auto points = environment_.points(f, 2, 2);
    if (points) global = {(*points)[0], (*points)[1]};
    ends.good = ends.good && points;
  } else if (list_of_points) {
    faults_.error("model.vector-length",
                  f.where(),
                  "at = a list of points",
                  "one point, " + environment_.point_form(),
                  fmt::format("points in the bodies' own frames are written points = [{0}, {0}]",
                              environment_.point_form()));
    ends.good = false;
  } else if (const auto point = environment_.point(f)) {
    if (geometry.at == At::both || geometry.at == At::first) global[0] = *point;
    if (geometry.at != At::first) global[1] = *point;
  } else {
    ends.good = false;
  }
  for (std::size_t k = 0; k < 2; ++k)
    if (global[k]) ends.point[k] = frames_.to_local(ends.body[k], *global[k]);
}

void SideReader::complete_points(const TableReader& keys, const Geometry& geometry, Ends& ends) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (ends.point[k] || !ends.good) continue;
    switch (geometry.point[k]) {
      case PointRule::none:
        break;
      case PointRule::origin:
        ends.point[k] = Triple{};
        break;
      case PointRule::meeting: {
        const Triple meeting = ends.point[1 - k]
                                   ? frames_.to_global(ends.body[1 - k], *ends.point[1 - k])
                                   : frames_.to_global(ends.body[1], {});
        ends.point[k] = frames_.to_local(ends.body[k], meeting);
        break;
      }
      case PointRule::required: {
        const std::string point = environment_.point_form();
        const std::string forms =
            geometry.at == At::each
                ? fmt::format(
                      "points = [{0}, {0}] in the bodies' frames, or at = [{0}, {0}] in the "
                      "ground's",
                      point)
                : fmt::format(
                      "at = {0} in the ground's frame, or points = [{0}, {0}] in the bodies'",
                      point);
        faults_.error("model.missing-key",
                      keys.where(),
                      fmt::format("no point on the {}", geometry.role[k]),
                      forms);
        ends.good = false;
      }
    }
  }
}

void SideReader::read_axes(TableReader& keys, const Geometry& geometry, Ends& ends) {
  if (geometry.axis[0] == AxisRule::none && geometry.axis[1] == AxisRule::none) return;
  const Field f = keys.take_one_of({"axis", "axes"});
  std::array<std::optional<Triple>, 2> given;
  if (f && f.key == "axes") {
    const auto axes = environment_.two_directions(f);
    if (axes) given = {(*axes)[0], (*axes)[1]};
    ends.good = ends.good && axes;
  } else if (f) {
    const auto axis = environment_.direction(f);
    ends.good = ends.good && axis;
    for (std::size_t k = 0; axis && k < 2; ++k)
      if (geometry.axis[k] != AxisRule::none)
        given[k] = frames_.to_local_direction(ends.body[k], *axis);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    if (given[k]) {
      const double length = elementary::hypot((*given[k])[0], (*given[k])[1]);
      if (length > 0) {
        ends.axis[k] = Triple{(*given[k])[0] / length, (*given[k])[1] / length, 0};
        continue;
      }
      faults_.error("model.zero-axis",
                    f.where(),
                    fmt::format("{} of length zero", f.key),
                    "a direction such as [1, 0]");
      ends.good = false;
    }
    if (ends.axis[k] || !ends.good) continue;
    if (geometry.axis[k] == AxisRule::pose)
      ends.axis[k] = frames_.to_local_direction(ends.body[k], {1, 0, 0});
    if (geometry.axis[k] == AxisRule::required) {
      faults_.error("model.missing-key",
                    keys.where(),
                    "no 'axis'",
                    "a direction in the ground's frame such as axis = [1, 0], or markers");
      ends.good = false;
    }
  }
}

}  // namespace cardan
