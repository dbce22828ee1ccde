#pragma once
// Q of the applied forces where only the motion and the rates of states follow from it. Measures and
// formulas of requests are evaluated where a force or a state reads them; those for the user alone are
// left to who shows them (System::evaluate_requests).
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class AppliedForces {
 public:
  explicit AppliedForces(const System&);

  // Into w.Q; rotations done before.
  void evaluate(double t, CView q, CView v, Workspace& w) const;

  // Some force or state reads requests.
  bool reads_requests() const { return read_requests_; }

  // By body: some force or state follows from its angle itself, not from sine and cosine alone.
  // Planar mechanisms; all of them where that is not known.
  std::vector<char> angles_read() const;

 private:
  const System& system_;
  bool read_requests_ = false;
};

}  // namespace cardan
