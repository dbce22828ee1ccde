#pragma once
// The makers of the formulations, one a file, for the table in formulation.cpp.
#include "cardan/formulation/formulation.h"

namespace cardan {

using MadeFormulation = Result<std::unique_ptr<Formulation>>;

MadeFormulation make_direct(const FormulationSetting&);
MadeFormulation make_baumgarte(const FormulationSetting&);
MadeFormulation make_partitioned(const FormulationSetting&);
MadeFormulation make_hybrid(const FormulationSetting&);
MadeFormulation make_projected(const FormulationSetting&);
MadeFormulation make_tangent_svd(const FormulationSetting&);
MadeFormulation make_tangent_qr(const FormulationSetting&);
MadeFormulation make_null_space(const FormulationSetting&);
MadeFormulation make_half_explicit(const FormulationSetting&);
MadeFormulation make_reduced(const FormulationSetting&);
MadeFormulation make_rattle(const FormulationSetting&);
MadeFormulation make_index3(const FormulationSetting&);
MadeFormulation make_ggl(const FormulationSetting&);
MadeFormulation make_extra_multipliers(const FormulationSetting&);
MadeFormulation make_overdetermined(const FormulationSetting&);
MadeFormulation make_haug_yen(const FormulationSetting&);
MadeFormulation make_coordinate_splitting(const FormulationSetting&);
MadeFormulation make_state_space(const FormulationSetting&);

}  // namespace cardan
