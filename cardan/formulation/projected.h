#pragma once
#include "cardan/formulation/formulation.h"

namespace cardan {

std::unique_ptr<Formulation> make_projected(const System&, const std::vector<char>& active);

}  // namespace cardan
