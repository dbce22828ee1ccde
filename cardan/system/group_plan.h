#pragma once
// A mechanism as a sequence of small groups. With as many inputs (coordinates whose motion is given)
// as freedoms, the equations of joints can be solved one group of bodies after the other: a body on
// a joint, two bodies that close a loop (a dyad), or a larger block where a loop does not fall
// apart. Each group has as many equations and inputs as velocity coordinates, and needs only bodies
// of groups before it.
//
// The sequence is found on the graph of bodies and equations:
//   1. Its biconnected components, from the ground outwards: each has its own freedoms.
//   2. Every active equation is given to one of its bodies, none to more than a body has velocity
//      coordinates (a matching, by augmenting paths). What is left over are the freedoms. A body
//      depends on another if one of its equations touches it. It is determined unless it depends on
//      one that has something left over.
//   3. While there are freedoms: a body next to determined ones gets inputs until it is determined.
//   4. The strongly connected components of "depends on" are the groups, in the order in which they
//      can be solved: the block triangular form of the Jacobian.
// Which coordinates of a body are inputs follows from the Jacobian in a pose: those that elimination
// with full pivoting leaves over. The guard of a group is its smallest pivot, with angles
// times the reach of their body and rows of length one: of a dyad about the sine of its transmission angle. Bodies for step 3 are
// tried in turn, and the plan with the largest least guard is kept, among good ones the cheapest.
// References: Dulmage & Mendelsohn, Can. J. Math. 10 (1958); Pothen & Fan, ACM TOMS 16 (1990);
// Tarjan, SIAM J. Comput. 1 (1972); on groups of linkages: Assur (1914), Kinzel & Chang, Mech. Mach.
// Theory 19 (1984).
#include <string>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

// How far the joints of each body are from its mass centre; the mechanism's size where all are at it.
std::vector<double> body_reaches(const System&);

struct Group {
  std::vector<int> bodies;
  std::vector<int> rows;    // equations solved for them
  std::vector<int> inputs;  // velocity coordinates of its bodies
  double guard = 1;         // in the pose of the plan

  int size() const { return static_cast<int>(rows.size() + inputs.size()); }
};

struct GroupPlan {
  std::vector<Group> groups;
  double guard = 1;  // the smallest
  int weakest = -1;  // the group that has it; -1: there is none

  std::vector<int> inputs() const;  // of all groups, in their order
  int largest() const;              // unknowns of the largest group
};

class GroupPlanner {
 public:
  GroupPlanner(const System&, const std::vector<char>& active);

  GroupPlan plan(CView packed);  // for the pose of this Jacobian (Equations::phi_q)

  // The least guard of a plan in another pose; its group into `weakest` unless that is null.
  double guard(const GroupPlan&, CView packed, int* weakest = nullptr);

  // "joints 'A', 'B' and 'C'": whose equations a group solves.
  std::string words(const Group&) const;

 private:
  struct Component {
    std::vector<int> bodies, rows;  // in the order of the search
  };

  struct Draft {  // a plan of one component, and its worth
    std::vector<Group> groups;
    double guard = 1, cost = 0;
    std::vector<int> alternatives;  // bodies that could be chosen in each stage
    bool better_than(const Draft&) const;
    bool good() const;
  };

  void find_components();
  void give_rows_to_components();
  std::vector<int> bodies_at_ground() const;  // that one equation ties to the ground alone
  void join_all();                            // one component
  bool match();                               // equations to bodies, in all components
  bool give(int row);
  bool make_input(int body);
  bool free_place(const std::vector<int>& from);  // makes one in one of these bodies: moves rows
  void find_undetermined(const Component&);
  std::vector<int> candidates(const Component&) const;
  void begin(const Component&);  // the matching without inputs
  Draft draft(const Component&, const std::vector<int>& choice, CView packed);
  Draft draft_by_pivots(const Component&, CView packed);
  Draft finish(const Component&, CView packed);  // groups of the inputs chosen, and their guards
  Draft best(const Component&, CView packed);
  void order(const Component&, std::vector<Group>&);
  void gather(const std::vector<int>& bodies, const std::vector<int>& rows, CView packed);
  double eliminate(const std::vector<int>& bodies, std::vector<int>* inputs);
  void select_inputs(Group&, CView packed);

  int bodies_of(int row, const int*& list) const;

  const System& system_;
  const Equations& equations_;
  int n_, n_v_;
  std::vector<char> active_;
  std::vector<double> reach_;
  // bodies of each row and active rows of each body, behind each other
  std::vector<int> row_start_, row_bodies_, body_start_, body_rows_;
  std::vector<Component> components_;
  std::vector<int> component_of_;  // body -> component it is solved in
  std::vector<int> row_component_;
  // the matching: owner of each row, places left of each body, inputs of each body
  std::vector<int> owner_, first_owner_, left_, first_left_, inputs_;
  std::vector<char> undetermined_, seen_;
  std::vector<int> from_row_, from_body_, queue_, place_, column_;
  std::vector<std::vector<int>> owned_;  // rows of each body
  // the scaled matrix of one group
  Eigen::MatrixXd matrix_;
  std::vector<int> block_of_row_;
};

}  // namespace cardan
