// One body on one joint in space, in an oblique pose and with initial speed, against Kane's
// equations in the speeds u that the joint leaves free:
//
//   v = A u,  omega = B u,  a = A u' + a0,  alpha = B u' + b0
//   A^T m (a - g) + B^T (J alpha + omega x J omega - torque) = 0
//
// They know no constraints and no multipliers. Their solution gives positions, velocities and
// accelerations; the balance of the body gives what the joint carries.
// Reference: T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, 1985, chapter 4.
#include <cmath>
#include <functional>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using Columns = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using Numbers = Eigen::VectorXd;

Mat<3, 3> cross(const Vec<3>& a) {
  return Mat<3, 3>{{0, -a.z(), a.y()}, {a.z(), 0, -a.x()}, {-a.y(), a.x(), 0}};
}

Mat<3, 3> turn_about(const Vec<3>& axis, double angle) {
  const Mat<3, 3> S = cross(axis);
  return Mat<3, 3>::Identity() + std::sin(angle) * S + (1 - std::cos(angle)) * S * S;
}

// What the body does for given q and u: its turn Q from the start, its mass centre, and above.
struct Motion {
  Mat<3, 3> Q = Mat<3, 3>::Identity();
  Vec<3> centre = Vec<3>::Zero();
  Columns A, B;
  Vec<3> a0 = Vec<3>::Zero(), b0 = Vec<3>::Zero();
  Vec<3> carried_at = Vec<3>::Zero();  // the joint's point on the first body
};

const Vec<3> point(0.3, -0.2, 0.5), start(0.7, 0.35, 0.9), gravity(1.5, -2, -9);
const Vec<3> n = Vec<3>(1, 2, -2) / 3, n1 = Vec<3>(2, 1, 2) / 3, n2 = Vec<3>(-2, 2, 1) / 3;
const Vec<3> hold = point - 0.4 * n;
const double mass = 1.7;
const Vec<3> inertia(0.05, 0.11, 0.09);
const Quaternion turned = Quaternion(0.8, -0.2, 0.4, 0.4);

// First displacements along the columns of `along`, or the two angles of a rod from `hold` to the
// joint's point on the body; then rotations: about `n` (one), a
// cross n1, n2 (two), free (three: u is the angular velocity and q a quaternion). The rotations
// carry the arm from the joint's point to the mass centre.
struct Joint {
  std::string type, keys;
  Columns along;
  int rotations = 0;
  double pitch = 0;      // displacement along n for each radian
  double stiffness = 0;  // of a spring about n
  double damping = 0;
  bool rod = false;

  int shifts() const { return rod ? 2 : static_cast<int>(along.cols()); }

  int freedoms() const { return shifts() + rotations; }

  int coordinates() const { return freedoms() + (rotations == 3 ? 1 : 0); }

  Numbers at_start() const {
    Numbers q = Numbers::Zero(coordinates());
    if (rotations == 3) q[shifts()] = 1;
    return q;
  }

  Numbers rates(const Numbers& q, const Numbers& u) const {
    Numbers rate(coordinates());
    const int s = shifts();
    rate.head(s) = u.head(s);
    if (rotations < 3) {
      rate.tail(rotations) = u.tail(rotations);
    } else {  // e' = (0, omega) e / 2
      const Vec<3> w = u.tail(3), e = q.tail(3);
      rate[s] = -0.5 * w.dot(e);
      rate.tail(3) = 0.5 * (q[s] * w + w.cross(e));
    }
    return rate;
  }

  Motion motion(const Numbers& q, const Numbers& u) const {
    Motion m;
    const int s = shifts();
    Columns turns(3, rotations);
    if (rotations == 1) {
      m.Q = turn_about(n, q[s]);
      turns.col(0) = n;
    }
    if (rotations == 2) {
      const Mat<3, 3> first = turn_about(n1, q[s]);
      m.Q = first * turn_about(n2, q[s + 1]);
      turns.col(0) = n1;
      turns.col(1) = first * n2;
      m.b0 = u[s] * u[s + 1] * n1.cross(Vec<3>(turns.col(1)));
    }
    if (rotations == 3) {
      const Vec<4> e = q.tail(4).normalized();
      const Mat<3, 3> S = cross(e.tail<3>());
      m.Q = Mat<3, 3>::Identity() + 2 * e[0] * S + 2 * S * S;
      turns.setIdentity();
    }
    const Vec<3> arm = m.Q * (start - point), w = turns * u.tail(rotations);
    Columns shift = along;
    m.centre = point + arm;
    m.a0 = m.b0.cross(arm) + w.cross(w.cross(arm));
    m.carried_at = point;
    if (rod) {
      const Mat<3, 3> first = turn_about(n1, q[0]);
      const Vec<3> second = first * n2, d = first * turn_about(n2, q[1]) * (point - hold),
                   spin = u[0] * n1 + u[1] * second;
      m.centre = hold + d + arm;
      m.a0 += (u[0] * u[1] * n1.cross(second)).cross(d) + spin.cross(spin.cross(d));
      m.carried_at = hold;
      shift.resize(3, 2);
      shift.col(0) = n1.cross(d);
      shift.col(1) = second.cross(d);
    } else {
      m.centre += along * q.head(s);
    }
    if (pitch != 0) m.centre += pitch * q[s] * n;
    m.A.resize(3, freedoms());
    m.B = Columns::Zero(3, freedoms());
    m.A.leftCols(s) = shift;
    m.A.rightCols(rotations) = -cross(arm) * turns;
    if (pitch != 0) m.A.col(s) += pitch * n;
    m.B.rightCols(rotations) = turns;
    return m;
  }
};

struct Row {
  Motion motion;
  Vec<3> v, w, a, alpha, force, moment;  // force and moment on the first body
};

struct Reference {
  const Joint& joint;
  Mat<3, 3> frame = matrix_of_quaternion(turned);

  Row row(const Numbers& q, const Numbers& u) const {
    Row r;
    r.motion = joint.motion(q, u);
    const Motion& m = r.motion;
    const Mat<3, 3> R = m.Q * frame;
    const Mat<3, 3> J = R * inertia.asDiagonal() * R.transpose();
    r.v = m.A * u;
    r.w = m.B * u;
    Vec<3> torque = Vec<3>::Zero();
    const int s = joint.shifts();
    if (joint.rotations == 1) torque = -(joint.stiffness * q[s] + joint.damping * u[s]) * n;
    const Vec<3> bias = J * m.b0 + r.w.cross(Vec<3>(J * r.w)) - torque;
    const Eigen::MatrixXd mass_matrix = mass * m.A.transpose() * m.A + m.B.transpose() * J * m.B;
    const Numbers load = m.A.transpose() * (mass * (gravity - m.a0)) - m.B.transpose() * bias;
    const Numbers du = mass_matrix.ldlt().solve(load);
    r.a = m.A * du + m.a0;
    r.alpha = m.B * du + m.b0;
    const Vec<3> on_body = mass * (r.a - gravity);
    r.force = -on_body;
    r.moment = -(J * r.alpha + r.w.cross(Vec<3>(J * r.w)) - torque +
                 (m.centre - m.carried_at).cross(on_body));
    rate_of_u = du;
    return r;
  }

  // Runge-Kutta of order 4.
  void step(Numbers& q, Numbers& u, double h) const {
    const auto slope = [&](const Numbers& y) {
      const Numbers at = y.head(q.size()), speed = y.tail(u.size());
      row(at, speed);
      Numbers f(y.size());
      f << joint.rates(at, speed), rate_of_u;
      return f;
    };
    Numbers y(q.size() + u.size());
    y << q, u;
    const Numbers k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2),
                  k4 = slope(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    q = y.head(q.size());
    u = y.tail(u.size());
  }

  mutable Numbers rate_of_u = {};
};

std::string text(const Vec<3>& p) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", p.x(), p.y(), p.z());
}

Columns columns(std::initializer_list<Vec<3>> list) {
  Columns c(3, static_cast<int>(list.size()));
  int k = 0;
  for (const Vec<3>& x : list) c.col(k++) = x;
  return c;
}

std::vector<Joint> joints() {
  const std::string at = "at = " + text(point) + "\n", axis = at + "axis = " + text(n) + "\n",
                    axes = at + "axis = [" + text(n1) + ", " + text(n2) + "]\n";
  const double pitch = 0.13;
  Joint sprung{"revolute", axis, columns({}), 1};
  sprung.stiffness = 12;
  sprung.damping = 0.3;
  Joint screw{
      "screw", axis + fmt::format("pitch = {:.17g}\n", 2 * M_PI * pitch), columns({}), 1, pitch};
  Joint rod{"distance", "at = [" + text(hold) + ", " + text(point) + "]\n", columns({}), 3};
  rod.rod = true;
  return {{"revolute", axis, columns({}), 1},
          rod,
          sprung,
          {"cylindrical", axis, columns({n}), 1},
          {"translational", axis, columns({n}), 0},
          screw,
          {"universal", axes, columns({}), 2},
          {"spherical", at, columns({}), 3},
          {"planar", axis, columns({n1, n2}), 1},
          {"point-on-line", axis, columns({n}), 3},
          {"point-in-plane", axis, columns({n1, n2}), 3},
          {"orientation", at, columns({n, n1, n2}), 0}};
}

class OneJoint : public testing::TestWithParam<Joint> {};

TEST_P(OneJoint, MovesAndCarriesAsKanesEquationsSay) {
  const Joint& joint = GetParam();
  const Reference reference{joint};
  Numbers q = joint.at_start(), u(joint.freedoms());
  for (int k = 0; k < u.size(); ++k) u[k] = 0.8 - 0.5 * k;
  const Row first = reference.row(q, u);
  std::string model = fmt::format(
      "space='spatial'\ngravity={}\n[[body]]\nname='body'\nmass={}\ninertia={}\nat={}\n"
      "orientation={{quaternion=[{},{},{},{}]}}\nvelocity={}\nangular_velocity={}\n"
      "[[joint]]\nname='joint'\ntype='{}'\nbetween=['ground','body']\n{}",
      text(gravity),
      mass,
      text(inertia),
      text(start),
      turned[0],
      turned[1],
      turned[2],
      turned[3],
      text(first.v),
      text(first.w),
      joint.type,
      joint.keys);
  if (joint.stiffness > 0)
    model += fmt::format(
        "[[force]]\nname='spring'\ntype='rotational-spring'\nbetween=['ground','body']\n"
        "axis={}\nstiffness='{} N*m'\ndamping='{} N*m*s'\nfree_angle=0\n",
        text(n),
        joint.stiffness,
        joint.damping);
  model += "[[analysis]]\ntype='dynamic'\nuntil=2\noutput_step=0.1\nrtol=1e-11\natol=1e-13\n";
  test::Memory run;
  const Outcome out = run_model(test::model_of(model), run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);

  const int steps_per_row = 1000;
  for (std::size_t k = 0; k <= 20; ++k) {
    const std::size_t at = test::row_at(run, 0.1 * static_cast<double>(k));
    const Row r = reference.row(q, u);
    const auto near = [&](const Vec<3>& expected, const std::string& prefix) {
      const Vec<3> found = test::vector(run, prefix, at);
      EXPECT_LT((found - expected).norm(), 1e-8 * (1 + expected.norm()))
          << prefix << "xyz at t = " << run.times[at] << ": found " << found.transpose()
          << ", expected " << expected.transpose();
    };
    near(r.motion.centre, "body.");
    near(r.v, "body.v");
    near(r.a, "body.a");
    near(r.w, "body.omega_");
    near(r.alpha, "body.alpha_");
    const Mat<3, 3> R = matrix_of_quaternion(test::quaternion(run, "body", at));
    EXPECT_LT((R - r.motion.Q * reference.frame).norm(), 1e-8) << "orientation";
    near(r.force, "joint.first.f");
    near(r.moment, "joint.first.m");
    if (HasFailure()) return;
    for (int i = 0; i < steps_per_row; ++i) reference.step(q, u, 0.1 / steps_per_row);
  }
}

INSTANTIATE_TEST_SUITE_P(Spatial, OneJoint, testing::ValuesIn(joints()), [](const auto& tested) {
  std::string name = tested.param.type;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (tested.param.stiffness > 0 ? "_with_spring" : "");
});

}  // namespace
}  // namespace cardan
