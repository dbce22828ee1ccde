#include "test/places.h"

namespace cardan::test {

const char* const source_dir = CARDAN_SOURCE_DIR;
const char* const binary_dir = CARDAN_BINARY_DIR;

}  // namespace cardan::test
