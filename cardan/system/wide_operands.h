#pragma once

// Whether the elimination takes operands of eight numbers: where the processor has them, unless they are not
// allowed. Tests turn them off to compare bits.

namespace cardan::elimination {

bool takes_wide_operands();
void allow_wide_operands(bool);

}  // namespace cardan::elimination
