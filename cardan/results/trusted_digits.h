#pragma once
// A number with no more digits than its error leaves: the last one written may be off by one.
#include <string>

namespace cardan {

// At most so many significant digits. A value that is zero within its error is written as the
// error, "±2e-08", or as 0 where a number must stand.
std::string trusted_text(double value, double error, int digits, bool number_only);

}  // namespace cardan
