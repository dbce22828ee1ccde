#pragma once
// Texts of strangers on a terminal: what would move the cursor, change colours, turn the direction of
// writing or begin a new line is shown instead of obeyed.
#include <string>
#include <string_view>

namespace cardan {

enum class Lines { keep, show };  // a new line stays one, or is shown like the rest

// C0 and C1 controls, DEL and marks of direction as \x1b or \u202e; all else as it is.
std::string visible_text(std::string_view, Lines);

// The same in a text of JSON, where the escape is \u001b for all of them and reads back as it was.
std::string visible_json(std::string_view);

}  // namespace cardan
