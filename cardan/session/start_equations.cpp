#include "cardan/session/start_equations.h"

#include <array>

#include <nlohmann/json.hpp>

#include "cardan/analysis/matrices.h"
#include "cardan/analysis/run.h"

namespace cardan {
namespace {

constexpr std::size_t most_bodies = 8;  // larger matrices are not read on a page

using Json = nlohmann::ordered_json;

Json rows_of(const NamedMatrix& matrix) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < matrix.values.rows(); ++r) {
    Json row = Json::array();
    for (Eigen::Index c = 0; c < matrix.values.cols(); ++c) row.push_back(matrix.values(r, c));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json start_equations(const Model& model) {
  if (model.bodies.size() > most_bodies) return nullptr;
  const Checked checked = check_model(model);
  if (checked.system == nullptr || !checked.assembly.ok) return nullptr;
  const auto found =
      matrices_of(*checked.system, checked.assembly.mobility, checked.assembly.state);
  if (!found) return nullptr;
  const MechanismMatrices& x = *found.value();
  Json json{{"t", x.t},
            {"rank", x.rank},
            {"condition", x.condition},
            {"coordinates", x.coordinates},
            {"equations", x.equations},
            {"independent", x.independent},
            {"matrices", Json::object()}};
  constexpr std::array shown{"phi", "phi_q", "nu", "gamma", "M", "Q", "a", "lambda"};
  for (const char* name : shown)
    if (const NamedMatrix* matrix = x.find(name)) json["matrices"][name] = rows_of(*matrix);
  return json;
}

}  // namespace cardan
