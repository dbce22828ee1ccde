#pragma once
// A function of one variable with its first two derivatives: motion laws, curves, c(t) of a driver.
#include <memory>

namespace cardan {

struct Jet {  // value, first and second derivative
  double f = 0, d = 0, dd = 0;
};

class Function {
 public:
  virtual ~Function() = default;
  virtual Jet at(double x) const = 0;
  virtual bool constant() const = 0;  // the same value at every x
  // Third derivative, which only cam profiles need; differenced from the second where a function
  // has no formula for it.
  virtual double third(double x) const;
};

using FunctionPtr = std::shared_ptr<const Function>;  // immutable, shared between threads

}  // namespace cardan
