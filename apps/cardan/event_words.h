#pragma once
// Sudden changes of velocity of a run, which its forces do not show.
#include <string>

#include "cardan/results/run_reader.h"

namespace cardan::app {

// One line for the impacts, one for each of the first impulses of drivers; "": there were none.
std::string event_words(const RunReader&);

}  // namespace cardan::app
