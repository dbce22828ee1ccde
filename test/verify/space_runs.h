#pragma once
// Runs of spatial models with events, as the tests of contacts and friction need them.
#include <cmath>

#include "cardan/element/embed.h"
#include "test/verify/spatial_support.h"

namespace cardan::test {

struct Events : Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }

  std::vector<double> times_of(const std::string& kind) const {
    std::vector<double> list;
    for (const auto& e : events)
      if (e.kind == kind) list.push_back(e.t);
    return list;
  }

  double largest(const std::string& name) const {
    double most = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) most = std::max(most, std::abs(value(name, k)));
    return most;
  }
};

inline Outcome complete(const Model& model, Memory& run) {
  Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete");
  for (const auto& d : out.summary.diagnostics)
    if (d.severity == Severity::error) ADD_FAILURE() << to_text(d);
  return out;
}

inline std::string dynamic_analysis(double until, double step, double tolerance = 1e-10) {
  return fmt::format(
      "\n[[analysis]]\ntype = \"dynamic\"\nuntil = {}\noutput_step = {}\nrtol = {}\natol = {}\n",
      until,
      step,
      tolerance,
      0.01 * tolerance);
}

// A free solid sphere of mass m and radius r.
inline std::string sphere(const std::string& name,
                          const Vec<3>& at,
                          const Vec<3>& velocity,
                          const Vec<3>& omega = Vec<3>::Zero(),
                          double m = 2,
                          double r = 0.1) {
  const double J = 0.4 * m * r * r;
  return fmt::format(
      "\n[[body]]\nname = \"{}\"\nmass = {}\ninertia = [{}, {}, {}]\nat = [{}, {}, {}]\n"
      "velocity = [{}, {}, {}]\nangular_velocity = [{}, {}, {}]\n",
      name,
      m,
      J,
      J,
      J,
      at.x(),
      at.y(),
      at.z(),
      velocity.x(),
      velocity.y(),
      velocity.z(),
      omega.x(),
      omega.y(),
      omega.z());
}

inline Model embedded(const Model& planar) {
  Embedded out = embed_in_space(planar);
  for (const auto& d : out.faults) ADD_FAILURE() << to_text(d);
  return std::move(out.model);
}

struct Motion3 {  // x -> A x + s
  Mat<3, 3> A;
  Vec<3> s;
};

// The same mechanism elsewhere: everything that is fixed in the ground moves along.
inline Model moved(Model model, const Motion3& m) {
  const auto direction = [&](const Triple& p) -> Triple {
    const Vec<3> x = m.A * Vec<3>(p.data());
    return {x.x(), x.y(), x.z()};
  };
  const auto point = [&](const Triple& p) -> Triple {
    const Vec<3> x = m.A * Vec<3>(p.data()) + m.s;
    return {x.x(), x.y(), x.z()};
  };
  const Quaternion turn = quaternion_of_matrix(m.A);
  model.gravity = direction(model.gravity);
  for (Body& b : model.bodies) {
    b.at = point(b.at);
    b.velocity = direction(b.velocity);
    const Quaternion e = quaternion_product(turn, Quaternion(b.orientation.data()));
    b.orientation = {e[0], e[1], e[2], e[3]};
  }
  for (auto* list : {&model.joints,
                     &model.drivers,
                     &model.forces,
                     &model.initial,
                     &model.stops,
                     &model.contacts})
    for (Element& e : *list)
      for (Side& side : e.sides)
        if (side.body == ground) {
          side.point = point(side.point);
          side.axis = direction(side.axis);
          side.across = direction(side.across);
        }
  return model;
}

}  // namespace cardan::test
