#pragma once
// Forces whose size can be an input of a linear analysis. Each shows the size in some of its
// outputs (ForcePool::outputs); one unit more of it is a generalised force of its own.
#include "cardan/element/pool.h"

namespace cardan {

class UnitForces {
 public:
  virtual ~UnitForces() = default;
  virtual int components() const = 0;
  virtual int output_of(int component) const = 0;  // where it is shown
  // dQ per unit of a component, n_v numbers a side, overwritten.
  virtual void unit_force(const Motion&, int element, int component, View Q) const = 0;
};

}  // namespace cardan
