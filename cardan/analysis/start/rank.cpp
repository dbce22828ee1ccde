#include "cardan/analysis/start/rank.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"
#include "cardan/system/schur_assembly.h"

namespace cardan {

namespace {

constexpr int most_dense_rows = 400;  // rows up to which the Jacobian is analysed as a dense matrix
constexpr double rank_tolerance = 1e-9;    // relative singular value that counts as zero
constexpr double schur_tolerance = 1e-12;  // the same for S, whose pivots are squares
constexpr double part_of_set = 1e-6;       // smallest coefficient of a row in a dependent set
constexpr int most_sets = 200;

std::vector<double> scaled_packed(const System& system,
                                  const Equations& equations,
                                  double t,
                                  CView q) {
  Workspace work = system.workspace();
  std::vector<double> packed(static_cast<std::size_t>(equations.packed_size()));
  system.rotations(q, work);
  equations.phi_q(system.config(t, q, work), packed);
  std::vector<double> factors = row_norms(equations, system.metric(), packed);
  for (double& x : factors) x = x > 1e-12 ? 1 / x : 0;
  equations.scale_rows(factors, packed);
  return packed;
}

RankAnalysis dense_rank(const Eigen::MatrixXd& J, const std::vector<char>& wanted, bool with_sets) {
  RankAnalysis out;
  std::vector<int> rows;
  for (int r = 0; r < J.rows(); ++r)
    if (wanted[static_cast<std::size_t>(r)] != 0) rows.push_back(r);
  if (rows.empty()) return out;
  Eigen::MatrixXd transposed(J.cols(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    transposed.col(static_cast<Eigen::Index>(k)) = J.row(rows[k]).transpose();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(transposed);
  qr.setThreshold(rank_tolerance);
  out.rank = static_cast<int>(qr.rank());
  const auto& pivots = qr.colsPermutation().indices();
  const auto R =
      qr.matrixR().topLeftCorner(out.rank, out.rank).template triangularView<Eigen::Upper>();
  for (Eigen::Index k = out.rank; k < static_cast<Eigen::Index>(rows.size()); ++k) {
    const int row = rows[static_cast<std::size_t>(pivots[k])];
    out.dependent.push_back(row);
    out.sets.push_back({row});
    if (!with_sets) continue;
    const Eigen::VectorXd c = R.solve(qr.matrixR().col(k).head(out.rank));
    for (int i = 0; i < out.rank; ++i)
      if (std::abs(c[i]) > part_of_set)
        out.sets.back().push_back(rows[static_cast<std::size_t>(pivots[i])]);
  }
  if (out.rank > 0 && with_sets) {
    Eigen::MatrixXd independent(out.rank, J.cols());
    for (int i = 0; i < out.rank; ++i)
      independent.row(i) = J.row(rows[static_cast<std::size_t>(pivots[i])]);
    out.smallest = Eigen::BDCSVD<Eigen::MatrixXd>(independent).singularValues().tail(1)[0];
  }
  return out;
}

// Smallest eigenvalue of S by inverse iteration with the factor at hand.
double smallest_singular_value(const SchurMatrix& S, const std::vector<char>& active) {
  std::vector<double> x(active.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = active[i] != 0 ? 1 + 0.3 * elementary::sin(1.0 + static_cast<double>(i)) : 0.0;
  double norm = 0;
  for (int it = 0; it < 12; ++it) {
    as_vector(View(x)) /= as_vector(CView(x)).norm();
    S.solve(x);
    norm = as_vector(CView(x)).norm();
  }
  return norm > 0 ? 1 / std::sqrt(norm) : 1;
}

RankAnalysis sparse_rank(const System& system,
                         const Equations& equations,
                         std::vector<double> packed,
                         const std::vector<char>& wanted,
                         bool with_sets) {
  RankAnalysis out;
  const bool assembling = &equations == &system.assembly_equations();
  SchurMatrix S(
      assembling ? system.assembly_plan() : system.schur_plan(), equations, system.metric());
  S.activate(wanted);
  S.factor(packed, 0, schur_tolerance);
  std::vector<char> independent = wanted;
  for (int r = 0; r < equations.rows(); ++r) {
    if (wanted[static_cast<std::size_t>(r)] == 0) continue;
    if (S.skipped(r)) {
      out.dependent.push_back(r);
      independent[static_cast<std::size_t>(r)] = 0;
    } else {
      ++out.rank;
    }
  }
  for (const int row : out.dependent) out.sets.push_back({row});
  if (!with_sets) return out;
  S.activate(independent);
  S.factor(packed, 0, schur_tolerance);
  std::vector<double> unit(static_cast<std::size_t>(equations.rows()), 0.0), c = unit;
  std::vector<double> x(static_cast<std::size_t>(system.v_size()));
  for (std::size_t k = 0; k < std::min<std::size_t>(out.dependent.size(), most_sets); ++k) {
    std::fill(unit.begin(), unit.end(), 0.0);
    std::fill(x.begin(), x.end(), 0.0);
    unit[static_cast<std::size_t>(out.dependent[k])] = 1;
    equations.add_transposed(packed, unit, 1.0, x);
    system.metric().solve(x);
    equations.multiply(packed, x, c);
    S.solve(c);
    for (int r = 0; r < equations.rows(); ++r)
      if (independent[static_cast<std::size_t>(r)] != 0 &&
          std::abs(c[static_cast<std::size_t>(r)]) > part_of_set)
        out.sets[k].push_back(r);
  }
  out.smallest = smallest_singular_value(S, independent);
  return out;
}

}  // namespace

Eigen::MatrixXd scaled_jacobian(const System& system,
                                const Equations& equations,
                                double t,
                                CView q,
                                const std::vector<char>& wanted) {
  std::vector<double> packed = scaled_packed(system, equations, t, q);
  std::vector<double> weighted(packed.size());
  for (const auto& block : equations.blocks())
    for (const auto& term : equations.terms(block))
      system.metric().weigh(
          term.body, block.rows, packed.data() + term.offset, weighted.data() + term.offset);
  Eigen::MatrixXd J = equations.dense(weighted);
  for (Eigen::Index r = 0; r < J.rows(); ++r)
    if (wanted[static_cast<std::size_t>(r)] == 0) J.row(r).setZero();
  return J;
}

RankAnalysis analyse_rank(const System& system,
                          const Equations& equations,
                          double t,
                          CView q,
                          const std::vector<char>& wanted,
                          bool with_sets) {
  if (equations.rows() <= most_dense_rows)
    return dense_rank(scaled_jacobian(system, equations, t, q, wanted), wanted, with_sets);
  return sparse_rank(system, equations, scaled_packed(system, equations, t, q), wanted, with_sets);
}

}  // namespace cardan
