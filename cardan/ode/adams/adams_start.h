#pragma once
// First steps for fixed-step multistep methods: another method takes them, in small steps of its
// own.
#include <memory>

#include "cardan/ode/method.h"

namespace cardan {

class AdamsStarter {
 public:
  virtual ~AdamsStarter() = default;
  virtual Eval start(double t, CView y) = 0;  // allocates
  // From where it stands to t + h; `y` is the state there as the multistep method has it.
  virtual Eval step(double t, CView y, double h, View y_new) = 0;

  // The solution at t + dt within a step that began with y at t, without any effect on later steps;
  // false: the multistep method interpolates itself.
  virtual bool looks_within() const { return false; }

  virtual Eval look(double, CView, double, View) { return Eval::fatal; }

  virtual void serialize(Archive&) = 0;
};

// Dormand-Prince 8(5,3) to about 1e-15 of the solution's size.
std::unique_ptr<AdamsStarter> accurate_starter(OdeProblem&);

// The given self-starting method in steps of h / 10.
std::unique_ptr<AdamsStarter> small_step_starter(std::unique_ptr<Method>);

}  // namespace cardan
