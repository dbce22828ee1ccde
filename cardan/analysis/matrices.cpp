#include "cardan/analysis/matrices.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr int most_unknowns = 3000;
constexpr int most_for_condition = 600;

Eigen::MatrixXd column_of(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Eigen::MatrixXd mass_matrix(const System& system, const State& state) {
  const int n = system.v_size();
  Eigen::MatrixXd M(n, n);
  std::vector<double> unit(static_cast<std::size_t>(n), 0.0), out(unit);
  for (int k = 0; k < n; ++k) {
    unit[static_cast<std::size_t>(k)] = 1;
    std::fill(out.begin(), out.end(), 0.0);
    system.multiply_mass(state.t, state.q, unit, out);
    M.col(k) = column_of(out);
    unit[static_cast<std::size_t>(k)] = 0;
  }
  return M;
}

Eigen::MatrixXd active_rows(const Eigen::MatrixXd& J, const std::vector<char>& active) {
  const auto count = std::count_if(active.begin(), active.end(), [](char c) { return c != 0; });
  Eigen::MatrixXd out(count, J.cols());
  Eigen::Index to = 0;
  for (std::size_t r = 0; r < active.size(); ++r)
    if (active[r] != 0) out.row(to++) = J.row(static_cast<Eigen::Index>(r));
  return out;
}

double condition_of(const Eigen::MatrixXd& A) {
  if (A.rows() == 0 || A.rows() > most_for_condition) return std::nan("");
  const Eigen::VectorXd s = Eigen::BDCSVD<Eigen::MatrixXd>(A).singularValues();
  return s[s.size() - 1] > 0 ? s[0] / s[s.size() - 1] : std::numeric_limits<double>::infinity();
}

struct Reduction {
  std::vector<int> dependent, rows;  // columns of u and rows of phi_q, in the order of the pivots
  Eigen::MatrixXd U, R, H, M;
  Eigen::VectorXd Q;
};

// Nothing where the dependent columns cannot be solved for.
std::optional<Reduction> reduce(const Eigen::MatrixXd& M,
                                const Eigen::MatrixXd& phi_q,
                                const Eigen::VectorXd& Q,
                                const Eigen::VectorXd& gamma,
                                const std::vector<int>& independent) {
  constexpr double solvable = 1e-8;  // smallest pivot, of the largest
  const Eigen::Index n = phi_q.cols(), m = phi_q.rows(),
                     f = static_cast<Eigen::Index>(independent.size());
  if (m + f != n) return {};
  std::vector<int> others;
  for (int k = 0; k < n; ++k)
    if (std::find(independent.begin(), independent.end(), k) == independent.end())
      others.push_back(k);
  Reduction out;
  const Eigen::MatrixXd phi_v = phi_q(Eigen::all, independent);
  Eigen::MatrixXd X = Eigen::MatrixXd::Zero(n, f);
  for (Eigen::Index j = 0; j < f; ++j) X(independent[static_cast<std::size_t>(j)], j) = 1;
  Eigen::VectorXd bent = Eigen::VectorXd::Zero(n);
  if (m > 0) {
    Eigen::FullPivLU<Eigen::MatrixXd> lu(phi_q(Eigen::all, others));
    lu.setThreshold(solvable);
    if (!lu.isInvertible()) return {};
    const Eigen::VectorXd pivots = lu.matrixLU().diagonal();
    const Eigen::MatrixXd upper = lu.matrixLU().triangularView<Eigen::Upper>();
    out.U = pivots.cwiseInverse().asDiagonal() * upper;
    out.R = lu.permutationP() * phi_v;
    lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(out.R);
    out.R = (pivots.cwiseInverse().asDiagonal() * out.R).eval();
    out.H = -out.U.triangularView<Eigen::UnitUpper>().solve(out.R);
    const Eigen::VectorXd alpha = lu.solve(gamma);
    std::vector<int> numbers(static_cast<std::size_t>(m));
    for (int k = 0; k < m; ++k)
      numbers[static_cast<std::size_t>(lu.permutationP().indices()[k])] = k;
    out.rows = numbers;
    for (Eigen::Index k = 0; k < m; ++k) {
      const Eigen::Index from = lu.permutationQ().indices()[k];
      out.dependent.push_back(others[static_cast<std::size_t>(from)]);
      X.row(out.dependent.back()) = out.H.row(k);
      bent[out.dependent.back()] = alpha[from];
    }
  }
  out.M = X.transpose() * M * X;
  out.Q = X.transpose() * (Q - M * bent);
  return out;
}

}  // namespace

const NamedMatrix* MechanismMatrices::find(std::string_view name) const {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& m) { return m.name == name; });
  return found == list.end() ? nullptr : &*found;
}

Result<std::unique_ptr<MechanismMatrices>> matrices_of(const System& system,
                                                       const Mobility& mobility,
                                                       const State& state,
                                                       std::vector<int> independent) {
  const int n = system.v_size(), m = system.joint_rows();
  if (n + m > most_unknowns) {
    Diagnostic d = fault_at("limit.elements", fmt::format("{} unknowns", n + m));
    d.expected = fmt::format("at most {} for matrices that are written out", most_unknowns);
    return d;
  }
  auto out = std::make_unique<MechanismMatrices>();
  MechanismMatrices& x = *out;
  x.t = state.t;
  x.one = {"value"};
  x.active.assign(mobility.active.begin(), mobility.active.begin() + m);
  for (int k = 0; k < n; ++k) x.coordinates.push_back(system.coordinate_label(k));
  for (int k = 0; k < system.layout().q_size(); ++k)
    x.positions.push_back(system.position_label(k));
  for (int r = 0; r < m; ++r) x.equations.push_back(system.equation_label(r));
  x.unknowns = x.coordinates;
  x.unknowns.insert(x.unknowns.end(), x.equations.begin(), x.equations.end());

  Workspace w = system.workspace();
  system.use(state, w);
  system.rotations(state.q, w);
  const Config here = system.config(state.t, state.q, w);
  const Equations& equations = system.equations();
  equations.phi(here, w.phi);
  equations.phi_q(here, w.packed);
  equations.nu(here, w.nu);
  equations.gamma(system.motion(state.t, state.q, state.v, w), w.gamma);
  system.evaluate_forces(state.t, state.q, state.v, w);
  const Eigen::MatrixXd M = mass_matrix(system, state), J = equations.dense(w.packed).topRows(m);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = M;
  K.bottomLeftCorner(m, n) = J;
  K.topRightCorner(n, m) = J.transpose();
  const Eigen::MatrixXd kept = active_rows(J, x.active);
  Eigen::MatrixXd small = Eigen::MatrixXd::Zero(n + kept.rows(), n + kept.rows());
  small.topLeftCorner(n, n) = M;
  small.bottomLeftCorner(kept.rows(), n) = kept;
  small.topRightCorner(n, kept.rows()) = kept.transpose();
  x.condition = condition_of(small);
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(J);
  x.rank = static_cast<int>(lu.rank());
  const Eigen::MatrixXd null =
      x.rank == n
          ? Eigen::MatrixXd(n, 0)
          : Eigen::MatrixXd(Eigen::HouseholderQR<Eigen::MatrixXd>(lu.kernel()).householderQ() *
                            Eigen::MatrixXd::Identity(n, n - x.rank));
  for (Eigen::Index k = 0; k < null.cols(); ++k) x.free.push_back(fmt::format("motion {}", k + 1));

  const auto add = [&](const char* name,
                       const char* meaning,
                       Eigen::MatrixXd values,
                       const std::vector<std::string>& rows,
                       const std::vector<std::string>& columns) {
    x.list.push_back({name, meaning, std::move(values), &rows, &columns});
  };
  const auto joints = [&](const std::vector<double>& all) {
    return column_of(all).topRows(m).eval();
  };
  add("M", "mass matrix", M, x.coordinates, x.coordinates);
  add("phi", "residuals of the constraints", joints(w.phi), x.equations, x.one);
  add("phi_q", "Jacobian of the constraints", J, x.equations, x.coordinates);
  add("nu", "right side of the velocity equations", joints(w.nu), x.equations, x.one);
  add("gamma", "right side of the acceleration equations", joints(w.gamma), x.equations, x.one);
  add("Q", "applied and gyroscopic forces without friction", column_of(w.Q), x.coordinates, x.one);
  add("q", "positions", column_of(state.q).topRows(system.layout().q_size()), x.positions, x.one);
  add("v", "velocities", column_of(state.v), x.coordinates, x.one);
  add("a", "accelerations", column_of(state.a), x.coordinates, x.one);
  add("lambda", "multipliers", joints(state.lambda), x.equations, x.one);
  add("KKT", "saddle-point matrix [M phi_q^T; phi_q 0]", K, x.unknowns, x.unknowns);
  add("null_space", "orthonormal motions that the constraints allow", null, x.coordinates, x.free);
  const bool wanted = !independent.empty();
  if (!wanted) independent = mobility.free_columns;
  const Eigen::VectorXd gamma = joints(w.gamma), kept_gamma = active_rows(gamma, x.active);
  auto reduced = reduce(M, kept, column_of(w.Q), kept_gamma, independent);
  if (!reduced && wanted) {
    Diagnostic d = fault_at("model.bad-value",
                            "independent coordinates from which the others do not follow here",
                            state.t);
    for (const std::string& name : mobility.free_coordinates)
      d.expected += (d.expected.empty() ? "such as: " : ", ") + name;
    return d;
  }
  if (!reduced) {  // elimination with full pivoting finds others
    independent = independent_coordinates(kept);
    reduced = reduce(M, kept, column_of(w.Q), kept_gamma, independent);
  }
  if (!reduced) return out;
  std::vector<int> kept_rows;
  for (int r = 0; r < m; ++r)
    if (x.active[static_cast<std::size_t>(r)] != 0) kept_rows.push_back(r);
  for (const int k : independent) x.independent.push_back(system.coordinate_label(k));
  for (const int k : reduced->dependent) x.dependent.push_back(system.coordinate_label(k));
  for (const int r : reduced->rows)
    x.eliminated.push_back(system.equation_label(kept_rows[static_cast<std::size_t>(r)]));
  add("U", "U du + R dv = 0, of dependent coordinates", reduced->U, x.eliminated, x.dependent);
  add("R", "U du + R dv = 0, of independent coordinates", reduced->R, x.eliminated, x.independent);
  add("H", "du = H dv", reduced->H, x.dependent, x.independent);
  add("M_v", "reduced mass matrix: M_v a_v = Q_v", reduced->M, x.independent, x.independent);
  add("Q_v", "reduced forces", reduced->Q, x.independent, x.one);
  return out;
}

}  // namespace cardan
