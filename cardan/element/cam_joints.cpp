#include "cardan/element/maker.h"

namespace cardan {

std::span<const MakerEntry> cam_makers() {
  return {};
}

}  // namespace cardan
