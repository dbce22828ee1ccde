// Rotations that move no mass and that nothing sees: the turning of a point mass about itself, of a
// slender bar about its own axis. No equation and no force depends on them, so they stay as they
// are drawn whatever inertia they are given; with one the mass matrix is regular.
//
// A rotation about n, fixed in the body with J n = 0, is such a one if phi_q and Q have no part
// along it in the drawn pose and in others around it.
#include <random>

#include "cardan/system/compiler.h"

namespace cardan {

namespace {

constexpr double no_inertia = 1e-14;  // of the largest, or of m l^2
constexpr double no_part = 1e-12;     // of what stands in an equation or acts as a torque
constexpr int poses = 4;

struct FreeTurn {
  int body;
  Eigen::VectorXd n;  // among the velocities of the body
  bool unseen = true;
};

// Directions without inertia.
std::vector<FreeTurn> turns_without_inertia(const System& system) {
  std::vector<FreeTurn> found;
  const int size = system.body_size(), lengths = system.dimension();
  for (int b = 0; b < system.body_count(); ++b) {
    const double least = no_inertia * system.bodies()[static_cast<std::size_t>(b)].mass *
                         system.length() * system.length();
    if (!(least > 0)) continue;
    Eigen::MatrixXd J(size - lengths, size - lengths);
    for (int r = lengths; r < size; ++r)
      for (int c = lengths; c < size; ++c) J(r - lengths, c - lengths) = system.mass().at(b, r, c);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(J);
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      if (axes.eigenvalues()[k] > std::max(least, no_inertia * axes.eigenvalues().maxCoeff()))
        continue;
      Eigen::VectorXd n = Eigen::VectorXd::Zero(size);
      n.tail(size - lengths) = axes.eigenvectors().col(k);
      found.push_back({b, n});
    }
  }
  return found;
}

// Marks those that an equation or a force at this motion sees.
void look(const System& system, const Workspace& work, std::vector<FreeTurn>& turns) {
  const int size = system.body_size();
  std::vector<std::vector<FreeTurn*>> of(static_cast<std::size_t>(system.body_count()));
  for (FreeTurn& turn : turns) of[static_cast<std::size_t>(turn.body)].push_back(&turn);
  for (const auto& block : system.equations().blocks())
    for (const auto& term : system.equations().terms(block))
      for (FreeTurn* turn : of[static_cast<std::size_t>(term.body)]) {
        const Eigen::Map<const Eigen::MatrixXd> part(
            work.packed.data() + term.offset, block.rows, size);
        if (!((part * turn->n).norm() <= no_part * part.norm())) turn->unseen = false;
      }
  for (FreeTurn& turn : turns) {
    const Eigen::Map<const Eigen::VectorXd> Q(work.Q.data() + system.layout().v(turn.body), size);
    if (!(std::abs(Q.dot(turn.n)) <= no_part * Q.norm() * system.length())) turn.unseen = false;
  }
}

}  // namespace

void Compiler::free_turns() {
  if (system_.mass_.regular()) return;
  std::vector<FreeTurn> turns = turns_without_inertia(system_);
  if (turns.empty()) return;
  const Layout& layout = system_.layout_;
  const State& given = system_.given_;
  for (FreeTurn& turn : turns)  // one that turns already is meant to
    for (int k = 0; k < body_size(); ++k)
      if (turn.n[k] * given.v[static_cast<std::size_t>(layout.v(turn.body) + k)] != 0)
        turn.unseen = false;

  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Workspace work = system_.workspace();
  std::vector<double> q = given.q, d(given.v.size(), 0.0), v(given.v.size());
  for (int pose = 0; pose < poses; ++pose) {
    system_.advance(given.q, d, q);
    for (double& x : d) x = uniform(random) * system_.length();  // of the next pose
    for (double& x : v) x = uniform(random);
    system_.rotations(q, work);
    system_.equations_.phi_q(system_.config(0, q, work), work.packed);
    system_.evaluate_forces(0, q, v, work);
    look(system_, work, turns);
  }

  MassMatrix whole(body_size());
  for (int b = 0; b < system_.body_count(); ++b) {
    Mat<3, 3> J = Mat<3, 3>::Zero();
    const int lengths = dimension_, size = body_size();
    const double mass = system_.mass_.at(b, 0, 0);
    for (int r = lengths; r < size; ++r)
      for (int c = lengths; c < size; ++c) J(r - lengths, c - lengths) = system_.mass_.at(b, r, c);
    for (const FreeTurn& turn : turns)
      if (turn.body == b && turn.unseen) {
        const Eigen::VectorXd n = turn.n.tail(size - lengths);
        J.topLeftCorner(size - lengths, size - lengths) +=
            mass * system_.length_ * system_.length_ * n * n.transpose();
      }
    if (dimension_ == 2)
      whole.add_planar(mass, J(0, 0));
    else
      whole.add_spatial(mass, J);
  }
  system_.mass_ = std::move(whole);
}

}  // namespace cardan
