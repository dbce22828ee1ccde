#pragma once
#include <string_view>

namespace cardan {

// Offset of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates), or npos.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace cardan
