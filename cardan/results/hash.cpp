#include "cardan/results/hash.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace cardan {

namespace {

using Word = std::uint32_t;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<Word, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<Word, 64> schedule(const char* block) {
  std::array<Word, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + k]);
  for (std::size_t i = 16; i < 64; ++i) {
    const Word a = w[i - 15];
    const Word b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  return w;
}

void mix(std::array<Word, 8>& state, const char* block) {
  const std::array<Word, 64> w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const Word first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                       ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const Word second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<Word, 8> change{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += change[i];
}

}  // namespace

std::string sha256(std::string_view text) {
  std::array<Word, 8> state{0x6a09e667,
                            0xbb67ae85,
                            0x3c6ef372,
                            0xa54ff53a,
                            0x510e527f,
                            0x9b05688c,
                            0x1f83d9ab,
                            0x5be0cd19};
  const std::size_t whole = text.size() / 64 * 64;
  for (std::size_t i = 0; i < whole; i += 64) mix(state, text.data() + i);

  std::string tail(text.substr(whole));
  tail += '\x80';
  tail.resize(tail.size() <= 56 ? 56 : 120, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    tail += static_cast<char>(static_cast<std::uint64_t>(text.size()) * 8 >> shift & 0xff);
  for (std::size_t i = 0; i < tail.size(); i += 64) mix(state, tail.data() + i);

  std::string digits;
  for (const Word word : state) digits += fmt::format("{:08x}", word);
  return digits;
}

std::int64_t checksum(std::span<const std::byte> bytes, std::int64_t before) {
  auto sum = static_cast<std::uint64_t>(before);
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return static_cast<std::int64_t>(sum);
}

std::int64_t checksum_by_words(std::span<const std::byte> bytes, std::int64_t before) {
  constexpr std::size_t rows = 4, word = sizeof(std::uint64_t);
  std::array<std::uint64_t, rows> sums{};
  for (std::size_t k = 0; k < rows; ++k) sums[k] = static_cast<std::uint64_t>(before) + k;
  std::size_t at = 0;
  for (; at + rows * word <= bytes.size(); at += rows * word) {
    std::array<std::uint64_t, rows> words{};
    std::memcpy(words.data(), bytes.data() + at, sizeof(words));
    for (std::size_t k = 0; k < rows; ++k) {
      sums[k] = (sums[k] ^ words[k]) * 0x100000001b3;
      sums[k] ^= sums[k] >> 32;
    }
  }
  const auto numbers = std::bit_cast<std::array<std::int64_t, rows>>(sums);
  return checksum(bytes.subspan(at), checksum(std::as_bytes(std::span(numbers)), before));
}

std::int64_t checksum(std::initializer_list<std::int64_t> numbers) {
  return checksum(std::as_bytes(std::span(numbers.begin(), numbers.size())));
}

}  // namespace cardan
