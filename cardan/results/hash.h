#pragma once
// Two hashes: SHA-256 (FIPS 180-4) names a text for people, FNV-1a guards stored bytes against
// damage.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace cardan {

std::string sha256(std::string_view);  // 64 hexadecimal digits

// 64 bits: h <- (h xor byte) * prime. One changed byte always changes it, since the prime is odd.
inline constexpr std::int64_t checksum_start = static_cast<std::int64_t>(0xcbf29ce484222325);
std::int64_t checksum(std::span<const std::byte>, std::int64_t before = checksum_start);
std::int64_t checksum(std::initializer_list<std::int64_t>);

// The same idea by words of eight bytes, for much data: h <- (h xor word) * prime, h <- h xor h >> 32, in four
// rows side by side, of which the words of a row are 32 bytes apart; then the rows and the bytes left over. One
// changed word always changes it.
std::int64_t checksum_by_words(std::span<const std::byte>, std::int64_t before = checksum_start);

}  // namespace cardan
