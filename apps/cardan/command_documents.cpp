// cardan documents [DOCUMENT [ITEM]]: the tables and figures of the source documents again.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/documents/document_text.h"
#include "cardan/report/terminal_plot.h"
#include "cardan/results/faults.h"
#include "cardan/results/output_file.h"
#include "command.h"

namespace cardan::app {

namespace command_documents {

using Json = nlohmann::ordered_json;

constexpr int exit_contradicted = 1;  // a value is not what the verdict says

struct Options {
  std::string document, item, output;
  bool force = false;
};

Json to_json(const SourceDocument& document, const DocumentEntry& entry, const DocumentItem& item) {
  const Agreement found = agreement(item);
  Json tables = Json::array();
  for (const PrintedTable& table : item.tables) {
    Json rows = Json::array();
    for (const PrintedTable::Row& row : table.rows) {
      Json cells = Json::array();
      for (const PrintedCell& cell : row.cells)
        cells.push_back({{"printed", cell.printed.empty() ? Json(nullptr) : Json(cell.printed)},
                         {"ours", cell.text.empty() ? Json(cell.ours) : Json(cell.text)},
                         {"verdict", to_text(cell.verdict)}});
      rows.push_back({{"label", row.label}, {"cells", std::move(cells)}});
    }
    tables.push_back({{"title", table.title}, {"head", table.head}, {"rows", std::move(rows)}});
  }
  return {{"document", document.key},
          {"item", entry.key},
          {"title", entry.title},
          {"verdict", to_text(item.verdict)},
          {"printed", found.printed},
          {"agree", found.agree},
          {"how", item.how},
          {"remark", item.remark},
          {"picture", item.picture},
          {"tables", std::move(tables)}};
}

std::string line_of(const DocumentEntry& entry, const DocumentItem& item) {
  const Agreement found = agreement(item);
  const std::string count =
      found.printed > 0 ? fmt::format("{} of {}", found.agree, found.printed) : "";
  return fmt::format(
      "  {:<24} {:<58} {:<15} {:>9}\n", entry.key, entry.title, to_text(item.verdict), count);
}

// Every item of one document or of all of them; `whole` prints tables, otherwise a line each.
class Show {
 public:
  Show(const Console& console, bool whole) : console_(console), whole_(whole) {}

  void item(const SourceDocument& document, const DocumentEntry& entry) {
    const DocumentItem made = entry.make();
    const Agreement found = agreement(made);
    agree_ += found.agree;
    printed_ += found.printed;
    contradicted_ += found.unexpected;
    ++items_;
    console_.print(whole_ ? as_text(entry, made) : line_of(entry, made));
    if (whole_) {
      for (const Plot& plot : made.plots) console_.print("\n" + terminal_plot(plot, {}));
      console_.print("\n");
    }
    console_.print_json("document", to_json(document, entry, made));
  }

  int end() const {
    console_.print(
        fmt::format("{} items, {} of {} printed values agree", items_, agree_, printed_));
    if (contradicted_ > 0)
      console_.print(fmt::format("; {} are not what their verdict says", contradicted_));
    console_.print("\n");
    return contradicted_ > 0 ? exit_contradicted : 0;
  }

 private:
  const Console& console_;
  bool whole_;
  int items_ = 0, agree_ = 0, printed_ = 0, contradicted_ = 0;
};

int write_pages(const std::vector<const SourceDocument*>& documents,
                const Options& options,
                const Console& console) {
  Diagnostics faults;
  const std::filesystem::path folder = options.output;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder / name;
    if (std::filesystem::exists(path) && !options.force) {
      faults.push_back(already_there(path));
    } else if (const auto fault = write_file(path, text)) {
      faults.push_back(*fault);
    }
  };
  for (const SourceDocument* document : documents) {
    const std::string page = as_page(*document, write);
    write(std::string(document->key) + ".md", page);
  }
  if (has_error(faults)) return console.fail(faults);
  console.print(fmt::format("{}\n", folder.string()));
  return 0;
}

Diagnostic unknown(const std::string& what, const std::string& known) {
  return usage_fault("usage.bad-value", what, "one of: " + known);
}

int work(const Options& options, const Console& console) {
  std::vector<const SourceDocument*> documents;
  std::string known;
  for (const SourceDocument& document : source_documents()) {
    if (options.document.empty() || options.document == document.key)
      documents.push_back(&document);
    known += (known.empty() ? "" : ", ") + std::string(document.key);
  }
  if (documents.empty())
    return console.fail(unknown("no document '" + options.document + "'", known));
  if (!options.output.empty()) {
    if (!options.item.empty())
      return console.fail(usage_fault(
          "usage.bad-option", "an item beside --output", "a whole document, or no --output"));
    return write_pages(documents, options, console);
  }
  Show show(console, !options.document.empty());
  for (const SourceDocument* document : documents) {
    if (options.item.empty())
      console.print(fmt::format("{}  {}\n", document->key, document->author));
    bool found = false;
    std::string items;
    for (const DocumentEntry& entry : document->entries) {
      items += (items.empty() ? "" : ", ") + std::string(entry.key);
      if (!options.item.empty() && options.item != entry.key) continue;
      found = true;
      show.item(*document, entry);
    }
    if (!found)
      return console.fail(
          unknown(fmt::format("no item '{}' in document {}", options.item, document->key), items));
  }
  return show.end();
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("DOCUMENT", options->document, "000 to 004; without it all, a line for each item");
  line.option("ITEM", options->item, "One table or figure, as \"7.4.6\" or \"figure 7\"");
  const Described output = line.option(
      "-o,--output", options->output, "Folder for pages in Markdown with their pictures");
  line.flag("--force", options->force, "Replace pages that are there").needs(output);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_documents

extern const Command documents_command;
const Command documents_command{"documents",
                                "Make the tables and figures of the source documents again",
                                command_documents::define};

}  // namespace cardan::app
