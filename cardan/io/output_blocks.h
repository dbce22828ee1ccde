#pragma once
// [output] tables, plots and animation of a model file: what is made of the rows when a run has ended.
// Values are constants: parameters do not reach here, since a stored run reads its model's text again.
#include <string>

#include "cardan/io/table_reader.h"
#include "cardan/results/asked_output.h"

namespace cardan {

// Takes its keys from the table [output].
AskedOutput read_asked_output(TableReader& output, Faults&);

// Of the text of a model that was read before.
AskedOutput asked_output_of(const std::string& text);

}  // namespace cardan
