// Initial conditions of bodies in space. An orientation is prescribed by three angles of the body
// against the frame it shall have, all zero; an angular velocity by its three components.
#include <algorithm>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

Triple unit(int axis) {
  Triple e{};
  e[static_cast<std::size_t>(axis)] = 1;
  return e;
}

Triple triple(const Vec<3>& p) {
  return {p.x(), p.y(), p.z()};
}

}  // namespace

void ModelReader::add_initial_orientation(Element e, const Quad& orientation) {
  const Mat<3, 3> A = matrix_of_quaternion(Quaternion(orientation.data()));
  e.sides[0].axis = triple(A.col(2));
  e.sides[0].across = triple(A.col(0));
  e.sides[1].axis = unit(2);
  e.sides[1].across = unit(0);
  e.settings = {{"value", 0.0}};
  for (const Measure angle : {Measure::angle_1, Measure::angle_2, Measure::angle_3}) {
    e.type = name_of(angle);
    model_.initial.push_back(e);
  }
}

void ModelReader::add_initial_turning(Element e, const Triple& omega, bool in_body) {
  e.type = name_of(in_body ? Measure::angular_velocity_body : Measure::angular_velocity);
  for (int k = 0; k < 3; ++k) {
    for (Side& side : e.sides) {
      side.axis = unit(k);
      side.across = unit((k + 1) % 3);
    }
    e.settings = {{"rate", omega[static_cast<std::size_t>(k)]}};
    model_.initial.push_back(e);
  }
}

// Of [[initial]] with `body`.
void ModelReader::read_turn_initial(TableReader& keys, const Element& e) {
  const Field turn = keys.take("orientation"),
              rate = keys.take_one_of({"angular_velocity", "angular_velocity_body"});
  for (const Field& f : {turn, rate})
    if (f && (e.sides.size() != 2 || e.sides[0].body != ground || e.sides[1].body == ground)) {
      faults_.error("model.bad-value",
                    f.where(),
                    fmt::format("'{}' between two bodies", f.key),
                    "the orientation or angular velocity of one body",
                    "write body = \"...\"; between two bodies give `angle` and `axis`");
      return;
    }
  if (turn)
    if (const auto orientation = orientations_.read(turn)) {
      Element here = e;
      here.where = turn.where();
      add_initial_orientation(std::move(here), *orientation);
    }
  if (rate)
    if (const auto omega = environment_.point(rate, dimension::rate)) {
      Element here = e;
      here.where = rate.where();
      add_initial_turning(std::move(here), *omega, rate.key == "angular_velocity_body");
    }
}

// Guesses that are meant as initial conditions.
void ModelReader::read_spatial_fixed(TableReader& keys, const Body& body, int index) {
  const Field f = keys.take("fixed");
  if (!f) return;
  const auto names = environment_.names(f);
  if (!names) return;
  for (std::size_t k = 0; k < names->size(); ++k) {
    const std::string& name = (*names)[k];
    static constexpr std::array<std::string_view, 6> known{"x", "y", "z", "vx", "vy", "vz"};
    Element e;
    e.kind = Kind::initial;
    e.name = body.name;
    e.where = f.node->items[k].where;
    e.sides = {Side{}, Side{index}};
    if (name == "orientation") {
      add_initial_orientation(std::move(e), body.orientation);
    } else if (name == "angular_velocity") {
      add_initial_turning(std::move(e), body.omega, true);
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      const auto axis = static_cast<std::size_t>(name.back() - 'x');
      const bool rate = name.size() == 2;
      e.type = name.substr(rate ? 1 : 0);
      e.settings.emplace_back(rate ? "rate" : "value", rate ? body.velocity[axis] : body.at[axis]);
      model_.initial.push_back(std::move(e));
    } else {
      faults_.error("model.bad-value",
                    e.where,
                    fmt::format("\"{}\" in 'fixed'", name),
                    "x, y, z, vx, vy, vz, orientation or angular_velocity");
    }
  }
}

}  // namespace cardan
