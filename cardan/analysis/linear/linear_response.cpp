#include "cardan/analysis/linear/linear_response.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>

#include "cardan/analysis/record/recorder.h"
#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

constexpr double symmetric_to = 1e-11;   // of the largest stiffness
constexpr double channel_step = 1e-3;    // of sizes and turns
constexpr double channel_noise = 1e-14;  // relative: a change that is round-off

void sort_pairs(EigenPairs& pairs) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(pairs.values.size()));
  std::iota(order.begin(), order.end(), 0);
  const double near = pairs.values.size() > 0 ? 1e-9 * pairs.values.cwiseAbs().maxCoeff() : 0;
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
    return std::abs(pairs.values[i]) < std::abs(pairs.values[j]);
  });
  // Pairs of one size stay together: negative imaginary part first.
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    const Complex a = pairs.values[order[k]], b = pairs.values[order[k + 1]];
    if (std::abs(a - std::conj(b)) <= near && a.imag() > b.imag())
      std::swap(order[k], order[k + 1]);
    if (std::abs(a - std::conj(b)) <= near && a.imag() != 0) ++k;
  }
  const EigenPairs old = pairs;
  for (std::size_t k = 0; k < order.size(); ++k) {
    pairs.values[static_cast<Eigen::Index>(k)] = old.values[order[k]];
    pairs.vectors.col(static_cast<Eigen::Index>(k)) = old.vectors.col(order[k]);
  }
}

bool conserving(const LinearSystem& s) {
  if (s.nz > 0 || s.x.size() != s.w.size() || s.x.empty()) return false;
  if (!s.C.isZero(0)) return false;
  return (s.K - s.K.transpose()).cwiseAbs().maxCoeff() <= symmetric_to * s.K.cwiseAbs().maxCoeff();
}

// K x = kappa M x: eigenvalues +-sqrt(-kappa).
EigenPairs conserving_pairs(const LinearSystem& s) {
  const auto n = static_cast<Eigen::Index>(s.x.size());
  const SymmetricPairs found = symmetric_pairs((s.K + s.K.transpose()) / 2, s.M);
  const double round_off = 4e-16 * static_cast<double>(n) * found.values.cwiseAbs().maxCoeff();
  EigenPairs out{Eigen::VectorXcd(2 * n), MatrixXcd(2 * n, 2 * n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const double kappa = std::abs(found.values[k]) <= round_off ? 0 : found.values[k];
    const Complex root = kappa >= 0 ? Complex(0, std::sqrt(kappa)) : Complex(std::sqrt(-kappa), 0);
    for (int sign = 0; sign < 2; ++sign) {
      const Complex value = sign == 0 ? -root : root;
      out.values[2 * k + sign] = value;
      out.vectors.col(2 * k + sign).head(n) = found.vectors.col(k).cast<Complex>();
      out.vectors.col(2 * k + sign).tail(n) = value * found.vectors.col(k).cast<Complex>();
    }
  }
  return out;
}

// Shift of a body's frame and turn in ground axes, of a tangent increment.
std::vector<Complex> body_shape(const System& system,
                                const State& state,
                                int body,
                                const Eigen::VectorXcd& theta) {
  const int k = system.layout().v(body);
  const auto& c = system.bodies()[static_cast<std::size_t>(body)].centre;
  if (system.space() == Space::planar) {
    const double angle = state.q[static_cast<std::size_t>(system.layout().q_rotation(body))];
    const double x = elementary::cos(angle) * c[0] - elementary::sin(angle) * c[1],
                 y = elementary::sin(angle) * c[0] + elementary::cos(angle) * c[1];
    return {theta[k] + y * theta[k + 2], theta[k + 1] - x * theta[k + 2], theta[k + 2]};
  }
  const double* q = state.q.data() + system.layout().q_rotation(body);
  const Mat<3, 3> A = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  const Vec<3> arm = A * Vec<3>(c.data());
  Eigen::Vector3cd turn = A.cast<Complex>() * theta.segment<3>(k + 3);
  Eigen::Vector3cd shift = theta.segment<3>(k);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    shift[i] -= turn[j] * arm[l] - turn[l] * arm[j];
  }
  return {shift[0], shift[1], shift[2], turn[0], turn[1], turn[2]};
}

// The state changed by h times a column of the linear equations.
class ChangedState {
 public:
  ChangedState(const System& system,
               const State& state,
               const LinearSystem& linear,
               const std::vector<LinearInput>& inputs)
      : system_(system), state_(state), linear_(linear), inputs_(inputs) {}

  const State& at(Eigen::Index column, double h) {
    changed_ = state_;
    const Eigen::VectorXd d = h * linear_.theta.col(column);
    system_.advance(state_.q, CView(d.data(), static_cast<std::size_t>(d.size())), changed_.q);
    add(h * linear_.dv.col(column), changed_.v);
    add(h * linear_.da.col(column), changed_.a);
    add(h * linear_.dlambda.col(column), changed_.lambda);
    add(h * linear_.dz.col(column), changed_.z);
    const Eigen::Index input = column - linear_.states();
    if (input >= 0 && input < static_cast<Eigen::Index>(inputs_.size())) {
      const LinearInput& i = inputs_[static_cast<std::size_t>(input)];
      if (i.kind == LinearInput::Kind::input) changed_.u[static_cast<std::size_t>(i.place)] += h;
    }
    return changed_;
  }

 private:
  static void add(const Eigen::VectorXd& d, std::vector<double>& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += d[static_cast<Eigen::Index>(k)];
  }

  const System& system_;
  const State& state_;
  const LinearSystem& linear_;
  const std::vector<LinearInput>& inputs_;
  State changed_;
};

// So that poses move by channel_step of the mechanism's size, velocities by that in the time of the
// fastest motion.
double step_of(const System& system, const LinearSystem& s, Eigen::Index column, double rate) {
  double size = 0;
  for (int k = 0; k < system.v_size(); ++k) {
    const double length = system.layout().turns(k) ? 1 : system.length();
    size = std::max(size, std::abs(s.theta(k, column)) / length);
    size = std::max(size, std::abs(s.dv(k, column)) / (length * rate));
  }
  size = std::max(size, s.dz.col(column).cwiseAbs().maxCoeff());
  return size > 0 ? channel_step / size : 1;
}

}  // namespace

EigenPairs motion_pairs(const LinearSystem& s) {
  EigenPairs pairs = conserving(s) ? conserving_pairs(s) : balanced_eigen_pairs(s.A);
  sort_pairs(pairs);
  return pairs;
}

std::vector<VibrationMode> vibration_modes(const System& system,
                                           const State& state,
                                           const LinearSystem& s,
                                           const EigenPairs& pairs) {
  std::vector<VibrationMode> modes;
  for (Eigen::Index k = 0; k < pairs.values.size(); ++k) {
    const Complex value = pairs.values[k];
    if (value.imag() < 0) continue;
    VibrationMode mode;
    mode.eigenvalue = {value.real(), value.imag()};
    mode.omega = std::abs(value);
    mode.frequency = mode.omega / (2 * std::numbers::pi);
    mode.damping_ratio = mode.omega > 0 ? -value.real() / mode.omega : 0;
    const Eigen::VectorXcd theta =
        s.theta.leftCols(s.states()).cast<Complex>() * pairs.vectors.col(k);
    Complex largest = 0;
    double size = 0;
    std::vector<std::vector<Complex>> shapes;
    const auto own = static_cast<Eigen::Index>(system.own() != nullptr ? system.v_size() : 0);
    if (own > 0) {
      Eigen::Index at = 0;
      theta.head(own).cwiseAbs().maxCoeff(&at);
      for (Eigen::Index i = 0; i < own; ++i) {
        const Complex y = theta[at] != Complex(0) ? theta[i] / theta[at] : Complex(0);
        mode.shape[system.requests()[static_cast<std::size_t>(i)].name] = {{y.real(), y.imag()}};
      }
    }
    for (int b = 0; b < system.body_count(); ++b) {
      shapes.push_back(body_shape(system, state, b, theta));
      const std::size_t shifts = system.space() == Space::planar ? 2 : 3;
      for (std::size_t i = 0; i < shapes.back().size(); ++i) {
        const double here = std::abs(shapes.back()[i]) * (i < shifts ? 1 : system.length());
        if (here <= size * (1 + 1e-9)) continue;
        size = here;
        largest = shapes.back()[i];
      }
    }
    for (int b = 0; b < system.body_count(); ++b) {
      auto& list = mode.shape[system.bodies()[static_cast<std::size_t>(b)].name];
      for (const Complex x : shapes[static_cast<std::size_t>(b)]) {
        const Complex y = size > 0 ? x / largest : Complex(0);
        list.push_back({y.real(), y.imag()});
      }
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

LinearOutputs linear_outputs(const System& system,
                             const State& state,
                             const LinearSystem& s,
                             const std::vector<LinearInput>& inputs,
                             const std::vector<int>& which,
                             bool redundant,
                             double rate) {
  Recorder recorder(system, {}, redundant);
  ChangedState changed(system, state, s, inputs);
  const Eigen::Index columns = s.theta.cols(), states = s.states(),
                     ni = static_cast<Eigen::Index>(inputs.size());
  const std::size_t channels = recorder.channels().size();
  MatrixXd all(static_cast<Eigen::Index>(which.size()), columns);
  std::array<std::vector<double>, 4> rows;
  for (auto& row : rows) row.resize(channels);
  for (Eigen::Index c = 0; c < columns && !which.empty(); ++c) {
    const double h = step_of(system, s, c, rate);
    const std::array<double, 4> at{h, -h, 2 * h, -2 * h};
    for (std::size_t k = 0; k < 4; ++k) recorder.record(changed.at(c, at[k]), {}, rows[k]);
    for (std::size_t r = 0; r < which.size(); ++r) {
      const auto j = static_cast<std::size_t>(which[r]);
      const double slope = (8 * (rows[0][j] - rows[1][j]) - (rows[2][j] - rows[3][j])) / (12 * h);
      const bool round_off =
          std::abs(slope) * h <= channel_noise * std::max(std::abs(rows[0][j]), 1e-300);
      all(static_cast<Eigen::Index>(r), c) = round_off ? 0 : slope;
    }
  }
  return {all.leftCols(states),
          all.middleCols(states, ni),
          all.middleCols(states + ni, ni),
          all.rightCols(ni)};
}

std::optional<MatrixXcd> frequency_response(const LinearSystem& s,
                                            const LinearOutputs& y,
                                            double frequency) {
  const Complex i_w(0, 2 * std::numbers::pi * frequency);
  const MatrixXcd B = s.B.cast<Complex>() + i_w * s.B_rate.cast<Complex>() +
                      i_w * i_w * s.B_acceleration.cast<Complex>(),
                  D = y.D.cast<Complex>() + i_w * y.D_rate.cast<Complex>() +
                      i_w * i_w * y.D_acceleration.cast<Complex>();
  if (s.states() == 0) return D;
  MatrixXcd shifted = -s.A.cast<Complex>();
  shifted.diagonal().array() += i_w;
  const MatrixXcd out = y.C.cast<Complex>() * Eigen::PartialPivLU<MatrixXcd>(shifted).solve(B) + D;
  if (!out.allFinite()) return std::nullopt;
  return out;
}

// With x = xi + B'' u' + (B' + A B'') u:  xi' = A xi + (B + A B' + A A B'') u.
StateSpace state_space(const LinearSystem& s, const LinearOutputs& y) {
  const MatrixXd shift = s.B_rate + s.A * s.B_acceleration;
  return {s.A,
          s.B + s.A * shift,
          y.C,
          y.D + y.C * shift,
          y.D_rate + y.C * s.B_acceleration,
          y.D_acceleration};
}

}  // namespace cardan
