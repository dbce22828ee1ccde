// cardan completion bash|zsh|fish: a script with which a shell completes commands, options and files.
#include <array>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "drawing.h"

namespace cardan::app {

namespace command_completion {

struct Described {
  std::string name, summary, options;
};

std::vector<Described> described_commands() {
  std::vector<Described> all;
  for (const Command& command : commands())
    all.push_back({command.name, command.summary, option_names(command)});
  return all;
}

std::string bash(const std::vector<Described>& all) {
  std::string names, cases;
  for (const Described& c : all) {
    names += (names.empty() ? "" : " ") + c.name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", c.name, c.options);
  }
  return fmt::format(R"(# bash completion of cardan
_cardan() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _cardan cardan
)",
                     names,
                     cases);
}

std::string zsh(const std::vector<Described>& all) {
  std::string names, cases;
  for (const Described& c : all) {
    std::string summary = c.summary;
    for (char& x : summary)
      if (x == '\'' || x == ':') x = ' ';
    names += fmt::format("    '{}:{}'\n", c.name, summary);
    cases += fmt::format("    {}) options=({}) ;;\n", c.name, c.options);
  }
  return fmt::format(R"(#compdef cardan
_cardan() {{
  local -a names options
  names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' names
    return
  fi
  case ${{words[2]}} in
{}  esac
  compadd -- $options
  _files
}}
compdef _cardan cardan
)",
                     names,
                     cases);
}

std::string fish(const std::vector<Described>& all) {
  std::string text = "# fish completion of cardan\n";
  for (const Described& c : all) {
    std::string summary = c.summary;
    for (char& x : summary)
      if (x == '\'') x = ' ';
    text +=
        fmt::format("complete -c cardan -n __fish_use_subcommand -a {} -d '{}'\n", c.name, summary);
    std::string rest = c.options;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string option = rest.substr(0, end);
      rest.erase(0, std::min(end + 1, rest.size()));
      if (option.starts_with("--"))
        text += fmt::format("complete -c cardan -n '__fish_seen_subcommand_from {}' -l {}\n",
                            c.name,
                            option.substr(2));
    }
  }
  return text;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto shell = std::make_shared<int>(0);
  static constexpr std::array words{"bash", "zsh", "fish"};
  line.choice(
          "SHELL", words, [shell](int k) { *shell = k; }, "bash, zsh or fish")
      .required();
  return [shell, &console] {
    const auto all = described_commands();
    draw(console, *shell == 0 ? bash(all) : *shell == 1 ? zsh(all) : fish(all));
    return 0;
  };
}

}  // namespace command_completion

extern const Command completion_command;
const Command completion_command{"completion",
                                 "Write a script with which a shell completes commands",
                                 command_completion::define};

}  // namespace cardan::app
