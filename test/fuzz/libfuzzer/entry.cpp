// One harness as a program of libFuzzer; FUZZ_HARNESS is its name.
#include "test/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cardan::fuzz::FUZZ_HARNESS({data, size});
  return 0;
}
