#include "command_line.h"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cardan/results/manifest.h"
#include "command.h"
#include "help.h"
#include "usage_hints.h"

namespace cardan::app {

Described Described::required() {
  option_->required();
  return *this;
}

Described Described::values(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Described Described::one_each() {
  option_->allow_extra_args(false);
  return *this;
}

Described Described::word(const char* value) {
  option_->type_name(value);
  return *this;
}

Described Described::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Described Described::within(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Described Described::within(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Described Described::above_zero() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Described Described::shows_default() {
  option_->capture_default_str();
  return *this;
}

Described Described::needs(Described other) {
  option_->needs(other.option_);
  return *this;
}

Described Described::excludes(Described other) {
  option_->excludes(other.option_);
  return *this;
}

namespace {

// A word that is an option of this command is no value of the one before it: report RUN --pdf -o a.pdf.
CLI::Validator no_option(const CLI::App& app) {
  return CLI::Validator(
      [&app](std::string& value) {
        const auto options = app.get_options();
        const bool one = value.starts_with('-') &&
                         std::any_of(options.begin(), options.end(), [&](const CLI::Option* o) {
                           return o->check_name(value);
                         });
        return one ? fmt::format("a value is missing: {} is an option itself", value) : "";
      },
      "");
}

}  // namespace

Described CommandLine::option(const char* names, std::string& to, const char* help) {
  return Described(app_.add_option(names, to, help)->check(no_option(app_)));
}

Described CommandLine::option(const char* names, std::optional<std::string>& to, const char* help) {
  return Described(app_.add_option(names, to, help)->check(no_option(app_)));
}

Described CommandLine::option(const char* names, int& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::option(const char* names, std::size_t& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::option(const char* names, double& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::option(const char* names, std::vector<std::string>& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::option(const char* names, std::vector<int>& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::option(const char* names, std::vector<double>& to, const char* help) {
  return Described(app_.add_option(names, to, help));
}

Described CommandLine::list(const char* names,
                            std::optional<std::vector<std::string>>& to,
                            const char* value_name,
                            const char* help) {
  const auto fill = [&to](const std::vector<std::string>& words) {
    to.emplace();
    for (const std::string& word : words)
      if (!word.empty()) to->push_back(word);
  };
  return Described(app_.add_option_function<std::vector<std::string>>(names, fill, help)
                       ->expected(0, -1)
                       ->type_name(value_name));
}

Described CommandLine::choice(const char* names,
                              std::span<const char* const> words,
                              std::function<void(int)> chosen,
                              const char* help) {
  std::vector<std::string> known(words.begin(), words.end());
  const auto look_up = [known, chosen = std::move(chosen)](const std::string& word) {
    chosen(static_cast<int>(std::find(known.begin(), known.end(), word) - known.begin()));
  };
  return Described(app_.add_option_function<std::string>(names, look_up, help)
                       ->transform(CLI::IsMember(known, CLI::ignore_case)));
}

Described CommandLine::flag(const char* names, bool& to, const char* help) {
  return Described(app_.add_flag(names, to, help));
}

Described CommandLine::flag(const char* names, std::function<void()> given, const char* help) {
  return Described(app_.add_flag_callback(names, std::move(given), help));
}

void CommandLine::json_flag(Console& console) {
  flag(
      "--json", [&console] { console.use_json(); }, "Report as JSON, one object per line");
}

void CommandLine::at_most_one(std::initializer_list<Described> options) {
  for (const Described* a = options.begin(); a != options.end(); ++a)
    for (const Described* b = a + 1; b != options.end(); ++b) Described(*a).excludes(*b);
}

namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

// Of the first option or word that nobody knows.
std::string hint_of_unknown(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string> extras = app.remaining(true);
  for (const std::string& unknown : extras)
    if (unknown.starts_with("-")) {
      const std::string hint =
          hint_of_option(app.get_name(), unknown.substr(0, unknown.find('=')), names);
      if (!hint.empty()) return hint;
    }
  const CLI::Option* set = app.get_option_no_throw("--set");
  if (extras.empty() || extras.front().starts_with("-") || set == nullptr) return {};
  if (const std::string& word = extras.front();
      word.find('=') != std::string::npos && !set->empty())
    return fmt::format("write --set {}: every value has a --set of its own", word);
  for (const std::string& given : set->results())
    if (given.find('=') == std::string::npos)
      return fmt::format("write --set {}={}, without a blank", given, extras.front());
  return {};
}

std::string message(const CLI::ParseError& error, const CLI::App& part) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = part.remaining(true);
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
      return word.starts_with("-");
    });
    if (option != extras.end())
      return fmt::format("'cardan {}' has no option {}", part.get_name(), *option);
    if (!extras.empty())
      return fmt::format(
          "'cardan {}' does not know what to do with '{}'", part.get_name(), extras.front());
  }
  if (const std::string_view start = "Could not convert: "; text.starts_with(start)) {
    const std::string rest = text.substr(start.size());
    const std::size_t equals = rest.find(" = ");
    if (equals != std::string::npos)
      return fmt::format("{} takes a number without a unit, and '{}' is none",
                         rest.substr(0, equals),
                         rest.substr(equals + 3));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
      text.find("subcommand") != std::string::npos)
    return "no command";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos && text.ends_with(" missing"))
      return fmt::format("{} without a value", text.substr(0, colon));
  }
  constexpr std::string_view excludes = " excludes ";
  const std::size_t at = text.find(excludes);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) == nullptr || at == std::string::npos)
    return text;
  return text.replace(at, excludes.size(), " and ") + " cannot be given together";
}

int refuse(const CLI::App& app, const CLI::ParseError& error, const Console& console) {
  const auto chosen = app.get_subcommands();
  const CLI::App& part = chosen.empty() ? app : *chosen.front();
  std::string hint = hint_of_unknown(part);
  if (hint.empty())
    hint = chosen.empty() ? "cardan --help lists them; cardan new NAME writes a model to start from"
                          : fmt::format("cardan {} --help", part.get_name());
  return console.fail(usage_fault("usage.bad-option", message(error, part), hint));
}

// All commands by name, for the help; the options only of those that the arguments name.
void describe(CLI::App& app,
              std::span<char* const> arguments,
              Console& console,
              std::function<int()>& action) {
  for (const Command& command : commands()) {
    CLI::App* part = app.add_subcommand(command.name, command.summary);
    const auto names_it = [&](const char* argument) {
      return std::string_view(argument) == command.name;
    };
    if (std::none_of(arguments.begin(), arguments.end(), names_it)) continue;
    CommandLine line(*part);
    part->add_flag_callback(
        "-q,--quiet", [&console] { console.use_quiet(); }, "Only errors, and what was asked for");
    part->add_flag_callback(
        "-v,--verbose", [&console] { console.use_verbose(); }, "Routine notes too");
    part->footer(examples_of(command.name));
    part->callback([&action, work = command.define(line, console)] { action = work; });
  }
}

}  // namespace

std::string option_names(const Command& command) {
  CLI::App part;
  CommandLine line(part);
  Console console;
  (void)command.define(line, console);
  std::string names = "--help --quiet --verbose";
  for (const CLI::Option* option : part.get_options()) {
    for (const auto& name : option->get_snames()) names += " -" + name;
    for (const auto& name : option->get_lnames())
      if (name != "help") names += " --" + name;
  }
  return names;
}

int parse_and_run(int argc, char** argv, Console& console) {
  // cardan help [COMMAND]
  char help[] = "--help";
  std::vector<char*> asked;
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    asked = {argv[0]};
    if (argc > 2) asked.push_back(argv[2]);
    asked.push_back(help);
    argc = static_cast<int>(asked.size());
    asked.push_back(nullptr);
    argv = asked.data();
  }
  CLI::App app("Cardan simulates mechanisms of rigid bodies, joints, drivers and forces.",
               "cardan");
  app.set_version_flag("--version", fmt::format("cardan {}", version()));
  app.require_subcommand(1);
  app.formatter(help_formatter());
  app.footer("cardan COMMAND --help lists the options of a command.");
  std::function<int()> action;
  describe(app, {argv, static_cast<std::size_t>(argc)}, console, action);
  const std::vector<std::string> names = command_names();
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    std::string hint = hint_of_command(argv[1], names);
    if (hint.empty()) hint = "cardan --help";
    return console.fail(usage_fault(
        "usage.unknown-command", fmt::format("there is no command '{}'", argv[1]), hint));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    return refuse(app, error, console);
  }
  return action();
}

}  // namespace cardan::app
