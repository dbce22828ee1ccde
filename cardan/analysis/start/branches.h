#pragma once
// The ways in which a mechanism can be put together (assembly modes, branches), with its drivers,
// initial positions and other freedoms as they are in a first assembly.
//
// Poses: descents of pose_solver.h from many disturbed poses, until many in a row bring nothing new.
// Freedoms that nothing prescribes are held by conditions on joints: those on the ground first, in
// the order of the model. In a singular pose every motion that can start there is a branch of its own
// (start_motions.h). It is a search, not a proof: more starts may find more.
//
// Order: branch 1 is the one that plain assembly finds; the others follow by the first of
// branch_quantities() in which they differ, smallest first. The starts are the same in every run.
#include <functional>
#include <string>
#include <vector>

#include "cardan/analysis/start/assembly.h"
#include "cardan/model/model.h"
#include "cardan/results/summary.h"

namespace cardan {

struct FoundBranches {
  std::vector<Assembly> list;     // each a consistent start
  std::vector<std::string> held;  // freedoms that nothing prescribes, by their joints
  int starts = 0;
  bool more = false;  // ended before nothing new was found
};

// first: assembled, or with several motions in its pose. cancelled: asked between starts.
FoundBranches find_branches(const Model&,
                            const System&,
                            const Assembly& first,
                            const AssemblyOptions&,
                            const std::function<bool()>& cancelled);

// What is measured of them, with values in SI units and angles from -pi to pi; chosen: of the list.
BranchList describe_branches(const System&, const FoundBranches&, int chosen);

// The branch that the model asks for takes the place of `assembly`; or why it cannot.
Diagnostics choose_branch(const Model&,
                          const System&,
                          const AssemblyOptions&,
                          const std::function<bool()>& cancelled,
                          Assembly&);

// "branch 1: D.angle = 1.64 rad; branch 2: D.angle = -1.89 rad", as far as a person wants to read.
std::string branch_text(const BranchList&);

}  // namespace cardan
