#pragma once
// A smooth curve in the plane, (x(s), y(s)), for cams: open on [0, length] or closed with that period.
#include <memory>

#include "cardan/math/types.h"

namespace cardan {

class PlanarCurve {
 public:
  virtual ~PlanarCurve() = default;
  struct Point {
    Vec<2> c, c_s, c_ss, c_sss;  // position and derivatives to the parameter
  };
  virtual Point at(double s) const = 0;
  virtual double period() const = 0;  // parameter range
  virtual bool closed() const = 0;
};

using PlanarCurvePtr = std::shared_ptr<const PlanarCurve>;

}  // namespace cardan
