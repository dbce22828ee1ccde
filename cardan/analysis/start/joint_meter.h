#pragma once
// What the free joints of a mechanism measure of themselves in a pose, with rates:  s(q),  s' = s_q v.
#include <string>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class JointMeter {
 public:
  struct Coordinate {
    std::string name;  // "crank bearing.angle"
    std::string unit;
    bool angle = false;
    bool on_ground = false;  // one side of the joint is the ground
    int constraint = 0;      // of System::constraints()
    int row = 0;             // of System::coordinate_equations()
    int place = 0;           // among the coordinates of its type
  };

  explicit JointMeter(const System&);

  // Joints on the ground first, then the others, in the order of the model.
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }

  // By coordinate, of the state measured last.
  void measure(const State&);

  const std::vector<double>& values() const { return values_; }

  const std::vector<double>& rates() const { return rates_; }

 private:
  const System& system_;
  Workspace work_;
  std::vector<Coordinate> coordinates_;
  std::vector<double> packed_, row_, values_, rates_;
};

}  // namespace cardan
