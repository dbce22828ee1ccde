#include "cardan/analysis/start/branches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/start/joint_meter.h"
#include "cardan/analysis/start/pose_solver.h"
#include "cardan/analysis/start/rank.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr int most_starts = 4000, most_branches = 64;
constexpr int most_coordinates = 600;  // of mechanisms whose freedoms are looked for
constexpr double same_place = 1e-6;    // of the mechanism's size, or rad
constexpr double near_place = 1e-2;    // further apart poses are different in any case
constexpr double same_value = 1e-6;    // of a quantity that does not differ
constexpr double free_step = 0.01;     // rad or of the mechanism's size, along a freedom
constexpr double no_rank = 1e-6;       // relative: of double roots too, which are found to that
constexpr std::size_t most_words = 8;

std::size_t index_of(int k) {
  return static_cast<std::size_t>(k);
}

// ---- rows of equations

// Unit rows, turns times the mechanism's size; wanted: empty for all.
Eigen::MatrixXd scaled_rows(const System& system,
                            const Equations& equations,
                            double t,
                            CView q,
                            const std::vector<char>& wanted) {
  Workspace work = system.workspace();
  system.rotations(q, work);
  std::vector<double> packed(static_cast<std::size_t>(equations.packed_size()));
  equations.phi_q(system.config(t, q, work), packed);
  Eigen::MatrixXd J = equations.dense(packed);
  for (int k = 0; k < system.v_size(); ++k)
    if (system.layout().turns(k)) J.col(k) /= system.length();
  for (Eigen::Index r = 0; r < J.rows(); ++r) {
    const double norm = J.row(r).norm();
    const bool used = wanted.empty() || wanted[static_cast<std::size_t>(r)] != 0;
    J.row(r) *= used && norm > 1e-12 ? 1 / norm : 0;
  }
  return J;
}

Eigen::MatrixXd free_directions(const Eigen::MatrixXd& J) {
  if (J.rows() == 0) return Eigen::MatrixXd::Identity(J.cols(), J.cols());
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J.transpose());
  qr.setThreshold(no_rank);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(J.cols(), J.cols());
  return Q.rightCols(J.cols() - qr.rank());
}

// ---- freedoms that nothing prescribes

struct HeldFreedoms {
  Model model;  // with conditions that hold them
  std::vector<std::string> words;
  int left = 0;  // freedoms that no condition holds
};

class FreedomHolder {
 public:
  FreedomHolder(const Model& model, const System& system, const Assembly& first)
      : model_(model), system_(system), state_(first.state), meter_(system) {
    if (system.v_size() <= most_coordinates)
      open_ = free_directions(scaled_rows(
          system, system.assembly_equations(), state_.t, state_.q, position_rows(system)));
    const int lost = first.mobility.structural_rank - first.mobility.rank;
    missing_ = std::max(0, static_cast<int>(open_.cols()) - std::max(0, lost));
  }

  HeldFreedoms hold() {
    HeldFreedoms out;
    out.model = model_;
    meter_.measure(state_);
    const Eigen::MatrixXd rows =
        missing_ > 0 ? scaled_rows(system_, system_.coordinate_equations(), state_.t, state_.q, {})
                     : Eigen::MatrixXd();
    for (std::size_t k = 0; k < meter_.coordinates().size() && missing_ > 0; ++k) {
      const auto& c = meter_.coordinates()[k];
      if (!takes(rows.row(c.row))) continue;
      out.model.initial.push_back(condition(c, meter_.values()[k]));
      out.words.push_back(c.name);
    }
    for (int b = 0; b < system_.body_count() && missing_ > 0; ++b) hold_body(b, out);
    out.left = missing_;
    return out;
  }

 private:
  // Whether a condition with this gradient takes one of the open motions away; then it does.
  bool takes(const Eigen::RowVectorXd& row) {
    const Eigen::VectorXd part = (row * open_).transpose();
    if (!(part.norm() > 1e-6 * row.norm())) return false;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(part);
    const Eigen::MatrixXd Q =
        qr.householderQ() * Eigen::MatrixXd::Identity(part.size(), part.size());
    open_ = (open_ * Q.rightCols(part.size() - 1)).eval();
    --missing_;
    return true;
  }

  Element condition(const JointMeter::Coordinate& c, double value) const {
    const auto& info = system_.constraints()[index_of(c.constraint)];
    const auto joint = std::find_if(model_.joints.begin(), model_.joints.end(), [&](const auto& e) {
      return e.name == info.name;
    });
    const JointCoordinate& coordinate = info.description->coordinates[index_of(c.place)];
    Element e;
    e.kind = Kind::initial;
    e.type = name_of(coordinate.measure);
    e.name = e.joint = info.name;
    e.where = info.where;
    e.sides = joint->sides;
    e.settings = coordinate.settings;
    e.settings.emplace_back("value", value);
    return e;
  }

  // Places of a body, in space without its orientation.
  void hold_body(int b, HeldFreedoms& out) {
    static constexpr std::array<const char*, 3> planar{"x", "y", "angle"}, spatial{"x", "y", "z"};
    const bool in_space = system_.space() == Space::spatial;
    const BodyState frame = Recorder(system_, {}).body_states(complete())[index_of(b)];
    for (int k = 0; k < 3 && missing_ > 0; ++k) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(system_.v_size());
      row[system_.layout().v(b) + k] = 1;
      if (!takes(row)) continue;
      Element e;
      e.kind = Kind::initial;
      e.name = frame.body;
      e.type = (in_space ? spatial : planar)[index_of(k)];
      e.sides = {Side{}, Side{b}};
      e.settings = {{"value", frame.q[index_of(k)]}};
      out.words.push_back(fmt::format("{}.{}", frame.body, e.type));
      out.model.initial.push_back(std::move(e));
    }
  }

  State complete() const {
    State state = state_;
    state.a.resize(state.v.size(), 0.0);
    state.lambda.resize(static_cast<std::size_t>(system_.equations().rows()), 0.0);
    return state;
  }

  const Model& model_;
  const System& system_;
  const State& state_;
  JointMeter meter_;
  Eigen::MatrixXd open_;
  int missing_ = 0;
};

// ---- poses

class PoseSearch {
 public:
  PoseSearch(const System& system, std::vector<double> first, double t, const AssemblyOptions& o)
      : system_(system),
        t_(t),
        solver_(system, position_rows(system), o),
        work_(system.workspace()),
        found_{std::move(first)} {}

  void go(bool slide, const std::function<bool()>& cancelled) {
    const int enough = std::min(400, 60 + 15 * system_.body_count());
    int quiet = 0;
    while (quiet < enough && !more) {
      if (starts == most_starts || found_.size() == most_branches || (cancelled && cancelled())) {
        more = true;
        break;
      }
      ++starts;
      ++quiet;
      std::vector<double> q = disturbed();
      if (!solver_.close(t_, q)) continue;
      if (slide) solver_.approach(t_, found_.front(), q);
      if (reversed(q) || known(q) || moves_freely(q)) continue;
      found_.push_back(std::move(q));
      quiet = 0;
    }
  }

  const std::vector<std::vector<double>>& found() const { return found_; }

  int starts = 0;
  bool more = false;

 private:
  // All bodies of the first pose, or some of a found one: other loops then stay as they are.
  std::vector<double> disturbed() {
    const bool all = starts % 3 == 1;
    const std::vector<double>& from = all ? found_.front() : found_[random_() % found_.size()];
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<double> d(index_of(system_.v_size()), 0.0), q = from;
    const Layout& layout = system_.layout();
    const int size = system_.body_size(),
              always = static_cast<int>(random_() % index_of(std::max(1, system_.body_count())));
    for (int b = 0; b < system_.body_count(); ++b) {
      if (!all && b != always && random_() % 10 >= 4) continue;
      for (int k = layout.v(b); k < layout.v(b) + size; ++k)
        d[index_of(k)] = unit(random_) * (layout.turns(k) ? std::numbers::pi : system_.length());
    }
    system_.advance(from, d, q);
    return q;
  }

  // Equations of parallel axes hold with one of them the other way round too: a joint taken apart and
  // mounted in reverse, which no mechanism does by itself.
  bool reversed(const std::vector<double>& q) {
    if (system_.space() == Space::planar) return false;
    const std::vector<double> before = cosines(found_.front()), now = cosines(q);
    for (std::size_t k = 0; k < now.size(); ++k)
      if (std::abs(before[k]) > 1 - same_place && before[k] * now[k] < -1 + 3 * same_place)
        return true;
    return false;
  }

  // Between the two axes of every joint that holds turns.
  std::vector<double> cosines(const std::vector<double>& q) {
    std::vector<double> list;
    system_.rotations(q, work_);
    const auto axis = [&](const Side& side) -> Vec<3> {
      const Vec<3> own(side.axis.data());
      if (side.body == ground) return own.normalized();
      const auto place = static_cast<std::ptrdiff_t>(9) * side.body;
      return (Eigen::Map<const Mat<3, 3>>(work_.rotation.data() + place) * own).normalized();
    };
    for (const auto& info : system_.constraints())
      if (info.kind == Kind::joint && info.sides.size() == 2 && info.rows.size() >= 3)
        list.push_back(axis(info.sides[0]).dot(axis(info.sides[1])));
    return list;
  }

  bool known(const std::vector<double>& q) {
    return std::any_of(
        found_.begin(), found_.end(), [&](const auto& other) { return same(q, other); });
  }

  // Two descents into a double root end a little apart; how far, its singular value tells.
  bool same(const std::vector<double>& one, const std::vector<double>& two) {
    const double apart = distance(one, two);
    if (apart <= same_place || apart > near_place) return apart <= same_place;
    const std::vector<char> wanted = position_rows(system_);
    const double smallest =
        analyse_rank(system_, system_.assembly_equations(), t_, one, wanted, true).smallest;
    return apart <= std::clamp(1e-7 / std::max(smallest, 1e-12), same_place, near_place);
  }

  // In the plane of bodies and their angles; in space of mass centres and joints, so that a rod turned
  // over about its own line is the same.
  double distance(const std::vector<double>& one, const std::vector<double>& two) {
    double most = 0;
    if (system_.space() == Space::spatial) {
      const std::vector<Vec<3>> a = points(one), b = points(two);
      for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, (a[k] - b[k]).norm());
      return most / system_.length();
    }
    std::vector<double> d(index_of(system_.v_size()));
    system_.difference(one, two, d);
    for (int k = 0; k < system_.v_size(); ++k) {
      const double x = d[index_of(k)];
      most = std::max(most,
                      system_.layout().turns(k) ? std::abs(std::remainder(x, 2 * std::numbers::pi))
                                                : std::abs(x) / system_.length());
    }
    return most;
  }

  std::vector<Vec<3>> points(const std::vector<double>& q) {
    std::vector<Vec<3>> list;
    system_.rotations(q, work_);
    for (int b = 0; b < system_.body_count(); ++b)
      list.emplace_back(q.data() + system_.layout().q(b));
    for (const auto& info : system_.constraints())
      for (const Side& side : info.sides)
        if (info.kind == Kind::joint && side.body != ground) {
          const auto place = static_cast<std::ptrdiff_t>(9) * side.body;
          const Eigen::Map<const Mat<3, 3>> A(work_.rotation.data() + place);
          list.push_back(Vec<3>(q.data() + system_.layout().q(side.body)) +
                         A * Vec<3>(side.point.data()));
        }
    return list;
  }

  // Of a pose with more freedom than the first: whether it is one of many, and no branch by itself.
  bool moves_freely(const std::vector<double>& q) {
    if (system_.v_size() > most_coordinates) return false;
    const Eigen::MatrixXd open = open_velocities(q);
    if (open.cols() <= open_velocities(found_.front()).cols()) return false;
    for (Eigen::Index c = 0; c < open.cols(); ++c) {
      std::vector<double> d(index_of(system_.v_size())), moved = q;
      for (int k = 0; k < system_.v_size(); ++k)
        d[index_of(k)] =
            free_step * open(k, c) * (system_.layout().turns(k) ? 1.0 : system_.length());
      system_.advance(q, d, moved);
      if (solver_.close(t_, moved) && distance(q, moved) > 0.1 * free_step) return true;
    }
    return false;
  }

  Eigen::MatrixXd open_velocities(const std::vector<double>& q) const {
    return free_directions(
        scaled_rows(system_, system_.assembly_equations(), t_, q, position_rows(system_)));
  }

  const System& system_;
  double t_;
  PoseSolver solver_;
  Workspace work_;
  std::vector<std::vector<double>> found_;
  std::mt19937 random_{20261116};
};

// ---- what tells them apart

double in_one_turn(double angle) {
  const double x = std::remainder(angle, 2 * std::numbers::pi);
  return (x < -std::numbers::pi + same_value ? x + 2 * std::numbers::pi : x) + 0.0;
}

struct MeasuredBranches {
  std::vector<BranchQuantity> quantities;
  std::vector<std::vector<double>> values;  // of each branch
};

MeasuredBranches measure_branches(const System& system,
                                  const std::vector<Assembly>& list,
                                  bool rates) {
  MeasuredBranches out;
  JointMeter meter(system);
  const auto& joints = meter.coordinates();
  Workspace work = system.workspace();
  out.values.resize(list.size());
  const auto each = [&](auto&& put) {
    for (std::size_t b = 0; b < list.size(); ++b) {
      const State& state = list[b].state;
      meter.measure(state);
      system.use(state, work);
      system.rotations(state.q, work);
      system.evaluate_requests(state.t, state.q, state.v, work);
      out.values[b].push_back(put());
    }
  };
  const auto joint = [&](std::size_t k) {
    out.quantities.push_back({joints[k].name, joints[k].unit});
    each([&] { return joints[k].angle ? in_one_turn(meter.values()[k]) : meter.values()[k]; });
  };
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (joints[k].on_ground) joint(k);
  for (std::size_t k = 0; k < system.requests().size(); ++k) {
    const auto& request = system.requests()[k];
    if (request.source != System::RequestInfo::Source::computed) continue;
    out.quantities.push_back({request.name, request.unit});
    each([&] {
      const double x = work.request_value[k];
      return request.unit == "rad" ? in_one_turn(x) : x;
    });
  }
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (!joints[k].on_ground) joint(k);
  for (std::size_t k = 0; k < joints.size() && rates; ++k) {
    out.quantities.push_back({fmt::format("rate({})", joints[k].name), joints[k].unit + "/s"});
    each([&] { return meter.rates()[k]; });
  }
  for (std::size_t k = 0; k < out.quantities.size(); ++k) {
    double least = 0, most = 0, size = 1e-12;
    for (std::size_t b = 0; b < list.size(); ++b) {
      const double x = out.values[b][k];
      least = b == 0 ? x : std::min(least, x);
      most = b == 0 ? x : std::max(most, x);
      size = std::max(size, std::abs(x));
    }
    out.quantities[k].differs = most - least > same_value * std::max(size, 1e-3);
  }
  return out;
}

bool at_one_pose(const Assembly& one, const Assembly& two) {
  return one.state.q == two.state.q;
}

// By the first quantity that differs; the coordinates of bodies decide where none does.
std::vector<int> branch_order(const System& system, const std::vector<Assembly>& list, bool rates) {
  const MeasuredBranches m = measure_branches(system, list, rates);
  std::vector<int> order(list.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto before = [&](const std::vector<double>& one, const std::vector<double>& two) {
    for (std::size_t k = 0; k < one.size(); ++k)
      if (std::abs(one[k] - two[k]) >
          same_value * std::max({1e-3, std::abs(one[k]), std::abs(two[k])}))
        return one[k] < two[k] ? -1 : 1;
    return 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const int by_value = before(m.values[index_of(a)], m.values[index_of(b)]);
    if (by_value != 0) return by_value < 0;
    return before(list[index_of(a)].state.q, list[index_of(b)].state.q) < 0;
  });
  return order;
}

bool holds_in(const System& system, const BranchChoice& choice, const State& state) {
  Workspace work = system.workspace();
  system.use(state, work);
  system.rotations(state.q, work);
  system.evaluate_requests(state.t, state.q, state.v, work);
  std::vector<double> arguments{state.t, 0, 0};
  for (const int k : choice.inputs) {
    arguments.push_back(work.request_value[index_of(k)]);
    arguments.push_back(work.request_rate[index_of(k)]);
  }
  return choice.condition.value(arguments) > 0;
}

// A pose with every motion that can start in it.
std::vector<Assembly> with_motions(const System& system,
                                   const Assembly& pose,
                                   const AssemblyOptions& options) {
  if (pose.ok) return {pose};
  std::vector<Assembly> list;
  for (const std::vector<double>& v : pose.motions) {
    State guess = pose.state;
    guess.v = v;
    Assembly moving = assemble(system, pose.state.t, guess, options);
    if (!moving.ok) continue;
    moving.state.q = pose.state.q;
    moving.state.z = pose.state.z;
    list.push_back(std::move(moving));
  }
  std::vector<Assembly> out;
  for (const int k : branch_order(system, list, true)) out.push_back(list[index_of(k)]);
  return out;
}

bool beyond_limits(const System& system, const Assembly& pose) {
  return !system.limits().empty() &&
         !Switching(system, pose.mobility.active).violated(pose.state).empty();
}

}  // namespace

FoundBranches find_branches(const Model& model,
                            const System& system,
                            const Assembly& first,
                            const AssemblyOptions& options,
                            const std::function<bool()>& cancelled) {
  FoundBranches out;
  out.list = with_motions(system, first, options);
  HeldFreedoms held = FreedomHolder(model, system, first).hold();
  out.held = held.words;
  auto compiled = compile(held.model);
  if (!compiled) return out;
  const System& fixed = compiled.value();

  // Both systems have the same bodies, but in space not the same list of counted angles.
  std::vector<double> d(index_of(system.v_size())), start = fixed.given_state().q;
  system.difference(first.state.q, system.given_state().q, d);
  fixed.advance(fixed.given_state().q, d, start);
  PoseSearch search(fixed, start, first.state.t, options);
  search.go(held.left > 0, cancelled);
  out.starts = search.starts;
  out.more = search.more;

  std::vector<Assembly> others;
  const State given = system.given_state();
  for (std::size_t k = 1; k < search.found().size(); ++k) {
    State guess = first.state;
    guess.v = given.v;
    fixed.difference(search.found()[k], start, d);
    system.advance(first.state.q, d, guess.q);
    Assembly pose = assemble(system, first.state.t, guess, options);
    if (!pose.ok && pose.motions.empty()) continue;
    pose.state.z = first.state.z;
    if (beyond_limits(system, pose)) continue;
    for (Assembly& branch : with_motions(system, pose, options))
      others.push_back(std::move(branch));
  }
  for (const int k : branch_order(system, others, true))
    out.list.push_back(std::move(others[index_of(k)]));
  return out;
}

BranchList describe_branches(const System& system, const FoundBranches& found, int chosen) {
  BranchList out;
  out.held = found.held;
  out.starts = found.starts;
  out.more = found.more;
  bool rates = false;
  for (std::size_t k = 1; k < found.list.size(); ++k)
    rates = rates || at_one_pose(found.list[k], found.list[k - 1]);
  MeasuredBranches m = measure_branches(system, found.list, rates);
  const Recorder recorder(system, {});
  for (std::size_t b = 0; b < found.list.size(); ++b) {
    AssemblyBranch branch;
    branch.number = static_cast<int>(b) + 1;
    branch.chosen = static_cast<int>(b) == chosen;
    for (std::size_t k = 0; k < m.quantities.size(); ++k)
      branch.values.push_back({m.quantities[k].name, m.values[b][k]});
    for (const BodyState& body : recorder.body_states(found.list[b].state))
      branch.coordinates.push_back({body.body, body.q});
    out.branches.push_back(std::move(branch));
  }
  out.quantities = std::move(m.quantities);
  return out;
}

std::string branch_text(const BranchList& list) {
  std::string text;
  for (std::size_t b = 0; b < std::min(list.branches.size(), most_words); ++b) {
    text += fmt::format("{}branch {}", text.empty() ? "" : "; ", list.branches[b].number);
    int told = 0;
    for (std::size_t k = 0; k < list.quantities.size() && told < 2; ++k) {
      const BranchQuantity& quantity = list.quantities[k];
      if (!quantity.differs) continue;
      text += fmt::format("{} {} = {:.5g} {}",
                          told++ == 0 ? ":" : ",",
                          quantity.name,
                          list.branches[b].values[k].value,
                          quantity.unit);
    }
  }
  if (list.branches.size() > most_words)
    text += fmt::format("; and {} more", list.branches.size() - most_words);
  return text;
}

Diagnostics choose_branch(const Model& model,
                          const System& system,
                          const AssemblyOptions& options,
                          const std::function<bool()>& cancelled,
                          Assembly& assembly) {
  const BranchChoice& choice = *model.branch;
  if (choice.number == 1 && assembly.ok) return {};
  FoundBranches found = find_branches(model, system, assembly, options, cancelled);
  const auto count = static_cast<int>(found.list.size());
  std::vector<int> met;
  if (choice.number > 0 && choice.number <= count) met.push_back(choice.number - 1);
  for (int k = 0; k < count && choice.number == 0; ++k)
    if (holds_in(system, choice, found.list[index_of(k)].state)) met.push_back(k);
  if (met.size() == 1) {
    assembly = std::move(found.list[index_of(met.front())]);
    return {};
  }
  Diagnostic d;
  d.id = "assembly.branch";
  d.where = choice.where;
  d.element = "[assembly]";
  const BranchList list = describe_branches(system, found, -1);
  const std::string all = fmt::format(
      "{} branch{}{}", count, count == 1 ? "" : "es", count > 1 ? ": " + branch_text(list) : "");
  if (choice.number > 0) {
    d.found = fmt::format("branch = {}, but {} found; {}",
                          choice.number,
                          count == 1 ? "only one way to put it together was" : "fewer were",
                          all);
    d.expected = fmt::format("a number from 1 to {}", count);
  } else if (met.empty()) {
    d.found = fmt::format("branch = \"{}\", which holds in none of {}", choice.text, all);
    d.expected = "a condition that holds in one of them";
  } else {
    std::string numbers;
    for (const int k : met) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", k + 1);
    d.found = fmt::format(
        "branch = \"{}\", which holds in the branches {} of {}", choice.text, numbers, all);
    d.expected = "a condition that holds in one of them alone";
  }
  d.hint = "`cardan assemble --branches` lists them";
  return {d};
}

}  // namespace cardan
