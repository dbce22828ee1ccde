#pragma once
// A text as one cell of comma-separated values: quoted as RFC 4180 says. A text that a spreadsheet
// would take for a formula, and so run (it begins with = + - @ or a tab), gets an apostrophe before
// it, which spreadsheets take as "this is text"; raw leaves it as it is.
#include <string>
#include <string_view>

namespace cardan {

std::string csv_cell(std::string_view text, bool raw = false);

}  // namespace cardan
