#pragma once
// Numbers and names as CSV files and MATLAB scripts have them, all digits.
#include <string>
#include <vector>

namespace cardan {

std::string csv_quoted(const std::string&);
std::string matlab_number(double);
std::string matlab_names(const std::vector<std::string>&);  // a list of character vectors

}  // namespace cardan
