// Entries that are nothing but round-off are set to zero, so that what does not act on anything (the
// place of a vehicle on its road) is known as such. Every product is formed twice, with the numbers
// and with their sizes; an entry far below the size of what it was summed from is round-off.
#include "cardan/analysis/linear/linear_system.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/math/dense.h"
#include "cardan/system/linearisation.h"

namespace cardan {

namespace {

using Eigen::MatrixXd;

constexpr int most_linear_unknowns = 2000;
constexpr double exact_noise = 2e-14;       // of the size of an entry's sums
constexpr double differenced_noise = 1e-9;  // where elements difference (element/difference.h)
constexpr double dependent_rows = 1e-11;    // relative pivot below which a row depends on others

struct Sized {
  MatrixXd value, size;

  Sized() = default;

  Sized(MatrixXd v, MatrixXd s) : value(std::move(v)), size(std::move(s)) {}

  explicit Sized(MatrixXd v) : value(std::move(v)), size(value.cwiseAbs()) {}

  static Sized zero(Eigen::Index rows, Eigen::Index columns) {
    return Sized(MatrixXd::Zero(rows, columns));
  }

  Sized& operator+=(const Sized& x) {
    value += x.value;
    size += x.size;
    return *this;
  }

  Sized& operator-=(const Sized& x) {
    value -= x.value;
    size += x.size;
    return *this;
  }

  Sized rows(const std::vector<int>& which) const {
    return {value(which, Eigen::all), size(which, Eigen::all)};
  }

  MatrixXd without_noise(double noise) const {
    return (value.cwiseAbs().array() <= noise * size.array()).select(0.0, value);
  }
};

Sized operator*(const MatrixXd& A, const Sized& x) {
  return {A * x.value, A.cwiseAbs() * x.size};
}

// Sizes by |A^-1| |A| |A^-1|, which bounds the round-off of the solution entry by entry.
class SizedSolver {
 public:
  explicit SizedSolver(const MatrixXd& A) : lu_(A) {
    const MatrixXd inverse = lu_.inverse().cwiseAbs();
    size_ = inverse * A.cwiseAbs() * inverse;
  }

  Sized solve(const Sized& b) const { return {lu_.solve(b.value), size_ * b.size}; }

 private:
  Eigen::PartialPivLU<MatrixXd> lu_;
  MatrixXd size_;
};

MatrixXd stacked(const MatrixXd& top, const MatrixXd& bottom) {
  MatrixXd out(top.rows() + bottom.rows(), top.cols());
  out.topRows(top.rows()) = top;
  out.bottomRows(bottom.rows()) = bottom;
  return out;
}

Sized stacked(const Sized& top, const Sized& bottom) {
  return {stacked(top.value, bottom.value), stacked(top.size, bottom.size)};
}

class LinearBuilder {
 public:
  LinearBuilder(const System& system,
                const std::vector<char>& active,
                const State& state,
                const std::vector<LinearInput>& inputs,
                const LinearSetting& setting)
      : system_(system),
        state_(state),
        inputs_(inputs),
        setting_(setting),
        at_(system, active),
        n_(system.v_size()) {
    const Equations& equations = system.equations();
    for (std::size_t p = 0; p < equations.pools().size(); ++p) {
      const ConstraintPool& pool = *equations.pools()[p];
      const auto first = active.begin() + equations.first_row(p);
      if (pool.differenced() &&
          std::any_of(
              first, first + pool.count() * pool.rows(), [](char holds) { return holds != 0; }))
        noise_ = differenced_noise;
    }
    for (int row = 0; row < equations.rows(); ++row) {
      if (active[static_cast<std::size_t>(row)] == 0) continue;
      if (!equations.at_velocity_level(row)) holonomic_.push_back(static_cast<int>(rows_.size()));
      rows_.push_back(row);
    }
    scale_.setOnes(n_);
    for (int k = 0; k < n_; ++k)
      if (system.layout().turns(k)) scale_[k] = system.length();
  }

  Result<LinearSystem> make() {
    const int m = static_cast<int>(rows_.size());
    if (n_ + m > most_linear_unknowns) {
      Diagnostic d = fault_at("limit.elements", fmt::format("{} unknowns", n_ + m));
      d.expected = fmt::format("at most {} for a linearisation", most_linear_unknowns);
      return d;
    }
    at_.evaluate(state_);
    J_ = dense(at_.phi_q());
    if (!choose()) {
      Diagnostic d = fault_at("numeric.singular",
                              "equations that depend on each other in this pose: small motions "
                              "about it do not follow linear equations",
                              state_.t);
      d.expected = "a pose that is not singular";
      return d;
    }
    positions();
    velocities();
    accelerations();
    rates();
    reduced();
    return std::move(out_);
  }

 private:
  MatrixXd dense(const SparseMatrix& x) const { return MatrixXd(x)(rows_, Eigen::all); }

  // Motions that these equations allow, orthonormal in scaled increments; none: they depend.
  bool motions(const MatrixXd& J, MatrixXd& out) const {
    if (J.rows() == 0) {
      out = MatrixXd::Identity(n_, n_);
      return true;
    }
    MatrixXd scaled = J * scale_.cwiseInverse().asDiagonal();
    for (Eigen::Index r = 0; r < scaled.rows(); ++r) scaled.row(r).normalize();
    Eigen::ColPivHouseholderQR<MatrixXd> qr;
    qr.setThreshold(dependent_rows);
    qr.compute(scaled.transpose());
    if (qr.rank() < J.rows()) return false;
    const Eigen::Index free = n_ - J.rows();
    MatrixXd last = MatrixXd::Zero(n_, free);
    last.bottomRows(free).setIdentity();
    out = qr.householderQ() * last;
    return true;
  }

  bool choose() {
    MatrixXd of_positions, of_velocities;
    if (!motions(J_(holonomic_, Eigen::all), of_positions) || !motions(J_, of_velocities))
      return false;
    const CoordinateRows all = coordinate_rows(system_, state_, setting_.axes, setting_.spinning);
    if (setting_.like != nullptr) {
      out_.x = setting_.like->x;
      out_.w = setting_.like->w;
    } else {
      out_.x = choose_coordinates(all, of_positions, scale_, system_.length());
      const CoordinateRows chosen = all.only(out_.x);
      out_.w = choose_coordinates(chosen, of_velocities, scale_, system_.length());
      for (int& k : out_.w) k = out_.x[static_cast<std::size_t>(k)];
    }
    x_ = all.only(out_.x);
    w_ = all.only(out_.w);
    name_states();
    return true;
  }

  void name_states() {
    const auto& entries = system_.states().entries();
    const int first = system_.states().first_of_model();
    out_.nz = system_.states().size() - first;
    out_.names = x_.names;
    out_.kinds = x_.units;
    for (const UnitKind unit : x_.units) out_.units.emplace_back(unit_text(unit));
    for (std::size_t k = 0; k < w_.names.size(); ++k) {
      out_.names.push_back("rate of " + w_.names[k]);
      out_.units.push_back(std::string(unit_text(w_.units[k])) + "/s");
    }
    for (int k = first; k < system_.states().size(); ++k) {
      out_.names.push_back(entries[static_cast<std::size_t>(k)].label);
      out_.units.push_back(entries[static_cast<std::size_t>(k)].unit);
    }
    nx_ = static_cast<int>(out_.x.size());
    nw_ = static_cast<int>(out_.w.size());
    ni_ = static_cast<int>(inputs_.size());
    columns_ = nx_ + nw_ + out_.nz + 3 * ni_;
  }

  // Unit changes of the drivers among the inputs, in the columns of their values (0), rates (1) or
  // accelerations (2).
  void add_drivers(MatrixXd& to, const std::vector<int>& rows, int derivative) const {
    for (int i = 0; i < ni_; ++i) {
      const LinearInput& input = inputs_[static_cast<std::size_t>(i)];
      if (input.kind != LinearInput::Kind::driver) continue;
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows_[static_cast<std::size_t>(rows[r])] == input.place)
          to(static_cast<Eigen::Index>(r), columns_ - (3 - derivative) * ni_ + i) = 1;
    }
  }

  std::vector<int> all_rows() const {
    std::vector<int> list(rows_.size());
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int>(k);
    return list;
  }

  void positions() {
    const MatrixXd J = J_(holonomic_, Eigen::all);
    MatrixXd c = MatrixXd::Zero(J.rows(), columns_), x = MatrixXd::Zero(nx_, columns_);
    add_drivers(c, holonomic_, 0);
    x.leftCols(nx_).setIdentity();
    theta_ = SizedSolver(stacked(J, x_.S)).solve(Sized(stacked(c, x)));
  }

  void velocities() {
    SparseMatrix turned = at_.phi_q();
    at_.phi_q_v_q(state_.v, turned);
    MatrixXd c = MatrixXd::Zero(J_.rows(), columns_), w = MatrixXd::Zero(nw_, columns_);
    add_drivers(c, all_rows(), 1);
    w.middleCols(nx_, nw_).setIdentity();
    Sized top(c), bottom(w);
    top -= dense(turned) * theta_;
    bottom -= w_.S_rate * theta_;
    dv_ = SizedSolver(stacked(J_, w_.S)).solve(stacked(top, bottom));
  }

  MatrixXd input_columns(const SparseMatrix& of_inputs, bool forces) const {
    MatrixXd out = MatrixXd::Zero(of_inputs.rows(), columns_);
    const MatrixXd all(of_inputs);
    for (int i = 0; i < ni_; ++i) {
      const LinearInput& input = inputs_[static_cast<std::size_t>(i)];
      const Eigen::Index to = columns_ - 3 * ni_ + i;
      if (input.kind == LinearInput::Kind::input) out.col(to) = all.col(input.place);
      if (input.kind == LinearInput::Kind::force && forces) out.col(to) = as_vector(CView(input.Q));
    }
    return out;
  }

  void accelerations() {
    const Eigen::Index m = J_.rows();
    const MatrixXd Q_lambda = MatrixXd(at_.Q_lambda())(Eigen::all, rows_);
    MatrixXd saddle = MatrixXd::Zero(n_ + m, n_ + m);
    saddle.topLeftCorner(n_, n_) = MatrixXd(at_.M());
    saddle.topRightCorner(n_, m) = J_.transpose() - Q_lambda;
    saddle.bottomLeftCorner(m, n_) = J_;
    Sized force(input_columns(at_.Q_u(), true));
    force += MatrixXd(at_.Q_q()) * theta_;
    force -= MatrixXd(at_.phi_qT_lambda_q()) * theta_;
    if (system_.own() != nullptr) force -= MatrixXd(at_.M_a_q()) * theta_;
    force += MatrixXd(at_.Q_v()) * dv_;
    add_states(force, at_.Q_z());
    MatrixXd c = MatrixXd::Zero(m, columns_);
    add_drivers(c, all_rows(), 2);
    Sized turn(c);
    turn += dense(at_.gamma_q()) * theta_;
    turn -= dense(at_.phi_q_a_q()) * theta_;
    turn += dense(at_.gamma_v()) * dv_;
    const Sized solution = SizedSolver(saddle).solve(stacked(force, turn));
    da_ = {solution.value.topRows(n_), solution.size.topRows(n_)};
    active_lambda_ = {solution.value.bottomRows(m), solution.size.bottomRows(m)};
  }

  void add_states(Sized& to, const SparseMatrix& of_states) const {
    const MatrixXd all(of_states);
    MatrixXd wide = MatrixXd::Zero(all.rows(), columns_);
    wide.middleCols(nx_ + nw_, out_.nz) =
        all.middleCols(system_.states().first_of_model(), out_.nz);
    to += Sized(std::move(wide));
  }

  void rates() {
    Sized x = x_.S * dv_;
    x += x_.S_rate * theta_;
    Sized w = w_.S * da_;
    w += w_.P * theta_;
    w += w_.V * dv_;
    Sized z(input_columns(at_.z_u(), false));
    z += MatrixXd(at_.z_q()) * theta_;
    z += MatrixXd(at_.z_v()) * dv_;
    z += MatrixXd(at_.z_lambda())(Eigen::all, rows_) * active_lambda_;
    add_states(z, at_.z_z());
    const Eigen::Index nz = out_.nz;
    const Sized of_model{z.value.bottomRows(nz), z.size.bottomRows(nz)};
    MatrixXd all = stacked(stacked(x, w), of_model).without_noise(noise_);
    for (int k = 0; k < nx_; ++k)  // x' = w for those that have a rate among the states
      for (int j = 0; j < nw_; ++j)
        if (out_.x[static_cast<std::size_t>(k)] == out_.w[static_cast<std::size_t>(j)])
          all.row(k) = Eigen::RowVectorXd::Unit(columns_, nx_ + j);
    const Eigen::Index states = nx_ + nw_ + nz;
    out_.A = all.leftCols(states);
    out_.B = all.middleCols(states, ni_);
    out_.B_rate = all.middleCols(states + ni_, ni_);
    out_.B_acceleration = all.rightCols(ni_);
    out_.theta = theta_.without_noise(exact_noise);
    out_.dv = dv_.without_noise(noise_);
    out_.da = da_.without_noise(noise_);
    out_.dlambda = MatrixXd::Zero(system_.equations().rows(), columns_);
    const MatrixXd lambda = active_lambda_.without_noise(noise_);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      out_.dlambda.row(rows_[r]) = lambda.row(static_cast<Eigen::Index>(r));
    out_.dz = MatrixXd::Zero(system_.states().size(), columns_);
    out_.dz.block(system_.states().first_of_model(), nx_ + nw_, nz, nz).setIdentity();
  }

  // M = N^T M N for the motions N of unit rates; C and K follow from w'.
  void reduced() {
    const Sized N(out_.dv.middleCols(nx_, nw_));
    const Sized M = N.value.transpose() * (MatrixXd(at_.M()) * N);
    out_.M = M.without_noise(exact_noise);
    out_.M = ((out_.M + out_.M.transpose()) / 2).eval();
    const MatrixXd w = out_.A.middleRows(nx_, nw_);
    out_.K = (out_.M * Sized(-w.leftCols(nx_))).without_noise(exact_noise);
    out_.C = (out_.M * Sized(-w.middleCols(nx_, nw_))).without_noise(exact_noise);
  }

  const System& system_;
  const State& state_;
  const std::vector<LinearInput>& inputs_;
  const LinearSetting& setting_;
  Linearisation at_;
  int n_;
  std::vector<int> rows_;       // equations that hold
  std::vector<int> holonomic_;  // those of them that are of positions
  double noise_ = exact_noise;
  Eigen::VectorXd scale_;  // of increments: angles times the mechanism's size
  MatrixXd J_;
  CoordinateRows x_, w_;
  int nx_ = 0, nw_ = 0, ni_ = 0, columns_ = 0;
  Sized theta_, dv_, da_, active_lambda_;
  LinearSystem out_;
};

}  // namespace

Result<LinearSystem> linear_system(const System& system,
                                   const std::vector<char>& active,
                                   const State& state,
                                   const std::vector<LinearInput>& inputs,
                                   const LinearSetting& setting) {
  return LinearBuilder(system, active, state, inputs, setting).make();
}

}  // namespace cardan
