#pragma once
// What a run adds up: the largest residuals and imbalance of energy wherever it was looked at, and its
// cost.
#include <vector>

#include "cardan/analysis/record/recorder.h"
#include "cardan/ode/archive.h"
#include "cardan/ode/problem.h"
#include "cardan/results/summary.h"

namespace cardan {

class Extremes {
 public:
  void take(const Recorder&, double quaternion_drift);  // a sample as it was recorded

  bool any() const { return any_; }

  void write(Summary&, Space, double drift_between_samples) const;
  void serialize(Archive&);

 private:
  bool any_ = false;
  double position_ = 0, velocity_ = 0, imbalance_ = 0, quaternion_drift_ = 0;
  double first_balance_ = 0, first_energy_ = 0, last_energy_ = 0;
};

// Violations at many times (ViolationMeasure).
class ViolationTally {
 public:
  void take(CView residuals);  // of all equations, in units of length

  ViolationMeasure measure() const;
  void serialize(Archive&);

 private:
  long times_ = 0;
  double largest_ = 0, sum_ = 0, largest_norm_ = 0, norm_sum_ = 0;
};

// The same of each joint and driver.
class JointTally {
 public:
  void take(const System&, CView positions, CView velocities);  // by row, in units of length
  void write(const System&, Summary&) const;
  void write_steps(const System&, Summary&) const;  // as those at steps, of joints that are there
  void serialize(Archive&, std::size_t constraints);

 private:
  std::vector<double> position_, velocity_;  // by constraint
};

class Costs {  // of integrators that followed each other
 public:
  void add(const Stats&);

  long steps() const { return sum_.steps; }

  const Stats& total() const { return sum_; }

  void write(Summary&) const;
  void serialize(Archive&);

 private:
  Stats sum_;
};

// From the start to the end, both included; step 0: 200 of them.
std::vector<double> output_times(double from, double until, double step);

}  // namespace cardan
