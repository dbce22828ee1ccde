#pragma once
// What the channels of a run mean: names as patterns, units, frames and signs. The page of the user guide
// is made from it, and a test holds every channel of every model against it.
#include <span>
#include <string>
#include <string_view>

#include "cardan/results/sink.h"

namespace cardan {

struct ChannelMeaning {
  std::string_view where;    // plane, space, both, equations
  std::string_view pattern;  // "JOINT.first.fx": words in capitals are names of the model
  std::string_view unit;     // of SI; "by model": follows from a formula
  std::string_view meaning;
};

std::span<const ChannelMeaning> channel_meanings();

// The meaning of a channel; null: there is none.
const ChannelMeaning* meaning_of(const Channel&, bool planar);

std::string channel_page();  // docs/user-guide/channels.md

}  // namespace cardan
