#include "cardan/system/cam_rows.h"

#include "cardan/element/planar/cam_joints.h"

namespace cardan {

std::vector<CamRow> cam_rows(const System& system) {
  std::vector<CamRow> list;
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    const auto& info = system.constraints()[c];
    if (info.description != nullptr && only_pushes(*info.description))
      list.push_back({static_cast<int>(c), info.rows.front()});
  }
  return list;
}

}  // namespace cardan
