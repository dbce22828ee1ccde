#pragma once
// The graph of a mechanism: bodies and the ground are its nodes, joints and drivers its edges.
//   tree         for every body the edge by which it hangs on a body nearer to the ground; bodies that
//                nothing holds hang on the ground by no edge
//   closures     all other edges: each closes loops over the tree
//   components   biconnected ones: edges that have loops in common, directly or through others
// The tree's equations are independent in every pose, as long as each joint's own are. So only
// closures, and those within one component, can become dependent on each other: an open chain has no
// singular poses. Two loops are in one component if they share an edge of the tree; that is what the
// paths of the closures tell (the cycles of a spanning tree generate all others).
#include <vector>

#include "cardan/system/equations.h"

namespace cardan {

struct Topology {
  struct Edge {
    std::vector<int> blocks;  // of the equations
    int constraint = 0;       // of the system
    bool permanent = true;    // not a limit of a stop or contact, which closes loops at times only
  };

  Topology() = default;
  Topology(const Equations&, std::vector<Edge>);  // permanent ones first

  static constexpr int ground = -1;

  struct Branch {   // how a body hangs in the tree
    int edge = -1;  // -1: by nothing
    int parent = ground;
    int depth = 1;  // bodies up to the ground, itself counted
  };

  struct Closure {
    int edge = 0;
    std::vector<int> path;  // bodies whose branches lie on its loops
    int component = -1;
  };

  std::vector<Edge> edges;
  std::vector<Branch> branches;   // by body
  std::vector<int> order;         // bodies, parents before children
  std::vector<Closure> closures;  // permanent ones first
  int permanent = 0;              // how many they are
  std::vector<int> component_of;  // by body, of its branch; -1: on no loop of joints and drivers
  int components = 0;             // with loops of joints and drivers

  bool open() const { return permanent == 0; }  // no loops of joints and drivers
};

}  // namespace cardan
