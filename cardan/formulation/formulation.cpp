#include "cardan/formulation/formulation.h"

#include <algorithm>

#include "cardan/formulation/projected.h"

namespace cardan {

const std::vector<FormulationEntry>& formulations() {
  static const std::vector<FormulationEntry> table{
      {"projected", "index-1 accelerations, projected onto the constraints after every step", make_projected},
  };
  return table;
}

Result<std::unique_ptr<Formulation>> make_formulation(std::string_view name, const System& system,
                                                      const std::vector<char>& active, const SourcePos& where) {
  if (name == "auto") name = "projected";
  const auto& table = formulations();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  if (found != table.end()) return found->make(system, active);
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = where;
  d.found = "formulation \"" + std::string(name) + "\"";
  std::vector<std::string> names{"auto"};
  d.expected = "auto";
  for (const auto& entry : table) {
    names.emplace_back(entry.name);
    d.expected += ", " + std::string(entry.name);
  }
  const std::string near = nearest_name(name, names);
  if (!near.empty()) d.hint = "did you mean \"" + near + "\"?";
  return d;
}

}  // namespace cardan
