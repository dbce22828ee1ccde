// cardan explain [ID]: what a diagnostic means and what to do about it.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/base/catalogue.h"
#include "command.h"

namespace cardan::app {

namespace command_explain {

// Lines of at most 90 characters, each with this many blanks before it.
std::string wrapped(std::string_view text, int indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > 90) {
      out += '\n';
      column = 0;
    }
    out += column > 0 ? " " : std::string(static_cast<std::size_t>(indent), ' ');
    out += word;
    column += word.size() + 1;
  }
  return out + '\n';
}

nlohmann::ordered_json to_json(const CatalogueEntry& e) {
  return {{"id", e.id}, {"title", e.title}, {"meaning", e.meaning}, {"remedy", e.remedy}};
}

int list_all(const Console& console) {
  for (const auto& entry : catalogue()) {
    console.print(fmt::format("{:<34} {}\n", entry.id, entry.title));
    console.print_json("explanation", to_json(entry));
  }
  return 0;
}

int explain_one(const std::string& id, const Console& console) {
  if (const CatalogueEntry* entry = explain(id)) {
    Diagnostic example;
    example.id = id;
    console.print(fmt::format(
        "{}: {}\n\n{}\nWhat to do:\n{}\n{}\n",
        entry->id,
        entry->title,
        wrapped(entry->meaning, 2),
        wrapped(entry->remedy, 2),
        never_an_error(id) ? "This is a note or a warning; the run goes on."
                           : fmt::format("Exit code {} when it is an error.", exit_code(example))));
    console.print_json("explanation", to_json(*entry));
    return 0;
  }
  std::vector<std::string> ids;
  std::string nearest;
  for (const auto& entry : catalogue()) {
    ids.emplace_back(entry.id);
    if (entry.id.substr(entry.id.find('.') + 1) == id) nearest = entry.id;  // "drift"
  }
  if (nearest.empty()) nearest = nearest_name(id, ids);
  const std::string hint = nearest.empty() ? "cardan explain lists them all"
                                           : fmt::format("did you mean '{}'?", nearest);
  return console.fail(
      usage_fault("usage.unknown-id", fmt::format("no diagnostic has the id '{}'", id), hint));
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto id = std::make_shared<std::string>();
  line.option(
      "ID",
      *id,
      "What stands in brackets in a message, as model.unknown-key; without it all are listed");
  line.json_flag(console);
  return [id, &console] {
    return id->empty() ? list_all(console) : explain_one(*id, console);
  };
}

}  // namespace command_explain

extern const Command explain_command;
const Command explain_command{
    "explain", "Tell what a diagnostic means and what to do", command_explain::define};

}  // namespace cardan::app
