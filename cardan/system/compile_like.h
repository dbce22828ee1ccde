#pragma once
// Compiles a model that differs in numbers from one compiled before: tree, loops and the orders of
// elimination are taken over, where the structure is the same.
#include "cardan/system/system.h"

namespace cardan {

struct CompiledLike {
  System system;
  bool same_structure = true;  // states of the two systems have the same coordinates and equations
};

Result<CompiledLike> compile_like(const Model&, const System& like);

}  // namespace cardan
