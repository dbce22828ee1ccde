#include "cardan/analysis/equilibrium/equilibrium.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/equilibrium/balance_kind.h"
#include "cardan/analysis/equilibrium/balance_motion.h"
#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/analysis/equilibrium/balance_starts.h"
#include "cardan/analysis/sensitivity/parameter_slopes.h"
#include "cardan/analysis/sensitivity/steady_slopes.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double steady_tolerance = 1e-8;  // relative: rates, forces and gaps that are left
constexpr double limit_tolerance = 1e-9;   // of the mechanism's size, or of the largest force
constexpr double limit_step = 0.3;         // of the mechanism's size, towards a limit
constexpr int most_limit_changes = 50;
constexpr int most_equations = 600;    // for full matrices
constexpr int most_closings = 30;      // near a singular pose each halves the gap
constexpr double closing_rank = 1e-5;  // of the largest pivot

enum class Way { newton, energy, dfp, settling };

const char* word_of(Way way) {
  static constexpr std::array<const char*, 4> names{"newton", "energy", "dfp", "settling"};
  return names[static_cast<std::size_t>(way)];
}

// Whether a position is a linear function of time from t on.
bool constant_rate(const Function& drive, double t) {
  const Jet here = drive.at(t);
  const double size = std::abs(here.d) + std::abs(here.f) + 1e-300;
  const Stretch stretch = drive.over({t, t + 1000});
  if (stretch.known && !stretch.one_piece) return false;
  for (int k = 1; k <= 400; ++k) {
    const double later = t + (k <= 200 ? 0.0137 * k : 0.73 * (k - 200));
    const Jet x = drive.at(later);
    if (std::abs(x.d - here.d) > 1e-12 * size || std::abs(x.dd) > 1e-12 * size) return false;
  }
  return std::abs(here.dd) <= 1e-12 * size;
}

class EquilibriumRun {
 public:
  EquilibriumRun(const AnalysisTask& task, const EquilibriumOptions& options)
      : task_(task),
        options_(options),
        system_(task.system),
        start_(task.assembly.state),
        mobility_(task.assembly.mobility) {
    balance_.emplace(task.system, mobility_, start_);
    summary_.analysis = "equilibrium";
    summary_.dof = task.assembly.mobility.dof;
    summary_.redundant = static_cast<int>(task.assembly.mobility.redundant.size());
    limits_.tolerance = options.tolerance;
    limits_.max_iterations = options.max_iterations;
  }

  Summary go() {
    if (!fail(task_.recording.open()) && !refused() && !refused_slopes()) find();
    summary_.t_end = start_.t;
    task_.recording.write_times(summary_);
    task_.recording.write(summary_, task_.assembly.state);
    return std::move(summary_);
  }

 private:
  struct Point {
    FoundBalance balance;
    BalanceNature nature;
    State state;
    double potential = 0;
  };

  bool fail(std::optional<Diagnostic> d) {
    if (!d) return false;
    summary_.status = "failed";
    if (d->where.file == nullptr) d->where = options_.where;
    summary_.diagnostics.push_back(std::move(*d));
    return true;
  }

  void note(std::string id, std::string found, std::string hint = {}) {
    Diagnostic d = fault_at(std::move(id), std::move(found));
    d.severity = Severity::note;
    d.where = options_.where;
    d.hint = std::move(hint);
    summary_.diagnostics.push_back(std::move(d));
  }

  // ---- what it cannot do

  bool refused() { return refused_states() || refused_rolling() || refused_motion(); }

  bool refused_states() {
    const StateTable::Entry* entry = system_.states().first_coupled();
    if (entry == nullptr) return false;
    Diagnostic d = fault_at("model.not-available", "a state that is integrated in time");
    d.element = entry->label;
    d.where = entry->where;
    d.expected = "none that forces or other states read";
    d.hint = "run a dynamic analysis until it has settled";
    return fail(d);
  }

  bool refused_rolling() {
    for (int r = 0; r < system_.joint_rows(); ++r) {
      if (task_.assembly.mobility.active[static_cast<std::size_t>(r)] == 0 ||
          !system_.equations().at_velocity_level(r))
        continue;
      const auto& info = system_.constraints()[static_cast<std::size_t>(system_.constraint_of(r))];
      Diagnostic d = fault_at("model.not-available",
                              "rolling: which poses can be reached follows from velocities");
      d.element = info.words();
      d.where = info.where;
      d.expected = "joints that determine positions";
      d.hint = "run a dynamic analysis until it has settled";
      return fail(d);
    }
    return false;
  }

  bool refused_motion() {
    for (const auto& part : system_.time_parts()) {
      if (part.drive == nullptr || constant_rate(*part.drive, start_.t)) continue;
      Diagnostic d = fault_at("model.not-available", "a driver whose rate changes");
      d.element = part.words;
      d.where = part.where;
      d.expected = "drivers that stand still or move at constant rate";
      d.hint = "run a dynamic or a kinematic analysis";
      return fail(d);
    }
    const double open = balance_->find_twists(start_.q);
    if (balance_->moves() && !(open <= steady_tolerance * fastest())) return fail(not_steady());
    if (balance_->moves() && system_.friction().count() > 0) {
      Diagnostic d = fault_at("model.not-available", "friction in a steady motion");
      d.element = system_.friction_label(0);
      d.expected = "no friction where drivers move";
      d.hint = "run a dynamic analysis until it has settled";
      return fail(d);
    }
    if (system_.force_dependence().time)
      note("numeric.held-forces",
           fmt::format("forces that follow time are held as they are at t = {:.6g} s", start_.t));
    if (system_.friction().count() > 0)
      note(
          "numeric.held-forces",
          "friction has no direction at rest and is left out: with it, the mechanism may also rest "
          "in poses around this one");
    return false;
  }

  // Rows with their derivatives by parameters.
  bool refused_slopes() {
    if (task_.parameters == nullptr) return false;
    slopes_.emplace(system_, task_.assembly.mobility.active, *task_.parameters);
    task_.recording.slopes_by([this](const State& state, std::vector<StateSlope>& slopes) {
      if (balance_->moves())
        return steady_slopes(system_, mobility_, *task_.parameters, state, slopes);
      return slopes_->at_rest(state, slopes);
    });
    return false;
  }

  double fastest() const {
    double most = 0;
    const std::vector<double> v = balance_->velocities(start_.q);
    for (std::size_t k = 0; k < v.size(); ++k)
      most = std::max(
          most,
          std::abs(v[k]) * (system_.layout().turns(static_cast<int>(k)) ? system_.length() : 1));
    return most;
  }

  Diagnostic not_steady() const {
    Diagnostic d =
        fault_at("model.not-available",
                 "drivers at constant rate that do not carry connected bodies along like "
                 "one rigid body: there is no steady motion");
    for (const auto& part : system_.time_parts())
      if (part.drive != nullptr) {
        d.element = part.words;
        d.where = part.where;
      }
    d.expected = "drivers that stand still, or turn or shift the whole mechanism";
    d.hint = "run a dynamic analysis";
    return d;
  }

  // ---- the search

  void find() {
    std::vector<Way> ways;
    if (!choose(ways)) return;
    const FoundBalance first = balance_with_limits(ways);
    if (cancelled()) {
      summary_.status = "interrupted";
      summary_.diagnostics.push_back(stopped_on_request(start_.t));
      return;
    }
    if (!first.converged) {
      Diagnostic d = fault_at("numeric.no-convergence",
                              fmt::format("no equilibrium was found by {}; after {} iterations a "
                                          "force of {:.3g} N is left",
                                          word_of(way_),
                                          first.iterations,
                                          first.force_left));
      d.expected = "a pose in which all forces balance";
      d.hint =
          "another method, or a drawing nearer to the equilibrium; a mechanism that nothing holds "
          "has none";
      fail(d);
      return;
    }
    for (std::size_t k = 0; k < system_.limits().size() && slopes_; ++k) {
      if (!holds(static_cast<int>(k))) continue;
      Diagnostic d = fault_at("model.not-available",
                              "sensitivities of an equilibrium that rests on a stop or contact");
      d.element = system_.limits()[k].words;
      d.expected = "an equilibrium that touches no hard limit";
      fail(d);
      return;
    }
    std::vector<FoundBalance> all{first};
    if (options_.all) {
      ManyBalances many = many_balances(
          *balance_, start_.q, first, limits_, [this] { return task_.recording.cancelled(); });
      summary_.stats.newton_iterations += many.iterations;
      tell(many);
      all = std::move(many.found);
    }
    keep(all);
  }

  // How far the list can be trusted: a search proves nothing.
  void tell(const ManyBalances& many) {
    const auto once = std::count(many.reached.begin(), many.reached.end(), 1);
    const int least = *std::min_element(many.reached.begin(), many.reached.end());
    const std::string found = fmt::format("{} equilibri{} from {} starts, {} of which reached one",
                                          many.found.size(),
                                          many.found.size() == 1 ? "um" : "a",
                                          many.starts,
                                          many.converged);
    if (many.more)
      return note("numeric.many-starts", found + "; there are more, the search was ended");
    if (once > 0)
      return note("numeric.many-starts",
                  fmt::format("{}; {} of them {} reached once only, and start {} still found a new "
                              "one: there may be more",
                              found,
                              once,
                              once == 1 ? "was" : "were",
                              many.last_new),
                  fmt::format("about {:.2g} % of further starts would find a new one; draw the "
                              "mechanism in another pose to search from there",
                              100.0 * static_cast<double>(once) / many.converged));
    note("numeric.many-starts",
         fmt::format("{}; each was reached at least {} times, and none was new after start {}: "
                     "more are unlikely, but not excluded",
                     found,
                     least,
                     many.last_new));
  }

  bool cancelled() { return task_.recording.cancelled(); }

  FoundBalance balance_by(const std::vector<Way>& ways) {
    FoundBalance found;
    for (const Way way : ways) {
      found = search(way);
      summary_.stats.newton_iterations += found.iterations;
      way_ = way;
      if (found.converged || cancelled() || farthest_beyond(found.q) >= 0) break;
    }
    return found;
  }

  // Hard stops and contacts hold where they are needed: the one that a balance lies farthest beyond is
  // closed, the one that would pull most is opened, until there is neither (an active set).
  FoundBalance balance_with_limits(const std::vector<Way>& ways) {
    from_ = start_.q;
    FoundBalance found = balance_by(ways);
    for (int k = 0; k < most_limit_changes && !cancelled(); ++k) {
      const int beyond = farthest_beyond(found.q);
      const int pulling = beyond < 0 && found.converged ? pulling_most(found.lambda) : -1;
      if (beyond < 0 && pulling < 0) break;
      const int changed = beyond >= 0 ? beyond : pulling;
      mobility_.active[static_cast<std::size_t>(
          system_.limits()[static_cast<std::size_t>(changed)].row)] = beyond >= 0 ? 1 : 0;
      balance_.emplace(system_, mobility_, start_);
      balance_->find_twists(start_.q);
      from_ = start_.q;
      if (!reach_limits(from_)) from_ = found.q;
      found = balance_by(ways);
    }
    return found;
  }

  // Onto the equations that hold now, in short steps where that is far.
  bool reach_limits(std::vector<double>& q) {
    for (int k = 0; k < most_limit_changes; ++k) {
      std::vector<double> closed = q;
      if (balance_->close(closed)) {
        q = std::move(closed);
        return true;
      }
      balance_->evaluate(q);
      const Eigen::MatrixXd J = balance_->jacobian();
      Eigen::VectorXd y =
          J.completeOrthogonalDecomposition().solve(Eigen::VectorXd(-balance_->phi()));
      y *= std::min(1.0, limit_step * system_.length() / std::max(1e-300, y.cwiseAbs().maxCoeff()));
      q = balance_->moved(q, y);
    }
    return false;
  }

  bool holds(int limit) const {
    return mobility_.active[static_cast<std::size_t>(
               system_.limits()[static_cast<std::size_t>(limit)].row)] != 0;
  }

  // The hard limit that is open and violated most in a pose; -1: none.
  int farthest_beyond(CView q) const {
    Workspace work = system_.workspace();
    system_.rotations(q, work);
    system_.equations().phi(system_.config(start_.t, q, work), work.phi);
    int found = -1;
    double least = -limit_tolerance * system_.length();
    for (std::size_t k = 0; k < system_.limits().size(); ++k) {
      const auto& limit = system_.limits()[k];
      if (!system_.contacts()[static_cast<std::size_t>(limit.contact)].hard ||
          holds(static_cast<int>(k)))
        continue;
      const double size = system_.unit_kind(limit.row) == UnitKind::angle ? system_.length() : 1;
      const double gap = size * limit.sign * work.phi[static_cast<std::size_t>(limit.row)];
      if (!(gap >= least)) {
        least = gap;
        found = static_cast<int>(k);
      }
    }
    return found;
  }

  // The limit that holds and pulls most; -1: none. A force of size N along the gap is
  // -phi_q^T lambda = sign phi_q^T N.
  int pulling_most(const Eigen::VectorXd& scaled) const {
    const std::vector<double> lambda = balance_->multipliers(scaled);
    int found = -1;
    double most = limit_tolerance * balance_->largest_force();
    for (std::size_t k = 0; k < system_.limits().size(); ++k) {
      const auto& limit = system_.limits()[k];
      if (!holds(static_cast<int>(k))) continue;
      const double size = system_.unit_kind(limit.row) == UnitKind::angle ? system_.length() : 1;
      const double pull = limit.sign * lambda[static_cast<std::size_t>(limit.row)] / size;
      if (pull > most) {
        most = pull;
        found = static_cast<int>(k);
      }
    }
    return found;
  }

  bool choose(std::vector<Way>& ways) {
    const std::vector<std::string> without = balance_->forces_without_potential(start_.q);
    const std::string& method = options_.method;
    if (!without.empty() && (method == "energy" || method == "dfp")) {
      Diagnostic d =
          fault_at("model.no-potential",
                   fmt::format("forces without a potential: '{}'", fmt::join(without, "', '")));
      d.expected = "forces whose work does not depend on the way, for the least energy";
      d.hint = "method = \"newton\" or \"settling\"";
      return !fail(d);
    }
    if (!without.empty() && method == "auto")
      note("model.no-potential",
           fmt::format(
               "no least energy, since forces have no potential: '{}'; Newton's method is used",
               fmt::join(without, "', '")));
    conservative_ = without.empty();
    if (method == "newton" || !options_.solve_for.empty()) ways = {Way::newton};
    if (ways.empty() && method == "energy") ways = {Way::energy};
    if (ways.empty() && method == "dfp") ways = {Way::dfp};
    if (ways.empty() && method == "settling") ways = {Way::settling};
    if (ways.empty() && conservative_) ways = {Way::energy, Way::newton, Way::settling};
    if (ways.empty()) ways = {Way::newton, Way::settling};
    return true;
  }

  FoundBalance search(Way way) {
    switch (way) {
      case Way::newton:
        return newton_balance(*balance_, from_, limits_);
      case Way::energy:
        return least_energy(*balance_, from_, limits_);
      case Way::dfp:
        return least_energy_dfp(*balance_, from_, limits_);
      case Way::settling:
        break;
    }
    std::vector<double> slow = pose_of_slow_motion(
        *balance_, task_.assembly.mobility, start_, [this] { return cancelled(); });
    if (!balance_->close(slow)) slow = start_.q;
    return settled_balance(*balance_, slow, limits_);
  }

  // ---- what was found

  void keep(const std::vector<FoundBalance>& all) {
    std::vector<Point> points;
    std::optional<Diagnostic> refusal;
    for (FoundBalance balance : all) {
      close_all_equations(balance);
      Point point = point_of(balance);
      auto fault = doubt(point);
      if (!fault)
        points.push_back(std::move(point));
      else if (!refusal)
        refusal = std::move(fault);
    }
    if (points.empty()) {
      fail(std::move(refusal));
      return;
    }
    task_.assembly.state = points.front().state;
    task_.assembly.mobility = analyse_mobility(system_, start_.t, task_.assembly.state.q);
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return a.potential < b.potential;
    });
    Recorder recorder(system_, {}, !task_.assembly.mobility.indeterminate.empty());
    for (const Point& point : points) {
      if (fail(task_.recording.row(start_.t, point.state))) return;
      summary_.equilibria.push_back(described(point, recorder));
    }
  }

  // Equations that were left out as redundant where the search began may be needed where it ends:
  // those kept can depend on each other there. All of them together close the joints, with the
  // least change; the forces balance as before.
  void close_all_equations(FoundBalance& balance) {
    const int rows = system_.joint_rows();
    if (mobility_.redundant.empty() || rows > most_equations) return;
    Workspace work = system_.workspace();
    system_.use(start_, work);
    std::vector<double> q = balance.q, d(static_cast<std::size_t>(system_.v_size()));
    double before = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < most_closings; ++pass) {
      system_.rotations(q, work);
      const Config here = system_.config(start_.t, q, work);
      system_.equations().phi(here, work.phi);
      system_.equations().phi_q(here, work.packed);
      Eigen::MatrixXd J = system_.equations().dense(work.packed).topRows(rows);
      Eigen::VectorXd phi = as_vector(CView(work.phi)).head(rows);
      for (int r = 0; r < rows; ++r) {
        if (system_.unit_kind(r) != UnitKind::angle) continue;
        J.row(r) *= system_.length();
        phi[r] *= system_.length();
      }
      const double gap = phi.cwiseAbs().maxCoeff();
      if (!(gap < before)) break;
      balance.q = q;
      if (gap <= balance_->small_gap(q)) break;
      before = gap;
      for (int k = 0; k < system_.v_size(); ++k)
        if (system_.layout().turns(k)) J.col(k) /= system_.length();
      // Directions that hardly close anything are left as the balance has them.
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
      solver.setThreshold(closing_rank);
      solver.compute(J);
      const Eigen::VectorXd y = solver.solve(Eigen::VectorXd(-phi));
      for (std::size_t k = 0; k < d.size(); ++k)
        d[k] = y[static_cast<Eigen::Index>(k)] /
               (system_.layout().turns(static_cast<int>(k)) ? system_.length() : 1);
      const std::vector<double> from = q;
      system_.advance(from, d, q);
    }
    balance_->evaluate(balance.q);
    if (balance_->equations() > 0)
      balance.lambda = balance_->jacobian().transpose().colPivHouseholderQr().solve(-balance_->b());
  }

  Point point_of(const FoundBalance& balance) {
    Point point;
    point.balance = balance;
    point.nature = nature_of(*balance_, balance.q, balance.lambda);
    point.state = start_;
    point.state.q = balance.q;
    system_.normalise(point.state.q);
    point.state.v = balance_->velocities(point.state.q);
    point.state.a = balance_->accelerations(point.state.q);
    point.state.lambda = balance_->multipliers(balance.lambda);
    point.state.mode.assign(system_.mode_size(), 0);
    for (std::size_t k = 0; k < system_.limits().size(); ++k)
      point.state.mode[k] = holds(static_cast<int>(k)) ? 1 : 0;
    point.potential =
        conservative_ ? balance_->energy(point.state.q) - work_to(point.state.q) : Summary::unknown;
    return point;
  }

  // The work of forces whose potential is known as work alone, from the start; which way does not
  // matter.
  double work_to(CView q) {
    std::vector<double> d(static_cast<std::size_t>(system_.v_size()));
    system_.difference(q, start_.q, d);
    Eigen::VectorXd y = as_vector(CView(d));
    for (int k = 0; k < system_.v_size(); ++k)
      if (system_.layout().turns(k)) y[k] *= system_.length();
    return balance_->applied_work(start_.q, y);
  }

  std::optional<Diagnostic> doubt(const Point& point) {
    if (!system_.limits().empty()) {
      const Diagnostics violated =
          Switching(system_, task_.assembly.mobility.active).violated(point.state);
      if (!violated.empty()) {
        Diagnostic d = fault_at("model.not-available",
                                "forces balance only beyond a stop or contact that would hold");
        d.element = violated.front().element;
        d.where = violated.front().where;
        d.expected = "an equilibrium that touches no hard stop or contact";
        d.hint =
            "make it compliant with `stiffness`, or run a dynamic analysis until it has settled";
        return d;
      }
    }
    if (balance_->moves() && !steady(point)) {
      Diagnostic d = not_steady();
      d.found =
          "forces balance at one instant only: they change as the drivers move on, so that "
          "there is no steady motion";
      return d;
    }
    return {};
  }

  // Whether the balance is still there when the drivers have moved on.
  bool steady(const Point& point) {
    const double t = balance_->time();
    bool good = true;
    for (const double turned : {0.0, 0.4, 1.1, 2.3}) {
      const double duration = turned * system_.length() / fastest();
      const std::vector<double> q = balance_->carried(point.state.q, duration);
      balance_->set_time(t + duration);
      balance_->evaluate(q);
      const Eigen::MatrixXd J = balance_->jacobian();
      Eigen::VectorXd left = balance_->b();
      if (J.rows() > 0) left += J.transpose() * J.transpose().colPivHouseholderQr().solve(-left);
      good = good && left.cwiseAbs().maxCoeff() <= steady_tolerance * balance_->largest_force() &&
             balance_->open_rates() <= steady_tolerance * fastest() &&
             (J.rows() == 0 ||
              balance_->phi().cwiseAbs().maxCoeff() <= steady_tolerance * system_.length());
    }
    balance_->set_time(t);
    return good;
  }

  EquilibriumPoint described(const Point& point, Recorder& recorder) {
    EquilibriumPoint out;
    out.kind = name_of(point.nature.kind);
    out.method = word_of(way_);
    out.potential = point.potential;
    for (const BodyState& body : recorder.body_states(point.state))
      out.coordinates.push_back({body.body, body.q});
    std::vector<double> row(recorder.channels().size());
    recorder.record(point.state, {}, row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Channel& channel = recorder.channels()[k];
      if (channel.quantity == "reaction" || channel.quantity == "drive" ||
          (channel.quantity == "contact" && channel.name.ends_with(".normal")))
        out.reactions.push_back({channel.name, row[k]});
    }
    return out;
  }

  const AnalysisTask& task_;
  const EquilibriumOptions& options_;
  const System& system_;
  State start_;
  std::vector<double> from_;  // where the search begins
  Mobility mobility_;         // with the hard limits that hold
  std::optional<ForceBalance> balance_;
  SearchLimits limits_;
  std::optional<ParameterSlopes> slopes_;
  Summary summary_;
  Way way_ = Way::newton;
  bool conservative_ = true;
};

}  // namespace

Summary run_equilibrium(const AnalysisTask& task, const EquilibriumOptions& options) {
  return EquilibriumRun(task, options).go();
}

}  // namespace cardan
