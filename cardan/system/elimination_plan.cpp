#include "cardan/system/elimination_plan.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <stdexcept>

#include <amd.h>

namespace cardan {

namespace {

using Neighbours = std::vector<std::vector<int>>;

constexpr std::size_t most_neighbours = 40;  // of a node, for the order by exact degrees
constexpr int most_rows_of_node = 6;

std::size_t ix(int k) {
  return static_cast<std::size_t>(k);
}

void make_set(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

struct Elimination {
  std::vector<int> order;
  Neighbours below;  // by node: those behind it that its column touches
};

// Least degree, first in first out. Nothing where a node gets too many neighbours.
bool eliminate_thin(Neighbours near, Elimination& out) {
  const std::size_t n = near.size();
  std::vector<std::deque<int>> waiting(most_neighbours + 1);
  std::vector<char> done(n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    if (near[a].size() > most_neighbours) return false;
    waiting[near[a].size()].push_back(static_cast<int>(a));
  }
  out.order.clear();
  out.below.assign(n, {});
  std::size_t least = 0;
  while (out.order.size() < n) {
    while (waiting[least].empty()) ++least;
    const int a = waiting[least].front();
    waiting[least].pop_front();
    auto& mine = near[ix(a)];
    if (done[ix(a)] != 0 || mine.size() != least) continue;  // it waits elsewhere by now
    done[ix(a)] = 1;
    out.order.push_back(a);
    for (const int b : mine) {
      auto& list = near[ix(b)];
      std::vector<int> joined;
      joined.reserve(list.size() + mine.size());
      std::set_union(
          list.begin(), list.end(), mine.begin(), mine.end(), std::back_inserter(joined));
      joined.erase(
          std::remove_if(joined.begin(), joined.end(), [&](int c) { return c == a || c == b; }),
          joined.end());
      if (joined.size() > most_neighbours) return false;
      list = std::move(joined);
      waiting[list.size()].push_back(b);
      least = std::min(least, list.size());
    }
    out.below[ix(a)] = std::move(mine);
    mine.clear();
  }
  return true;
}

Elimination eliminate_any(const Neighbours& near) {
  const int n = static_cast<int>(near.size());
  std::vector<int> start(1, 0), index;
  for (const auto& list : near) {
    index.insert(index.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(index.size()));
  }
  Elimination out;
  out.order.resize(ix(n));
  std::iota(out.order.begin(), out.order.end(), 0);
  if (!index.empty() &&
      amd_order(n, start.data(), index.data(), out.order.data(), nullptr, nullptr) < AMD_OK)
    throw std::runtime_error("ordering of the joints failed");
  std::vector<int> position(ix(n));
  for (int k = 0; k < n; ++k) position[ix(out.order[ix(k)])] = k;
  out.below.assign(ix(n), {});
  Neighbours children(ix(n));
  for (const int a : out.order) {
    auto& mine = out.below[ix(a)];
    const auto behind = [&](int b) {
      return position[ix(b)] > position[ix(a)];
    };
    std::copy_if(near[ix(a)].begin(), near[ix(a)].end(), std::back_inserter(mine), behind);
    for (const int child : children[ix(a)])
      std::copy_if(out.below[ix(child)].begin(),
                   out.below[ix(child)].end(),
                   std::back_inserter(mine),
                   behind);
    make_set(mine);
    if (mine.empty()) continue;
    const int parent = *std::min_element(
        mine.begin(), mine.end(), [&](int b, int c) { return position[ix(b)] < position[ix(c)]; });
    children[ix(parent)].push_back(a);
  }
  return out;
}

}  // namespace

std::vector<EliminationPlan::Node> EliminationPlan::nodes_of(const Equations& equations,
                                                             const std::vector<int>& joint) {
  std::vector<Node> nodes;
  std::vector<std::vector<int>> of_joint;  // nodes of each
  for (std::size_t b = 0; b < equations.blocks().size(); ++b) {
    const auto& block = equations.blocks()[b];
    std::vector<int> bodies;
    for (const auto& term : equations.terms(block)) bodies.push_back(term.body);
    make_set(bodies);
    if (of_joint.size() <= ix(joint[b])) of_joint.resize(ix(joint[b]) + 1);
    auto& candidates = of_joint[ix(joint[b])];
    const auto fits = [&](int k) {
      return nodes[ix(k)].bodies == bodies && nodes[ix(k)].size + block.rows <= most_rows_of_node;
    };
    auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    if (found == candidates.end()) {
      candidates.push_back(static_cast<int>(nodes.size()));
      nodes.push_back({0, {}, bodies});
      found = candidates.end() - 1;
    }
    Node& node = nodes[ix(*found)];
    node.members.push_back({static_cast<int>(b), 0});
    node.size += block.rows;
  }
  for (Node& node : nodes) {  // points that stay together have most rows and come first
    const auto rows = [&](const Member& m) {
      return equations.blocks()[ix(m.block)].rows;
    };
    std::stable_sort(node.members.begin(),
                     node.members.end(),
                     [&](const Member& a, const Member& b) { return rows(a) > rows(b); });
    for (int row = 0; Member & m : node.members) {
      m.row = row;
      row += rows(m);
    }
  }
  return nodes;
}

EliminationPlan::EliminationPlan(const Equations& equations, const std::vector<int>& joint) {
  const std::vector<Node> nodes = nodes_of(equations, joint);
  std::vector<std::vector<int>> of_body(ix(equations.bodies()));
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const int body : nodes[k].bodies) of_body[ix(body)].push_back(static_cast<int>(k));
  Neighbours near(nodes.size());
  for (const auto& list : of_body)
    for (const int a : list)
      for (const int b : list)
        if (a != b) near[ix(a)].push_back(b);
  for (auto& list : near) make_set(list);
  Elimination made;
  if (!eliminate_thin(near, made)) made = eliminate_any(near);
  lay_out(equations, nodes, made.order);
  std::vector<int> position(nodes.size());
  for (std::size_t k = 0; k < made.order.size(); ++k)
    position[ix(made.order[k])] = static_cast<int>(k);
  Lists below(nodes.size());
  for (std::size_t k = 0; k < made.order.size(); ++k) {
    for (const int b : made.below[ix(made.order[k])]) below[k].push_back(position[ix(b)]);
    std::sort(below[k].begin(), below[k].end());
  }
  plan_blocks(below);
  plan_pairs(equations.bodies());
  plan_updates();
}

void EliminationPlan::lay_out(const Equations& equations,
                              const std::vector<Node>& nodes,
                              const std::vector<int>& order) {
  const int n_v = equations.body_size();
  for (const int k : order) {
    const Node& node = nodes[ix(k)];
    Column c{};
    c.size = node.size;
    c.start = static_cast<int>(equation_.size());
    c.pivot = pivot_size_;
    pivot_size_ += node.size * node.size;
    c.first_incidence = static_cast<int>(incidences_.size());
    c.incidence_count = static_cast<int>(node.bodies.size());
    for (const int body : node.bodies) {
      incidences_.push_back({body, weight_size_});
      weight_size_ += node.size * n_v;
    }
    c.first_member = static_cast<int>(members_.size());
    c.member_count = static_cast<int>(node.members.size());
    for (const Member& m : node.members) {
      members_.push_back(m);
      const auto& block = equations.blocks()[ix(m.block)];
      for (int r = 0; r < block.rows; ++r) equation_.push_back(block.first_row + r);
    }
    columns_.push_back(c);
  }
}

void EliminationPlan::plan_blocks(const Lists& below) {
  std::vector<std::vector<Row>> rows(columns_.size());
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& c = columns_[k];
    c.first_panel = static_cast<int>(panels_.size());
    c.panel_count = static_cast<int>(below[k].size());
    for (const int i : below[k]) {
      const Column& behind = columns_[ix(i)];
      const int block = static_cast<int>(offset);
      panels_.push_back({block, behind.start, behind.size, 0, 0, 0, 0});
      panel_column_.push_back(i);
      rows[ix(i)].push_back({block, c.pivot, c.start, c.size, 0});
      offset += std::int64_t{behind.size} * c.size;
      if (offset > INT32_MAX)
        throw std::length_error("the constraint matrix is too full to factor");
    }
  }
  block_size_ = static_cast<int>(offset);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Column& c = columns_[k];
    c.first_row = static_cast<int>(rows_.size());
    c.row_count = static_cast<int>(rows[k].size());
    int product = 0;
    for (Row row : rows[k]) {
      row.product = product;
      product += c.size * row.size;
      rows_.push_back(row);
    }
    product_size_ = std::max(product_size_, product);
  }
}

int EliminationPlan::panel_at(int i, int k) const {
  const Column& c = columns_[ix(k)];
  const auto first = panel_column_.begin() + c.first_panel;
  return static_cast<int>(std::lower_bound(first, first + c.panel_count, i) -
                          panel_column_.begin());
}

void EliminationPlan::plan_pairs(int bodies) {
  struct At {
    int column, incidence;
  };

  std::vector<std::vector<At>> of_body(ix(bodies));
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (int n = 0; n < columns_[k].incidence_count; ++n) {
      const int incidence = columns_[k].first_incidence + n;
      of_body[ix(incidences_[ix(incidence)].body)].push_back({static_cast<int>(k), incidence});
    }
  std::vector<std::vector<Pair>> pairs(panels_.size());
  for (const auto& list : of_body)  // in the order of elimination
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        pairs[ix(panel_at(list[i].column, list[k].column))].push_back(
            {list[i].incidence, list[k].incidence});
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    panels_[p].first_pair = static_cast<int>(pairs_.size());
    panels_[p].pair_count = static_cast<int>(pairs[p].size());
    pairs_.insert(pairs_.end(), pairs[p].begin(), pairs[p].end());
  }
}

void EliminationPlan::plan_updates() {
  std::vector<int> place(columns_.size(), 0);  // by column: of its rows, how many are met
  std::vector<std::vector<Update>> updates(panels_.size());
  for (const Column& j : columns_)
    for (int a = 0; a < j.panel_count; ++a) {
      const std::size_t pk = ix(j.first_panel + a);
      const int k = panel_column_[pk];
      const Row& row = rows_[ix(columns_[ix(k)].first_row + place[ix(k)]++)];
      for (int b = a + 1; b < j.panel_count; ++b) {
        const std::size_t pi = ix(j.first_panel + b);
        updates[ix(panel_at(panel_column_[pi], k))].push_back(
            {panels_[pi].block, row.product, j.size});
      }
    }
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    panels_[p].first_update = static_cast<int>(updates_.size());
    panels_[p].update_count = static_cast<int>(updates[p].size());
    updates_.insert(updates_.end(), updates[p].begin(), updates[p].end());
  }
}

}  // namespace cardan
