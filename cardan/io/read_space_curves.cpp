// Curves in space: through points, or by formulas of a parameter.
#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

SpaceCurvePtr ModelReader::read_space_curve(TableReader& keys, const CurveSpec& spec) {
  const Field closed_field = keys.take("closed");
  const bool closed = closed_field && environment_.boolean(closed_field).value_or(false);
  if (spec.type == "space-spline") {
    const Field place = keys.peek("points") ? keys.peek("points") : keys.peek("file");
    std::vector<Vec<3>> points;
    for (const auto& p : read_curve_points(keys, "points", 3)) points.emplace_back(p.data());
    if (points.empty()) return nullptr;
    const std::string fault = fault_in_points(points, closed);
    if (fault.empty()) return space_spline(std::move(points), closed);
    faults_.error(
        "model.bad-table", place.where(), fault, "different points in order along the curve");
    return nullptr;
  }
  std::array<FunctionPtr, 3> coordinates;
  bool complete = true;
  constexpr const char* names[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k) {
    const Field f = keys.need(names[k], "a formula of `u`, or the name of a curve");
    coordinates[k] = f ? read_motion(f, dimension::length, "u", dimension::none) : nullptr;
    complete = complete && coordinates[k] != nullptr;
  }
  const Field from_field = keys.need("from", "where `u` begins"),
              to_field = keys.need("to", "where `u` ends");
  const auto from = from_field ? environment_.number(from_field, dimension::none) : std::nullopt,
             to = to_field ? environment_.number(to_field, dimension::none) : std::nullopt;
  if (!complete || !from || !to) return nullptr;
  if (!(*to > *from)) {
    faults_.error("model.bad-value",
                  to_field.where(),
                  fmt::format("u from {:g} to {:g}", *from, *to),
                  "an end beyond the beginning");
    return nullptr;
  }
  auto curve = std::make_shared<SpaceCurve>(std::move(coordinates), *from, *to, closed);
  const std::string fault = fault_in_curve(*curve);
  if (fault.empty()) return curve;
  faults_.error("model.bad-value",
                keys.where(),
                fault,
                closed ? "a smooth curve that closes smoothly" : "a smooth curve");
  return nullptr;
}

}  // namespace cardan
