#pragma once
// The options of one command, described without templates. command_line.cpp alone knows the library
// that reads them (CLI11), whose header takes longer to compile than a whole command.
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "console.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cardan::app {

// An option that was described, to say more about it.
class Described {
 public:
  explicit Described(CLI::Option* option) : option_(option) {}

  Described required();
  Described values(int least, int most);  // how many it takes
  Described word(const char* value);      // for its value, in the help: NAME=VALUE
  Described one_each();                   // one value each time it is given
  Described comma_separated();
  Described within(int least, int most);  // of every value
  Described within(double least, double most);
  Described above_zero();
  Described shows_default();  // in the help: what holds when it is not given
  Described needs(Described);
  Described excludes(Described);

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(app) {}

  // "-o,--output" is an option, "RUN" an argument without a name. What is given is written to `to`.
  Described option(const char* names, std::string& to, const char* help);
  Described option(const char* names, std::optional<std::string>& to, const char* help);
  Described option(const char* names, int& to, const char* help);
  Described option(const char* names, std::size_t& to, const char* help);
  Described option(const char* names, double& to, const char* help);
  Described option(const char* names, std::vector<std::string>& to, const char* help);
  Described option(const char* names, std::vector<int>& to, const char* help);
  Described option(const char* names, std::vector<double>& to, const char* help);

  // An option whose list of values may be empty: whether it was given matters.
  Described list(const char* names,
                 std::optional<std::vector<std::string>>& to,
                 const char* value_name,
                 const char* help);

  // One of several words; `chosen` is told which, counted from 0.
  Described choice(const char* names,
                   std::span<const char* const> words,
                   std::function<void(int)> chosen,
                   const char* help);

  // "--dark" makes `to` true, "!--no-report" makes it false.
  Described flag(const char* names, bool& to, const char* help);
  Described flag(const char* names, std::function<void()> given, const char* help);

  // --json for a command that reports: one JSON object per line on the standard output.
  void json_flag(Console&);

  // At most one of these may be given.
  static void at_most_one(std::initializer_list<Described>);

 private:
  CLI::App& app_;
};

struct Command;

// The options of a command, separated by blanks: "--set --until -o --output".
std::string option_names(const Command&);

// Reads the arguments, runs the command that they name and gives the exit code.
int parse_and_run(int argc, char** argv, Console&);

}  // namespace cardan::app
