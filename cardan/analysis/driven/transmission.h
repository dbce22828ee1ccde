#pragma once
// Couplers of a mechanism and the links they move, for transmission angles: a body with two pins (or a
// massless link) whose one end is on a body that a joint of one freedom holds to the ground.
#include <string>
#include <utility>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class Transmission {
 public:
  // Couplers lead away from the driver; joints to the ground that a driver moves have no outputs.
  Transmission(const System&, const std::string& driver);

  struct Pair {
    std::string coupler, output;
    Side far, near;                             // ends of the coupler; near: at the output
    Side pivot;                                 // of the output's joint on the ground
    bool turns = true;                          // else it slides along the pivot's axis
    std::vector<std::pair<Side, Side>> pins{};  // points that are one
  };

  const std::vector<Pair>& pairs() const { return pairs_; }

  // Between coupler and output, 0 to pi; for a slide the output's direction is across its way.
  double angle(const Pair&, CView q);

  bool pinned(const Pair&, CView q);  // the coupler's ends are pins in this pose

 private:
  struct Attached {
    int constraint;
    Side own, other;
  };

  std::vector<int> steps_from(const std::string& driver) const;
  bool is_pin(int constraint) const;
  std::vector<Attached> joints_of(int body) const;
  void add(const std::string& coupler,
           const Side& far,
           const Side& near,
           const std::vector<std::pair<Side, Side>>& pins);
  Vec<3> place(const Side&, CView q) const;

  const System& system_;
  Workspace work_;
  std::vector<Pair> pairs_;
};

}  // namespace cardan
