// Every harness with the bytes kept for it, and with those bytes changed at random places: without a
// fuzzer, with any compiler, and under the sanitizers of `bin/check --full`.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "test/fuzz/harness.h"
#include "test/fuzz/seeds.h"
#include "test/places.h"

namespace cardan::fuzz {
namespace {

struct Harness {
  const char* name;
  void (*run)(Bytes);
  int changes;  // of each kept input
};

class Corpus : public testing::TestWithParam<Harness> {};

std::vector<std::vector<std::uint8_t>> inputs_of(const std::string& name) {
  std::vector<std::vector<std::uint8_t>> out = made_inputs(name);
  const std::filesystem::path folder =
      std::filesystem::path(test::source_dir) / "test/fuzz/corpus" / name;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return out;
}

// CARDAN_FUZZ_SEEDS=DIR: the inputs as files in DIR/NAME, for a fuzzer to begin with.
void give_away(const std::string& name, const std::vector<std::vector<std::uint8_t>>& inputs) {
  const char* place = std::getenv("CARDAN_FUZZ_SEEDS");
  if (place == nullptr) return;
  const std::filesystem::path folder = std::filesystem::path(place) / name;
  std::filesystem::create_directories(folder);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    std::ofstream(folder / std::to_string(k), std::ios::binary)
        .write(reinterpret_cast<const char*>(inputs[k].data()),
               static_cast<std::streamsize>(inputs[k].size()));
}

void change(std::vector<std::uint8_t>& bytes, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  switch (random() % 5) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
      break;
    case 1:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 2:
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  bytes.begin() +
                      static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 1 + random() % 16)));
      break;
    case 3:
      bytes.resize(at);
      break;
    default: {
      const std::size_t from = random() % bytes.size(),
                        count = std::min({bytes.size() - from, bytes.size() - at, std::size_t{8}});
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                  count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

TEST_P(Corpus, ComesBackFromEveryInput) {
  const Harness& harness = GetParam();
  const auto inputs = inputs_of(harness.name);
  ASSERT_FALSE(inputs.empty());
  give_away(harness.name, inputs);
  std::mt19937_64 random(2026);
  harness.run({});
  for (const auto& input : inputs) {
    harness.run(input);
    for (int k = 0; k < harness.changes; ++k) {
      std::vector<std::uint8_t> changed = input;
      for (std::uint64_t more = random() % 4 + 1; more > 0; --more) change(changed, random);
      harness.run(changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Harness,
                         Corpus,
                         testing::Values(Harness{"model", model, 60},
                                         Harness{"formula", formula, 400},
                                         Harness{"csv", csv, 100},
                                         Harness{"mesh", mesh, 400},
                                         Harness{"store", store, 40},
                                         Harness{"checkpoint", checkpoint, 30},
                                         Harness{"http", http, 400}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace cardan::fuzz
