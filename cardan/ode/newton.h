#pragma once
// Simplified Newton iteration for the implicit methods: the matrices W = I - c f_y, kept as long as
// they serve, the size of a correction, and the watch on convergence.
//
// With corrections of sizes s_1, s_2, ... the rate is theta = s_m / s_(m-1), and what is still
// missing after the m-th is about eta s_m with eta = theta / (1 - theta). The iteration is done
// when that is below its goal, and given up as soon as the rate cannot reach it in the iterations
// left (Hairer & Wanner II, IV.8).
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/ode/problem.h"
#include "cardan/ode/tolerance.h"

namespace cardan {

// W_k = I - c_k f_y for all the c_k of a step. Remembers where f_y was taken, so that loading a
// checkpoint makes the same matrices again, bit for bit.
class Linearization {
 public:
  void prepare(OdeProblem&, int shifts);  // allocates

  bool ready() const { return ready_; }

  bool has_jacobian() const { return has_jacobian_; }

  void forget() { ready_ = has_jacobian_ = false; }

  // f = f(t, y), or empty where it is not known. The Jacobian is kept unless there is none or a
  // fresh one is asked for.
  Eval update(double t, CView y, CView f, std::span<const Shift>, bool fresh);

  // Of the present factors.
  std::span<const Shift> shifts() const { return shifts_.used(); }

  Eval solve(int k, View re, View im = {}) { return problem_->solve(k, re, im); }

  void serialize(Archive&);

 private:
  struct Shifts {  // of one step; as many as the widest needs are reserved
    std::vector<Shift> all;
    std::size_t count = 0;

    std::span<const Shift> used() const { return std::span(all).first(count); }
  };

  Eval factor(Reuse);

  OdeProblem* problem_ = nullptr;
  bool ready_ = false, has_jacobian_ = false;
  bool has_f_ = false;  // f_ is known
  double t_ = 0;
  Eigen::VectorXd y_, f_;
  Shifts shifts_, jacobian_shifts_;  // of the factors, and those that f_y was first made for
};

// The root mean square of a correction in units of what matters.
class CorrectionNorm {
 public:
  void prepare(int n) { weight_.setZero(n); }

  void by_tolerance(const ErrorNorm&);  // with its present weights
  // Components that the tolerance ignores do not count.
  void by_round_off(CView y, CView correction, const ErrorNorm&);
  double operator()(CView d) const;
  int largest(CView d) const;  // the component that contributes most; -1: none

 private:
  Eigen::VectorXd weight_;
  double controlled_ = 1;
};

class Convergence {
 public:
  struct Goal {
    double missing = 1;    // done when what is missing is smaller
    double floor = 0;      // corrections below it that no longer shrink are round-off
    int most = 10;         // iterations
    bool trusting = true;  // the rate of the iteration before tells what one correction leaves
  };
  enum class Verdict { go_on, done, hopeless };

  explicit Convergence(const Goal& goal) : goal_(goal) {}

  void forget() { eta_ = 1; }  // nothing is known of the rate

  void begin();
  Verdict judge(double size);

  double rate() const { return rate_; }  // the worst of the iteration, 0 when one correction did it

  int iterations() const { return count_; }

  const Goal& goal() const { return goal_; }

  void set_goal(double missing) { goal_.missing = missing; }

  void serialize(Archive&);

 private:
  Goal goal_;
  double eta_ = 1, last_ = 0, rate_ = 0;
  int count_ = 0;
};

// For methods that solve their equations to round-off.
inline constexpr Convergence::Goal to_round_off{
    .missing = 2, .floor = 1e8, .most = 60, .trusting = false};

}  // namespace cardan
