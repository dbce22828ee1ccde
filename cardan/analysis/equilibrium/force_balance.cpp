#include "cardan/analysis/equilibrium/force_balance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double shortest_length = 1e-14;  // relative to the mechanism's size
constexpr double symmetric = 1e-9;         // relative: forces that have a potential
constexpr double work_tolerance = 1e-13;   // relative: of the integral along a path

Mat<3, 3> tilde(const Vec<3>& x) {
  Mat<3, 3> out;
  out << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return out;
}

// Both triangles of diag(s)^-1 X diag(s)^-1.
SparseMatrix scaled(const SparseMatrix& X,
                    const Eigen::VectorXd& rows,
                    const Eigen::VectorXd& columns) {
  return rows.asDiagonal() * X * columns.asDiagonal();
}

// Integral of f over [0, 1]: Gauss's rule with six points, intervals halved until it agrees with
// the sum of its halves.
double work_integral(
    const std::function<double(double)>& f, double from, double to, double size, int depth) {
  static constexpr double x[] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
  static constexpr double w[] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
  const auto rule = [&](double a, double b) {
    const double middle = (a + b) / 2, half = (b - a) / 2;
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += w[k] * (f(middle - half * x[k]) + f(middle + half * x[k]));
    return half * sum;
  };
  const double middle = (from + to) / 2;
  const double whole = rule(from, to), halves = rule(from, middle) + rule(middle, to);
  if (depth == 0 || !(std::abs(halves - whole) > work_tolerance * (size + std::abs(halves))))
    return halves;
  return work_integral(f, from, middle, size, depth - 1) +
         work_integral(f, middle, to, size, depth - 1);
}

}  // namespace

ForceBalance::ForceBalance(const System& system, const Mobility& mobility, const State& state)
    : system_(system),
      state_(state),
      t_(state.t),
      n_(system.v_size()),
      length_(system.length()),
      active_(mobility.active),
      scale_(n_),
      work_(system.workspace()),
      linear_(system, mobility.active) {
  for (int r = 0; r < system.equations().rows(); ++r)
    if (active_[static_cast<std::size_t>(r)] != 0) rows_.push_back(r);
  for (int k = 0; k < n_; ++k) scale_[k] = system.layout().turns(k) ? length_ : 1;
  row_scale_.resize(equations());
  for (int r = 0; r < equations(); ++r)
    row_scale_[r] =
        system.unit_kind(rows_[static_cast<std::size_t>(r)]) == UnitKind::angle ? length_ : 1;
  // Conditions of formulas answer by their operands, limits are open.
  state_.mode.assign(system.mode_size(), 0);
  find_groups();
  twist_.resize(static_cast<std::size_t>(*std::max_element(group_.begin(), group_.end()) + 1));
  system_.use(state_, work_);
  evaluate(state.q);
  linearise(state.q, Vector::Zero(equations()));
}

// ---- the motion

void ForceBalance::find_groups() {
  const int bodies = system_.body_count();
  group_.resize(static_cast<std::size_t>(std::max(1, bodies)));
  std::iota(group_.begin(), group_.end(), 0);
  const std::function<int(int)> root = [&](int b) {
    const int up = group_[static_cast<std::size_t>(b)];
    return up == b ? b : root(up);
  };
  const auto join = [&](const auto& pool) {
    for (int e = 0; e < pool.count(); ++e)
      for (int s = 1; s < pool.sides(); ++s)
        if (pool.body(e, 0) >= 0 && pool.body(e, s) >= 0)
          group_[static_cast<std::size_t>(root(pool.body(e, s)))] = root(pool.body(e, 0));
  };
  for (const ConstraintPool* pool : system_.equations().pools()) join(*pool);
  for (int p = 0; p < system_.force_set().pool_count(); ++p) join(system_.force_set().pool(p));
  for (int b = 0; b < bodies; ++b) group_[static_cast<std::size_t>(b)] = root(b);
}

Vec<3> ForceBalance::position(CView q, int body) const {
  const double* r = q.data() + system_.layout().q(body);
  return {r[0], r[1], system_.space() == Space::planar ? 0 : r[2]};
}

Mat<3, 3> ForceBalance::turn(CView q, int body) const {
  const Eigen::Quaterniond e(q[static_cast<std::size_t>(system_.layout().q_rotation(body))],
                             q[static_cast<std::size_t>(system_.layout().q_rotation(body)) + 1],
                             q[static_cast<std::size_t>(system_.layout().q_rotation(body)) + 2],
                             q[static_cast<std::size_t>(system_.layout().q_rotation(body)) + 3]);
  return e.normalized().toRotationMatrix();
}

void ForceBalance::put_twist(const Twist& twist, CView q, int body, double* v) const {
  const Vec<3> r = position(q, body), along = twist.c + twist.w.cross(r);
  v[0] = along[0];
  v[1] = along[1];
  if (system_.space() == Space::planar) {
    v[2] = twist.w[2];
    return;
  }
  v[2] = along[2];
  const Vec<3> omega = turn(q, body).transpose() * twist.w;
  std::copy_n(omega.data(), 3, v + 3);
}

double ForceBalance::find_twists(CView q) {
  const bool planar = system_.space() == Space::planar;
  const int each = planar ? 3 : 6, bodies = system_.body_count();
  std::vector<int> groups(group_);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  evaluate(q);
  const Matrix J = jacobian();
  Vector nu(equations());
  system_.equations().nu(system_.config(t_, q, work_), work_.nu);
  for (int r = 0; r < equations(); ++r)
    nu[r] = work_.nu[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] * row_scale_[r];
  twist_.assign(twist_.size(), {});
  moves_ = false;
  if (equations() == 0 || nu.isZero(0)) return 0;
  Matrix fields = Matrix::Zero(n_, each * static_cast<Eigen::Index>(groups.size()));
  std::vector<double> v(6);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (int k = 0; k < each; ++k) {
      Twist unit;
      if (planar)
        (k < 2 ? unit.c[k] : unit.w[2]) = k < 2 ? 1 : 1 / length_;
      else
        (k < 3 ? unit.c[k] : unit.w[k - 3]) = k < 3 ? 1 : 1 / length_;
      for (int b = 0; b < bodies; ++b) {
        if (group_[static_cast<std::size_t>(b)] != groups[g]) continue;
        put_twist(unit, q, b, v.data());
        for (int i = 0; i < each; ++i)
          fields(system_.layout().v(b) + i, static_cast<Eigen::Index>(g) * each + k) =
              v[static_cast<std::size_t>(i)] * scale_[system_.layout().v(b) + i];
      }
    }
  const Matrix A = J * fields;
  Eigen::BDCSVD<Matrix> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-10);
  const Vector x = svd.solve(nu);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Twist& twist = twist_[static_cast<std::size_t>(groups[g])];
    const auto part = x.segment(static_cast<Eigen::Index>(g) * each, each);
    if (planar) {
      twist.c.head<2>() = part.head(2);
      twist.w[2] = part[2] / length_;
    } else {
      twist.c = part.head(3);
      twist.w = part.tail(3) / length_;
    }
  }
  moves_ = true;
  return (A * x - nu).cwiseAbs().maxCoeff();
}

std::vector<double> ForceBalance::velocities(CView q) const {
  std::vector<double> v(static_cast<std::size_t>(n_), 0.0);
  if (moves_)
    for (int b = 0; b < system_.body_count(); ++b)
      put_twist(twist_[static_cast<std::size_t>(group_[static_cast<std::size_t>(b)])],
                q,
                b,
                v.data() + system_.layout().v(b));
  return v;
}

std::vector<double> ForceBalance::accelerations(CView q) const {
  std::vector<double> a(static_cast<std::size_t>(n_), 0.0);
  if (!moves_) return a;
  for (int b = 0; b < system_.body_count(); ++b) {
    const Twist& twist = twist_[static_cast<std::size_t>(group_[static_cast<std::size_t>(b)])];
    const Vec<3> along = twist.w.cross(twist.c + twist.w.cross(position(q, b)));
    std::copy_n(along.data(), system_.dimension(), a.data() + system_.layout().v(b));
  }
  return a;
}

// r <- R r + (s + (1 - cos)/|w|^2 w~ + (|w| s - sin)/|w|^3 w~ w~) c, with R = exp(s w~), in parts of
// at most one radian, so that turns are counted.
std::vector<double> ForceBalance::carried(CView q, double duration) const {
  double fastest = 0;
  for (const Twist& twist : twist_) fastest = std::max(fastest, twist.w.norm());
  const int parts = std::max(1, static_cast<int>(std::ceil(std::abs(duration) * fastest)));
  const double s = duration / parts;
  std::vector<double> out(q.begin(), q.end()), d(static_cast<std::size_t>(n_));
  for (int part = 0; part < parts; ++part) {
    for (int b = 0; b < system_.body_count(); ++b) {
      const Twist& twist = twist_[static_cast<std::size_t>(group_[static_cast<std::size_t>(b)])];
      const double w = twist.w.norm(), angle = w * s;
      const Mat<3, 3> W = tilde(twist.w);
      const double one = w > 0 ? elementary::sin(angle) / w : s,
                   two = w > 0 ? (1 - elementary::cos(angle)) / (w * w) : 0,
                   three = w > 0 ? (angle - elementary::sin(angle)) / (w * w * w) : 0;
      const Vec<3> r = position(out, b);
      const Vec<3> shift = one * W * r + two * W * (W * r) + s * twist.c + two * W * twist.c +
                           three * W * (W * twist.c);
      double* to = d.data() + system_.layout().v(b);
      put_twist(twist, out, b, to);
      for (int k = system_.dimension(); k < system_.body_size(); ++k) to[k] *= s;
      std::copy_n(shift.data(), system_.dimension(), to);
    }
    system_.advance(out, d, out);
  }
  return out;
}

// ---- in a pose

void ForceBalance::evaluate(CView q) {
  q_.assign(q.begin(), q.end());
  const std::vector<double> v = velocities(q), a = accelerations(q);
  std::vector<double> inertia(v.size(), 0.0);
  system_.rotations(q, work_);
  const Config here = system_.config(t_, q, work_);
  system_.equations().phi(here, work_.phi);
  system_.equations().phi_q(here, work_.packed);
  system_.evaluate_forces(t_, q, v, work_);
  if (moves_) system_.multiply_mass(t_, q, a, inertia);
  b_.resize(n_);
  for (int k = 0; k < n_; ++k)
    b_[k] =
        (inertia[static_cast<std::size_t>(k)] - work_.Q[static_cast<std::size_t>(k)]) / scale_[k];
  phi_.resize(equations());
  for (int r = 0; r < equations(); ++r)
    phi_[r] =
        work_.phi[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] * row_scale_[r];
  if (b_.allFinite() && n_ > 0) largest_force_ = std::max(largest_force_, b_.cwiseAbs().maxCoeff());
}

ForceBalance::Matrix ForceBalance::jacobian() const {
  const Matrix all = system_.equations().dense(work_.packed);
  Matrix J(equations(), n_);
  for (int r = 0; r < equations(); ++r)
    J.row(r) = row_scale_[r] *
               all.row(rows_[static_cast<std::size_t>(r)]).cwiseQuotient(scale_.transpose());
  return J;
}

ForceBalance::Vector ForceBalance::transposed(const Vector& lambda) const {
  const std::vector<double> full = multipliers(lambda);
  std::vector<double> out(static_cast<std::size_t>(n_), 0.0);
  system_.equations().add_transposed(work_.packed, full, 1.0, out);
  return as_vector(CView(out)).cwiseQuotient(scale_);
}

double ForceBalance::open_rates() {
  std::vector<double> rates(static_cast<std::size_t>(system_.equations().rows()), 0.0);
  system_.equations().multiply(work_.packed, velocities(q_), rates);
  system_.equations().nu(system_.config(t_, q_, work_), work_.nu);
  double worst = 0;
  for (int r = 0; r < equations(); ++r) {
    const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
    worst = std::max(worst, std::abs(rates[row] - work_.nu[row]) * row_scale_[r]);
  }
  return worst;
}

// v_q, a_q and G, blocks on the diagonal.
void ForceBalance::motion_matrices(CView q) {
  using Triplet = Eigen::Triplet<double>;
  std::vector<Triplet> v_q, a_q, G;
  const int D = system_.dimension();
  for (int b = 0; b < system_.body_count(); ++b) {
    const Twist& twist = twist_[static_cast<std::size_t>(group_[static_cast<std::size_t>(b)])];
    const Mat<3, 3> W = tilde(twist.w), WW = W * W;
    const int first = system_.layout().v(b);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        v_q.emplace_back(first + i, first + j, W(i, j));
        a_q.emplace_back(first + i, first + j, WW(i, j));
        G.emplace_back(first + i, first + j, 2 * W(i, j));
      }
    if (D == 2) continue;
    const Mat<3, 3> turning = tilde(turn(q, b).transpose() * twist.w);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        v_q.emplace_back(first + 3 + i, first + 3 + j, turning(i, j));
        G.emplace_back(first + 3 + i, first + 3 + j, turning(i, j));
      }
  }
  for (auto [matrix, list] : {std::pair{&v_q_, &v_q}, {&a_q_, &a_q}, {&G_, &G}}) {
    matrix->resize(n_, n_);
    matrix->setFromTriplets(list->begin(), list->end());
  }
}

void ForceBalance::linearise(CView q, const Vector& lambda) {
  state_.t = t_;
  state_.q.assign(q.begin(), q.end());
  state_.v = velocities(q);
  state_.a = accelerations(q);
  state_.lambda = multipliers(lambda);
  linear_.evaluate(state_);
  SparseMatrix K = linear_.phi_qT_lambda_q() - linear_.Q_q(), C = -1.0 * linear_.Q_v();
  if (moves_) {
    motion_matrices(q);
    K = SparseMatrix(K + linear_.M() * a_q_ - linear_.Q_v() * v_q_);
    C = SparseMatrix(C + linear_.M() * G_);
  }
  const Vector inverse = scale_.cwiseInverse();
  M_ = scaled(linear_.M(), inverse, inverse);
  K_ = scaled(K, inverse, inverse);
  C_ = scaled(C, inverse, inverse);
  Vector kept = Vector::Zero(system_.equations().rows());
  for (int r = 0; r < equations(); ++r) kept[rows_[static_cast<std::size_t>(r)]] = row_scale_[r];
  phi_q_.resize(equations(), n_);
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int> place(static_cast<std::size_t>(kept.size()), -1);
  for (int r = 0; r < equations(); ++r)
    place[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] = r;
  for (int c = 0; c < n_; ++c)
    for (SparseMatrix::InnerIterator it(linear_.phi_q(), c); it; ++it)
      if (const int r = place[static_cast<std::size_t>(it.row())]; r >= 0)
        entries.emplace_back(r, c, it.value() * row_scale_[r] * inverse[c]);
  phi_q_.setFromTriplets(entries.begin(), entries.end());
  for (int k = 0; k < K_.nonZeros(); ++k)
    if (std::isfinite(K_.valuePtr()[k]))
      stiffness_ = std::max(stiffness_, std::abs(K_.valuePtr()[k]));
}

double ForceBalance::energy(CView q) {
  system_.rotations(q, work_);
  double e = system_.potential(t_, q, work_);
  if (system_.own() != nullptr)  // of what turns with the coordinates at rest
    e += system_.kinetic(t_, q, velocities(q));
  else if (moves_)
    e -= system_.mass().energy(velocities(q));
  return e;
}

double ForceBalance::applied_work(CView q, const Vector& y) {
  if (system_.forces().empty()) return 0;
  const std::vector<double> start(q.begin(), q.end());
  const Vector d = y.cwiseQuotient(scale_);
  const std::vector<double> v(d.data(), d.data() + d.size());
  const auto power = [&](double s) {
    const std::vector<double> at = moved(start, s * y);
    system_.rotations(at, work_);
    system_.evaluate_requests(t_, at, v, work_);
    const Motion here = system_.motion(t_, at, v, work_);
    const Inputs inputs = system_.inputs(work_);
    double sum = 0;
    for (int p = 0; p < system_.force_set().pool_count(); ++p)
      sum += system_.force_set().pool(p).power(here, inputs) +
             system_.force_set().pool(p).dissipation(here, inputs);
    return sum;
  };
  return work_integral(power, 0, 1, largest_force_ * y.norm(), 6);
}

// ---- sizes

double ForceBalance::small_force(double tolerance) const {
  return tolerance * largest_force_ + shortest_length * length_ * stiffness_;
}

double ForceBalance::small_gap(CView q) const {
  const double reach = q.empty() ? 0 : as_vector(q).cwiseAbs().maxCoeff();
  return 1e-13 * length_ + 32 * std::numeric_limits<double>::epsilon() * reach;
}

// ---- steps

std::vector<double> ForceBalance::moved(CView q, const Vector& y) const {
  const Vector d = y.cwiseQuotient(scale_);
  std::vector<double> out(q.begin(), q.end());
  system_.advance(q, CView(d.data(), static_cast<std::size_t>(d.size())), out);
  return out;
}

bool ForceBalance::close(std::vector<double>& q) {
  double before = std::numeric_limits<double>::infinity();
  for (int it = 0; it < 30; ++it) {
    evaluate(q);
    const double gap = equations() > 0 ? phi_.cwiseAbs().maxCoeff() : 0;
    if (gap <= small_gap(q)) return true;
    if (!std::isfinite(gap) || gap > 2 * before) return false;
    if (it > 4 && gap > before / 2) return gap <= 100 * small_gap(q);
    before = gap;
    const Matrix J = jacobian();
    const Vector y = -J.transpose() * (J * J.transpose()).ldlt().solve(phi_);
    if (!y.allFinite() || y.cwiseAbs().maxCoeff() > length_) return false;
    q = moved(q, y);
  }
  return false;
}

std::vector<double> ForceBalance::multipliers(const Vector& lambda) const {
  std::vector<double> out(static_cast<std::size_t>(system_.equations().rows()), 0.0);
  for (int r = 0; r < equations(); ++r)
    out[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] = lambda[r] * row_scale_[r];
  return out;
}

ForceBalance::Vector ForceBalance::scaled_multipliers(CView lambda) const {
  Vector out(equations());
  for (int r = 0; r < equations(); ++r)
    out[r] = lambda[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] / row_scale_[r];
  return out;
}

// ---- whether there is a potential

// Largest of K - K^T - covector~, relative to K.
double ForceBalance::asymmetry(const Matrix& K, const Vector& covector) const {
  Matrix A = K - K.transpose();
  if (system_.space() == Space::spatial)
    for (int b = 0; b < system_.body_count(); ++b) {
      const int k = system_.layout().v_rotation(b);
      A.block<3, 3>(k, k) -= tilde(covector.segment<3>(k)) / length_;
    }
  const double size = K.cwiseAbs().maxCoeff();
  return size > 0 ? A.cwiseAbs().maxCoeff() / size : 0;
}

bool ForceBalance::symmetric_force(const ForcePool& pool, int element, CView q) {
  const int S = pool.sides();
  Matrix Q_q = Matrix::Zero(n_, n_);
  std::vector<Slot> slots(static_cast<std::size_t>(pool.count() * S * S));
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      const int row = pool.body(element, i), column = pool.body(element, j);
      if (row >= 0 && column >= 0)
        slots[static_cast<std::size_t>((element * S + i) * S + j)] = {
            std::int64_t{system_.layout().v(column)} * n_ + system_.layout().v(row), n_};
    }
  const std::vector<double> rest(static_cast<std::size_t>(n_), 0.0);
  system_.rotations(q, work_);
  system_.evaluate_requests(t_, q, rest, work_);
  const Motion here = system_.motion(t_, q, rest, work_);
  pool.add_Q_q(here, system_.inputs(work_), 1, {Q_q.data(), slots});
  if (system_.space() == Space::planar) return asymmetry(Q_q, Vector::Zero(n_)) <= symmetric;
  // In space the torque is needed: a body's own part of K - K^T is one of a cross product, which
  // three numbers describe; any other asymmetry tells.
  Matrix A = Q_q - Q_q.transpose();
  std::vector<double> Q(static_cast<std::size_t>(n_), 0.0);
  if (pool.count() == 1) {
    pool.add_Q(here, system_.inputs(work_), Q);
  } else {  // of this element alone: from the cross product in its own blocks
    for (int i = 0; i < S; ++i)
      if (const int b = pool.body(element, i); b >= 0) {
        const int k = system_.layout().v_rotation(b);
        Q[static_cast<std::size_t>(k)] = A(k + 2, k + 1);
        Q[static_cast<std::size_t>(k) + 1] = A(k, k + 2);
        Q[static_cast<std::size_t>(k) + 2] = A(k + 1, k);
      }
  }
  for (int b = 0; b < system_.body_count(); ++b) {
    const int k = system_.layout().v_rotation(b);
    A.block<3, 3>(k, k) -= tilde(as_vector(CView(Q)).segment<3>(k));
  }
  const double size = Q_q.cwiseAbs().maxCoeff();
  return A.cwiseAbs().maxCoeff() <= symmetric * size;
}

std::vector<std::string> ForceBalance::forces_without_potential(CView q) {
  std::vector<std::string> names;
  const double largest = largest_force_, stiffest = stiffness_;
  std::mt19937 random(20260111);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  const Vector none = Vector::Zero(equations());
  bool any = false;
  std::vector<std::vector<double>> poses{{q.begin(), q.end()}};
  for (int k = 0; k < 3; ++k) {
    Vector y(n_);
    for (int i = 0; i < n_; ++i) y[i] = uniform(random) * length_;
    poses.push_back(moved(q, y));
  }
  for (const auto& pose : poses) {
    evaluate(pose);
    linearise(pose, none);
    if (b_.allFinite()) any = any || asymmetry(Matrix(K_), b_) > symmetric;
  }
  largest_force_ = largest;  // those of poses that were made up do not count
  stiffness_ = stiffest;
  if (!any) return names;
  for (const auto& force : system_.forces()) {
    const ForcePool& pool = system_.force_set().pool(force.pool);
    if (std::any_of(poses.begin(), poses.end(), [&](const auto& pose) {
          return !symmetric_force(pool, force.element, pose);
        }))
      names.push_back(force.name.empty() ? force.type : force.name);
  }
  if (names.empty())  // what its formulas read, or a torque among others of its type
    for (const auto& force : system_.forces())
      if (!system_.force_set().pool(force.pool).formulas(force.element).empty())
        names.push_back(force.name.empty() ? force.type : force.name);
  if (names.empty())
    names.emplace_back(moves_ ? "forces that depend on the steady motion" : "some force");
  return names;
}

}  // namespace cardan
