#pragma once
// Whether given steps and gains are within what the integrator can follow. With R(z) the growth of
// its solution of y' = lambda y in one step, z = h lambda, errors die out only where |R(z)| <= 1. That
// is asked
//   of the fastest eigenvalue of the motion, linearised at the start and every so many steps,
//   of the roots of s^2 + 2 alpha s + beta^2, which constraint stabilisation adds.
// What grows by itself is left out: its solution has to grow. Methods that are stable nowhere on the
// imaginary axis (Euler's), or on a short part of it with little growth beyond (Adams pairs), are told
// where an oscillation would grow much over the whole run.
// References: Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.2.
#include <complex>
#include <optional>

#include "cardan/base/diagnostic.h"
#include "cardan/formulation/formulation.h"
#include "cardan/ode/archive.h"
#include "cardan/ode/registry.h"
#include "cardan/results/summary.h"

namespace cardan {

class StabilityWatch {
 public:
  StabilityWatch(const System&, const DynamicOptions&);

  // At the start, with the method that was made. Warnings: what is beyond the limit already.
  Diagnostics begin(const Traits&,
                    const State&,
                    const std::vector<char>& active,
                    const std::optional<GainPair>&,
                    double span);

  // After an accepted step: now and then the motion is looked at again. A warning once.
  std::optional<Diagnostic> step(const State&, const std::vector<char>& active);

  const std::optional<StabilityFacts>& facts() const { return facts_; }

  void serialize(Archive&);

 private:
  std::optional<Diagnostic> motion(const State&, const std::vector<char>& active);
  std::optional<Diagnostic> feedback(const GainPair&) const;
  bool grows_at(std::complex<double> z) const;
  bool grows_much(std::complex<double> z, double limit) const;

  const System& system_;
  const DynamicOptions& options_;
  const MethodEntry* method_ = nullptr;  // null: steps are not given, or its limit is not known
  double span_ = 0;
  long steps_ = 0;
  bool told_ = false;
  std::optional<StabilityFacts> facts_;
};

// On the way from 0 to z: the |z| up to which |R| <= 1.
double stability_limit(const MethodEntry&, const MethodOptions&, std::complex<double> z);

}  // namespace cardan
