#pragma once
// What a message says of a channel that is not there and resembles none.
#include <span>
#include <string>

#include "cardan/results/sink.h"

namespace cardan {

// "'bar' has x, y, angle, ..." where the element is known, otherwise "channels are those of crank, rod, ...".
std::string channels_there(std::span<const Channel>, const std::string& asked);

}  // namespace cardan
