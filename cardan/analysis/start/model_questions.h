#pragma once
// Values of a model that are legal and probably slips: asked about, never refused.
//   - a joint far outside a bar that it joins
//   - a body that nothing joins, in a model with joints
//   - a negative parameter whose name says length, radius, ...
// Angles and frequencies are asked about where they are read (io/questions.cpp).
#include "cardan/base/diagnostic.h"
#include "cardan/model/model.h"
#include "cardan/system/system.h"

namespace cardan {

Diagnostics model_questions(const Model&, const System&);

}  // namespace cardan
