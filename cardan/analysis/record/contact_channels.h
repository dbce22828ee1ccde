#pragma once
// What the user sees of stops, contacts and friction: gap, normal force, friction and mode.
#include <span>
#include <vector>

#include "cardan/results/sink.h"
#include "cardan/system/system.h"

namespace cardan {

class ContactChannels {
 public:
  explicit ContactChannels(const System& system) : system_(system) {}

  void name(std::vector<Channel>&) const;

  // Of each limit, the sum of its impacts so far; empty: none. They must outlive the next put().
  void use_impulses(std::span<const double> impulses) { impulses_ = impulses; }

  // With rotations, requests and phi of the state in w; returns the end of what was written.
  double* put(const State&, const Workspace& w, double* out) const;

 private:
  double friction_force(int k, const Motion&, const State&, const Workspace&) const;
  double normal_force(std::size_t contact, const State&, const Workspace&) const;
  double impulse(std::size_t contact) const;

  const System& system_;
  std::span<const double> impulses_;
};

}  // namespace cardan
