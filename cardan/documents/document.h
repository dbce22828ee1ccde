#pragma once
// The documents that the methods come from, reproduced: every table and figure with what is printed,
// what this program computes, and a verdict. An item is made by running the program's own methods,
// so it is the same on every machine; only the printed values are data.
#include <span>
#include <string>
#include <vector>

#include "cardan/documents/printed.h"
#include "cardan/report/svg_plot.h"

namespace cardan {

struct DocumentItem {
  Verdict verdict = Verdict::right;
  std::string how;      // how our values are made: method, step, start, conventions
  std::string remark;   // what is wrong in print, or what was tried; empty: nothing
  std::string picture;  // what the printed figure shows, in words; empty: a table
  std::vector<PrintedTable> tables;
  std::vector<Plot> plots;
};

struct DocumentEntry {
  const char* key;  // "7.4.6", "figure 7"
  const char* title;
  DocumentItem (*make)();
};

struct SourceDocument {
  const char* key;     // "000"
  const char* author;  // and title, place, year
  const char* about;
  std::span<const DocumentEntry> entries;
};

std::span<const SourceDocument> source_documents();

// Cells that agree with print, and cells that have a printed value.
struct Agreement {
  int agree = 0, printed = 0;
  int unexpected = 0;  // cells whose verdict is not what comparing them gives
};

Agreement agreement(const DocumentItem&);

}  // namespace cardan
