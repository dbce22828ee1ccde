#include "test/element/derivatives.h"

#include <gtest/gtest.h>

#include "cardan/element/feature.h"

namespace cardan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Truncation asks for a small step where features come close to each other, round-off for a large
// one elsewhere: errors are those of the better of two.
constexpr double steps[] = {1e-3, 1e-4};

int body_size(int dimension) {
  return dimension == 2 ? 3 : 6;
}

double uniform(std::mt19937& rng) {
  return std::uniform_real_distribution<>(-1, 1)(rng);
}

VectorXd random_vector(Eigen::Index n, std::mt19937& rng) {
  return VectorXd::NullaryExpr(n, [&] { return uniform(rng); });
}

View view(VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

CView view(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

template <class F> auto derivative(F&& f, double h) {
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

// Columns: derivatives of f along every tangent increment of the state.
template <class F> MatrixXd along_increments(const RandomState& s, F&& f, double step) {
  MatrixXd out(f(s).size(), s.v.size());
  for (Eigen::Index k = 0; k < s.v.size(); ++k)
    out.col(k) = derivative(
        [&](double h) { return VectorXd(f(s.moved(h * VectorXd::Unit(s.v.size(), k)))); }, step);
  return out;
}

template <class F> MatrixXd along_velocities(const RandomState& s, F&& f, double step) {
  MatrixXd out(f(s).size(), s.v.size());
  for (Eigen::Index k = 0; k < s.v.size(); ++k)
    out.col(k) = derivative(
        [&](double h) {
          RandomState moved = s;
          moved.v[k] += h;
          return VectorXd(f(moved));
        },
        step);
  return out;
}

double relative(const MatrixXd& x, const MatrixXd& reference) {
  if (x.size() == 0) return 0;
  if (!x.allFinite()) return std::numeric_limits<double>::infinity();
  return (x - reference).cwiseAbs().maxCoeff() / (1 + reference.cwiseAbs().maxCoeff());
}

// Dense and packed storage of a pool's blocks, addressed by the same slots.
struct Storage {
  std::vector<Slot> dense, packed;
  MatrixXd matrix;
  VectorXd values;
  int rows, columns;
  std::vector<std::array<int, 2>> place;  // row and column of each block, -1: not stored

  Storage(int size_rows, int size_columns, int block_rows, int block_columns)
      : matrix(MatrixXd::Zero(size_rows, size_columns)), rows(block_rows), columns(block_columns) {}

  void add(int row, int column) {
    place.push_back({row, column});
    if (row < 0 || column < 0) {
      dense.push_back({});
      packed.push_back({});
      return;
    }
    dense.push_back({row + column * matrix.rows(), static_cast<int>(matrix.rows())});
    packed.push_back({values.size(), rows});
    values.conservativeResize(values.size() + rows * columns);
    values.tail(rows * columns).setZero();
  }

  // Runs the same writer on both storages; fills matrix and checks that the digits are the same.
  template <class F> const MatrixXd& write(F&& writer) {
    writer(Blocks{matrix.data(), dense});
    writer(Blocks{values.data(), packed});
    MatrixXd other = MatrixXd::Zero(matrix.rows(), matrix.cols());
    for (std::size_t k = 0; k < place.size(); ++k)
      if (packed[k])
        other.block(place[k][0], place[k][1], rows, columns) +=
            Eigen::Map<MatrixXd>(values.data() + packed[k].offset, rows, columns);
    EXPECT_LE((other - matrix).cwiseAbs().maxCoeff(), 4e-16 * (1 + matrix.cwiseAbs().maxCoeff()));
    return matrix;
  }
};

Storage row_storage(const ConstraintPool& pool, const RandomState& s) {
  const int n = body_size(s.dimension);
  Storage out(pool.count() * pool.rows(), static_cast<int>(s.v.size()), pool.rows(), n);
  for (int e = 0; e < pool.count(); ++e)
    for (int i = 0; i < pool.sides(); ++i)
      out.add(e * pool.rows(), pool.body(e, i) < 0 ? -1 : pool.body(e, i) * n);
  return out;
}

template <class Pool> Storage square_storage(const Pool& pool, const RandomState& s) {
  const int n = body_size(s.dimension), all = static_cast<int>(s.v.size());
  Storage out(all, all, n, n);
  for (int e = 0; e < pool.count(); ++e)
    for (int i = 0; i < pool.sides(); ++i)
      for (int j = 0; j < pool.sides(); ++j)
        out.add(pool.body(e, i) < 0 ? -1 : pool.body(e, i) * n,
                pool.body(e, j) < 0 ? -1 : pool.body(e, j) * n);
  return out;
}

VectorXd phi(const ConstraintPool& pool, const RandomState& s) {
  VectorXd out(pool.count() * pool.rows());
  pool.phi(s.config(), view(out));
  return out;
}

VectorXd nu(const ConstraintPool& pool, const RandomState& s) {
  VectorXd out(pool.count() * pool.rows());
  pool.nu(s.config(), view(out));
  return out;
}

VectorXd gamma(const ConstraintPool& pool, const RandomState& s) {
  VectorXd out(pool.count() * pool.rows());
  pool.gamma(s.motion(), view(out));
  return out;
}

RandomState at_time(RandomState s, double t) {
  s.t = t;
  return s;
}

RandomState later(const RandomState& s, double h) {  // after time h at constant velocities
  RandomState out = s.moved(h * s.v);
  out.t += h;
  return out;
}

void report(const Worst& worst, std::string_view type, double tolerance) {
  EXPECT_LE(worst.largest(), tolerance) << "pool '" << type << "': " << worst.text();
}

}  // namespace

Config RandomState::config() const {
  return {t, view(q), rotation.data()};
}

Motion RandomState::motion() const {
  return {t, view(q), view(v), rotation.data()};
}

RandomState RandomState::moved(const VectorXd& d) const {
  RandomState out = *this;
  const int nq = dimension == 2 ? 3 : 7, nv = body_size(dimension);
  for (int b = 0; b < bodies; ++b)
    add_increment(dimension, q.data() + nq * b, d.data() + nv * b, out.q.data() + nq * b);
  fill_rotations(dimension, view(out.q), out.rotation);
  return out;
}

RandomState state_near(int dimension, const VectorXd& q, double spread, std::mt19937& rng) {
  const int bodies = static_cast<int>(q.size()) / (dimension == 2 ? 3 : 7),
            n = bodies * body_size(dimension);
  RandomState s{
      dimension, bodies, uniform(rng), q, random_vector(n, rng), random_vector(n, rng), {}};
  s.rotation.resize(static_cast<std::size_t>(bodies * rotation_size(dimension)));
  return s.moved(spread * random_vector(n, rng));
}

RandomState random_state(int dimension, int bodies, std::mt19937& rng) {
  VectorXd q = random_vector(bodies * (dimension == 2 ? 3 : 7), rng);
  if (dimension == 3)
    for (int b = 0; b < bodies; ++b) q.segment<4>(7 * b + 3).normalize();
  return state_near(dimension, q, 1, rng);
}

void Worst::compare(std::string what,
                    const MatrixXd& x,
                    const std::function<MatrixXd(double)>& reference) {
  double error = std::numeric_limits<double>::infinity();
  for (const double h : steps) error = std::min(error, relative(x, reference(h)));
  errors.emplace_back(std::move(what), error);
}

double Worst::largest() const {
  double out = 0;
  for (const auto& [what, error] : errors) out = std::max(out, error);
  return out;
}

std::string Worst::text() const {
  std::string out;
  for (const auto& [what, error] : errors)
    out += what + " " + std::to_string(error * 1e12) + "e-12, ";
  return out;
}

MatrixXd dense_phi_q(const ConstraintPool& pool, const RandomState& s) {
  return row_storage(pool, s).write([&](Blocks out) { pool.phi_q(s.config(), out); });
}

Worst constraint_errors(const ConstraintPool& pool, const RandomState& s, std::mt19937& rng) {
  const VectorXd lambda = random_vector(pool.count() * pool.rows(), rng);
  const auto jacobian = [&](const RandomState& at) {
    return dense_phi_q(pool, at);
  };
  const auto rows = [&](auto&& writer) {
    return MatrixXd(row_storage(pool, s).write(writer));
  };
  Worst worst;

  if (!pool.at_velocity_level(0))
    worst.compare("phi_q", jacobian(s), [&](double h) {
      return along_increments(
          s, [&](const RandomState& at) { return phi(pool, at); }, h);
    });
  worst.compare("nu", nu(pool, s), [&](double h) {
    return MatrixXd(-derivative([&](double dt) { return phi(pool, at_time(s, s.t + dt)); }, h));
  });
  worst.compare("gamma", gamma(pool, s), [&](double h) {
    const auto rate = [&](const RandomState& at) {
      return VectorXd(jacobian(at) * at.v - nu(pool, at));
    };
    return MatrixXd(-derivative([&](double dt) { return rate(later(s, dt)); }, h));
  });
  worst.compare("phi_q_a_q",
                rows([&](Blocks out) { pool.add_phi_q_a_q(s.config(), view(s.a), 1, out); }),
                [&](double h) {
                  return along_increments(
                      s, [&](const RandomState& at) { return VectorXd(jacobian(at) * s.a); }, h);
                });
  worst.compare(
      "gamma_q", rows([&](Blocks out) { pool.add_gamma_q(s.motion(), 1, out); }), [&](double h) {
        return along_increments(
            s, [&](const RandomState& at) { return gamma(pool, at); }, h);
      });
  worst.compare(
      "gamma_v", rows([&](Blocks out) { pool.add_gamma_v(s.motion(), 1, out); }), [&](double h) {
        return along_velocities(
            s, [&](const RandomState& at) { return gamma(pool, at); }, h);
      });
  worst.compare(
      "phi_qT_lambda_q",
      square_storage(pool, s).write(
          [&](Blocks out) { pool.add_phi_qT_lambda_q(s.config(), view(lambda), 1, out); }),
      [&](double h) {
        return along_increments(
            s,
            [&](const RandomState& at) { return VectorXd(jacobian(at).transpose() * lambda); },
            h);
      });

  VectorXd uncached(pool.count() * pool.rows());  // no rotations given: computed by the elements
  pool.phi({s.t, view(s.q)}, view(uncached));
  worst.compare("phi without rotations", uncached, [&](double) { return phi(pool, s); });
  return worst;
}

namespace {

VectorXd force(const ForcePool& pool, const RandomState& at, const Inputs& inputs) {
  VectorXd out = VectorXd::Zero(at.v.size());
  pool.add_Q(at.motion(), inputs, view(out));
  return out;
}

// Columns: dQ/d(value), then dQ/d(rate) of every request, summed over the elements that read it.
MatrixXd request_slopes(const ForcePool& pool, const RandomState& s, const Inputs& inputs) {
  const int n = body_size(s.dimension), requests = static_cast<int>(inputs.value.size());
  MatrixXd out = MatrixXd::Zero(s.v.size(), 2 * requests);
  VectorXd to_value(pool.sides() * n), to_rate(pool.sides() * n);
  for (int e = 0; e < pool.count(); ++e)
    for (std::size_t k = 0; k < pool.inputs(e).size(); ++k) {
      pool.Q_input(s.motion(), inputs, e, static_cast<int>(k), view(to_value), view(to_rate));
      for (int i = 0; i < pool.sides(); ++i)
        if (const int b = pool.body(e, i); b >= 0) {
          out.col(pool.inputs(e)[k]).segment(b * n, n) += to_value.segment(i * n, n);
          out.col(pool.inputs(e)[k] + requests).segment(b * n, n) += to_rate.segment(i * n, n);
        }
    }
  return out;
}

}  // namespace

Worst force_errors(const ForcePool& pool,
                   const RandomState& s,
                   const VectorXd& value,
                   const VectorXd& rate) {
  const Inputs inputs{view(value), view(rate)};
  Worst worst;
  worst.compare(
      "Q_q",
      square_storage(pool, s).write([&](Blocks out) { pool.add_Q_q(s.motion(), inputs, 1, out); }),
      [&](double h) {
        return along_increments(
            s, [&](const RandomState& at) { return force(pool, at, inputs); }, h);
      });
  worst.compare(
      "Q_v",
      square_storage(pool, s).write([&](Blocks out) { pool.add_Q_v(s.motion(), inputs, 1, out); }),
      [&](double h) {
        return along_velocities(
            s, [&](const RandomState& at) { return force(pool, at, inputs); }, h);
      });

  // Q v = -V' + power: what the potential does not give is power.
  const double work = force(pool, s, inputs).dot(s.v), power = pool.power(s.motion(), inputs);
  worst.compare("power", VectorXd::Constant(1, power - work), [&](double h) {
    const auto potential = [&](double dt) {
      return VectorXd::Constant(1, pool.potential(s.moved(dt * s.v).config())).eval();
    };
    return derivative(potential, h);
  });

  const auto powers = [&](const RandomState& at) {
    const double all = pool.power(at.motion(), inputs),
                 lost = pool.dissipation(at.motion(), inputs);
    return VectorXd(Eigen::Vector2d(all + lost, lost));
  };
  VectorXd slopes[4];
  for (VectorXd& x : slopes) x.setZero(s.v.size());
  pool.add_power_slopes(
      s.motion(), inputs, {view(slopes[0]), view(slopes[1]), view(slopes[2]), view(slopes[3])});
  MatrixXd power_q(2, s.v.size()), power_v(2, s.v.size());
  power_q << slopes[0].transpose(), slopes[2].transpose();
  power_v << slopes[1].transpose(), slopes[3].transpose();
  worst.compare("power_q", power_q, [&](double h) { return along_increments(s, powers, h); });
  worst.compare("power_v", power_v, [&](double h) { return along_velocities(s, powers, h); });

  const auto n = value.size();
  worst.compare("Q_input", request_slopes(pool, s, inputs), [&](double h) {
    MatrixXd out(s.v.size(), 2 * n);
    for (Eigen::Index k = 0; k < 2 * n; ++k)
      out.col(k) = derivative(
          [&](double d) {
            VectorXd x = value, y = rate;
            (k < n ? x[k] : y[k - n]) += d;
            return force(pool, s, {view(x), view(y)});
          },
          h);
    return out;
  });
  return worst;
}

void check_constraints(const ConstraintSet& set, int bodies) {
  std::mt19937 rng(7);
  for (int repeat = 0; repeat < 10; ++repeat)
    for (int k = 0; k < set.pool_count(); ++k)
      report(constraint_errors(set.pool(k), random_state(set.dimension(), bodies, rng), rng),
             set.pool(k).type(),
             set.pool(k).differenced() ? differenced_tolerance : difference_tolerance);
}

void check_constraints_near(const ConstraintSet& set, const VectorXd& q, double spread) {
  std::mt19937 rng(7);
  for (int repeat = 0; repeat < 10; ++repeat)
    for (int k = 0; k < set.pool_count(); ++k)
      report(constraint_errors(set.pool(k), state_near(set.dimension(), q, spread, rng), rng),
             set.pool(k).type(),
             set.pool(k).differenced() ? differenced_tolerance : difference_tolerance);
}

void check_forces(const ForceSet& set, int bodies, int requests) {
  std::mt19937 rng(11);
  for (int repeat = 0; repeat < 10; ++repeat)
    for (int k = 0; k < set.pool_count(); ++k) {
      const VectorXd value = random_vector(requests, rng), rate = random_vector(requests, rng);
      report(force_errors(set.pool(k), random_state(set.dimension(), bodies, rng), value, rate),
             set.pool(k).type(),
             difference_tolerance);
    }
}

}  // namespace cardan::test
