#pragma once
// Points and directions of the given pose in bodies' frames and in the ground's.
#include "cardan/model/model.h"

namespace cardan {

class BodyFrames {
 public:
  explicit BodyFrames(const Model& model) : model_(model) {}

  Triple to_local(int body, const Triple& global) const;
  Triple to_local_direction(int body, const Triple& global) const;
  Triple to_global(int body, const Triple& local) const;
  Triple to_global_direction(int body, const Triple& local) const;

 private:
  const Model& model_;
};

}  // namespace cardan
