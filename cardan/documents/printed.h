#pragma once
// A printed table beside ours. A cell agrees with print when our value, rounded as the table is,
// has the printed digits.
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cardan {

enum class Verdict {
  right,           // print and program agree
  misprint,        // print is wrong; ours is right
  convention,      // agrees under a rule that the document does not state
  not_reproduced,  // tried, and another value found
  inferred,        // data that the document does not give were taken from elsewhere
  lost             // cannot be made: data or picture are not in the document
};

const char* to_text(Verdict);

struct PrintedCell {
  std::string printed;  // as in the document, without separators of thousands; empty: not printed
  double ours = std::numeric_limits<double>::quiet_NaN();
  std::string text{};  // ours where it is no decimal number: "95/288"
  Verdict verdict = Verdict::right;
};

enum class Rounding { nearest, truncated };

struct PrintedTable {
  std::string title;
  std::vector<std::string> head;  // of the label, then of the cells

  struct Row {
    std::string label;
    std::vector<PrintedCell> cells;
  };

  std::vector<Row> rows;
  Rounding rounding = Rounding::nearest;
  double within = 0;   // relative difference that counts as agreement beside the digits
  std::string rule{};  // why `within` is not 0
};

// Whether our value has the printed digits; true where nothing is printed.
bool agrees(const PrintedCell&, const PrintedTable&);

// Our value with a few digits more than print has.
std::string ours_text(const PrintedCell&);

// A table from its printed lines, "label cell cell ...", "-" where nothing is printed; ours(row,
// column) counts cells from 0.
PrintedTable printed_table(std::string title,
                           std::vector<std::string> head,
                           const std::string& lines,
                           const std::function<double(int row, int column)>& ours);

// Marks a cell whose printed value is known to be wrong, or found under another rule.
void mark(PrintedTable&, int row, int column, Verdict);
void mark_all(PrintedTable&, Verdict);

}  // namespace cardan
