#include "cardan/formulation/implicit/state_space.h"

#include "cardan/formulation/makers.h"

namespace cardan {

MadeFormulation make_state_space(const FormulationSetting& setting) {
  const std::string& integrator = setting.options.integrator;
  return integrator == "newmark" || integrator == "trapezoidal"
             ? make_state_space_newmark(setting)
             : make_state_space_formulas(setting);
}

}  // namespace cardan
