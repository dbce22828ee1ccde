#pragma once
// How the mixed differential-algebraic equations become an ordinary differential equation y' = f(t, y) for any
// integrator, and how the mechanism is read off y again.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/model/options.h"
#include "cardan/ode/archive.h"
#include "cardan/ode/problem.h"
#include "cardan/ode/tolerance.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

class Formulation : public OdeProblem {
 public:
  virtual std::string_view name() const = 0;
  virtual void parametrize(const State& consistent, View y) = 0;  // y of a state; chooses coordinates where there is a choice
  virtual bool stale(double /*t*/, CView /*y*/) const { return false; }  // time to parametrize again

  // q, v, a, lambda, z on the constraints at (t, y).
  virtual Eval recover(double t, CView y, State& full) = 0;
  virtual Tolerance tolerance(const DynamicOptions&) const = 0;  // which components the error is controlled of
  virtual void serialize(Archive&) {}

  virtual MotionSolver& motion() = 0;
};

struct FormulationEntry {
  std::string_view name, summary;
  std::unique_ptr<Formulation> (*make)(const System&, const std::vector<char>& active);
};

const std::vector<FormulationEntry>& formulations();

// "auto" is projected. Unknown: model.unknown-option with the names that are there.
Result<std::unique_ptr<Formulation>> make_formulation(std::string_view name, const System&, const std::vector<char>& active,
                                                      const SourcePos& where);

}  // namespace cardan
