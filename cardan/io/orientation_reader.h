#pragma once
// Orientations in model files. Inside of the model reader.
#include "cardan/io/environment.h"
#include "cardan/io/table_reader.h"

namespace cardan {

class OrientationReader {
 public:
  OrientationReader(Environment& environment, Faults& faults)
      : environment_(environment), faults_(faults) {}

  // Without a value the fault has been reported.
  std::optional<Quad> read(const Field&);

  // The frame with x along a direction; z as near to the one given as possible, or by the smallest
  // turn. The fields are those to blame.
  std::optional<Quad> towards(const Vec<3>& x,
                              const std::optional<Triple>& z,
                              const Field& to,
                              const Field& up);

 private:
  std::optional<Quad> read_quaternion(const Field&);
  std::optional<Quad> read_axis_angle(TableReader&);
  std::optional<Quad> read_angles(TableReader&);
  std::optional<Quad> read_towards(TableReader&);
  std::optional<Quad> read_two_axes(TableReader&);

  Environment& environment_;
  Faults& faults_;
};

}  // namespace cardan
