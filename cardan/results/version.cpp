// The version of Cardan, apart from the manifest: a program that stores nothing asks for it too.
#include "cardan/results/manifest.h"

namespace cardan {

std::string_view version() {
  return CARDAN_VERSION;
}

}  // namespace cardan
