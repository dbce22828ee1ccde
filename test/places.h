#pragma once

// Where the tests find the project's files and what was built. Apart from the compiler's arguments,
// so that objects do not depend on the place.
namespace cardan::test {

extern const char* const source_dir;
extern const char* const binary_dir;

}  // namespace cardan::test
