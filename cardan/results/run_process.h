#pragma once
// Which process writes a run, so that a reader can tell a run that is going on from one that was
// killed: its number alone would not do, for numbers come again. The start time (in ticks since the
// system started), the system's start and the space its numbers belong to make it unique.
#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace cardan {

// {"pid", "start", "system"} of this process; an empty object where the system does not tell.
nlohmann::ordered_json process_facts();

// Whether that process is still there; nothing when it cannot be known from here (another machine,
// another container, an older store).
std::optional<bool> still_there(const nlohmann::ordered_json& facts);

}  // namespace cardan
