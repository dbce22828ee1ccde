#pragma once
// Which of redundant equations are kept. Those chosen in one pose may become nearly dependent in
// another, where the mechanism itself is regular: the motion would lose accuracy and the
// multipliers would grow without bound. The weakest pivot tells; where it is small, equations are
// chosen anew if others are much better off.
#include <optional>
#include <string>
#include <vector>

#include "cardan/analysis/start/mobility.h"
#include "cardan/ode/archive.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

// How many equations of joints are redundant in every pose.
std::size_t structurally_redundant(const Mobility&);

// In a pose on the constraints: the equations of joints among `active` exchanged for those that QR
// finds most independent there. Nothing: the pose is singular, or they are those in use.
std::optional<std::vector<char>> most_independent(const System&,
                                                  const State&,
                                                  const std::vector<char>& active,
                                                  std::size_t redundant);

class RedundancySelection {
 public:
  RedundancySelection(const System&, const Mobility&);

  bool due(const MotionSolver&);  // whether to look, by the last factor

  struct Better {
    std::vector<char> kept;
    std::string words;
  };

  // At a state on the constraints: equations of joints to keep from here on; nothing: those in use.
  std::optional<Better> look(const MotionSolver&, const State&) const;

  void serialize(Archive& archive) { archive.io(looked_at_); }

 private:
  const System& system_;
  std::size_t redundant_ = 0;  // in every pose
  double looked_at_ = 1;       // weakest pivot where nothing better was found
};

}  // namespace cardan
