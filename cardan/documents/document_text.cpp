#include "cardan/documents/document_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/report/svg_plot.h"

namespace cardan {

namespace {

// "printed (ours)", and the verdict where they do not agree or no plain agreement is meant.
std::string cell_text(const PrintedCell& cell) {
  const std::string ours = ours_text(cell);
  if (cell.printed.empty()) return ours;
  std::string out = cell.printed + " (" + ours + ")";
  if (cell.verdict != Verdict::right && cell.verdict != Verdict::convention)
    out += std::string(" ") + to_text(cell.verdict);
  return out;
}

bool has_print(const PrintedTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const PrintedTable::Row& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const PrintedCell& c) {
      return !c.printed.empty();
    });
  });
}

std::string caption(const PrintedTable& table) {
  std::string out = table.title;
  if (!table.rule.empty()) out += fmt::format("{}({})", out.empty() ? "" : " ", table.rule);
  return out;
}

std::string table_text(const PrintedTable& table) {
  std::vector<std::vector<std::string>> lines{table.head};
  for (const PrintedTable::Row& row : table.rows) {
    std::vector<std::string> line{row.label};
    for (const PrintedCell& cell : row.cells) line.push_back(cell_text(cell));
    lines.push_back(std::move(line));
  }
  std::vector<std::size_t> width;
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (k >= width.size()) width.push_back(0);
      width[k] = std::max(width[k], line[k].size());
    }
  std::string out;
  if (const std::string words = caption(table); !words.empty()) out += "  " + words + "\n";
  for (const auto& line : lines) {
    std::string text = "  ";
    for (std::size_t k = 0; k < line.size(); ++k)
      text += k == 0 ? fmt::format("{:<{}}", line[k], width[k])
                     : fmt::format("  {:>{}}", line[k], width[k]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string table_page(const PrintedTable& table) {
  std::string out;
  if (const std::string words = caption(table); !words.empty()) out += words + ":\n\n";
  std::string line = "|", rule = "|";
  for (const std::string& word : table.head) {
    line += " " + word + " |";
    rule += "---|";
  }
  out += line + "\n" + rule + "\n";
  for (const PrintedTable::Row& row : table.rows) {
    line = "| " + row.label + " |";
    for (const PrintedCell& cell : row.cells) line += " " + cell_text(cell) + " |";
    out += line + "\n";
  }
  return out + "\n";
}

std::string summary_of(const DocumentItem& item) {
  const Agreement found = agreement(item);
  if (found.printed == 0) return to_text(item.verdict);
  return fmt::format(
      "{}, {} of {} printed values agree", to_text(item.verdict), found.agree, found.printed);
}

std::string picture_name(const SourceDocument& document, const DocumentEntry& entry) {
  std::string out = std::string(document.key) + "-" + entry.key;
  std::replace(out.begin(), out.end(), ' ', '-');
  return out + ".svg";
}

}  // namespace

std::string as_text(const DocumentEntry& entry, const DocumentItem& item) {
  std::string out =
      fmt::format("{}: {}\n  verdict: {}\n", entry.key, entry.title, summary_of(item));
  if (!item.picture.empty()) out += "  printed: " + item.picture + "\n";
  out += "  ours: " + item.how + "\n";
  if (!item.remark.empty()) out += "  remark: " + item.remark + "\n";
  for (const PrintedTable& table : item.tables) {
    out += has_print(table) ? "\n  printed (ours)\n" : "\n  ours\n";
    out += table_text(table);
  }
  return out;
}

std::string as_page(
    const SourceDocument& document,
    const std::function<void(const std::string& name, const std::string& svg)>& picture) {
  std::string out = fmt::format(
      "# Document {}\n\n{}.\n{}.\n\nMade by `cardan documents {} -o FOLDER`: every table and "
      "figure "
      "again, by the program's own methods. Cells are printed (ours); where nothing is printed, "
      "ours "
      "alone.\n\n| item | | verdict |\n|---|---|---|\n",
      document.key,
      document.author,
      document.about,
      document.key);
  std::string body;
  for (const DocumentEntry& entry : document.entries) {
    const DocumentItem item = entry.make();
    out += fmt::format("| {} | {} | {} |\n", entry.key, entry.title, summary_of(item));
    body += fmt::format("## {}: {}\n\n", entry.key, entry.title);
    body += fmt::format("Verdict: {}.\n\n", summary_of(item));
    if (!item.picture.empty()) body += "Printed: " + item.picture + "\n\n";
    body += "Ours: " + item.how + "\n\n";
    if (!item.remark.empty()) body += "Remark: " + item.remark + "\n\n";
    for (const PrintedTable& table : item.tables) body += table_page(table);
    if (!item.plots.empty()) {
      const std::string name = picture_name(document, entry);
      picture(name, svg(item.plots));
      body += fmt::format("![{}]({})\n\n", entry.title, name);
    }
  }
  out += "\n" + body;
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace cardan
