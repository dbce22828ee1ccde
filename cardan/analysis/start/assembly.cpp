// Positions by pose_solver.h; then velocities
//   min |v - v0|_W   subject to   phi_q v = nu,  initial rates,
// with bodies whose velocity was not given weighing next to nothing; then accelerations from the
// equations of motion.
#include "cardan/analysis/start/assembly.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "cardan/analysis/start/conflicts.h"
#include "cardan/analysis/start/joint_meter.h"
#include "cardan/analysis/start/pose_solver.h"
#include "cardan/analysis/start/rank.h"
#include "cardan/analysis/start/start_motions.h"
#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"
#include "cardan/model/own_equations.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

namespace {

constexpr double light = 1e-6;               // weight of a velocity that was not given
constexpr double velocity_tolerance = 1e-9;  // relative: a larger gap is a contradiction

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

std::vector<char> wanted_rows(const System& system, bool initial_values) {
  std::vector<char> wanted(at(system.assembly_equations().rows()), 0);
  for (int r = 0; r < system.joint_rows(); ++r)  // rolling says nothing about positions
    wanted[at(r)] = initial_values && system.equations().at_velocity_level(r) ? 0 : 1;
  if (initial_values)
    for (const auto& c : system.initial_conditions())
      if (c.has_value) wanted[at(c.row)] = 1;
  return wanted;
}

// The gaps by joint, largest first.
std::vector<Gap> gaps(const System& system, CView residual, double threshold, bool rates) {
  struct Open {
    double value = 0;
    std::string unit;
  };

  std::map<std::string, Open> largest;
  for (std::size_t r = 0; r < residual.size(); ++r) {
    if (!(std::abs(residual[r]) > threshold)) continue;
    const std::string words = system.assembly_text(static_cast<int>(r));
    const std::string owner =
        static_cast<int>(r) < system.joint_rows()
            ? system.constraints()[at(system.constraint_of(static_cast<int>(r)))].words()
            : words;
    Open& open = largest[owner];
    if (std::abs(residual[r]) <= open.value) continue;
    open.value = std::abs(residual[r]);
    if (static_cast<int>(r) < system.joint_rows() && system.own() == nullptr)
      open.unit =
          std::string(system.unit_kind(static_cast<int>(r)) == UnitKind::angle ? "rad" : "m") +
          (rates ? "/s" : "");
  }
  std::vector<Gap> list;
  list.reserve(largest.size());
  for (const auto& [words, open] : largest) list.push_back({words, open.value, open.unit});
  std::sort(list.begin(), list.end(), [](const Gap& a, const Gap& b) { return a.value > b.value; });
  if (list.size() > 12) list.resize(12);
  return list;
}

// Initial conditions that depend on the constraints or on earlier conditions: rows of
// assembly_equations().
std::vector<int> superfluous_conditions(const System& system, double t, CView q, bool rates) {
  std::vector<char> wanted = wanted_rows(system, false);
  if (!rates)
    for (int r = 0; r < system.joint_rows(); ++r)
      if (system.equations().at_velocity_level(r)) wanted[at(r)] = 0;
  int rank = analyse_rank(system, system.assembly_equations(), t, q, wanted, false).rank;
  std::vector<int> superfluous;
  for (const auto& c : system.initial_conditions()) {
    if (!(rates ? c.has_rate : c.has_value)) continue;
    wanted[at(c.row)] = 1;
    const int with = analyse_rank(system, system.assembly_equations(), t, q, wanted, false).rank;
    if (with == rank) {
      superfluous.push_back(c.row);
      wanted[at(c.row)] = 0;
    }
    rank = with;
  }
  return superfluous;
}

// Equations that contradict each other already in the poses around: their gaps cannot be closed by
// moving. Empty: there are none.
std::vector<int> contradictory_set(const System& system, double t, CView q, CView residual) {
  std::vector<double> shaken(q.begin(), q.end()), shake(at(system.v_size()));
  for (int k = 0; k < system.v_size(); ++k)
    shake[at(k)] =
        0.05 * elementary::sin(1.7 * k + 0.3) * (system.layout().turns(k) ? 1 : system.length());
  system.advance(q, shake, shaken);
  std::vector<char> all(at(system.equations().rows()), 0);
  std::fill_n(all.begin(), system.joint_rows(), 1);
  const RankAnalysis rank = analyse_rank(system, system.equations(), t, shaken, all, true);
  double largest = 0;
  for (const double r : residual) largest = std::max(largest, std::abs(r));
  for (const auto& set : rank.sets)
    for (const int r : set)
      if (std::abs(residual[at(r)]) > 0.05 * largest) return set;
  return {};
}

// A driver, most often, whose motion has no value at the start.
Diagnostic constraint_without_value(const System& system, double t, std::size_t row) {
  Diagnostic d;
  d.id = "numeric.not-finite";
  d.element = system.assembly_text(static_cast<int>(row));
  d.found = "a constraint that has no value at the start";
  d.expected = "finite values";
  d.t = t;
  return d;
}

void report_infeasible(const System& system,
                       double t,
                       const PoseSolver::Outcome& found,
                       Assembly& out) {
  for (std::size_t r = 0; r < found.residual.size(); ++r)
    if (!std::isfinite(found.residual[r])) {
      out.max_position = out.max_velocity = std::numeric_limits<double>::quiet_NaN();
      out.notes.push_back(constraint_without_value(system, t, r));
      return;
    }
  for (const double r : found.residual) out.max_position = std::max(out.max_position, std::abs(r));
  out.max_velocity = std::numeric_limits<double>::quiet_NaN();
  const double threshold = 1e-9 * system.length();
  Diagnostic d;
  const CView joints(found.residual.data(), at(system.joint_rows()));
  const std::vector<int> set = contradictory_set(system, t, found.q, joints);
  const bool conflict = !set.empty();
  d.id = conflict ? "assembly.conflict" : "assembly.infeasible";
  d.worst = gaps(system, found.residual, threshold, false);
  if (!d.worst.empty()) d.element = d.worst.front().equation;
  for (const auto& constraint : system.constraints())
    if (constraint.words() == d.element) d.where = constraint.where;
  d.found = conflict ? "constraints that contradict each other in every pose; these stay open"
                     : fmt::format(
                           "the mechanism cannot be put together: after {} tries these gaps remain",
                           found.tries);
  d.expected = "a pose in which every joint closes";
  d.hint = conflict ? "remove one of these, or correct its value"
                    : "check lengths and positions near the largest gap; a better guess helps when "
                      "the mechanism can close";
  if (conflict) name_position_conflict(system, set, d);
  out.notes.push_back(std::move(d));
}

bool find_pose(const System& system,
               const State& guess,
               const AssemblyOptions& options,
               Assembly& out) {
  auto found = PoseSolver(system, wanted_rows(system, true), options).solve(out.state.t, guess.q);
  out.iterations = found.iterations;
  out.tries = found.tries;
  if (!found.converged && std::any_of(system.initial_conditions().begin(),
                                      system.initial_conditions().end(),
                                      [](const auto& c) { return c.has_value; })) {
    auto alone =
        PoseSolver(system, wanted_rows(system, false), options).solve(out.state.t, guess.q);
    if (alone.converged)
      for (const int row : superfluous_conditions(system, out.state.t, alone.q, false))
        out.notes.push_back(condition_conflict(system, out.state.t, alone.q, row, false, false));
    if (has_error(out.notes)) {
      out.state.q = std::move(alone.q);
      return false;
    }
  }
  out.state.q = found.q;
  if (!found.converged) report_infeasible(system, out.state.t, found, out);
  return found.converged;
}

MassMatrix velocity_weights(const System& system) {
  MassMatrix weights(system.body_size());
  if (system.own() != nullptr) weights.add_diagonal(std::vector<double>(at(system.v_size()), 1.0));
  for (int b = 0; b < system.body_count(); ++b) {
    const double w = system.velocity_given(b) ? 1 : light;
    const double turn = w * system.length() * system.length();
    if (system.space() == Space::planar)
      weights.add_planar(w, turn);
    else
      weights.add_spatial(w, turn * Mat<3, 3>::Identity());
  }
  return weights;
}

bool find_velocities(const System& system, const State& guess, Assembly& out) {
  const Equations& equations = system.assembly_equations();
  const double t = out.state.t;
  std::vector<char> wanted = wanted_rows(system, false);
  std::vector<double> target(at(equations.rows()), 0.0), packed(at(equations.packed_size())),
      r(target.size());
  Workspace work = system.workspace();
  system.rotations(out.state.q, work);
  const Config here = system.config(t, out.state.q, work);
  equations.phi_q(here, packed);
  equations.nu(here, target);
  for (const auto& c : system.initial_conditions()) {
    wanted[at(c.row)] = c.has_rate ? 1 : 0;
    target[at(c.row)] += c.rate;  // on top of nu, which formulas have
  }
  const MassMatrix weights = velocity_weights(system);
  SchurMatrix S(system.assembly_plan(), equations, weights);
  S.activate(wanted);
  S.factor(packed, 0, 1e-12);
  out.state.v = guess.v;
  std::vector<double> d(out.state.v.size());
  double scale = 0, worst = 0;
  for (int pass = 0; pass < 4; ++pass) {
    equations.multiply(packed, out.state.v, r);
    worst = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = wanted[i] != 0 ? r[i] - target[i] : 0;
      worst = std::max(worst, std::abs(r[i]));
    }
    scale = std::max(scale, worst);
    if (pass == 3) break;
    S.solve(r);
    std::fill(d.begin(), d.end(), 0.0);
    equations.add_transposed(packed, r, 1.0, d);
    weights.solve(d);
    for (std::size_t k = 0; k < d.size(); ++k) out.state.v[k] -= d[k];
  }
  if (worst <= velocity_tolerance * std::max(scale, 1e-3)) return true;
  for (const int row : superfluous_conditions(system, t, out.state.q, true))
    out.notes.push_back(condition_conflict(system, t, out.state.q, row, true, false));
  // Not that it runs with redundant equations, where it does not run.
  std::erase_if(out.notes, [](const Diagnostic& n) { return n.id == "assembly.redundant"; });
  if (has_error(out.notes)) return false;
  Diagnostic conflict = velocity_conflict(system, out.mobility, out.state);
  conflict.worst = gaps(system, r, velocity_tolerance * scale, true);
  out.notes.push_back(std::move(conflict));
  return false;
}

constexpr double small_move = 0.01;            // of the mechanism's size: drawings are not exact
constexpr double small_turn = 0.0873;          // rad, 5 degrees: likewise
constexpr std::size_t most_moves = 12;         // bodies named
constexpr double degrees = 57.29577951308232;  // in a radian

// Bodies that stand elsewhere than they were drawn.
void report_moves(const System& system, const State& guess, Assembly& out) {
  std::vector<double> d(at(system.v_size()));
  system.difference(out.state.q, guess.q, d);

  struct Move {
    double size;  // relative
    std::string words;
  };

  std::vector<Move> moves;
  const Layout& layout = system.layout();
  for (int b = 0; b < system.body_count(); ++b) {
    double way = 0, turn = 0;
    const int end = b + 1 < system.body_count() ? layout.v(b + 1) : system.v_size();
    for (int k = layout.v(b); k < end; ++k) {
      const bool turns = layout.turns(k);
      // A drawing knows angles up to whole turns.
      const double x = turns && system.space() == Space::planar
                           ? std::remainder(d[at(k)], 2 * std::numbers::pi)
                           : d[at(k)];
      (turns ? turn : way) += x * x;
    }
    way = std::sqrt(way);
    turn = std::sqrt(turn);
    const bool moved = way > small_move * system.length(), turned = turn > small_turn;
    if (!moved && !turned) continue;
    std::string words = fmt::format("'{}' by ", system.bodies()[at(b)].name);
    if (moved) words += fmt::format("{:.3g} m", way);
    if (turned) words += fmt::format("{}{:.4g} deg", moved ? " and " : "", turn * degrees);
    moves.push_back({std::max(way / system.length(), turn), std::move(words)});
  }
  if (moves.empty()) return;
  std::stable_sort(
      moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.size > b.size; });
  Diagnostic note;
  note.id = "assembly.moved";
  const bool asked = system.driven() || std::any_of(system.initial_conditions().begin(),
                                                    system.initial_conditions().end(),
                                                    [](const auto& c) { return c.has_value; });
  note.severity = asked ? Severity::note : Severity::warning;
  std::string words;
  for (std::size_t k = 0; k < std::min(moves.size(), most_moves); ++k)
    words += (words.empty() ? "" : ", ") + moves[k].words;
  if (moves.size() > most_moves) words += fmt::format(" and {} more", moves.size() - most_moves);
  note.found =
      fmt::format("to {}, bodies were moved from where they are drawn: {}",
                  asked ? "meet joints, drivers and initial conditions" : "close the joints",
                  words);
  if (!asked) note.hint = "check the positions of these bodies and of their joints";
  out.notes.push_back(std::move(note));
}

constexpr double small_change = 0.01;     // relative: a given velocity that was kept
constexpr std::size_t most_examples = 6;  // free coordinates named in a note

// Velocities that were drawn with bodies and that the joints do not allow.
void report_velocities(const System& system, const State& guess, Assembly& out) {
  if (system.own() != nullptr) return;
  const Layout& layout = system.layout();
  for (int b = 0; b < system.body_count(); ++b) {
    if (!system.velocity_given(b)) continue;
    const int end = b + 1 < system.body_count() ? layout.v(b + 1) : system.v_size();
    double size = 0, change = 0;
    std::string given, taken;
    for (int k = layout.v(b); k < end; ++k) {
      const double unit = layout.turns(k) ? system.length() : 1;
      size = std::max(size, unit * std::abs(guess.v[at(k)]));
      change = std::max(change, unit * std::abs(out.state.v[at(k)] - guess.v[at(k)]));
      given += fmt::format("{}{:.4g}", given.empty() ? "" : ", ", guess.v[at(k)]);
      taken += fmt::format("{}{:.4g}", taken.empty() ? "" : ", ", out.state.v[at(k)] + 0.0);
    }
    if (change <= small_change * size) continue;
    Diagnostic d;
    d.id = "assembly.dropped-velocity";
    d.severity = Severity::warning;
    d.where = system.bodies()[at(b)].where;
    d.element = "body '" + system.bodies()[at(b)].name + "'";
    d.found = fmt::format(
        "joints, drivers and conditions do not allow its velocity: given ({}), started with ({}), "
        "of the "
        "mass centre in m/s and rad/s",
        given,
        taken);
    d.expected = "a velocity that the joints allow";
    d.hint = "write an [[initial]] condition with a rate or velocity of a joint instead";
    out.notes.push_back(std::move(d));
  }
}

// " starts at 30 deg", " at 3 rad/s": of an angle in the plane, which frames do not change.
std::string start_of(const System& system, const Assembly& out, std::size_t k, bool rate) {
  const int column = out.mobility.free_columns[k];
  if (system.own() != nullptr || system.space() != Space::planar || !system.layout().turns(column))
    return {};
  if (rate) return fmt::format(" starts with {:.4g} rad/s", out.state.v[at(column)] + 0.0);
  return fmt::format(" starts at {:.4g} deg", out.state.q[at(column)] * degrees + 0.0);
}

void report_conditions(const System& system, Assembly& out) {
  const double t = out.state.t;
  int given = 0;
  for (const bool rates : {false, true}) {
    const auto superfluous = superfluous_conditions(system, t, out.state.q, rates);
    // Values of all coordinates are how one writes down a start; bodies are drawn besides.
    for (const int row : system.own() == nullptr ? superfluous : std::vector<int>())
      out.notes.push_back(condition_conflict(system, t, out.state.q, row, rates, true));
    given = -static_cast<int>(superfluous.size());
    for (const auto& c : system.initial_conditions())
      given += (rates ? c.has_rate : c.has_value) ? 1 : 0;
    int freedoms = out.mobility.dof_here;
    for (int r = 0; !rates && r < system.joint_rows(); ++r)  // rolling leaves positions free
      freedoms +=
          out.mobility.active[at(r)] != 0 && system.equations().at_velocity_level(r) ? 1 : 0;
    const int missing = freedoms - given;
    if (missing <= 0) continue;
    Diagnostic d;
    d.id = "assembly.free-motion";
    d.severity = Severity::note;
    const char* what = rates ? "velocity" : "position";
    std::string free;
    const auto& coordinates = out.mobility.free_coordinates;
    for (std::size_t k = 0; k < std::min(coordinates.size(), most_examples); ++k)
      free += (free.empty() ? "" : ", ") + coordinates[k] + start_of(system, out, k, rates);
    if (coordinates.size() > most_examples)
      free += fmt::format(" and {} more", coordinates.size() - most_examples);
    d.found = fmt::format("the {} of {} of {} motions at the start follows from the {}{}",
                          what,
                          missing,
                          freedoms,
                          system.own() != nullptr ? "guess" : "drawing",
                          free.empty() ? "" : ": " + free);
    d.hint = system.own() != nullptr
                 ? fmt::format("`{}` of a [[coordinate]] can give it", rates ? "rate" : "initial")
                 : "an [[initial]] condition can give it";
    out.notes.push_back(std::move(d));
  }
}

constexpr double dependent_gradient = 1e-10;  // relative: of constraints
constexpr double no_energy = 1e-12;           // of the largest inertia: a motion that moves no mass
constexpr double shown_share = 0.1;  // of a motion's largest rate: coordinates that are named

// Why equations of one's own have no accelerations; solved: they have, and only the sign of the
// kinetic energy is looked at.
std::optional<Diagnostic> own_fault(const System& system,
                                    const State& state,
                                    const std::vector<char>& active,
                                    bool solved) {
  const auto n = static_cast<Eigen::Index>(system.v_size());
  Workspace work = system.workspace();
  system.use(state, work);
  system.evaluate_forces(state.t, state.q, state.v, work);
  system.equations().phi_q(system.config(state.t, state.q, work), work.packed);
  const Eigen::MatrixXd all = system.equations().dense(work.packed);
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
  std::vector<double> one(at(static_cast<int>(n)));
  for (Eigen::Index k = 0; k < n; ++k) {
    as_vector(View(one)) = Eigen::VectorXd::Unit(n, k);
    system.multiply_mass(state.t, state.q, one, {M.col(k).data(), one.size()});
  }
  Diagnostic d;
  d.t = state.t;
  const auto told = [&](Eigen::Index k) {
    d.element = "coordinate '" + system.own()->coordinates[at(static_cast<int>(k))].name + "'";
    d.where = system.own()->coordinates[at(static_cast<int>(k))].where;
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const bool mass = M.col(k).allFinite(), gradient = all.col(k).allFinite();
    if (mass && gradient && std::isfinite(work.Q[at(static_cast<int>(k))])) continue;
    told(k);
    d.id = "numeric.not-finite";
    d.found = fmt::format("{} without a finite value at the start",
                          !mass       ? "an entry of the mass matrix"
                          : !gradient ? "a derivative of a constraint"
                                      : "the force of energies and `forces`");
    d.expected = "formulas and derivatives that are finite there";
    d.hint = "another start, or a formula without division by zero there";
    return d;
  }
  std::vector<int> rows;
  for (int r = 0; r < all.rows(); ++r)
    if (active[at(r)] != 0) rows.push_back(r);
  Eigen::MatrixXd J(static_cast<Eigen::Index>(rows.size()), n);
  for (std::size_t k = 0; k < rows.size(); ++k)
    J.row(static_cast<Eigen::Index>(k)) = all.row(rows[k]);
  Eigen::MatrixXd tangents = Eigen::MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(dependent_gradient);
  if (!rows.empty()) {
    qr.compute(J.transpose());
    tangents = Eigen::MatrixXd(qr.householderQ()).rightCols(n - qr.rank());
  }
  if (!solved && !rows.empty() && qr.rank() < J.rows()) {
    const int row = rows[at(static_cast<int>(qr.colsPermutation().indices()[qr.rank()]))];
    const auto& constraint = system.constraints()[at(system.constraint_of(row))];
    d.element = constraint.words();
    d.where = constraint.where;
    d.id = "numeric.singular";
    d.found = all.row(row).isZero(0)
                  ? "a constraint whose gradient vanishes at the start"
                  : "constraints whose gradients depend on each other at the start";
    d.expected = "a start where each constraint restricts the motion by itself";
    d.hint = "start beside it; the motion passes such poses";
    return d;
  }
  if (tangents.cols() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> energies(tangents.transpose() * M *
                                                                tangents);
  const double least = energies.eigenvalues()[0],
               largest = energies.eigenvalues().cwiseAbs().maxCoeff();
  const bool negative = least < -no_energy * largest;
  if (!negative && (solved || least > no_energy * largest)) return {};
  const Eigen::VectorXd way = tangents * energies.eigenvectors().col(0);
  Eigen::Index most = 0;
  const double fastest = way.cwiseAbs().maxCoeff(&most);
  told(most);
  d.id = "model.singular-mass";
  d.found = negative ? "a motion with a negative kinetic energy" : "a motion that moves no mass";
  d.expected =
      "a kinetic energy, or a mass matrix, that is positive for every motion that the constraints "
      "allow";
  for (Eigen::Index k = 0; k < n; ++k)
    if (std::abs(way[k]) > shown_share * fastest)
      d.worst.push_back({"rate of coordinate '" +
                             system.own()->coordinates[at(static_cast<int>(k))].name + "' in it",
                         way[k] / fastest});
  return d;
}

// A joint whose equation has no gradient in this pose, or none of its own: what it asks for cannot be
// turned into accelerations.
std::optional<Diagnostic> joint_without_gradient(const System& system,
                                                 const State& state,
                                                 const std::vector<char>& active) {
  Workspace work = system.workspace();
  system.use(state, work);
  system.equations().phi_q(system.config(state.t, state.q, work), work.packed);
  Eigen::MatrixXd all = system.equations().dense(work.packed);
  for (int k = 0; k < system.v_size(); ++k)
    if (system.layout().turns(k)) all.col(k) /= system.length();
  std::vector<int> rows;
  int bare = -1;
  for (int r = 0; r < system.joint_rows(); ++r) {
    if (bare < 0 && all.row(r).isZero(0)) bare = r;
    if (active[at(r)] != 0) rows.push_back(r);
  }
  int found = bare;
  if (bare < 0 && !rows.empty()) {
    Eigen::MatrixXd J(static_cast<Eigen::Index>(rows.size()), all.cols());
    for (std::size_t k = 0; k < rows.size(); ++k)
      J.row(static_cast<Eigen::Index>(k)) = all.row(rows[k]);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(dependent_gradient);
    qr.compute(J.transpose());
    if (qr.rank() < J.rows())
      found = rows[at(static_cast<int>(qr.colsPermutation().indices()[qr.rank()]))];
  }
  if (found < 0) return {};
  const auto& joint = system.constraints()[at(system.constraint_of(found))];
  Diagnostic d;
  d.id = "numeric.singular";
  d.element = joint.words();
  d.where = joint.where;
  d.t = state.t;
  d.found = bare >= 0 ? "an equation whose gradient vanishes in the assembled pose"
                      : "equations whose gradients depend on each other in the assembled pose";
  d.expected = "a start where each equation restricts the motion by itself";
  d.hint = bare >= 0
               ? "start beside it, or write the equation so that it passes zero with a slope: "
                 "x - a instead of (x - a)^2"
               : "start beside it";
  return d;
}

// Massless bodies are legal as long as every possible motion moves some mass.
bool find_accelerations(const System& system, Assembly& out) {
  MotionSolver solver(system, out.mobility.active);
  solver.use_states(out.state.z);
  solver.use_inputs(out.state.u);
  out.state.a.assign(at(system.v_size()), 0.0);
  out.state.lambda.assign(at(system.equations().rows()), 0.0);
  const Eval e =
      solver.accelerations(out.state.t, out.state.q, out.state.v, out.state.a, out.state.lambda);
  const bool finite = std::all_of(
      out.state.a.begin(), out.state.a.end(), [](double x) { return std::isfinite(x); });
  out.max_position = solver.position_violation(out.state.t, out.state.q);
  out.max_velocity = solver.velocity_violation(out.state.t, out.state.q, out.state.v);
  const bool solved = e == Eval::ok && finite;
  if (system.own() != nullptr)
    if (auto fault = own_fault(system, out.state, out.mobility.active, solved)) {
      out.notes.push_back(std::move(*fault));
      return false;
    }
  if (solved) return true;
  if (system.own() == nullptr)
    if (auto fault = joint_without_gradient(system, out.state, out.mobility.active)) {
      out.notes.push_back(std::move(*fault));
      return false;
    }
  Diagnostic d;
  if (system.own() == nullptr && !system.mass().regular()) {
    d.id = "model.singular-mass";
    d.found = "a motion that moves no mass";
    d.expected = "mass or inertia on every body that can move on its own";
    for (const auto& b : system.bodies())
      if (b.mass == 0 || b.inertia == 0) {
        if (d.element.empty()) {
          d.element = "body '" + b.name + "'";
          d.where = b.where;
        }
        d.worst.push_back({"body '" + b.name + "'", b.mass == 0 ? b.mass : b.inertia});
      }
  } else {
    d.id = "numeric.not-finite";
    d.found = "accelerations that cannot be computed in the assembled pose";
    d.expected = "finite forces";
    if (solver.min_pivot_row() >= 0)
      d.worst.push_back({system.equation_label(solver.min_pivot_row()), solver.min_pivot_ratio()});
  }
  d.t = out.state.t;
  out.notes.push_back(std::move(d));
  return false;
}

// Of several motions in a singular pose, by the rates of the joints, smallest first; bodies decide
// where joints do not.
void sort_motions(const System& system, const State& pose, std::vector<std::vector<double>>& list) {
  constexpr double same = 1e-6;  // relative: two rates that count as equal
  JointMeter meter(system);
  const auto key = [&](const std::vector<double>& v) {
    State state = pose;
    state.v = v;
    meter.measure(state);
    std::vector<double> out = meter.rates();
    out.insert(out.end(), v.begin(), v.end());
    return out;
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto& one, const auto& two) {
    const std::vector<double> a = key(one), b = key(two);
    for (std::size_t k = 0; k < a.size(); ++k)
      if (std::abs(a[k] - b[k]) > same * std::max(std::abs(a[k]), std::abs(b[k])))
        return a[k] < b[k];
    return false;
  });
}

// "branch = 1: D.angle goes at 3 rad/s": the first rate in which motions differ.
std::string motions_text(const System& system,
                         const State& pose,
                         const std::vector<std::vector<double>>& list) {
  JointMeter meter(system);
  std::vector<std::vector<double>> rates;
  State state = pose;
  for (const auto& v : list) {
    state.v = v;
    meter.measure(state);
    rates.push_back(meter.rates());
  }
  std::size_t telling = 0;
  while (telling < meter.coordinates().size() &&
         std::all_of(rates.begin(), rates.end(), [&](const auto& r) {
           return std::abs(r[telling] - rates.front()[telling]) <= 1e-6 * std::abs(r[telling]);
         }))
    ++telling;
  std::string text;
  for (std::size_t k = 0; k < list.size(); ++k) {
    text += fmt::format("{}branch = {}", text.empty() ? "" : ", ", k + 1);
    if (telling < meter.coordinates().size())
      text += fmt::format(" (rate of {}: {:.6g} {}/s)",
                          meter.coordinates()[telling].name,
                          rates[k][telling],
                          meter.coordinates()[telling].unit);
  }
  return text;
}

constexpr int most_singular_coordinates = 600;

// In a singular pose velocities that fit the equations need not belong to a motion. Of those that do,
// the only one is taken; of several none, unless the velocities given are one of them.
bool find_start_motion(const System& system, const State& guess, Assembly& out) {
  if (out.mobility.pose == PoseKind::regular || system.v_size() > most_singular_coordinates)
    return true;
  std::vector<char> wanted = wanted_rows(system, false);
  for (const auto& c : system.initial_conditions()) wanted[at(c.row)] = c.has_rate ? 1 : 0;
  bool meant = std::any_of(guess.v.begin(), guess.v.end(), [](double x) { return x != 0; });
  for (int b = 0; b < system.body_count(); ++b) meant = meant || system.velocity_given(b);
  StartMotions found = start_motions(system,
                                     out.state.t,
                                     out.state.q,
                                     out.state.v,
                                     wanted,
                                     out.mobility.structural_rank - out.mobility.rank,
                                     meant);
  if (found.possible && found.motions.size() < 2) return true;
  if (found.motions.empty() && !found.isolated) return true;
  if (found.motions.size() == 1) {
    out.state.v = found.motions.front();
    return true;
  }
  Diagnostic d;
  d.id = "assembly.branch";
  d.t = out.state.t;
  const char* pose = out.mobility.pose == PoseKind::bifurcation ? "bifurcation" : "dead centre";
  if (found.motions.empty()) {
    d.id = "assembly.conflict";
    d.found = fmt::format(
        "the start is a {}, and no motion leaves it with the prescribed velocities", pose);
    d.expected = "drivers and rates that the mechanism can follow from here";
    d.hint = "start from another pose, or prescribe other velocities";
  } else {
    out.motions = std::move(found.motions);
    sort_motions(system, out.state, out.motions);
    d.found = fmt::format(
        "the start is a {}: {} motions have the prescribed velocities", pose, out.motions.size());
    d.expected = "a choice between them";
    d.hint = fmt::format(
        "write under [assembly] one of {}; or branch = \"a condition over requests\" that holds in "
        "one of them; or start from another pose",
        motions_text(system, out.state, out.motions));
  }
  for (const auto& r : out.mobility.redundant)
    if (!r.structural && d.element.empty()) {
      const auto& owner = system.constraints()[at(system.constraint_of(r.row))];
      d.element = owner.words();
      d.where = owner.where;
    }
  std::erase_if(out.notes, [](const Diagnostic& n) { return n.id == "assembly.singular-pose"; });
  out.notes.push_back(std::move(d));
  return false;
}

}  // namespace

std::vector<char> position_rows(const System& system) {
  return wanted_rows(system, true);
}

Assembly assemble(const System& system,
                  double t,
                  const State& guess,
                  const AssemblyOptions& options) {
  Assembly out;
  out.state = guess;
  out.state.t = t;
  out.mobility.active.assign(at(system.equations().rows()), 0);
  std::fill_n(out.mobility.active.begin(), system.joint_rows(), 1);
  if (!find_pose(system, guess, options, out)) return out;
  out.mobility = analyse_mobility(system, t, out.state.q);
  const Diagnostics notes = mobility_notes(system, out.mobility);
  out.notes.insert(out.notes.end(), notes.begin(), notes.end());
  if (!find_velocities(system, guess, out) || !find_start_motion(system, guess, out)) return out;
  report_moves(system, guess, out);
  report_velocities(system, guess, out);
  report_conditions(system, out);
  out.ok = find_accelerations(system, out);
  return out;
}

Assembly assemble_here(const System& system, const State& state, const Mobility& mobility) {
  Assembly out;
  out.state = state;
  out.mobility = mobility;
  MotionSolver motion(system, mobility.active);
  if (state.mode.size() == motion.work().mode.size()) motion.work().mode = state.mode;
  if (state.slide.size() == motion.work().slide.size()) motion.work().slide = state.slide;
  const bool closed = motion.project_positions(state.t, out.state.q) == Eval::ok &&
                      motion.project_velocities(state.t, out.state.q, out.state.v) == Eval::ok;
  out.max_position = motion.position_violation(state.t, out.state.q);
  out.max_velocity = motion.velocity_violation(state.t, out.state.q, out.state.v);
  if (!closed) {
    Diagnostic d;
    d.id = "assembly.infeasible";
    d.found =
        fmt::format("the joints cannot be closed from here: open by {:.3g} m", out.max_position);
    d.expected = "a state on the constraints, as an analysis leaves it";
    d.t = state.t;
    out.notes.push_back(std::move(d));
    return out;
  }
  out.mobility = analyse_mobility(system, state.t, out.state.q);
  out.ok = find_accelerations(system, out);
  return out;
}

}  // namespace cardan
