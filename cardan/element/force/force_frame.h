#pragma once

namespace cardan {

enum class ForceFrame { global, first, second };  // axes of the components of a force

}  // namespace cardan
