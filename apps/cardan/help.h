#pragma once
// The help of the commands: options without words of the library that reads them, and examples.
#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class FormatterBase;
}

namespace cardan::app {

std::shared_ptr<CLI::FormatterBase> help_formatter();

// What stands below the options of a command: how it is used. Empty: a command without examples.
std::string examples_of(std::string_view command);

}  // namespace cardan::app
