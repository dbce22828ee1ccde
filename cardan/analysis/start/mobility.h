#pragma once
// What a mechanism can do in a pose: degrees of freedom by rank, redundant equations with the
// smallest set each belongs to, reactions that are not unique because of them, and how near the
// pose is to a singular one.
//
// The Jacobian is scaled: columns by the metric, rows to unit length. Small systems: QR with column
// pivoting of its transpose; large ones: the pivots of S = phi_q W^-1 phi_q^T. An equation d that
// depends on independent ones i, with row_d = sum c_i row_i, belongs to the set {d} and all i with
// c_i != 0: any one of them can be left out. A redundancy is structural when it is still there
// after the mechanism has moved along its constraints.
#include <string>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

struct Redundancy {
  int row = -1;          // left out
  std::vector<int> set;  // rows of the minimal dependent set, `row` among them
  bool structural = true;
  std::string words;   // the set: "joint 'A' (x, y); joint 'B' (x)"
  std::string reason;  // why, where it is known
};

enum class PoseKind {
  regular,
  bifurcation,  // the joints alone lose rank here: more motions start here than the mechanism has
  dead_centre   // only the drivers lose rank: they cannot decide the motion here
};

struct Mobility {
  int bodies = 0, coordinates = 0, equations = 0, driver_equations = 0;
  int rank = 0;             // of all equations in this pose
  int structural_rank = 0;  // in the poses around it
  int dof = 0;              // coordinates - structural rank
  int dof_here = 0;         // coordinates - rank: more than dof in a singular pose
  int counted_dof = 0;      // coordinates - equations (Gruebler)
  std::vector<Redundancy> redundant;
  std::vector<char> active;             // equations kept for dynamics
  std::vector<int> indeterminate;       // indices of constraints() whose reactions are not unique
  std::vector<std::string> not_unique;  // the same in words
  // A natural choice of independent coordinates, in words.
  std::vector<std::string> free_coordinates;
  std::vector<int> free_columns;  // the same as velocity coordinates
  PoseKind pose = PoseKind::regular;
  // Equations depend on each other here, and no pose near it closes the joints: it may be stretched to
  // its limit.
  bool stretched = false;
  double distance_to_singular = 1;  // smallest singular value of the scaled independent equations
};

Mobility analyse_mobility(const System&, double t, CView q);

std::string mobility_text(const Mobility&);                  // for people
Diagnostics mobility_notes(const System&, const Mobility&);  // redundancies and singular poses

}  // namespace cardan
