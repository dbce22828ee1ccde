#pragma once
// What words of other programs mean on this command line: commands, options, and ends of file names.
#include <string>
#include <string_view>
#include <vector>

namespace cardan::app {

// What somebody means who types an unknown command: "did you mean 'cardan run'?" Empty: nothing known.
std::string hint_of_command(std::string_view word, const std::vector<std::string>& known);

// What an unknown option (with its dashes) of a command means. Empty: nothing known.
std::string hint_of_option(std::string_view command,
                           std::string_view option,
                           const std::vector<std::string>& known);

}  // namespace cardan::app
