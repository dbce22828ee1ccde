#pragma once
// Ready blocks of controllers and actuators, [[block]]: each stands for states and requests that
// could be written by hand (io/read_blocks.cpp writes them).
#include <string_view>
#include <vector>

#include "cardan/model/catalogue.h"

namespace cardan {

struct BlockSpec {
  std::string_view type;
  std::string_view doc;
  std::vector<KeySpec> keys;
};

const std::vector<BlockSpec>& block_types();
const BlockSpec* find_block_type(std::string_view type);

}  // namespace cardan
