#include "cardan/formulation/implicit/state_space_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/formulation/explicit/independent_choice.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/implicit/state_space_system.h"

namespace cardan {

namespace {

constexpr int most_dense = 60;  // velocities, beyond which matrices are sparse
constexpr int most_passes = 20;
constexpr double position_goal = 1e-14;  // relative to the mechanism's size
constexpr double good_rate = 0.02;       // of corrections, while a factor is kept

std::vector<int> all_but(const std::vector<int>& some, int count) {
  std::vector<int> rest;
  std::vector<char> taken(static_cast<std::size_t>(count));
  for (const int k : some) taken[static_cast<std::size_t>(k)] = 1;
  for (int k = 0; k < count; ++k)
    if (taken[static_cast<std::size_t>(k)] == 0) rest.push_back(k);
  return rest;
}

}  // namespace

void times_turns(const MotionEquations::Matrix& in,
                 const std::vector<int>& turning,
                 const std::vector<double> (&T)[3],
                 MotionEquations::Matrix& out) {
  out = in;
  for (const int first : turning) {
    const int* outer = in.outerIndexPtr() + first;
    const int count = outer[1] - outer[0];  // the three columns have the same rows
    const double* from = in.valuePtr() + outer[0];
    double* to = out.valuePtr() + outer[0];
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < count; ++k) {
        double sum = 0;
        for (int i = 0; i < 3; ++i)
          sum += from[i * count + k] * T[j][static_cast<std::size_t>(first + i)];
        to[j * count + k] = sum;
      }
  }
}

// ---------------------------------------------------------------- the dependent block

void DependentBlock::prepare(bool sparse,
                             std::vector<int> rows,
                             std::vector<int> independent,
                             int size) {
  sparse_ = sparse;
  size_ = size;
  rows_ = std::move(rows);
  independent_ = std::move(independent);
  dependent_ = all_but(independent_, size);
  const auto m = static_cast<Eigen::Index>(rows_.size());
  const auto f = static_cast<Eigen::Index>(independent_.size());
  order_.reset();
  sparse_lu_.reset();
  x_.resize(static_cast<std::size_t>(size));
  if (sparse_) return;
  phi_u_.resize(m, m);
  phi_v_.resize(m, f);
  H_.resize(m, f);
  g_.resize(m);
  u_.resize(m);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(m);
}

void DependentBlock::make_pattern(const Matrix& phi_q) {
  std::vector<int> row_of(static_cast<std::size_t>(phi_q.rows()), -1),
      pick(static_cast<std::size_t>(size_), -1);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    row_of[static_cast<std::size_t>(rows_[r])] = static_cast<int>(r);
  for (std::size_t j = 0; j < independent_.size(); ++j)
    pick[static_cast<std::size_t>(independent_[j])] = static_cast<int>(rows_.size() + j);
  std::vector<int> columns{0}, inner;
  from_.clear();
  for (int c = 0, entry = 0; c < size_; ++c) {
    for (Matrix::InnerIterator it(phi_q, c); it; ++it, ++entry) {
      const int row = row_of[static_cast<std::size_t>(it.row())];
      if (row < 0) continue;
      inner.push_back(row);
      from_.push_back(entry);
    }
    if (pick[static_cast<std::size_t>(c)] >= 0) {
      inner.push_back(pick[static_cast<std::size_t>(c)]);
      from_.push_back(-1);
    }
    columns.push_back(static_cast<int>(inner.size()));
  }
  values_.resize(inner.size());
  order_ = std::make_unique<SparseOrder>(size_, std::move(columns), std::move(inner));
  sparse_lu_ = std::make_unique<SparseLu<double>>(*order_);
}

bool DependentBlock::factor(const Matrix& phi_q) {
  if (sparse_) {
    if (order_ == nullptr) make_pattern(phi_q);
    for (std::size_t k = 0; k < values_.size(); ++k)
      values_[k] = from_[k] < 0 ? 1.0 : phi_q.valuePtr()[from_[k]];
    return sparse_lu_->factor(values_.data());
  }
  std::vector<int>& row_of = from_;
  row_of.assign(static_cast<std::size_t>(phi_q.rows()), -1);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    row_of[static_cast<std::size_t>(rows_[r])] = static_cast<int>(r);
  const auto fill = [&](const std::vector<int>& columns, Eigen::MatrixXd& out) {
    out.setZero();
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (Matrix::InnerIterator it(phi_q, columns[j]); it; ++it) {
        const int row = row_of[static_cast<std::size_t>(it.row())];
        if (row >= 0) out(row, static_cast<Eigen::Index>(j)) = it.value();
      }
  };
  fill(dependent_, phi_u_);
  fill(independent_, phi_v_);
  if (rows_.empty()) return true;
  lu_.compute(phi_u_);
  const double least = lu_.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>();
  return least > 0 && std::isfinite(least);
}

void DependentBlock::solve(CView g, View x) {
  if (sparse_) {
    for (std::size_t r = 0; r < rows_.size(); ++r) x_[r] = g[static_cast<std::size_t>(rows_[r])];
    for (std::size_t j = 0; j < independent_.size(); ++j)
      x_[rows_.size() + j] = x[static_cast<std::size_t>(independent_[j])];
    sparse_lu_->solve(x_.data());
    std::copy(x_.begin(), x_.end(), x.begin());
    return;
  }
  if (rows_.empty()) return;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    g_[static_cast<Eigen::Index>(r)] = g[static_cast<std::size_t>(rows_[r])];
  for (std::size_t j = 0; j < independent_.size(); ++j)
    g_ -= x[static_cast<std::size_t>(independent_[j])] * phi_v_.col(static_cast<Eigen::Index>(j));
  u_ = lu_.solve(g_);
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    x[static_cast<std::size_t>(dependent_[k])] = u_[static_cast<Eigen::Index>(k)];
}

void DependentBlock::solve_transposed(CView f, View lambda, View left) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  if (sparse_) {
    std::copy(f.begin(), f.end(), x_.begin());
    sparse_lu_->solve_transposed(x_.data());
    for (std::size_t r = 0; r < rows_.size(); ++r)
      lambda[static_cast<std::size_t>(rows_[r])] = x_[r];
    std::copy_n(
        x_.begin() + static_cast<std::ptrdiff_t>(rows_.size()), independent_.size(), left.begin());
    return;
  }
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    g_[static_cast<Eigen::Index>(k)] = f[static_cast<std::size_t>(dependent_[k])];
  if (!rows_.empty()) u_ = lu_.transpose().solve(g_);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    lambda[static_cast<std::size_t>(rows_[r])] = u_[static_cast<Eigen::Index>(r)];
  for (std::size_t j = 0; j < independent_.size(); ++j) {
    const double forced = rows_.empty() ? 0 : phi_v_.col(static_cast<Eigen::Index>(j)).dot(u_);
    left[j] = f[static_cast<std::size_t>(independent_[j])] - forced;
  }
}

void DependentBlock::tangents() {
  if (!rows_.empty()) H_ = -lu_.solve(phi_v_);
}

// ---------------------------------------------------------------- the motion

IndependentMotion::IndependentMotion(MotionEquations& of, Form form)
    : of_(of),
      n_(static_cast<std::size_t>(of.velocities())),
      m_(static_cast<std::size_t>(of.equations())),
      sparse_(form == Form::sparse || (form == Form::automatic && of.velocities() > most_dense)),
      spatial_(false),
      g_(m_),
      x_(n_),
      f_(n_) {
  for (std::size_t r = 0; r < m_; ++r)
    if (of_.active()[r] != 0) rows_.push_back(static_cast<int>(r));
  for (int k = 0; k < of_.velocities(); ++k)
    if (of_.turns(k)) {
      turning_.push_back(k);
      k += 2;
    }
  spatial_ = !turning_.empty();
  for (auto& column : T_) column.assign(n_, 0.0);
}

IndependentMotion::~IndependentMotion() = default;

IndependentMotion::Point IndependentMotion::point() const {
  Point p;
  p.q.resize(static_cast<std::size_t>(of_.positions()));
  p.v.assign(n_, 0.0);
  p.a = p.d = p.v;
  p.lambda.assign(m_, 0.0);
  p.psi.setZero(freedoms());
  return p;
}

std::vector<int> IndependentMotion::best_choice(double t, CView q) {
  of_.evaluate_constraints(t, q);
  std::vector<double> weights(n_);
  for (std::size_t k = 0; k < n_; ++k)
    weights[k] = of_.is_angle(static_cast<int>(k)) ? 1 / of_.length() : 1;
  return independent_velocities(of_.constraint_jacobian(), rows_, weights);
}

void IndependentMotion::choose(double t, CView q) {
  if (std::isnan(first_choice_)) first_choice_ = t;
  if (t != first_choice_) wanted_.clear();  // later choices follow the pose
  if (!wanted_.empty()) {
    of_.evaluate_constraints(t, q);
    Eigen::MatrixXd active(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(n_));
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_row = of_.constraint_jacobian();
    for (std::size_t r = 0; r < rows_.size(); ++r)
      active.row(static_cast<Eigen::Index>(r)) = Eigen::RowVectorXd(by_row.row(rows_[r]));
    if (wanted_first(wanted_, active)) return use(wanted_);
  }
  use(best_choice(t, q));
}

void IndependentMotion::use(const std::vector<int>& independent) {
  independent_ = independent;
  at_velocities_.prepare(sparse_, rows_, independent_, static_cast<int>(n_));
  if (spatial_) at_positions_.prepare(sparse_, rows_, independent_, static_cast<int>(n_));
  left_.resize(independent_.size());
  system_.reset();
  shifted_.reset();
  if (sparse_)
    system_ = std::make_unique<StateSpaceSystem>(
        StateSpaceSystem::For::newmark, rows_, independent_, static_cast<int>(n_), 0);
}

void IndependentMotion::turned_jacobian(CView d) {
  for (std::size_t j = 0; j < 3; ++j) {
    std::fill(T_[j].begin(), T_[j].end(), 0.0);
    for (const int first : turning_) T_[j][static_cast<std::size_t>(first) + j] = 1;
    of_.transport(d, T_[j]);
  }
  times_turns(of_.constraint_jacobian(), turning_, T_, P_);
}

const IndependentMotion::Matrix& IndependentMotion::position_jacobian(CView d) {
  if (!spatial_) return of_.constraint_jacobian();
  turned_jacobian(d);
  return P_;
}

// Newton's method for the dependent increments.
Eval IndependentMotion::positions(double t, CView q_n, Point& at) {
  DependentBlock& block = spatial_ ? at_positions_ : at_velocities_;
  double before = std::numeric_limits<double>::infinity();
  bool factored = false;
  for (int pass = 0; pass < most_passes; ++pass) {
    of_.advance(q_n, at.d, at.q);
    of_.evaluate_constraints(t, at.q);
    ++passes_;
    double gap = 0, largest = 0;
    for (const int r : rows_) gap = std::max(gap, std::abs(of_.phi()[static_cast<std::size_t>(r)]));
    for (const double x : at.q) largest = std::max(largest, std::abs(x));
    if (!std::isfinite(gap)) return Eval::retry;
    const double goal =
        position_goal * of_.length() + 4 * std::numeric_limits<double>::epsilon() * largest;
    if (gap <= goal || (gap > 0.5 * before && gap <= 1e4 * goal)) {
      if (!block.factor(position_jacobian(at.d))) return Eval::retry;
      return !spatial_ || at_velocities_.factor(of_.constraint_jacobian()) ? Eval::ok : Eval::retry;
    }
    if (gap > 100 * before) return Eval::retry;
    if (!factored || gap > good_rate * before) {
      if (!block.factor(position_jacobian(at.d))) return Eval::retry;
      factored = true;
    }
    before = gap;
    for (const int r : rows_)
      g_[static_cast<std::size_t>(r)] = -of_.phi()[static_cast<std::size_t>(r)];
    std::fill(x_.begin(), x_.end(), 0.0);
    block.solve(g_, x_);
    for (std::size_t k = 0; k < n_; ++k) at.d[k] += x_[k];
  }
  return Eval::retry;
}

Eval IndependentMotion::kinematics(double t, CView q_n, Point& at) {
  at.t = t;
  if (const Eval e = positions(t, q_n, at); e != Eval::ok) return e;
  at_velocities_.solve(of_.nu(), at.v);
  return as_vector(CView(at.v)).allFinite() ? Eval::ok : Eval::retry;
}

Eval IndependentMotion::follow(double t, CView q_n, CView z, Point& at) {
  if (const Eval e = kinematics(t, q_n, at); e != Eval::ok) return e;
  if (const Eval e = of_.evaluate(t, at.q, at.v, at.lambda, z); e != Eval::ok) return e;
  at_velocities_.solve(of_.gamma(), at.a);
  of_.multiply_M(at.a, f_);
  for (std::size_t k = 0; k < n_; ++k) f_[k] = of_.Q()[k] - f_[k];
  at_velocities_.solve_transposed(f_, at.lambda, left_);
  at.psi = -as_vector(CView(left_));
  return at.psi.allFinite() && as_vector(CView(at.a)).allFinite() ? Eval::ok : Eval::retry;
}

void IndependentMotion::shift(CView change, Point& at) {
  std::fill(x_.begin(), x_.end(), 0.0);
  std::fill(g_.begin(), g_.end(), 0.0);
  for (std::size_t j = 0; j < independent_.size(); ++j)
    x_[static_cast<std::size_t>(independent_[j])] = change[j];
  (spatial_ ? at_positions_ : at_velocities_).solve(g_, x_);
  for (std::size_t k = 0; k < n_; ++k) at.d[k] += x_[k];
}

double IndependentMotion::stretch() {
  if (rows_.empty() || independent_.empty()) return 0;
  const auto weight = [&](int k) {
    return of_.is_angle(k) ? of_.length() : 1.0;
  };
  double largest = 0;
  if (sparse_) {  // all independent ones together
    std::fill(g_.begin(), g_.end(), 0.0);
    std::fill(x_.begin(), x_.end(), 0.0);
    for (const int k : independent_) x_[static_cast<std::size_t>(k)] = 1 / weight(k);
    at_velocities_.solve(g_, x_);
    for (const int k : at_velocities_.dependents())
      largest = std::max(largest, std::abs(x_[static_cast<std::size_t>(k)]) * weight(k));
    return largest;
  }
  at_velocities_.tangents();
  const Eigen::MatrixXd& H = at_velocities_.H();
  for (std::size_t j = 0; j < independent_.size(); ++j)
    for (std::size_t k = 0; k < at_velocities_.dependents().size(); ++k)
      largest = std::max(largest,
                         std::abs(H(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j))) *
                             weight(at_velocities_.dependents()[k]) / weight(independent_[j]));
  return largest;
}

// ---------------------------------------------------------------- derivatives

void IndependentMotion::linearise(const Point& at, CView z, Neglect neglect) {
  of_.linearise(at.t, at.q, at.v, at.a, at.lambda, z);
  bend_ = of_.phi_q();
  of_.phi_q_v_q(at.v, bend_);
  if (sparse_)
    system_->take(of_, bend_, turning_, T_, neglect == Neglect::fisette_vaneghem);
  else
    linearise_dense(at, neglect);
}

Eigen::MatrixXd IndependentMotion::spread(const Eigen::MatrixXd& dependent) const {
  const auto& rows = at_velocities_.dependents();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n_), dependent.cols());
  for (std::size_t k = 0; k < rows.size(); ++k)
    all.row(rows[k]) = dependent.row(static_cast<Eigen::Index>(k));
  return all;
}

Eigen::MatrixXd IndependentMotion::tangents(DependentBlock& block) const {
  block.tangents();
  Eigen::MatrixXd X = spread(block.H());
  for (std::size_t j = 0; j < independent_.size(); ++j)
    X(independent_[j], static_cast<Eigen::Index>(j)) = 1;
  return X;
}

Eigen::MatrixXd IndependentMotion::active(const Eigen::MatrixXd& all) const {
  Eigen::MatrixXd some(static_cast<Eigen::Index>(rows_.size()), all.cols());
  for (std::size_t r = 0; r < rows_.size(); ++r)
    some.row(static_cast<Eigen::Index>(r)) = all.row(rows_[r]);
  return some;
}

Eigen::MatrixXd IndependentMotion::position_tangents(const Point& at, Eigen::MatrixXd& x) {
  x = tangents(spatial_ ? at_positions_ : at_velocities_);
  Eigen::MatrixXd dq = x;
  for (Eigen::Index j = 0; spatial_ && j < dq.cols(); ++j)
    of_.transport(at.d, {dq.col(j).data(), n_});
  return dq;
}

void IndependentMotion::linearise_dense(const Point& at, Neglect neglect) {
  const auto n = static_cast<Eigen::Index>(n_), f = static_cast<Eigen::Index>(independent_.size());
  Eigen::MatrixXd x;
  const Eigen::MatrixXd X_q = position_tangents(at, x);
  X_ = spatial_ ? tangents(at_velocities_) : X_q;
  const auto dependent_of = [&](const Eigen::MatrixXd& right) -> Eigen::MatrixXd {
    return rows_.empty() ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(n, f))
                         : spread(at_velocities_.dependent(active(right)));
  };
  const Eigen::MatrixXd J = dependent_of(-(bend_ * X_q));
  const Eigen::MatrixXd L =
      dependent_of(of_.gamma_q() * X_q - of_.phi_q_a_q() * X_q + of_.gamma_v() * J);
  const Eigen::MatrixXd N = dependent_of(of_.gamma_v() * X_);
  const Eigen::MatrixXd forces = of_.phi_qT_lambda_q() * X_q;
  Eigen::MatrixXd R = -(of_.Q_q() * X_q) - of_.Q_v() * J;
  if (of_.M_depends_on_q()) R += of_.M_a_q() * X_q;
  const Eigen::MatrixXd S = -(of_.Q_v() * X_);
  // Rows of independent coordinates plus H^T times those of dependent ones.
  const auto reduced = [&](const Eigen::MatrixXd& all) -> Eigen::MatrixXd {
    return X_.transpose() * all;
  };
  mass_ = reduced(of_.M() * X_);
  damping_ = reduced(S);
  stiffness_ = reduced(R);
  neglected_damping_ = reduced(of_.M() * N);
  neglected_stiffness_ = reduced(of_.M() * L + forces);
  if (neglect == Neglect::fisette_vaneghem) return;
  damping_ += neglected_damping_;
  stiffness_ += neglected_stiffness_;
}

// M da + (phi_q^T - Q_lambda) dlambda = K dq + Q_v dv + Q_z dz,  phi_q da = G dq + gamma_v dv.
void IndependentMotion::slopes(const Point& at, CView z, Slopes& out) {
  of_.linearise(at.t, at.q, at.v, at.a, at.lambda, z);
  bend_ = of_.phi_q();
  of_.phi_q_v_q(at.v, bend_);
  const auto n = static_cast<Eigen::Index>(n_), m = static_cast<Eigen::Index>(rows_.size()),
             f = static_cast<Eigen::Index>(independent_.size()),
             states = static_cast<Eigen::Index>(of_.states()), columns = 2 * f + states;
  Eigen::MatrixXd x;
  const Eigen::MatrixXd X_q = position_tangents(at, x);
  out.x = Eigen::MatrixXd::Zero(n, columns);
  out.x.leftCols(f) = x;
  out.v = Eigen::MatrixXd::Zero(n, columns);
  if (m > 0) out.v.leftCols(f) = spread(at_velocities_.dependent(active(-(bend_ * X_q))));
  out.v.middleCols(f, f) = spatial_ ? tangents(at_velocities_) : X_q;
  Eigen::MatrixXd right(n + m, columns), matrix = Eigen::MatrixXd::Zero(n + m, n + m);
  right.topRows(n) = of_.Q_v() * out.v;
  right.topLeftCorner(n, f) += of_.Q_q() * X_q - of_.phi_qT_lambda_q() * X_q;
  if (of_.M_depends_on_q()) right.topLeftCorner(n, f) -= of_.M_a_q() * X_q;
  right.topRightCorner(n, states) += of_.Q_z();
  Eigen::MatrixXd rates = of_.gamma_v() * out.v;
  rates.leftCols(f) += of_.gamma_q() * X_q - of_.phi_q_a_q() * X_q;
  right.bottomRows(m) = active(rates);
  matrix.topLeftCorner(n, n) = of_.M();
  matrix.bottomLeftCorner(m, n) = active(of_.phi_q());
  matrix.topRightCorner(n, m) = matrix.bottomLeftCorner(m, n).transpose();
  const Eigen::MatrixXd friction = of_.Q_lambda();
  for (Eigen::Index r = 0; r < m; ++r)
    matrix.col(n + r).head(n) -= friction.col(rows_[static_cast<std::size_t>(r)]);
  const Eigen::MatrixXd both = matrix.partialPivLu().solve(right);
  out.a = both.topRows(n);
  out.lambda = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(m_), columns);
  for (Eigen::Index r = 0; r < m; ++r)
    out.lambda.row(rows_[static_cast<std::size_t>(r)]) = both.row(n + r);
}

bool IndependentMotion::factor(double beta_h2, double gamma_h) {
  if (sparse_) return system_->factor(beta_h2, gamma_h);
  if (independent_.empty()) return true;
  lu_.compute(mass_ + gamma_h * damping_ + beta_h2 * stiffness_);
  const double least = lu_.matrixLU().diagonal().array().abs().minCoeff<Eigen::PropagateNaN>();
  return least > 0 && std::isfinite(least);
}

void IndependentMotion::take_independent(CView all, View some) const {
  for (std::size_t j = 0; j < independent_.size(); ++j)
    some[j] = all[static_cast<std::size_t>(independent_[j])];
}

void IndependentMotion::linearise_formulas(const Point& at, CView z) {
  of_.linearise(at.t, at.q, at.v, at.a, at.lambda, z);
  bend_ = of_.phi_q();
  of_.phi_q_v_q(at.v, bend_);
  if (shifted_ == nullptr)
    shifted_ = std::make_unique<StateSpaceSystem>(
        StateSpaceSystem::For::formulas, rows_, independent_, static_cast<int>(n_), of_.states());
  shifted_->take(of_, bend_, turning_, T_, false);
  shifted_->take_rates(of_, turning_, at.d, at.v);
}

bool IndependentMotion::factor_formulas(double c) {
  c_ = c;
  return shifted_->factor(0, c);
}

void IndependentMotion::solve_formulas(View d, View w, View z) {
  take_independent(d, left_);
  shifted_->solve(left_, w, {}, z);
  shifted_->rate(x_);
  for (std::size_t k = 0; k < n_; ++k) d[k] += c_ * x_[k];
  for (const int k : independent_)
    d[static_cast<std::size_t>(k)] = shifted_->x()[static_cast<std::size_t>(k)];
  take_independent(shifted_->dv(), w);
  std::copy(shifted_->dz().begin(), shifted_->dz().end(), z.begin());
}

void IndependentMotion::solve(View s) {
  if (sparse_) {
    system_->solve({}, {}, s);
    take_independent(system_->da(), s);
  } else if (!independent_.empty()) {
    right_ = lu_.solve(as_vector(CView(s)));
    as_vector(s) = right_;
  }
}

void IndependentMotion::respond(CView d_v, CView v_v, View s) {
  if (sparse_) {
    system_->solve(d_v, v_v, {});
    take_independent(system_->da(), s);
  } else if (!independent_.empty()) {
    right_ = -(stiffness_ * as_vector(d_v) + damping_ * as_vector(v_v));
    right_ = lu_.solve(right_);
    as_vector(s) = right_;
  }
}

std::string IndependentMotion::worst_text(const Point& at) const {
  if (at.psi.size() == 0) return {};
  Eigen::Index worst = 0;
  at.psi.cwiseAbs().maxCoeff(&worst);
  const int k = independent_[static_cast<std::size_t>(worst)];
  return fmt::format("equation of motion of {}, residual {:.3g} {}",
                     of_.velocity_label(k),
                     at.psi[worst],
                     of_.is_angle(k) ? "N m" : "N");
}

}  // namespace cardan
