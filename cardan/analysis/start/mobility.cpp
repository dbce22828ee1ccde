#include "cardan/analysis/start/mobility.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "cardan/analysis/start/plane_reason.h"
#include "cardan/analysis/start/pose_solver.h"
#include "cardan/analysis/start/rank.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr int dense_limit = 400;
constexpr double excursion =
    0.03;  // of the mechanism's size: how far it is moved to see what is structural

constexpr unsigned most_tries = 12;  // to find three poses elsewhere

std::vector<char> joint_rows(const System& system) {
  std::vector<char> wanted(static_cast<std::size_t>(system.equations().rows()), 0);
  for (const auto& constraint : system.constraints())
    if (constraint.kind == Kind::joint)
      for (const int r : constraint.rows) wanted[static_cast<std::size_t>(r)] = 1;
  return wanted;
}

std::vector<char> all_joints(const System& system) {  // and drivers, not the limits
  std::vector<char> wanted(static_cast<std::size_t>(system.equations().rows()), 0);
  std::fill_n(wanted.begin(), system.joint_rows(), 1);
  return wanted;
}

// A pose near q that the joints allow, reached along a random direction of free motion.
std::vector<double> moved_pose(
    const System& system, double t, CView q, const std::vector<char>& joints, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Equations& equations = system.equations();
  const auto size = [&](std::size_t k) {
    return system.layout().turns(static_cast<int>(k)) ? 1.0 : system.length();
  };
  std::vector<double> d(static_cast<std::size_t>(system.v_size()));
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = uniform(random) * size(k);

  Workspace work = system.workspace();
  system.rotations(q, work);
  equations.phi_q(system.config(t, q, work), work.packed);
  SchurMatrix S(system.schur_plan(), equations, system.metric());
  S.activate(joints);
  S.factor(work.packed, 0, 1e-12);
  std::vector<double> y(static_cast<std::size_t>(equations.rows()));
  std::vector<double> normal(d.size(), 0.0);
  equations.multiply(work.packed, d, y);
  S.solve(y);
  equations.add_transposed(work.packed, y, 1.0, normal);
  system.metric().solve(normal);
  double largest = 0;
  for (std::size_t k = 0; k < d.size(); ++k) {
    d[k] -= normal[k];
    largest = std::max(largest, std::abs(d[k]) / size(k));
  }
  std::vector<double> moved(q.begin(), q.end());
  if (largest < 1e-9) return moved;  // nothing can move
  for (double& x : d) x *= excursion / largest;
  system.advance(q, d, moved);

  std::vector<char> wanted = joints;
  wanted.resize(static_cast<std::size_t>(system.joint_rows()));
  wanted.resize(static_cast<std::size_t>(system.assembly_equations().rows()), 0);
  auto found = PoseSolver(system, wanted, {}).solve(t, moved);
  // Back beside a singular pose, equations are nearly dependent and no longer quite: that tells
  // nothing.
  system.difference(found.q, q, d);
  const bool away = system.largest_move(d) > 0.1 * excursion * system.length();
  return found.converged && away ? std::move(found.q) : std::vector<double>(q.begin(), q.end());
}

std::vector<std::pair<std::string, int>> natural_coordinates(const System& system,
                                                             double t,
                                                             CView q) {
  const std::vector<char> all = all_joints(system);
  Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled_jacobian(system, system.equations(), t, q, all));
  lu.setThreshold(1e-9);
  std::vector<std::pair<std::string, int>> words;
  const auto& columns = lu.permutationQ().indices();
  for (Eigen::Index k = lu.rank(); k < columns.size(); ++k)
    words.emplace_back(system.coordinate_label(columns[k]), columns[k]);
  std::sort(words.begin(), words.end());
  return words;
}

// "joint 'A' (x, y); joint 'B' (angle)", in the order of the model.
std::string list_words(const System& system, const std::vector<int>& rows) {
  std::map<int, std::string> parts;
  std::vector<int> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  for (const int r : sorted) {
    std::string& part = parts[system.constraint_of(r)];
    part += (part.empty() ? "" : ", ") + system.row_label(r);
  }
  std::string text;
  for (const auto& [constraint, part] : parts)
    text += (text.empty() ? "" : "; ") +
            system.constraints()[static_cast<std::size_t>(constraint)].words() + " (" + part + ")";
  return text;
}

std::string reason_of(const System& system, double t, CView q, const std::vector<int>& set) {
  const auto n = plane_held_by(system, t, q, set);
  if (!n) return {};
  return fmt::format(
      "each of them only keeps bodies in the plane with normal ({:.4g}, {:.4g}, {:.4g}), which the "
      "others do already: a plane mechanism in space",
      n->x() + 0.0,
      n->y() + 0.0,
      n->z() + 0.0);
}

// In a singular pose every set of dependent equations may be special, though some equations are
// redundant in all poses: then those that depend on others elsewhere are left out.
void drop_structural(const System& system,
                     double t,
                     CView q,
                     const std::vector<RankAnalysis>& elsewhere,
                     Mobility& m) {
  const auto kept = static_cast<int>(std::count(m.active.begin(), m.active.end(), 1));
  const auto regular = std::find_if(elsewhere.begin(), elsewhere.end(), [&](const auto& other) {
    return other.rank == m.structural_rank;
  });
  if (kept == m.structural_rank || regular == elsewhere.end()) return;
  m.active = all_joints(system);
  for (std::size_t k = 0; k < regular->dependent.size(); ++k) {
    m.active[static_cast<std::size_t>(regular->dependent[k])] = 0;
    const auto special = std::find_if(
        m.redundant.begin(), m.redundant.end(), [](const auto& r) { return !r.structural; });
    if (special != m.redundant.end()) m.redundant.erase(special);
    m.redundant.insert(m.redundant.begin(),
                       {regular->dependent[k],
                        regular->sets[k],
                        true,
                        list_words(system, regular->sets[k]),
                        reason_of(system, t, q, regular->sets[k])});
  }
}

}  // namespace

Mobility analyse_mobility(const System& system, double t, CView q) {
  const Equations& equations = system.equations();
  const std::vector<char> all = all_joints(system), joints = joint_rows(system);
  Mobility m;
  m.bodies = system.body_count();
  m.coordinates = system.v_size();
  m.equations = system.joint_rows();
  m.driver_equations = m.equations - static_cast<int>(std::count(joints.begin(), joints.end(), 1));
  m.counted_dof = m.coordinates - m.equations;
  m.active = all;

  const RankAnalysis here = analyse_rank(system, equations, t, q, all, true);
  const int joints_rank = m.driver_equations > 0
                              ? analyse_rank(system, equations, t, q, joints, false).rank
                              : here.rank;
  m.rank = m.structural_rank = here.rank;
  m.distance_to_singular = here.smallest;
  int joints_structural = joints_rank;
  std::vector<char> structural(here.dependent.size(), 1);
  std::vector<RankAnalysis> elsewhere;
  if (!here.dependent.empty()) {
    int away = 0;
    for (unsigned seed = 1; seed <= most_tries && away < 3; ++seed) {
      const std::vector<double> moved = moved_pose(system, t, q, joints, seed);
      if (std::equal(moved.begin(), moved.end(), q.begin())) continue;
      ++away;
      elsewhere.push_back(analyse_rank(system, equations, t, moved, all, true));
      m.structural_rank = std::max(m.structural_rank, elsewhere.back().rank);
      joints_structural = std::max(joints_structural,
                                   analyse_rank(system, equations, t, moved, joints, false).rank);
      for (std::size_t k = 0; k < here.dependent.size(); ++k) {
        std::vector<char> set(all.size(), 0);
        for (const int r : here.sets[k]) set[static_cast<std::size_t>(r)] = 1;
        if (analyse_rank(system, equations, t, moved, set, false).rank ==
            static_cast<int>(here.sets[k].size()))
          structural[k] = 0;
      }
    }
  }
  m.stretched = !here.dependent.empty() && elsewhere.empty() &&
                joints_rank < m.coordinates;  // it could begin to move
  // No rank gained elsewhere: all are structural, though the sets that depend on each other may be
  // larger in other poses.
  if (m.structural_rank == m.rank) std::fill(structural.begin(), structural.end(), 1);
  std::set<int> indeterminate;
  for (std::size_t k = 0; k < here.dependent.size(); ++k) {
    m.redundant.push_back({here.dependent[k],
                           here.sets[k],
                           structural[k] != 0,
                           list_words(system, here.sets[k]),
                           reason_of(system, t, q, here.sets[k])});
    if (structural[k] == 0) continue;
    m.active[static_cast<std::size_t>(here.dependent[k])] = 0;
    for (const int r : here.sets[k]) indeterminate.insert(system.constraint_of(r));
  }
  drop_structural(system, t, q, elsewhere, m);
  for (const RankAnalysis& other : elsewhere)  // sets may be larger there than in a special pose
    if (other.rank == m.structural_rank)
      for (const auto& set : other.sets)
        for (const int r : set) indeterminate.insert(system.constraint_of(r));
  m.indeterminate.assign(indeterminate.begin(), indeterminate.end());
  for (const int c : m.indeterminate)
    m.not_unique.push_back(system.constraints()[static_cast<std::size_t>(c)].words());
  m.dof = m.coordinates - m.structural_rank;
  m.dof_here = m.coordinates - m.rank;
  if (m.structural_rank > m.rank) {
    m.pose = joints_structural > joints_rank ? PoseKind::bifurcation : PoseKind::dead_centre;
    m.distance_to_singular = 0;
  }
  if (m.equations <= dense_limit && m.dof_here > 0)
    for (auto& [words, column] : natural_coordinates(system, t, q)) {
      m.free_coordinates.push_back(words);
      m.free_columns.push_back(column);
    }
  return m;
}

std::string mobility_text(const Mobility& m) {
  std::string text = fmt::format(
      "bodies                {}\ncoordinates           {}\nequations             {} ({} of "
      "drivers)\n"
      "independent equations {}\ndegrees of freedom    {}   (by counting: {})\nredundant equations "
      "  {}\n",
      m.bodies,
      m.coordinates,
      m.equations,
      m.driver_equations,
      m.structural_rank,
      m.dof,
      m.counted_dof,
      m.redundant.size());
  if (!m.free_coordinates.empty()) {
    text += "free coordinates      ";
    for (std::size_t k = 0; k < m.free_coordinates.size(); ++k)
      text += (k == 0 ? "" : ", ") + m.free_coordinates[k];
    text += '\n';
  }
  text += fmt::format("distance to singular  {:.3g}{}\n",
                      m.distance_to_singular,
                      m.pose == PoseKind::bifurcation   ? "   (bifurcation)"
                      : m.pose == PoseKind::dead_centre ? "   (dead centre of a driver)"
                                                        : "");
  for (const auto& r : m.redundant)
    text += fmt::format("redundant ({}): any one of {}{}\n",
                        r.structural ? "in every pose" : "only in this pose",
                        r.words,
                        r.reason.empty() ? "" : ": " + r.reason);
  if (!m.not_unique.empty()) {
    text += "reactions not unique: ";
    for (std::size_t k = 0; k < m.not_unique.size(); ++k)
      text += (k == 0 ? "" : ", ") + m.not_unique[k];
    text += '\n';
  }
  return text;
}

Diagnostics mobility_notes(const System& system, const Mobility& m) {
  Diagnostics notes;
  for (const auto& r : m.redundant) {
    if (!r.structural || m.stretched) continue;
    const auto& owner = system.constraints()[static_cast<std::size_t>(system.constraint_of(r.row))];
    Diagnostic d;
    d.id = "assembly.redundant";
    d.severity = Severity::note;
    d.where = owner.where;
    d.element = owner.words();
    d.found = fmt::format(
        "more joints than needed: one equation of {} can be left out, so that their reactions are "
        "not "
        "unique; the motion is right",
        r.words);
    if (!r.reason.empty()) d.found += "; " + r.reason;
    d.hint = "nothing needs to be done, if the mechanism is meant so";
    notes.push_back(std::move(d));
  }
  for (int k = 0; k < system.friction().count(); ++k) {
    const auto& rows = system.friction().element(k).rows;
    const bool unknown = std::any_of(rows.begin(), rows.end(), [&](int r) {
      return std::binary_search(
          m.indeterminate.begin(), m.indeterminate.end(), system.constraint_of(r));
    });
    if (!unknown) continue;
    Diagnostic d;
    d.id = "assembly.undetermined-friction";
    d.severity = Severity::warning;
    d.element = system.friction_label(k);
    d.found = "friction in proportion to a reaction that is not unique";
    d.expected = "a joint whose reaction is determined";
    d.hint = "replace a joint of the loop by one that constrains less";
    notes.push_back(std::move(d));
  }
  if (m.stretched && m.pose == PoseKind::regular) {
    Diagnostic d;
    d.id = "assembly.singular-pose";
    d.severity = Severity::warning;
    d.found =
        "in this pose the joints hold the mechanism, though it could begin to move: no pose beside "
        "it "
        "closes them, as of links stretched to their full length";
    for (const auto& r : m.redundant) d.worst.push_back({list_words(system, r.set), 0.0});
    d.hint = "check the axes and lengths of these joints and bodies, or start from another pose";
    notes.push_back(std::move(d));
  }
  if (m.pose != PoseKind::regular) {
    Diagnostic d;
    d.id = "assembly.singular-pose";
    d.severity = Severity::warning;
    d.found =
        m.pose == PoseKind::bifurcation
            ? fmt::format(
                  "in this pose the mechanism can begin to move in {} ways, elsewhere in {}: a "
                  "bifurcation, as of links in one line",
                  m.dof_here,
                  m.dof)
            : std::string("in this pose the drivers do not decide the motion: a dead centre");
    for (const auto& r : m.redundant)
      if (!r.structural) d.worst.push_back({list_words(system, r.set), 0.0});
    d.hint = "start from another pose, or give initial velocities that choose the branch";
    notes.push_back(std::move(d));
  }
  return notes;
}

}  // namespace cardan
