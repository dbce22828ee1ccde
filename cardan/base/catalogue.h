#pragma once
// Every diagnostic the program can give, with what it means and what to do about it: `cardan
// explain ID`.
#include <span>
#include <string_view>

namespace cardan {

struct CatalogueEntry {
  std::string_view id;       // "model.unknown-key"
  std::string_view title;    // one line
  std::string_view meaning;  // what the program saw and why it is a fault
  std::string_view remedy;   // what to change
};

std::span<const CatalogueEntry> catalogue();

const CatalogueEntry* explain(std::string_view id);  // null: no such diagnostic

bool never_an_error(std::string_view id);  // a note or a warning only

}  // namespace cardan
