#include "cardan/formulation/explicit/partition.h"

#include <algorithm>
#include <random>

#include "cardan/math/dense.h"

namespace cardan {

Eigen::MatrixXd active_jacobian(const System& system,
                                const std::vector<char>& active,
                                double t,
                                CView q) {
  Workspace work = system.workspace();
  system.rotations(q, work);
  system.equations().phi_q(system.config(t, q, work), work.packed);
  const Eigen::MatrixXd all = system.equations().dense(work.packed);
  Eigen::MatrixXd kept(std::count(active.begin(), active.end(), 1), all.cols());
  Eigen::Index row = 0;
  for (std::size_t r = 0; r < active.size(); ++r)
    if (active[r] != 0) kept.row(row++) = all.row(static_cast<Eigen::Index>(r));
  return kept;
}

std::vector<int> independent_coordinates(const Eigen::MatrixXd& phi_q) {
  const Eigen::Index m = phi_q.rows(), n = phi_q.cols();
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = k;
  if (m > 0) {
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(phi_q);
    for (Eigen::Index k = 0; k < n; ++k)
      order[static_cast<std::size_t>(k)] = lu.permutationQ().indices()[k];
  }
  std::vector<int> free(order.begin() + m, order.end());
  std::sort(free.begin(), free.end());
  return free;
}

Eigen::MatrixXd null_space_svd(const Eigen::MatrixXd& phi_q) {
  const Eigen::Index n = phi_q.cols(), freedoms = n - phi_q.rows();
  if (phi_q.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(phi_q, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(freedoms);
}

Eigen::MatrixXd null_space_qr(const Eigen::MatrixXd& phi_q) {
  const Eigen::Index n = phi_q.cols(), freedoms = n - phi_q.rows();
  if (phi_q.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(phi_q.transpose());
  Eigen::MatrixXd last = Eigen::MatrixXd::Zero(n, freedoms);
  last.bottomRows(freedoms).setIdentity();
  return qr.householderQ() * last;
}

Eigen::MatrixXd tangent_basis(MotionSolver& motion) {
  const auto& active = motion.active();
  const Eigen::Index n = motion.system().v_size();
  const Eigen::Index freedoms = n - std::count(active.begin(), active.end(), 1);
  if (freedoms == 0) return {n, 0};
  std::mt19937 random(1);  // the same vectors every time
  Eigen::MatrixXd basis(n, freedoms);
  for (Eigen::Index j = 0; j < freedoms; ++j) {
    for (Eigen::Index k = 0; k < n; ++k)
      basis(k, j) = static_cast<double>(random()) / static_cast<double>(random.max()) - 0.5;
    motion.project_increment({basis.col(j).data(), static_cast<std::size_t>(n)});
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(basis);
  return qr.householderQ() * Eigen::MatrixXd::Identity(n, freedoms);
}

}  // namespace cardan
