#pragma once
// The graph of a mechanism: bodies and the ground are its nodes, elements (joints and drivers) its
// edges.
//   tree         for every body the element by which it hangs on a body nearer to the ground; bodies
//                that no element holds hang on the ground by nothing
//   closures     all other elements: each closes loops over the tree
//   components   biconnected ones: elements that have loops in common, directly or through others
// The tree's equations are independent in every pose, as long as each element's own are. So only
// closures, and those within one component, can become dependent on each other: an open chain has no
// singular poses. Two loops are in one component if they share an edge of the tree; that is what the
// paths of the closures tell (the cycles of a spanning tree generate all others).
#include <vector>

#include "cardan/system/equations.h"

namespace cardan {

struct Topology {
  Topology() = default;
  // Blocks from first_limit on (stops and contacts) close loops only; they hold nothing in the tree.
  Topology(const Equations&, int first_limit);

  static constexpr int ground = -1;

  struct Branch {    // how a body hangs in the tree
    int block = -1;  // of the equations; -1: by nothing
    int parent = ground;
    int depth = 1;  // bodies up to the ground, itself counted
  };

  struct Closure {
    int block = 0;
    std::vector<int> path;  // bodies whose branches lie on its loops
    int component = -1;
  };

  std::vector<Branch> branches;   // by body
  std::vector<int> order;         // bodies, parents before children
  std::vector<Closure> closures;  // of joints and drivers, then of stops and contacts
  int permanent = 0;              // how many of them are joints and drivers
  std::vector<int> component_of;  // by body, of its branch; -1: on no loop of joints and drivers
  int components = 0;             // with loops of joints and drivers

  bool open() const { return permanent == 0; }  // no loops of joints and drivers
};

}  // namespace cardan
