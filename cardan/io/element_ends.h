#pragma once
// What has been read so far of where an element sits. Inside of the model reader.
#include "cardan/io/model_reader.h"

namespace cardan {

struct ModelReader::Ends {
  std::array<int, 2> body{ground, ground};
  bool one_sided = false;  // only the second body is named; the first is the ground
  bool by_markers = false;
  bool good = true;
  std::array<std::optional<Triple>, 2> point, axis, across;
};

}  // namespace cardan
