#pragma once
// Text with colours for a terminal, made by this program alone: Console::print() shows what could
// steer a terminal, this does not.
#include <string_view>

#include "console.h"

namespace cardan::app {

void draw(const Console&, std::string_view);

}  // namespace cardan::app
