#include "cardan/system/topology.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cardan {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

// Bodies of an edge, each once; whether the ground is a side too.
struct Ends {
  std::vector<int> bodies;
  bool ground = false;
};

Ends ends_of(const Equations& equations, const Topology::Edge& edge) {
  Ends ends;
  for (const int b : edge.blocks) {
    const auto& block = equations.blocks()[at(b)];
    for (const auto& term : equations.terms(block)) ends.bodies.push_back(term.body);
    ends.ground = ends.ground || block.term_count < block.sides || block.term_count < 2;
  }
  std::sort(ends.bodies.begin(), ends.bodies.end());
  ends.bodies.erase(std::unique(ends.bodies.begin(), ends.bodies.end()), ends.bodies.end());
  return ends;
}

class Groups {  // disjoint sets
 public:
  explicit Groups(int n) : above_(at(n)) { std::iota(above_.begin(), above_.end(), 0); }

  int find(int k) {
    while (above_[at(k)] != k) k = above_[at(k)] = above_[at(above_[at(k)])];
    return k;
  }

  void join(int a, int b) { above_[at(find(a))] = find(b); }

 private:
  std::vector<int> above_;
};

struct Way {  // to another body
  int edge, rows, other;
};

// Nearest to the ground first; among edges from the same layer, the one with most equations.
void grow_tree(const Equations& equations, Topology& out) {
  const int bodies = equations.bodies();
  std::vector<std::vector<Way>> ways(at(bodies));
  std::vector<Way> from_ground;
  for (int e = 0; e < static_cast<int>(out.edges.size()); ++e) {
    const auto& edge = out.edges[at(e)];
    if (!edge.permanent) break;
    const Ends ends = ends_of(equations, edge);
    int count = 0;
    for (const int b : edge.blocks) count += equations.blocks()[at(b)].rows;
    if (ends.bodies.size() == 1 && ends.ground) from_ground.push_back({e, count, ends.bodies[0]});
    if (ends.bodies.size() != 2 || ends.ground) continue;
    ways[at(ends.bodies[0])].push_back({e, count, ends.bodies[1]});
    ways[at(ends.bodies[1])].push_back({e, count, ends.bodies[0]});
  }
  std::vector<char> reached(at(bodies), 0);
  std::vector<int> rows(at(bodies), 0);
  const auto hang = [&](const Way& way, int parent, int depth) {
    auto& branch = out.branches[at(way.other)];
    const bool here = reached[at(way.other)] != 0;
    if (here && (branch.depth != depth || way.rows <= rows[at(way.other)])) return;
    if (!here) out.order.push_back(way.other);
    reached[at(way.other)] = 1;
    rows[at(way.other)] = way.rows;
    branch = {way.edge, parent, depth};
  };
  std::size_t next = 0;
  const auto follow = [&] {
    for (; next < out.order.size(); ++next) {
      const int body = out.order[next];
      for (const Way& way : ways[at(body)]) hang(way, body, out.branches[at(body)].depth + 1);
    }
  };
  for (const Way& way : from_ground) hang(way, Topology::ground, 1);
  follow();
  for (int body = 0; body < bodies; ++body)
    if (reached[at(body)] == 0) {
      hang({-1, 0, body}, Topology::ground, 1);
      follow();
    }
}

// Bodies whose branches an edge's loops run over: up from all its ends until they meet.
std::vector<int> path_of(const Topology& topology, Ends ends) {
  std::vector<int> path, tips = std::move(ends.bodies);
  if (ends.ground) tips.push_back(Topology::ground);
  const auto depth = [&](int body) {
    return body == Topology::ground ? 0 : topology.branches[at(body)].depth;
  };
  while (tips.size() > 1) {
    const auto deepest = std::max_element(
        tips.begin(), tips.end(), [&](int a, int b) { return depth(a) < depth(b); });
    const int body = *deepest;
    path.push_back(body);
    const int parent = topology.branches[at(body)].parent;
    tips.erase(deepest);
    if (std::find(tips.begin(), tips.end(), parent) == tips.end()) tips.push_back(parent);
  }
  return path;
}

}  // namespace

Topology::Topology(const Equations& equations, std::vector<Edge> given) : edges(std::move(given)) {
  const int bodies = equations.bodies();
  branches.resize(at(bodies));
  grow_tree(equations, *this);
  std::vector<char> in_tree(edges.size(), 0);
  for (const Branch& branch : branches)
    if (branch.edge >= 0) in_tree[at(branch.edge)] = 1;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (in_tree[e] != 0) continue;
    closures.push_back({static_cast<int>(e), path_of(*this, ends_of(equations, edges[e])), -1});
    permanent += edges[e].permanent ? 1 : 0;
  }
  Groups groups(bodies + permanent);
  std::vector<char> on_loop(at(bodies), 0);
  for (int c = 0; c < permanent; ++c)
    for (const int body : closures[at(c)].path) {
      groups.join(body, bodies + c);
      on_loop[at(body)] = 1;
    }
  std::vector<int> number(at(bodies + permanent), -1);
  const auto component = [&](int member) {
    int& k = number[at(groups.find(member))];
    if (k < 0) k = components++;
    return k;
  };
  for (int c = 0; c < permanent; ++c) closures[at(c)].component = component(bodies + c);
  component_of.assign(at(bodies), -1);
  for (int body = 0; body < bodies; ++body)
    if (on_loop[at(body)] != 0) component_of[at(body)] = component(body);
}

}  // namespace cardan
