#include "cardan/system/stick_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cardan/math/complementarity.h"
#include "cardan/system/contact_solver.h"

namespace cardan {

namespace {

using Index = Eigen::Index;

constexpr int most_changes = 1000, most_newton = 50, most_passes = 20, most_sharing = 400;
constexpr int most_returns = 20, most_turns = 60;
constexpr int most_carriers = 12;    // lists of limits that are tried
constexpr int most_enumerated = 10;  // closed limits whose solutions are counted
constexpr double dependent = 1e-10;  // of its own response: an equation that follows
constexpr double clearly_new = 0.05, hardly_new = 1e-4;  // the same of what others leave open
constexpr double beyond = 1e-9;                          // of its limit: friction that cannot hold
constexpr double backwards = 1e-8;        // of all accelerations: sliding that would turn back
constexpr double shared_noise = 2e-12;    // of the largest limit: shares without load
constexpr double same_direction = 1e-9;   // of sliding that begins
constexpr double hardly_presses = 1e-7;   // of accelerations: what closes a limit that is left out
constexpr double no_load = 1e-13;         // of all forces
constexpr double at_rest_already = 1e-3;  // of the speed below which nothing slides
// Relative: forces that are found, loads that do not pull; of the speed: what stands still.
constexpr double exact = 1e-13, not_negative = 1e-12, at_rest = 1e-9;

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

std::size_t at(Index k) {
  return static_cast<std::size_t>(k);
}

bool some_minor_negative(const Eigen::MatrixXd& M) {
  const Index n = M.rows();
  for (unsigned set = 1; set < 1U << n; ++set) {
    std::vector<Index> in;
    for (Index k = 0; k < n; ++k)
      if ((set >> k & 1U) != 0) in.push_back(k);
    const auto m = static_cast<Index>(in.size());
    Eigen::MatrixXd part(m, m);
    double size = 1;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) part(i, j) = M(in[at(i)], in[at(j)]);
      size *= part.row(i).cwiseAbs().maxCoeff();
    }
    if (part.determinant() < -at_rest * size) return true;
  }
  return false;
}

// Solutions of 0 <= z _|_ M z + q >= 0 with different w or z, by trying every set of z > 0.
int count_solutions(const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
  const Index n = M.rows();
  std::vector<Eigen::VectorXd> found;
  for (unsigned set = 0; set < 1U << n; ++set) {
    std::vector<Index> in;
    for (Index k = 0; k < n; ++k)
      if ((set >> k & 1U) != 0) in.push_back(k);
    const auto m = static_cast<Index>(in.size());
    Eigen::MatrixXd part(m, m);
    Eigen::VectorXd rest(m);
    for (Index i = 0; i < m; ++i) {
      rest[i] = -q[in[at(i)]];
      for (Index j = 0; j < m; ++j) part(i, j) = M(in[at(i)], in[at(j)]);
    }
    const Eigen::VectorXd z_in = m > 0 ? Eigen::VectorXd(part.fullPivLu().solve(rest)) : rest;
    if (!z_in.allFinite() || (m > 0 && z_in.minCoeff() <= 0)) continue;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    for (Index i = 0; i < m; ++i) z[in[at(i)]] = z_in[i];
    const Eigen::VectorXd w = M * z + q;
    const double size = std::max(q.cwiseAbs().maxCoeff(), w.cwiseAbs().maxCoeff());
    bool valid = true;
    for (Index k = 0; k < n; ++k)
      valid = valid &&
              ((set >> k & 1U) != 0 ? std::abs(w[k]) <= at_rest * size : w[k] >= -at_rest * size);
    const auto same = [&](const Eigen::VectorXd& other) {
      return (M * (other - z)).cwiseAbs().maxCoeff() <= 1e-6 * size;
    };
    if (valid && std::none_of(found.begin(), found.end(), same)) found.push_back(z);
  }
  return static_cast<int>(found.size());
}

}  // namespace

void share_evenly(const Eigen::MatrixXd& Z,
                  const std::vector<int>& of,
                  const std::vector<double>& c,
                  Eigen::VectorXd& r) {
  if (Z.cols() == 0) return;
  const std::size_t groups = c.size();
  const double largest = *std::max_element(c.begin(), c.end());
  if (!(largest > 0)) return;
  std::vector<double> limit(groups), weight(groups), ratio(groups);
  double sum = 0;
  for (std::size_t e = 0; e < groups; ++e) {
    limit[e] = std::max(c[e], 1e-12 * largest);
    sum += weight[e] = limit[e];
  }
  for (double& w : weight) w /= sum;
  Eigen::VectorXd best = r, s = r;
  double lowest = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most_sharing; ++pass) {
    Eigen::VectorXd W(r.size());
    for (Index i = 0; i < r.size(); ++i) {
      const auto e = at(of[at(i)]);
      W[i] = std::max(weight[e], 1e-14) / (limit[e] * limit[e]);
    }
    const Eigen::VectorXd root = W.cwiseSqrt();
    const Eigen::MatrixXd ZW = root.asDiagonal() * Z;
    s = r - Z * ZW.completeOrthogonalDecomposition().solve(Eigen::VectorXd(root.asDiagonal() * r));
    std::fill(ratio.begin(), ratio.end(), 0.0);
    for (Index i = 0; i < r.size(); ++i) ratio[at(of[at(i)])] += s[i] * s[i];
    double most = 0, bound = 0, total = 0;
    for (std::size_t e = 0; e < groups; ++e) {
      ratio[e] = std::sqrt(ratio[e]) / limit[e];
      most = std::max(most, ratio[e]);
      bound += weight[e] * ratio[e] * ratio[e];
      total += weight[e] * ratio[e];
    }
    if (most < lowest) {
      lowest = most;
      best = s;
    }
    if (most <= std::sqrt(bound) * (1 + 1e-13) || !(total > 0)) break;
    for (std::size_t e = 0; e < groups; ++e) weight[e] *= ratio[e] / total;
  }
  r = best;
}

StickSolver::StickSolver(const System& system) : system_(system), set_(system.friction()) {
  contact_of_.assign(at(set_.count()), -1);
  for (std::size_t c = 0; c < system.contacts().size(); ++c)
    if (const int k = system.contacts()[c].friction; k >= 0)
      contact_of_[at(k)] = static_cast<int>(c);
}

Vec<3> StickSolver::slip(int k, const State& state, const Workspace& w) const {
  std::array<double, std::size_t{FrictionSet::most_sliding_components} * FrictionSet::most_numbers>
      d{};
  std::array<double, FrictionSet::most_sliding_components> s{};
  const auto n = at(set_.ways(k) * 2 * system_.body_size());
  set_.tangents(k, system_.motion(state.t, state.q, state.v, w), View(d).first(n), s);
  return {s[0], set_.ways(k) > 1 ? s[1] : 0, set_.ways(k) > 2 ? s[2] : 0};
}

// ---- what takes part

void StickSolver::gather(const State& state, const Workspace& w, const std::vector<Role>& roles) {
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  Index place = limits_;
  bool shared = false;  // then the multipliers do not tell the force of one element
  for (int k = 0; k < set_.count(); ++k) {
    const Sliding before = system_.sliding(k, state.mode, state.slide);
    shared = shared || (before.holds() && before.mode != Sliding::sticks + (1 << set_.ways(k)) - 1);
  }
  for (Rub& rub : rubs_) {
    const FrictionLaw& law = set_.element(rub.k).law;
    rub.first = static_cast<int>(place);
    rub.ways = set_.ways(rub.k);
    place += rub.ways;
    rub.frame = set_.frame(rub.k, here.config());
    if (set_.element(rub.k).load == FrictionElement::Load::compliant)
      rub.given = system_.friction_load(rub.k, here, {}, w);
    const Vec<3> s = slip(rub.k, state, w);
    const double speed = s.norm();
    const Sliding before = system_.sliding(rub.k, state.mode, state.slide);
    const Role role = roles.empty() ? Role::judged : roles[at(rub.k)];
    const bool stopped = before.holds() || role == Role::stopped;
    const bool slow = speed <= law.still * (stopped ? 1 : at_rest_already);
    const bool stands = slow || (role == Role::stopped && rub.ways == 1);
    rub.mu = law.sticks() ? law.sliding(stands ? 0 : speed) : law.coefficient(speed);
    rub.w = speed > 0 ? Vec<3>(s / speed) : Vec<3>(Vec<3>::Zero());
    rub.part = law.sticks() && stands ? Part::sticks : Part::fixed;
    if (rub.part == Part::sticks && role == Role::judged && before.mode == Sliding::slides &&
        before.u.squaredNorm() > 0) {  // it has just begun
      rub.part = Part::begins;
      rub.w = before.u;
    }
    if (rub.part != Part::sticks || role != Role::released || shared) continue;
    Vec<3> r = Vec<3>::Zero();
    for (int c = 0; c < rub.ways; ++c) r[c] = -state.lambda[at(set_.element(rub.k).stick_row + c)];
    if (!(r.norm() > 0)) continue;
    rub.part = Part::begins;
    rub.w = -r.normalized();
  }
}

bool StickSolver::respond(MotionSolver& joints,
                          const State& state,
                          const std::vector<int>& closed) {
  const auto rows = static_cast<Index>(system_.equations().rows()),
             n = static_cast<Index>(system_.v_size());
  if (joints.linearise(state.t, state.q) != Eval::ok) return false;
  joints.load(state.t, state.q, state.v);
  Workspace& w = joints.work();
  Index size = limits_;
  for (const Rub& rub : rubs_) size += rub.ways;
  F_.setZero(n, size);
  A_.setZero(n, size);
  L_.setZero(rows, size);
  b_.setZero(size);
  lambda_0_.setZero(rows);
  const auto column = [](Eigen::MatrixXd& m, Index k) {
    return View(m.col(k).data(), at(m.rows()));
  };
  std::vector<double> unit(at(rows), 0.0), zero = unit;
  Eigen::VectorXd a(n);
  joints.solve(w.Q, w.gamma, {a.data(), at(n)}, {lambda_0_.data(), at(rows)});
  for (Index c = 0; c < limits_; ++c) {
    const auto& limit = system_.limits()[at(closed[at(c)])];
    unit[at(limit.row)] = limit.sign;
    system_.equations().add_transposed(w.packed, unit, 1, column(F_, c));
    unit[at(limit.row)] = 0;
    b_[c] = -limit.sign * w.gamma[at(limit.row)];
  }
  std::array<double, std::size_t{FrictionSet::most_sliding_components} * FrictionSet::most_numbers>
      d{};
  std::array<double, FrictionSet::most_sliding_components> s{};
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  const auto body_size = static_cast<Index>(system_.body_size());
  for (const Rub& rub : rubs_) {
    const FrictionElement& e = set_.element(rub.k);
    set_.tangents(rub.k, here, View(d).first(at(rub.ways * 2 * body_size)), s);
    for (Index c = 0; c < rub.ways; ++c) {
      for (Index i = 0; i < 2; ++i)
        if (const int body = e.body[at(i)]; body >= 0)
          F_.col(rub.first + c).segment(system_.layout().v(body), body_size) +=
              Eigen::Map<Eigen::VectorXd>(d.data() + (2 * c + i) * body_size, body_size);
      if (e.stick_row >= 0) b_[rub.first + c] = -w.gamma[at(e.stick_row + static_cast<int>(c))];
    }
  }
  for (Index k = 0; k < size; ++k) joints.solve(column(F_, k), zero, column(A_, k), column(L_, k));
  D_ = F_.transpose() * A_;
  free_.setZero(size);
  for (int b = 0; b < system_.body_count(); ++b) {
    Eigen::MatrixXd M(body_size, body_size);
    for (int r = 0; r < system_.body_size(); ++r)
      for (int c = 0; c < system_.body_size(); ++c) M(r, c) = system_.mass().at(b, r, c);
    const Eigen::MatrixXd f = F_.middleRows(system_.layout().v(b), body_size);
    free_ += (f.array() * M.completeOrthogonalDecomposition().solve(f).array())
                 .colwise()
                 .sum()
                 .matrix()
                 .transpose();
  }
  b_ += F_.transpose() * a;
  return D_.allFinite() && b_.allFinite();
}

// ---- loads

void StickSolver::update_multipliers() {
  lambda_ = lambda_0_;
  lambda_.noalias() += L_ * x_;
}

double StickSolver::load(const Rub& rub, Eigen::VectorXd* slopes) const {
  if (slopes != nullptr) slopes->setZero(x_.size());
  const FrictionElement& e = set_.element(rub.k);
  if (e.load == FrictionElement::Load::compliant) return rub.given;
  if (e.load == FrictionElement::Load::normal) {
    if (slopes != nullptr) (*slopes)[rub.limit] = 1;
    return x_[rub.limit];
  }
  std::array<double, 8> by_row{};
  const double N = set_.load(rub.k, rub.frame, CView(lambda_.data(), at(lambda_.size())), by_row);
  if (slopes != nullptr)
    for (std::size_t r = 0; r < e.rows.size(); ++r)
      *slopes += by_row[r] * L_.row(e.rows[r]).transpose();
  return N;
}

Vec<3> StickSolver::force(const Rub& rub) const {
  Vec<3> r = Vec<3>::Zero();
  for (int c = 0; c < rub.ways; ++c) r[c] = x_[rub.first + c];
  return r;
}

Vec<3> StickSolver::rise(const Rub& rub) const {
  Vec<3> out = Vec<3>::Zero();
  for (int c = 0; c < rub.ways; ++c) out[c] = b_[rub.first + c] + D_.row(rub.first + c).dot(x_);
  return out;
}

// ---- for given modes

// Equations of sticking that do not follow from kept limits and those before. Those that say something
// clearly new come first: of two that nearly say the same, only the one that others leave open.
void StickSolver::choose_rows() {
  needed_.assign(at(D_.rows()), 0);
  std::vector<Index> in;
  const auto independent = [&](Index k, double least) {
    if (!(D_(k, k) > dependent * free_[k])) return false;
    const auto m = static_cast<Index>(in.size());
    Eigen::MatrixXd S(m, m);
    Eigen::VectorXd c(m);
    for (Index i = 0; i < m; ++i) {
      c[i] = D_(in[at(i)], k);
      for (Index j = 0; j < m; ++j) S(i, j) = D_(in[at(i)], in[at(j)]);
    }
    return m == 0 || D_(k, k) - c.dot(S.ldlt().solve(c)) > least * D_(k, k);
  };
  for (Index c = 0; c < limits_; ++c)
    if (kept_[at(c)] != 0 && independent(c, dependent)) in.push_back(c);
  std::vector<const Rub*> order;  // those without a load last
  for (const Rub& rub : rubs_)
    if (rub.part == Part::sticks) order.push_back(&rub);
  std::stable_partition(order.begin(), order.end(), [&](const Rub* rub) {
    return rub->limit < 0 || x_[rub->limit] > not_negative * x_.cwiseAbs().maxCoeff();
  });
  for (const double least : {clearly_new, hardly_new, dependent})
    for (const Rub* each : order) {
      const Rub& rub = *each;
      for (Index c = rub.first; c < rub.first + rub.ways; ++c) {
        if (needed_[at(c)] != 0 || !independent(c, least)) continue;
        in.push_back(c);
        needed_[at(c)] = 1;
      }
    }
}

// w = M N + q with the friction of the present parts; loads of joints as they are. own: of N alone.
StickSolver::Equations StickSolver::of_limits() {
  choose_rows();  // of sticking alone
  const Index size = D_.rows();
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(size, limits_);
  E.topRows(limits_).setIdentity();
  Eigen::VectorXd fixed = Eigen::VectorXd::Zero(size);
  std::vector<Index> S;
  for (const Rub& rub : rubs_) {
    if (rub.part == Part::open) continue;
    for (int c = 0; c < rub.ways; ++c) {
      const Index j = rub.first + c;
      if (rub.part == Part::sticks) {
        if (needed_[at(j)] != 0) S.push_back(j);
      } else if (rub.limit >= 0 && set_.element(rub.k).load == FrictionElement::Load::normal) {
        E(j, rub.limit) = -rub.mu * rub.w[c];
      } else {
        fixed[j] = x_[j];
      }
    }
  }
  Eigen::MatrixXd R = D_.topRows(limits_);
  Eigen::VectorXd q = b_.head(limits_);
  if (!S.empty()) {
    const Eigen::LDLT<Eigen::MatrixXd> factor(D_(S, S));
    const Eigen::MatrixXd D_lS = D_(Eigen::seqN(0, limits_), S);
    R -= D_lS * factor.solve(D_(S, Eigen::all));
    q -= D_lS * factor.solve(Eigen::VectorXd(b_(S)));
  }
  q += R * fixed;
  return {R * E, R.leftCols(limits_), q};
}

// Which of those that may carry are kept.
StickSolver::Answer StickSolver::choose_limits(const std::vector<int>& closed) {
  kept_.assign(at(limits_), 0);
  rests_.assign(at(limits_), 0);
  if (limits_ == 0) return {};
  const Equations all = of_limits();
  std::vector<Index> C;
  for (Index k = 0; k < limits_; ++k)
    if (may_carry_[at(k)] != 0) C.push_back(k);
  const Eigen::MatrixXd M = all.M(C, C);
  const Eigen::VectorXd q = all.q(C);
  const auto refused = [&](Answer::Kind kind) {
    Answer answer = blamed(kind);
    answer.limit = closed.front();
    return answer;
  };
  if (C.size() <= at(most_enumerated) && some_minor_negative(M))
    if (const int solutions = count_solutions(M, q); solutions != 1)
      return refused(solutions == 0 ? Answer::Kind::none : Answer::Kind::several);
  Eigen::VectorXd z;
  if (!solve_complementarity(M, q, z)) return refused(Answer::Kind::none);
  const Eigen::VectorXd w = all.M(Eigen::all, C) * z + all.q;
  const double push = z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0,
               lift = std::max(w.cwiseAbs().maxCoeff(), all.q.cwiseAbs().maxCoeff());
  std::vector<Index> held;
  // What the others leave open of how a force on k moves it; of its own.
  const auto new_beside = [&](Index k) {
    const Eigen::MatrixXd part = all.own(held, held);
    const Eigen::VectorXd c = all.own(held, std::vector<Index>{k});
    const double rest =
        held.empty() ? all.own(k, k) : all.own(k, k) - c.dot(Eigen::VectorXd(part.ldlt().solve(c)));
    return rest > dependent * all.own(k, k);
  };
  x_.head(limits_).setZero();
  for (std::size_t i = 0; i < C.size(); ++i) {
    const auto k = static_cast<Index>(i);
    if (!(z[k] > not_negative * push && w[C[i]] <= at_rest * lift)) continue;
    held.push_back(C[i]);
    x_[C[i]] = z[k];
  }
  for (const Index k : C)  // closed, and pressed by nothing
    if (std::find(held.begin(), held.end(), k) == held.end() && w[k] <= at_rest * lift &&
        new_beside(k))
      held.push_back(k);
  for (const Index k : held) kept_[at(k)] = 1;
  for (Index k = 0; k < limits_; ++k)  // closed, carrying nothing, and unable to open
    if (kept_[at(k)] == 0 && std::abs(w[k]) <= at_rest * lift && !new_beside(k)) rests_[at(k)] = 1;
  return {};
}

// Lists of limits that are as many as independent ones can be, of those that may carry; that comes
// first whose smallest force is largest. Rigid bodies do not tell how more of them share.
std::vector<std::vector<Index>> StickSolver::carriers(const std::vector<char>& may) {
  std::vector<Index> asked, basis;
  for (Index k = 0; k < limits_; ++k)
    if (may[at(k)] != 0) asked.push_back(k);
  const Equations all = of_limits();
  const auto grows = [&](std::vector<Index>& list, Index k) {
    const Eigen::MatrixXd part = all.own(list, list);
    const Eigen::VectorXd c = all.own(list, std::vector<Index>{k});
    const double rest =
        list.empty() ? all.own(k, k) : all.own(k, k) - c.dot(Eigen::VectorXd(part.ldlt().solve(c)));
    if (!(rest > 1e3 * dependent * all.own(k, k))) return false;
    list.push_back(k);
    return true;
  };
  for (const Index k : asked) (void)grows(basis, k);
  if (basis.size() == asked.size()) return {asked};
  if (asked.size() > at(most_enumerated)) {  // the most loaded of the evenest sharing
    const Eigen::VectorXd N = -Eigen::MatrixXd(all.M(asked, asked))
                                   .completeOrthogonalDecomposition()
                                   .solve(Eigen::VectorXd(all.q(asked)));
    std::vector<std::size_t> order(asked.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return N[static_cast<Index>(i)] > N[static_cast<Index>(j)];
    });
    basis.clear();
    for (const std::size_t i : order) (void)grows(basis, asked[i]);
    return {basis};
  }
  std::vector<std::pair<double, std::vector<Index>>> found;
  for (unsigned set = 1; set < 1U << asked.size(); ++set) {
    std::vector<Index> in;
    bool independent = true;
    for (std::size_t i = 0; i < asked.size() && independent; ++i)
      if ((set >> i & 1U) != 0) independent = grows(in, asked[i]);
    if (!independent || in.size() != basis.size()) continue;
    const Eigen::VectorXd N =
        -Eigen::MatrixXd(all.M(in, in)).fullPivLu().solve(Eigen::VectorXd(all.q(in)));
    if (N.allFinite()) found.emplace_back(N.minCoeff() / N.cwiseAbs().maxCoeff(), in);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first > b.first + 1e-9;
  });
  std::vector<std::vector<Index>> lists;
  for (auto& entry : found) lists.push_back(std::move(entry.second));
  return lists;
}

// x of the modes, with the loads of joints.
bool StickSolver::solve_forces() {
  choose_rows();
  const Index size = D_.rows();
  Eigen::MatrixXd J(size, size);
  Eigen::VectorXd rest(size), slopes;
  for (int step = 0; step < most_newton; ++step) {
    update_multipliers();
    J.setIdentity();
    rest = x_;
    const auto holds = [&](Index k) {
      J.row(k) = D_.row(k) / D_(k, k);
      rest[k] = (D_.row(k).dot(x_) + b_[k]) / D_(k, k);
    };
    for (Index c = 0; c < limits_; ++c)
      if (kept_[at(c)] != 0) holds(c);
    for (const Rub& rub : rubs_) {
      const bool slides = rub.part == Part::fixed || rub.part == Part::begins;
      const double N = slides ? load(rub, &slopes) : 0;
      for (int c = 0; c < rub.ways; ++c) {
        const Index j = rub.first + c;
        if (slides) {
          J.row(j) += rub.mu * rub.w[c] * slopes.transpose();
          rest[j] = x_[j] + rub.mu * rub.w[c] * N;
        } else if (needed_[at(j)] != 0) {
          holds(j);
        }
      }
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(J);
    positive_ = lu.determinant() > 0;
    const Eigen::VectorXd change = lu.solve(rest);
    if (!change.allFinite()) return false;
    x_ -= change;
    const double most = x_.size() > 0 ? x_.cwiseAbs().maxCoeff() : 0;
    if (x_.size() == 0 || change.cwiseAbs().maxCoeff() <= exact * most) {
      update_multipliers();
      return true;
    }
    if (step > 8 && change.cwiseAbs().maxCoeff() <= 1e-9 * most) {
      update_multipliers();
      return true;
    }
  }
  return false;
}

// Forces along S that move nothing, with the kept limits, in columns.
Eigen::MatrixXd StickSolver::idle_forces(const std::vector<Index>& S) const {
  std::vector<Index> kept;
  for (Index c = 0; c < limits_; ++c)
    if (kept_[at(c)] != 0) kept.push_back(c);
  const Eigen::MatrixXd D_SS = D_(S, S), D_kS = D_(kept, S), D_kk = D_(kept, kept);
  Eigen::MatrixXd D = D_SS;
  if (!kept.empty()) D -= D_kS.transpose() * D_kk.completeOrthogonalDecomposition().solve(D_kS);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_D(D);
  const double largest = D_SS.diagonal().cwiseAbs().maxCoeff();
  Index nulls = 0;
  while (nulls < D.rows() && of_D.eigenvalues()[nulls] <= dependent * largest) ++nulls;
  return of_D.eigenvectors().leftCols(nulls);
}

// |r|/(mu_s N) of all that sticks, the rest 0; x becomes the forces as they are shared.
std::vector<double> StickSolver::shared_ratios() {
  std::vector<Index> S;
  std::vector<int> of;
  std::vector<double> c;
  std::vector<std::size_t> which;
  bool redundant = false;
  load_scale_ = std::max(x_.size() > 0 ? x_.cwiseAbs().maxCoeff() : 0,
                         lambda_.size() > 0 ? lambda_.cwiseAbs().maxCoeff() : 0);
  for (std::size_t e = 0; e < rubs_.size(); ++e) {
    const Rub& rub = rubs_[e];
    if (rub.part != Part::sticks) continue;
    for (Index j = rub.first; j < rub.first + rub.ways; ++j) {
      S.push_back(j);
      of.push_back(static_cast<int>(c.size()));
      redundant = redundant || needed_[at(j)] == 0;
    }
    c.push_back(set_.element(rub.k).law.at_rest * std::max(load(rub, nullptr), 0.0));
    which.push_back(e);
  }
  const auto m = static_cast<Index>(S.size());
  if (redundant && m > 0) {
    Eigen::VectorXd r(m);
    for (Index i = 0; i < m; ++i) r[i] = x_[S[at(i)]];
    share_evenly(idle_forces(S), of, c, r);
    for (Index i = 0; i < m; ++i) x_[S[at(i)]] = r[i];
  }
  std::vector<double> ratios(rubs_.size(), 0.0);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const double r = force(rubs_[which[i]]).norm();
    const bool loaded = c[i] > no_load * load_scale_;
    ratios[which[i]] = loaded ? r / c[i] : r > no_load * load_scale_ ? INFINITY : 0;
  }
  return ratios;
}

// One round of changes; false: all agree.
bool StickSolver::change_parts() {
  const std::vector<double> ratios = shared_ratios();
  double most = 0;
  for (const double r : ratios) most = std::max(most, r);
  if (most > allowed_) {
    for (std::size_t e = 0; e < rubs_.size(); ++e) {
      Rub& rub = rubs_[e];
      if (rub.part != Part::sticks || !(ratios[e] >= most * (1 - beyond))) continue;
      rub.part = Part::begins;
      rub.w = -force(rub).normalized();
    }
    return true;
  }
  bool changed = false;
  for (Rub& rub : rubs_) {
    if (rub.part != Part::begins) continue;
    const Vec<3> a = rise(rub);
    double lift = 0;  // what a is the difference of
    for (Index c = rub.first; c < rub.first + rub.ways; ++c)
      lift = std::max(lift, std::abs(b_[c]) + D_.row(c).cwiseAbs().dot(x_.cwiseAbs()));
    if (a.dot(rub.w) < -backwards * lift) {
      rub.part = Part::sticks;
      ++rub.returns;
      allowed_ = 1 + beyond;
      return true;
    }
    if (rub.ways == 1 || a.norm() <= 1e-6 * lift) continue;
    const Vec<3> along = a.normalized();
    changed = changed || (along - rub.w).norm() > same_direction;
    rub.w = (rub.w + along).norm() > 0.1 ? Vec<3>((rub.w + along).normalized()) : along;
  }
  return changed;
}

StickSolver::Answer StickSolver::blamed(Answer::Kind kind) const {
  Answer answer;
  answer.kind = kind;
  for (const Rub& rub : rubs_)
    if (answer.friction < 0 || rub.returns > 0) answer.friction = rub.k;
  return answer;
}

// Whether what the loads of joints made of the forces is still what the limits were chosen for. Where
// a limit is about to open, round-off must not decide for ever.
bool StickSolver::limits_agree(int pass) const {
  const double off = pass < most_passes / 2 ? at_rest : 1e-6;
  const double most = x_.size() > 0 ? x_.cwiseAbs().maxCoeff() : 0;
  for (Index c = 0; c < limits_; ++c) {
    const double lift = std::abs(b_[c]) + D_.row(c).cwiseAbs().dot(x_.cwiseAbs());
    if (x_[c] < -off * most) return false;
    if (may_carry_[at(c)] != 0 && kept_[at(c)] == 0 && rests_[at(c)] == 0 &&
        D_.row(c).dot(x_) + b_[c] < -off * lift)
      return false;
  }
  return true;
}

// A compliant contact pushes, or is just closing.
bool StickSolver::presses(int k, const State& state, Workspace& w) const {
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  if (system_.friction_load(k, here, {}, w) > 0) return true;
  const auto& limit = system_.limits()[at(system_.contacts()[at(contact_of_[at(k)])].first_limit)];
  std::vector<double> rates(w.phi.size());
  system_.equations().phi(here.config(), w.phi);
  system_.equations().phi_q(here.config(), w.packed);
  system_.equations().multiply(w.packed, state.v, rates);
  return limit.sign * w.phi[at(limit.row)] <= at_rest * system_.length() &&
         limit.sign * rates[at(limit.row)] < 0;
}

// ---- all together

StickSolver::Answer StickSolver::decide(MotionSolver& joints,
                                        State& state,
                                        const std::vector<int>& closed,
                                        const std::vector<int>& opening,
                                        const std::vector<Role>& roles) {
  for (const int c : closed) state.mode[at(c)] = open_limit;
  system_.use(state, joints.work());
  limits_ = static_cast<Index>(closed.size());
  rubs_.clear();
  system_.rotations(state.q, joints.work());
  system_.evaluate_requests(state.t, state.q, state.v, joints.work());
  for (int k = 0; k < set_.count(); ++k) {
    Rub rub;
    rub.k = k;
    if (const int contact = contact_of_[at(k)]; contact >= 0) {
      const auto& info = system_.contacts()[at(contact)];
      const auto found = std::find(closed.begin(), closed.end(), info.first_limit);
      if (info.hard ? found == closed.end() : !presses(k, state, joints.work())) continue;
      if (info.hard) rub.limit = static_cast<int>(found - closed.begin());
    }
    rubs_.push_back(rub);
  }
  const bool releases = std::find(roles.begin(), roles.end(), Role::released) != roles.end();
  const double allowed = releases ? 1 - beyond : 1 + beyond;
  gather(state, joints.work(), roles);
  if (!respond(joints, state, closed)) return {Answer::Kind::none, -1, -1};
  std::vector<char> may(at(limits_), 1);
  for (Index c = 0; c < limits_; ++c)
    if (std::find(opening.begin(), opening.end(), closed[at(c)]) != opening.end()) may[at(c)] = 0;
  kept_.assign(at(limits_), 0);
  x_.setZero(D_.rows());
  update_multipliers();
  const std::vector<Rub> at_first = rubs_;
  Answer answer;
  int tried = 0;
  std::vector<Index> carried;  // until now: as long as they can, they go on
  for (const Rub& rub : rubs_)
    if (rub.limit >= 0 && system_.sliding(rub.k, state.mode, state.slide).mode != Sliding::open)
      carried.push_back(rub.limit);
  std::sort(carried.begin(), carried.end());
  std::vector<std::vector<Index>> lists = carriers(may);
  if (const auto same = std::find(lists.begin(), lists.end(), carried); same != lists.end())
    std::rotate(lists.begin(), same, same + 1);
  for (const std::vector<Index>& list : lists) {
    const Answer found = settle(list, closed, at_first, allowed, releases);
    if (tried == 0 || found.kind == Answer::Kind::found) answer = found;
    if (found.kind == Answer::Kind::found || ++tried == most_carriers) break;
  }
  if (answer.kind == Answer::Kind::found) write(state, closed);
  return answer;
}

// With these limits carrying alone. The others must be unable to open into what they close.
StickSolver::Answer StickSolver::settle(const std::vector<Index>& list,
                                        const std::vector<int>& closed,
                                        const std::vector<Rub>& at_first,
                                        double allowed,
                                        bool releases) {
  may_carry_.assign(at(limits_), 0);
  for (const Index k : list) may_carry_[at(k)] = 1;
  std::vector<Rub> rubs = at_first;
  for (Rub& rub : rubs)
    if (rub.limit >= 0 && may_carry_[at(rub.limit)] == 0) rub.part = Part::open;
  rubs_ = rubs;
  allowed_ = allowed;
  x_.setZero();
  update_multipliers();
  Answer answer = search(closed);
  if (answer.kind == Answer::Kind::unsettled) {
    const std::vector<Rub> searched = std::exchange(rubs_, rubs);
    if (settle_by_cones(closed, releases))
      answer = {};
    else
      rubs_ = searched;
  }
  if (answer.kind != Answer::Kind::found) return answer;
  for (Index k = 0; k < limits_; ++k) {
    const double lift = std::abs(b_[k]) + D_.row(k).cwiseAbs().dot(x_.cwiseAbs());
    if (may_carry_[at(k)] == 0 && D_.row(k).dot(x_) + b_[k] < -hardly_presses * lift)
      return blamed(Answer::Kind::unsettled);
  }
  return answer;
}

// From what sticks, one change after the other.
StickSolver::Answer StickSolver::search(const std::vector<int>& closed) {
  int turned = 0;  // directions alone
  for (int change = 0; change < most_changes; ++change) {
    bool solved = false;
    for (int pass = 0; pass < most_passes && !solved; ++pass) {
      if (const Answer limits = choose_limits(closed); limits.kind != Answer::Kind::found)
        return limits;
      if (!solve_forces()) return blamed(Answer::Kind::unsettled);
      solved = limits_agree(pass);
    }
    if (!solved) return blamed(Answer::Kind::unsettled);
    if (!positive_) return blamed(Answer::Kind::several);
    const std::vector<Rub> before = rubs_;
    if (!change_parts()) return {};
    const bool same =
        std::equal(rubs_.begin(), rubs_.end(), before.begin(), [](const Rub& a, const Rub& b) {
          return a.part == b.part;
        });
    turned = same ? turned + 1 : 0;
    if (turned > most_turns) return blamed(Answer::Kind::unsettled);
    for (const Rub& rub : rubs_)
      if (rub.returns > most_returns) return blamed(Answer::Kind::unsettled);
  }
  return blamed(Answer::Kind::unsettled);
}

void StickSolver::write(State& state, const std::vector<int>& closed) {
  for (Index c = 0; c < limits_; ++c)
    state.mode[at(closed[at(c)])] = kept_[at(c)] != 0    ? kept_limit
                                    : rests_[at(c)] != 0 ? resting_limit
                                                         : open_limit;
  const std::size_t first = system_.friction_modes();
  for (int k = 0; k < set_.count(); ++k) {
    if (!set_.element(k).law.sticks()) continue;
    state.mode[first + at(k)] = Sliding::open;
    for (std::size_t c = 0; c < 3; ++c) state.slide[3 * at(k) + c] = 0;
  }
  for (const Rub& rub : rubs_) {
    if (!set_.element(rub.k).law.sticks()) continue;
    if (rub.limit >= 0 && kept_[at(rub.limit)] == 0) continue;
    int& mode = state.mode[first + at(rub.k)];
    const bool loaded = load(rub, nullptr) > no_load * load_scale_;
    mode = Sliding::slides;
    if (rub.part == Part::sticks && (loaded || rub.limit >= 0)) {
      mode = Sliding::sticks;
      for (int c = 0; c < rub.ways; ++c)
        if (loaded && needed_[at(rub.first + c)] != 0) mode += 1 << c;
    } else if (rub.part != Part::sticks) {
      for (std::size_t c = 0; c < 3; ++c)
        state.slide[3 * at(rub.k) + c] =
            (rub.part == Part::begins ? just_begun : 1) * rub.w[static_cast<Index>(c)];
    }
  }
}

// ---- between events

void StickSolver::margins(MotionSolver& joints, const State& state, std::vector<double>& out) {
  out.assign(at(set_.count()), 1.0);
  Workspace& w = joints.work();
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  rubs_.clear();
  std::vector<int> closed;
  for (std::size_t l = 0; l < system_.limits().size(); ++l)
    if (state.mode[l] == kept_limit) closed.push_back(static_cast<int>(l));
  limits_ = static_cast<Index>(closed.size());
  kept_.assign(closed.size(), 1);
  int place = static_cast<int>(limits_);
  bool redundant = false;
  std::vector<double> c;
  std::vector<int> of;
  for (int k = 0; k < set_.count(); ++k) {
    const Sliding sliding = system_.sliding(k, state.mode, state.slide);
    if (!sliding.holds()) continue;
    Rub rub;
    rub.k = k;
    rub.first = place;
    rub.ways = set_.ways(k);
    place += rub.ways;
    rubs_.push_back(rub);
    c.push_back(set_.element(k).law.at_rest *
                std::max(system_.friction_load(k, here, state.lambda, w), 0.0));
    for (int i = 0; i < rub.ways; ++i) {
      of.push_back(static_cast<int>(c.size()) - 1);
      redundant = redundant || !sliding.keeps(i);
    }
  }
  if (rubs_.empty()) return;
  Eigen::VectorXd r(place - limits_);
  std::vector<Index> S;
  for (const Rub& rub : rubs_)
    for (int i = 0; i < rub.ways; ++i) {
      S.push_back(rub.first + i);
      r[rub.first + i - limits_] = -state.lambda[at(set_.element(rub.k).stick_row + i)];
    }
  if (redundant) {
    system_.use(state, w);
    if (respond(joints, state, closed)) share_evenly(idle_forces(S), of, c, r);
  }
  const double most = *std::max_element(c.begin(), c.end());
  for (std::size_t e = 0; e < rubs_.size(); ++e)
    out[at(rubs_[e].k)] = c[e] * (1 + 0.5 * beyond) + (redundant ? shared_noise * most : 0) -
                          r.segment(rubs_[e].first - limits_, rubs_[e].ways).norm();
}

}  // namespace cardan
