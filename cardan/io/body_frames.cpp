#include "cardan/io/body_frames.h"

#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

Triple matrix_times(const Quad& orientation, const Triple& p, bool back) {
  const Mat<3, 3> A = matrix_of_quaternion(Quaternion(orientation.data()));
  const Vec<3> out = back ? Vec<3>(A.transpose() * Vec<3>(p.data())) : Vec<3>(A * Vec<3>(p.data()));
  return {out.x(), out.y(), out.z()};
}

}  // namespace

Triple BodyFrames::to_local_direction(int body, const Triple& global) const {
  if (body < 0) return global;
  if (model_.space == Space::spatial)
    return matrix_times(model_.bodies[static_cast<std::size_t>(body)].orientation, global, true);
  const double angle = model_.bodies[static_cast<std::size_t>(body)].angle,
               c = elementary::cos(angle), s = elementary::sin(angle);
  return {c * global[0] + s * global[1], -s * global[0] + c * global[1], 0};
}

Triple BodyFrames::to_local(int body, const Triple& global) const {
  if (body < 0) return global;
  const Triple& at = model_.bodies[static_cast<std::size_t>(body)].at;
  return to_local_direction(body, {global[0] - at[0], global[1] - at[1], global[2] - at[2]});
}

Triple BodyFrames::to_global(int body, const Triple& local) const {
  if (body < 0) return local;
  const Body& b = model_.bodies[static_cast<std::size_t>(body)];
  if (model_.space == Space::spatial) {
    const Triple d = matrix_times(b.orientation, local, false);
    return {b.at[0] + d[0], b.at[1] + d[1], b.at[2] + d[2]};
  }
  const double c = elementary::cos(b.angle), s = elementary::sin(b.angle);
  return {b.at[0] + c * local[0] - s * local[1], b.at[1] + s * local[0] + c * local[1], 0};
}

Triple BodyFrames::to_global_direction(int body, const Triple& local) const {
  const Triple tip = to_global(body, local), origin = to_global(body, {});
  return {tip[0] - origin[0], tip[1] - origin[1], tip[2] - origin[2]};
}

}  // namespace cardan
