#include "cardan/analysis/start/model_overview.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "cardan/analysis/driven/driven_motion.h"
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"
#include "cardan/model/analysis_type.h"

namespace cardan {

namespace {

constexpr double rad_in_degrees = 180 / std::numbers::pi, rad_s_in_rpm = 30 / std::numbers::pi;

// The smallest box around points given in frames of bodies.
class Box {
 public:
  Box(const Model& model, const std::vector<BodyState>& bodies) : model_(model), bodies_(bodies) {}

  void add(int body, const Triple& local) {
    Vec<3> p(local.data());
    if (body >= 0) {
      const auto& q = bodies_[static_cast<std::size_t>(body)].q;
      if (model_.space == Space::planar) {
        const double c = elementary::cos(q[2]), s = elementary::sin(q[2]);
        p = {q[0] + c * local[0] - s * local[1], q[1] + s * local[0] + c * local[1], 0};
      } else {
        p = Vec<3>(q.data()) + matrix_of_quaternion(Quaternion(q.data() + 3)) * p;
      }
    }
    least_ = least_.cwiseMin(p);
    most_ = most_.cwiseMax(p);
  }

  std::array<double, 3> size() const {
    if (!(least_[0] <= most_[0])) return {};
    const Vec<3> d = most_ - least_;
    return {d[0], d[1], d[2]};
  }

 private:
  const Model& model_;
  const std::vector<BodyState>& bodies_;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  Vec<3> least_ = Vec<3>::Constant(infinite), most_ = Vec<3>::Constant(-infinite);
};

void add_shapes(const Body& body, int index, Box& box) {
  for (const Shape& shape : body.shapes)
    for (const Triple& p : shape.points) {
      const bool bar = shape.kind == "bar" || shape.kind == "hatch" || shape.kind == "polygon";
      double reach = 0;
      for (const double x : shape.sizes)
        if (!bar)
          reach = std::max(reach, shape.kind == "disc" || shape.kind == "sphere" ? x : x / 2);
      for (const double sign : {-1.0, 1.0})
        box.add(index, {p[0] + sign * reach, p[1] + sign * reach, p[2]});
    }
}

std::string metres(double x) {
  return fmt::format("{:.4g} m", x);
}

}  // namespace

ModelOverview overview_of(const Model& model, const System& system, const Assembly& assembly) {
  ModelOverview out;
  out.planar = model.space == Space::planar;
  const auto states = Recorder(system, {}).body_states(assembly.state);
  Box box(model, states);
  if (model.own == nullptr) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      box.add(static_cast<int>(b), model.bodies[b].centre);
      add_shapes(model.bodies[b], static_cast<int>(b), box);
      out.mass += model.bodies[b].mass;
    }
    for (const Element& joint : model.joints)
      for (const Side& side : joint.sides) box.add(side.body, side.point);
    out.size = box.size();
  }
  out.bodies = static_cast<int>(model.bodies.size());
  out.joints = static_cast<int>(model.joints.size());
  out.drivers = static_cast<int>(model.drivers.size());
  out.forces = static_cast<int>(model.forces.size());
  out.contacts = static_cast<int>(model.contacts.size() + model.stops.size());
  out.equations = system.joint_rows();
  for (const auto& constraint : system.constraints()) {
    if (constraint.kind != Kind::driver) continue;
    for (const Element& e : model.drivers) {
      if (e.name != constraint.name) continue;
      const Setting* setting = e.find("motion");
      const auto* motion = setting != nullptr ? std::get_if<FunctionPtr>(setting) : nullptr;
      if (motion == nullptr || *motion == nullptr) continue;
      const Jet start = (*motion)->at(assembly.state.t);
      const bool turns = unit_kind_of(*constraint.description->measure) == UnitKind::angle;
      out.starts.push_back({e.name, turns, start.f, start.d});
    }
  }
  double from = 0;
  for (const Analysis& analysis : model.analyses)
    if (const OptionField* until = analysis_type(analysis).field("until")) {
      const double to = std::get<double>(until->get(analysis));
      out.spans.push_back({std::string(analysis_type(analysis).name), from, to});
      from = to;
    }
  return out;
}

std::string overview_text(const ModelOverview& o) {
  std::string text;
  if (o.bodies > 0) {
    text += fmt::format("size                  {} x {}", metres(o.size[0]), metres(o.size[1]));
    if (!o.planar) text += " x " + metres(o.size[2]);
    text += fmt::format("\nmass                  {:.4g} kg\n", o.mass);
    text += fmt::format(
        "elements              {} joint{}, {} driver{}, {} force{}, {} stop{} or contact{}\n",
        o.joints,
        o.joints == 1 ? "" : "s",
        o.drivers,
        o.drivers == 1 ? "" : "s",
        o.forces,
        o.forces == 1 ? "" : "s",
        o.contacts,
        o.contacts == 1 ? "" : "s",
        o.contacts == 1 ? "" : "s");
  }
  for (const auto& d : o.starts)
    text += d.turns
                ? fmt::format("driver '{}': {:.4g} deg, {:.4g} rpm ({:.4g} rad/s) at the start\n",
                              d.name,
                              d.value * rad_in_degrees,
                              d.rate * rad_s_in_rpm,
                              d.rate)
                : fmt::format(
                      "driver '{}': {:.4g} m, {:.4g} m/s at the start\n", d.name, d.value, d.rate);
  for (const auto& s : o.spans)
    text += fmt::format("{} analysis: from {:.4g} s to {:.4g} s\n", s.analysis, s.from, s.until);
  return text;
}

Diagnostics judge_analyses(const Model& model, const System& system, const Assembly& assembly) {
  Diagnostics out;
  const auto add = [&](std::optional<Diagnostic> fault, const SourcePos& where) {
    if (!fault) return;
    if (fault->where.file == nullptr) fault->where = where;
    out.push_back(std::move(*fault));
  };
  for (const Analysis& analysis : model.analyses) {
    const SourcePos& where = where_of(analysis);
    if (const auto* dynamic = std::get_if<DynamicOptions>(&analysis)) {
      Simulation simulation(system, assembly.mobility, *dynamic, assembly.state);
      auto refused = simulation.prepare({});
      if (!refused)
        for (const Diagnostic& note : simulation.notes())
          if (note.severity != Severity::note) out.push_back(note);
      add(std::move(refused), where);
    } else if (std::holds_alternative<KinematicOptions>(analysis) ||
               std::holds_alternative<InverseOptions>(analysis)) {
      add(not_driven(system, assembly.mobility, where), where);
    }
  }
  return out;
}

}  // namespace cardan
