#pragma once
// What is done with bytes from a stranger, one function each. libFuzzer calls them with bytes that it
// makes (entry.cpp), an ordinary test with those kept in corpus/ (corpus_test.cpp). They must come
// back; what they find is not looked at.
#include <cstdint>
#include <span>

namespace cardan::fuzz {

using Bytes = std::span<const std::uint8_t>;

void model(Bytes);    // the text of a model file: read, checked, assembled
void formula(Bytes);  // a formula: parsed, evaluated with its derivatives
void csv(Bytes);      // the file of a curve
void mesh(Bytes);     // an STL or OBJ file; the first byte chooses
void store(Bytes);    // a run.db: everything in it is read
void checkpoint(
    Bytes);        // the checkpoint of a run, which is resumed; the first byte chooses the method
void http(Bytes);  // what a client of `cardan view` sends

}  // namespace cardan::fuzz
