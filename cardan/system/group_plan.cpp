#include "cardan/system/group_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double good_guard = 0.3;    // plans above it are told apart by their cost
constexpr double weak_guard = 0.15;   // below it pivots of the whole component are asked too
constexpr int most_alternatives = 8;  // bodies tried in one stage
constexpr int most_drafts = 24;       // of one component
constexpr int most_pivoted = 240;     // unknowns of a component that is eliminated whole
constexpr double turn_weight = 0.5;   // lengths are solved for rather than angles

std::size_t ix(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

std::vector<double> body_reaches(const System& system) {
  std::vector<double> reach(ix(system.body_count()), 0.0);
  for (const auto& info : system.constraints())
    for (const Side& side : info.sides)
      if (side.body >= 0)
        reach[ix(side.body)] = std::max(
            reach[ix(side.body)], elementary::hypot(side.point[0], side.point[1], side.point[2]));
  for (double& length : reach)
    if (!(length > 0)) length = system.length();
  return reach;
}

std::vector<int> GroupPlan::inputs() const {
  std::vector<int> all;
  for (const Group& g : groups) all.insert(all.end(), g.inputs.begin(), g.inputs.end());
  return all;
}

int GroupPlan::largest() const {
  int most = 0;
  for (const Group& g : groups) most = std::max(most, g.size());
  return most;
}

GroupPlanner::GroupPlanner(const System& system, const std::vector<char>& active)
    : system_(system),
      equations_(system.equations()),
      n_(system.body_count()),
      n_v_(system.body_size()),
      active_(active),
      reach_(body_reaches(system)),
      row_component_(ix(equations_.rows()), -1),
      owner_(ix(equations_.rows()), -1),
      left_(ix(n_), n_v_),
      inputs_(ix(n_), 0),
      undetermined_(ix(n_), 0),
      seen_(ix(n_), 0),
      from_row_(ix(n_), -1),
      from_body_(ix(n_), -1),
      place_(ix(n_), 0),
      column_(ix(n_), -1),
      owned_(ix(n_)),
      block_of_row_(ix(equations_.rows()), -1) {
  std::vector<std::vector<int>> rows_of(ix(n_));
  row_start_.push_back(0);
  const auto blocks = equations_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<int> bodies;
    for (const auto& term : equations_.terms(blocks[b])) bodies.push_back(term.body);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    for (int r = blocks[b].first_row; r < blocks[b].first_row + blocks[b].rows; ++r) {
      block_of_row_[ix(r)] = static_cast<int>(b);
      if (active_[ix(r)] != 0) {
        row_bodies_.insert(row_bodies_.end(), bodies.begin(), bodies.end());
        for (const int body : bodies) rows_of[ix(body)].push_back(r);
      }
      row_start_.push_back(static_cast<int>(row_bodies_.size()));
    }
  }
  body_start_.push_back(0);
  for (const auto& rows : rows_of) {
    body_rows_.insert(body_rows_.end(), rows.begin(), rows.end());
    body_start_.push_back(static_cast<int>(body_rows_.size()));
  }
  find_components();
  if (!match()) {
    join_all();
    (void)match();
  }
  first_owner_ = owner_;
  first_left_ = left_;
}

int GroupPlanner::bodies_of(int row, const int*& list) const {
  list = row_bodies_.data() + row_start_[ix(row)];
  return row_start_[ix(row) + 1] - row_start_[ix(row)];
}

std::vector<int> GroupPlanner::bodies_at_ground() const {
  std::vector<int> bodies;
  for (int r = 0; r < equations_.rows(); ++r) {
    const int* list = nullptr;
    if (bodies_of(r, list) == 1) bodies.push_back(list[0]);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

// ---- components: Tarjan's search with a stack of its own. Node n_ is the ground.
void GroupPlanner::find_components() {
  std::vector<int> seen_at(ix(n_) + 1, -1), low(ix(n_) + 1, 0), stack;
  component_of_.assign(ix(n_), -1);
  components_.clear();
  const std::vector<int> at_ground = bodies_at_ground();

  struct Visit {
    int node, parent;
    std::size_t row = 0, place = 0;  // the next neighbour
  };

  // The next neighbour of a node: through the rows of a body, or of the ground.
  const auto next = [&](Visit& v) {
    if (v.node == n_) return v.place < at_ground.size() ? at_ground[v.place++] : -1;
    const auto rows = ix(body_start_[ix(v.node) + 1] - body_start_[ix(v.node)]);
    while (v.row < rows) {
      const int* list = nullptr;
      const int count = bodies_of(body_rows_[ix(body_start_[ix(v.node)]) + v.row], list);
      if (count == 1 && v.place == 0) {
        ++v.place;
        return n_;
      }
      if (v.place < ix(count)) return list[v.place++];
      ++v.row;
      v.place = 0;
    }
    return -1;
  };
  int time = 0;
  std::vector<Visit> visits;
  const auto enter = [&](int node, int parent) {
    seen_at[ix(node)] = low[ix(node)] = time++;
    stack.push_back(node);
    visits.push_back({node, parent});
  };
  const auto pop_until = [&](int node) {
    Component c;
    int last = -1;
    do {
      last = stack.back();
      stack.pop_back();
      if (last == n_) continue;
      component_of_[ix(last)] = static_cast<int>(components_.size());
      c.bodies.push_back(last);
    } while (last != node);
    std::reverse(c.bodies.begin(), c.bodies.end());
    components_.push_back(std::move(c));
  };
  for (int root = n_; root >= 0; --root) {
    if (seen_at[ix(root)] >= 0) continue;
    enter(root, -1);
    while (!visits.empty()) {
      Visit& v = visits.back();
      const int node = v.node, to = next(v);
      if (to >= 0) {
        if (to == node || to == v.parent) continue;
        if (seen_at[ix(to)] >= 0)
          low[ix(node)] = std::min(low[ix(node)], seen_at[ix(to)]);
        else
          enter(to, node);
        continue;
      }
      const int parent = v.parent;
      visits.pop_back();
      if (parent < 0) continue;
      low[ix(parent)] = std::min(low[ix(parent)], low[ix(node)]);
      if (low[ix(node)] >= seen_at[ix(parent)]) pop_until(node);
    }
    pop_until(root);  // a body that floats, or the ground with nothing left
    if (root == n_) components_.pop_back();
  }
  // found from the outside inwards; the component of a row is the outermost of its bodies
  const int count = static_cast<int>(components_.size());
  std::reverse(components_.begin(), components_.end());
  for (int& c : component_of_) c = count - 1 - c;
  give_rows_to_components();
}

void GroupPlanner::give_rows_to_components() {
  for (int r = 0; r < equations_.rows(); ++r) {
    const int* list = nullptr;
    const int bodies = bodies_of(r, list);
    for (int k = 0; k < bodies; ++k)
      row_component_[ix(r)] = std::max(row_component_[ix(r)], component_of_[ix(list[k])]);
    if (bodies > 0) components_[ix(row_component_[ix(r)])].rows.push_back(r);
  }
}

void GroupPlanner::join_all() {
  Component all;
  for (const Component& c : components_) {
    all.bodies.insert(all.bodies.end(), c.bodies.begin(), c.bodies.end());
    all.rows.insert(all.rows.end(), c.rows.begin(), c.rows.end());
  }
  std::sort(all.rows.begin(), all.rows.end());
  components_ = {std::move(all)};
  std::fill(component_of_.begin(), component_of_.end(), 0);
  for (const int r : components_[0].rows) row_component_[ix(r)] = 0;
}

// ---- the matching

bool GroupPlanner::match() {
  std::fill(owner_.begin(), owner_.end(), -1);
  std::fill(left_.begin(), left_.end(), n_v_);
  for (auto& rows : owned_) rows.clear();
  for (const Component& c : components_)
    for (const int r : c.rows)
      if (!give(r)) return false;
  return true;
}

bool GroupPlanner::give(int row) {
  const int* list = nullptr;
  const int count = bodies_of(row, list);
  std::vector<int> own;
  for (int k = 0; k < count; ++k)
    if (component_of_[ix(list[k])] == row_component_[ix(row)]) own.push_back(list[k]);
  int best = -1;
  for (const int b : own)
    if (left_[ix(b)] > 0 && (best < 0 || left_[ix(b)] > left_[ix(best)])) best = b;
  if (best < 0) {
    if (!free_place(own)) return false;
    for (const int b : own)
      if (left_[ix(b)] > 0) best = b;
  }
  owner_[ix(row)] = best;
  owned_[ix(best)].push_back(row);
  --left_[ix(best)];
  return true;
}

// Breadth first along "depends on"; rows on the way move one body further.
bool GroupPlanner::free_place(const std::vector<int>& from) {
  queue_.clear();
  const auto visit = [&](int body, int row, int before) {
    if (seen_[ix(body)] != 0) return;
    seen_[ix(body)] = 1;
    from_row_[ix(body)] = row;
    from_body_[ix(body)] = before;
    queue_.push_back(body);
  };
  for (const int b : from) visit(b, -1, -1);
  int end = -1;
  for (std::size_t k = 0; k < queue_.size() && end < 0; ++k) {
    const int b = queue_[k];
    if (left_[ix(b)] > 0) {
      end = b;
      break;
    }
    for (const int r : owned_[ix(b)]) {
      const int* list = nullptr;
      const int count = bodies_of(r, list);
      for (int i = 0; i < count; ++i)
        if (component_of_[ix(list[i])] == row_component_[ix(r)]) visit(list[i], r, b);
    }
  }
  for (const int b : queue_) seen_[ix(b)] = 0;
  if (end < 0) return false;
  for (int b = end; from_body_[ix(b)] >= 0; b = from_body_[ix(b)]) {
    const int row = from_row_[ix(b)], before = from_body_[ix(b)];
    auto& rows = owned_[ix(before)];
    rows.erase(std::find(rows.begin(), rows.end(), row));
    owned_[ix(b)].push_back(row);
    owner_[ix(row)] = b;
    --left_[ix(b)];
    ++left_[ix(before)];
  }
  return true;
}

bool GroupPlanner::make_input(int body) {
  if (left_[ix(body)] == 0 && !free_place({body})) return false;
  --left_[ix(body)];
  ++inputs_[ix(body)];
  return true;
}

// ---- inputs

void GroupPlanner::begin(const Component& c) {
  for (const int b : c.bodies) {
    left_[ix(b)] = first_left_[ix(b)];
    inputs_[ix(b)] = 0;
    owned_[ix(b)].clear();
  }
  for (const int r : c.rows) {
    owner_[ix(r)] = first_owner_[ix(r)];
    owned_[ix(owner_[ix(r)])].push_back(r);
  }
}

void GroupPlanner::find_undetermined(const Component& c) {
  queue_.clear();
  for (const int b : c.bodies) {
    undetermined_[ix(b)] = left_[ix(b)] > 0 ? 1 : 0;
    if (left_[ix(b)] > 0) queue_.push_back(b);
  }
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const int touched = queue_[k];
    for (int i = body_start_[ix(touched)]; i < body_start_[ix(touched) + 1]; ++i) {
      const int r = body_rows_[ix(i)], b = owner_[ix(r)];
      if (row_component_[ix(r)] != component_of_[ix(touched)] || undetermined_[ix(b)] != 0)
        continue;
      undetermined_[ix(b)] = 1;
      queue_.push_back(b);
    }
  }
}

// Undetermined bodies with equations to determined ones, those with most of them first.
std::vector<int> GroupPlanner::candidates(const Component& c) const {
  std::vector<std::pair<int, int>> found;  // freedoms beside determined bodies, body
  for (const int b : c.bodies) {
    if (undetermined_[ix(b)] == 0) continue;
    int tied = 0;
    for (int i = body_start_[ix(b)]; i < body_start_[ix(b) + 1]; ++i) {
      const int r = body_rows_[ix(i)];
      if (row_component_[ix(r)] != component_of_[ix(b)]) continue;
      const int* list = nullptr;
      const int count = bodies_of(r, list);
      bool known = true;
      for (int k = 0; k < count; ++k)
        known = known && (list[k] == b || component_of_[ix(list[k])] != component_of_[ix(b)] ||
                          undetermined_[ix(list[k])] == 0);
      tied += known ? 1 : 0;
    }
    found.emplace_back(n_v_ - tied, b);
  }
  std::sort(found.begin(), found.end());
  std::vector<int> bodies;
  for (const auto& [missing, b] : found)
    if (missing < n_v_ || bodies.empty()) bodies.push_back(b);
  return bodies;
}

GroupPlanner::Draft GroupPlanner::draft(const Component& c,
                                        const std::vector<int>& choice,
                                        CView packed) {
  begin(c);
  int freedoms = 0;
  for (const int b : c.bodies) freedoms += left_[ix(b)];
  std::vector<int> alternatives;
  for (std::size_t stage = 0; freedoms > 0; ++stage) {
    find_undetermined(c);
    const std::vector<int> bodies = candidates(c);
    const int tried = std::min(most_alternatives, static_cast<int>(bodies.size()));
    const int chosen = stage < choice.size() ? choice[stage] : 0;
    // spread over the list, which may be long and of like bodies
    const int body = bodies[ix(chosen) * bodies.size() / ix(tried)];
    while (make_input(body)) --freedoms;
    alternatives.push_back(tried);
  }
  Draft made = finish(c, packed);
  made.alternatives = std::move(alternatives);
  return made;
}

// Inputs where elimination of the whole component with full pivoting leaves coordinates over.
GroupPlanner::Draft GroupPlanner::draft_by_pivots(const Component& c, CView packed) {
  begin(c);
  std::vector<int> left;
  for (const int b : c.bodies) place_[ix(b)] = n_v_;  // any coordinate of any body
  gather(c.bodies, c.rows, packed);
  (void)eliminate(c.bodies, &left);
  Draft none;
  none.guard = 0;
  int freedoms = 0;
  for (const int b : c.bodies) freedoms += left_[ix(b)];
  if (freedoms != static_cast<int>(left.size())) return none;
  for (const int k : left)
    if (!make_input(system_.layout().place_of_v(k).body)) return none;
  return finish(c, packed);
}

// The strongly connected components of "depends on", in the order of their solution.
void GroupPlanner::order(const Component& c, std::vector<Group>& groups) {
  struct Visit {
    int body;
    std::size_t row = 0;
    int place = 0;
  };

  std::vector<Visit> visits;
  std::vector<int> stack;
  auto &seen_at = from_row_, &low = from_body_;  // scratch of bodies
  for (const int b : c.bodies) seen_at[ix(b)] = -1;
  int time = 0;
  const auto enter = [&](int body) {
    seen_at[ix(body)] = low[ix(body)] = time++;
    seen_[ix(body)] = 1;  // on the stack
    stack.push_back(body);
    visits.push_back({body});
  };
  for (const int root : c.bodies) {
    if (seen_at[ix(root)] >= 0) continue;
    enter(root);
    while (!visits.empty()) {
      Visit& v = visits.back();
      const int b = v.body;
      int to = -1;
      while (to < 0 && v.row < owned_[ix(b)].size()) {
        const int r = owned_[ix(b)][v.row];
        const int* list = nullptr;
        const int count = bodies_of(r, list);
        if (v.place < count) {
          const int other = list[v.place++];
          if (other != b && component_of_[ix(other)] == component_of_[ix(b)]) to = other;
        } else {
          ++v.row;
          v.place = 0;
        }
      }
      if (to >= 0) {
        if (seen_at[ix(to)] < 0)
          enter(to);
        else if (seen_[ix(to)] != 0)
          low[ix(b)] = std::min(low[ix(b)], seen_at[ix(to)]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        int& above = low[ix(visits.back().body)];
        above = std::min(above, low[ix(b)]);
      }
      if (low[ix(b)] != seen_at[ix(b)]) continue;
      Group g;
      int last = -1;
      do {
        last = stack.back();
        stack.pop_back();
        seen_[ix(last)] = 0;
        g.bodies.push_back(last);
        g.rows.insert(g.rows.end(), owned_[ix(last)].begin(), owned_[ix(last)].end());
      } while (last != b);
      std::sort(g.bodies.begin(), g.bodies.end());
      std::sort(g.rows.begin(), g.rows.end());
      groups.push_back(std::move(g));
    }
  }
}

GroupPlanner::Draft GroupPlanner::finish(const Component& c, CView packed) {
  Draft made;
  order(c, made.groups);
  for (Group& g : made.groups) {
    select_inputs(g, packed);
    made.guard = std::min(made.guard, g.guard);
    made.cost += elementary::pow(g.size(), 3);
  }
  return made;
}

// ---- guards

// The equations of some bodies as a dense matrix. Angles count times the reach of their body; rows
// have length one, inside or with the bodies outside, whichever is longer.
void GroupPlanner::gather(const std::vector<int>& bodies,
                          const std::vector<int>& rows,
                          CView packed) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  matrix_.setZero(m, static_cast<Eigen::Index>(bodies.size()) * n_v_);
  for (std::size_t k = 0; k < bodies.size(); ++k)
    column_[ix(bodies[k])] = static_cast<int>(k) * n_v_;
  const int lengths = system_.dimension();
  for (Eigen::Index i = 0; i < m; ++i) {
    const int r = rows[static_cast<std::size_t>(i)];
    const auto& block = equations_.blocks()[ix(block_of_row_[ix(r)])];
    double inside = 0, outside = 0;
    for (const auto& term : equations_.terms(block)) {
      const int first = column_[ix(term.body)];
      for (int k = 0; k < n_v_; ++k) {
        double x = packed[ix(term.offset + k * block.rows + r - block.first_row)];
        if (k >= lengths) x /= reach_[ix(term.body)];
        (first >= 0 ? inside : outside) += x * x;
        if (first >= 0) matrix_(i, first + k) += x;
      }
    }
    if (const double size = std::max(inside, outside); size > 0) matrix_.row(i) /= std::sqrt(size);
  }
  for (const int b : bodies) column_[ix(b)] = -1;
}

// Gaussian elimination with full pivoting; body b may have place_[b] pivots. The smallest pivot, and
// the coordinates without one.
double GroupPlanner::eliminate(const std::vector<int>& bodies, std::vector<int>* inputs) {
  const Eigen::Index m = matrix_.rows(), n = matrix_.cols();
  std::vector<char> row_done(static_cast<std::size_t>(m), 0), done(static_cast<std::size_t>(n), 0);
  const auto body_of = [&](Eigen::Index k) {
    return bodies[static_cast<std::size_t>(k / n_v_)];
  };
  const int lengths = system_.dimension();
  double least = 1;
  for (Eigen::Index step = 0; step < m; ++step) {
    Eigen::Index p = -1, c = -1;
    double largest = -1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (done[static_cast<std::size_t>(k)] != 0 || place_[ix(body_of(k))] == 0) continue;
      const double weight = k % n_v_ < lengths ? 1 : turn_weight;
      for (Eigen::Index i = 0; i < m; ++i)
        if (row_done[static_cast<std::size_t>(i)] == 0 &&
            weight * std::abs(matrix_(i, k)) > largest) {
          largest = weight * std::abs(matrix_(i, k));
          p = i;
          c = k;
        }
    }
    if (p < 0) return 0;
    const double pivot = matrix_(p, c);
    least = std::min(least, std::abs(pivot));
    row_done[static_cast<std::size_t>(p)] = done[static_cast<std::size_t>(c)] = 1;
    --place_[ix(body_of(c))];
    if (pivot == 0) continue;
    for (Eigen::Index i = 0; i < m; ++i)
      if (row_done[static_cast<std::size_t>(i)] == 0 && matrix_(i, c) != 0)
        matrix_.row(i) -= matrix_(i, c) / pivot * matrix_.row(p);
  }
  if (inputs != nullptr) {
    inputs->clear();
    for (Eigen::Index k = 0; k < n; ++k)
      if (done[static_cast<std::size_t>(k)] == 0)
        inputs->push_back(system_.layout().v(body_of(k)) + static_cast<int>(k % n_v_));
  }
  return least;
}

void GroupPlanner::select_inputs(Group& g, CView packed) {
  for (const int b : g.bodies) place_[ix(b)] = n_v_ - inputs_[ix(b)];
  gather(g.bodies, g.rows, packed);
  g.guard = eliminate(g.bodies, &g.inputs);
}

double GroupPlanner::guard(const GroupPlan& plan, CView packed, int* weakest) {
  double least = 1;
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const Group& g = plan.groups[k];
    gather(g.bodies, g.rows, packed);
    for (const int b : g.bodies) place_[ix(b)] = n_v_;
    for (const int input : g.inputs) {  // its column takes no pivot
      const auto [body, local] = system_.layout().place_of_v(input);
      const auto at = std::find(g.bodies.begin(), g.bodies.end(), body) - g.bodies.begin();
      matrix_.col(at * n_v_ + local).setZero();
    }
    const double now = eliminate(g.bodies, nullptr);
    if (now >= least) continue;
    least = now;
    if (weakest != nullptr) *weakest = static_cast<int>(k);
  }
  return least;
}

// ---- the best of several plans

bool GroupPlanner::Draft::good() const {
  const bool small = std::all_of(
      groups.begin(), groups.end(), [](const Group& g) { return g.bodies.size() <= 2; });
  return guard >= good_guard && small;
}

bool GroupPlanner::Draft::better_than(const Draft& other) const {
  const double mine = std::min(guard, good_guard), its = std::min(other.guard, good_guard);
  if (std::abs(mine - its) > 1e-6) return mine > its;
  return cost < other.cost;
}

GroupPlanner::Draft GroupPlanner::best(const Component& c, CView packed) {
  std::vector<int> choice;
  Draft kept = draft(c, choice, packed);
  int drafts = 1;
  for (std::size_t stage = 0; stage < kept.alternatives.size() && drafts < most_drafts; ++stage) {
    int taken = 0;
    choice.resize(stage + 1);
    const int count = kept.alternatives[stage];
    for (int k = 1; k < count && drafts < most_drafts && !kept.good(); ++k, ++drafts) {
      choice[stage] = k;
      Draft other = draft(c, choice, packed);
      if (!other.better_than(kept)) continue;
      kept = std::move(other);
      taken = k;
    }
    choice[stage] = taken;
  }
  if (kept.guard < weak_guard && static_cast<int>(c.bodies.size()) * n_v_ <= most_pivoted &&
      !kept.alternatives.empty()) {
    Draft other = draft_by_pivots(c, packed);
    if (other.better_than(kept)) kept = std::move(other);
  }
  return kept;
}

GroupPlan GroupPlanner::plan(CView packed) {
  GroupPlan made;
  for (const Component& c : components_) {
    Draft kept = best(c, packed);
    for (Group& g : kept.groups) {
      if (g.guard < made.guard) {
        made.guard = g.guard;
        made.weakest = static_cast<int>(made.groups.size());
      }
      made.groups.push_back(std::move(g));
    }
  }
  return made;
}

std::string GroupPlanner::words(const Group& g) const {
  std::vector<int> constraints;
  for (const int r : g.rows) constraints.push_back(system_.constraint_of(r));
  std::sort(constraints.begin(), constraints.end());
  constraints.erase(std::unique(constraints.begin(), constraints.end()), constraints.end());
  std::string text;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (k > 0) text += k + 1 == constraints.size() ? " and " : ", ";
    text += system_.constraints()[ix(constraints[k])].words();
  }
  return text;
}

}  // namespace cardan
