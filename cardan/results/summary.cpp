#include "cardan/results/summary.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "cardan/results/json.h"

namespace cardan {

namespace {

nlohmann::ordered_json to_json(const RunStatistics& s) {
  return {{"steps", s.steps},
          {"rejected", s.rejected},
          {"rhs", s.rhs},
          {"jacobians", s.jacobians},
          {"factorizations", s.factorizations},
          {"newton_iterations", s.newton_iterations},
          {"cpu_seconds", s.cpu_seconds},
          {"wall_seconds", s.wall_seconds}};
}

nlohmann::ordered_json to_json(const ErrorEstimate& e) {
  nlohmann::ordered_json channels = nlohmann::ordered_json::object();
  for (const auto& c : e.channels)
    channels[c.channel] = {{"max", c.largest}, {"at", c.at}, {"unit", c.unit}};
  return {
      {"method", e.method}, {"rows", e.rows}, {"unmatched", e.unmatched}, {"channels", channels}};
}

}  // namespace

nlohmann::ordered_json to_json(const Summary& s) {
  nlohmann::ordered_json json;
  json["status"] = s.status;
  json["analysis"] = s.analysis;
  json["formulation"] = s.formulation;
  json["integrator"] = s.integrator;
  json["t_end"] = s.t_end;
  json["dof"] = s.dof;
  json["redundant"] = s.redundant;
  json["stats"] = to_json(s.stats);
  json["constraint"] = {{"max_position", s.constraint.max_position},
                        {"max_velocity", s.constraint.max_velocity}};
  json["energy"] = {{"initial", s.energy.initial},
                    {"final", s.energy.final},
                    {"max_imbalance", s.energy.max_imbalance}};
  if (!std::isnan(s.quaternion_drift)) json["quaternion_drift"] = s.quaternion_drift;
  if (!s.error_estimate.method.empty()) json["error_estimate"] = to_json(s.error_estimate);
  json["final"] = nlohmann::ordered_json::object();
  for (const auto& body : s.final)
    json["final"][body.body] = {{"q", body.q}, {"v", body.v}, {"a", body.a}};
  json["diagnostics"] = to_json(s.diagnostics);
  for (const auto& before : s.earlier) json["earlier"].push_back(to_json(before));
  return json;
}

std::string to_text(const Summary& s) {
  return to_json(s).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace cardan
