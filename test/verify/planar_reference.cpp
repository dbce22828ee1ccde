#include "test/verify/planar_reference.h"

#include <algorithm>
#include <cmath>

namespace cardan::test {

namespace {

using Point = PlanarReference::Point;
using Vector = PlanarReference::Vector;

Point turned(double angle, const Point& p) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p.x() - s * p.y(), s * p.x() + c * p.y()};
}

Point across(const Point& p) {
  return {-p.y(), p.x()};
}

struct Place {  // of a point fixed in a body
  Point arm{0, 0}, at{0, 0}, velocity{0, 0};
  double angle = 0, omega = 0;
};

Place place(const Vector& q, const Vector& v, int body, const Point& local) {
  if (body < 0) return {local, local, {0, 0}, 0, 0};
  Place p;
  p.angle = q[3 * body + 2];
  p.omega = v[3 * body + 2];
  p.arm = turned(p.angle, local);
  p.at = q.segment<2>(3 * body) + p.arm;
  p.velocity = v.segment<2>(3 * body) + p.omega * across(p.arm);
  return p;
}

}  // namespace

int PlanarReference::bar(Point from, Point to, double mass) {
  const Point d = to - from, centre = 0.5 * (from + to);
  bodies_.push_back({mass, mass * d.squaredNorm() / 12, 0.5 * d.norm()});
  for (const double x : {centre.x(), centre.y(), std::atan2(d.y(), d.x())}) q0_.push_back(x);
  return static_cast<int>(bodies_.size()) - 1;
}

Point PlanarReference::local(int body, Point drawn) const {
  if (body < 0) return drawn;
  const double* q = q0_.data() + 3 * body;
  return turned(-q[2], drawn - Point(q[0], q[1]));
}

void PlanarReference::revolute(int i, int j, Point at) {
  joints_.push_back({false, i, j, local(i, at), local(j, at), {1, 0}, 0});
}

void PlanarReference::slide(int i, int j, Point at, Point axis) {
  const auto angle = [&](int b) {
    return b < 0 ? 0.0 : q0_[static_cast<std::size_t>(3 * b + 2)];
  };
  joints_.push_back({true,
                     i,
                     j,
                     local(i, at),
                     local(j, at),
                     turned(-angle(i), axis.normalized()),
                     angle(j) - angle(i)});
}

void PlanarReference::spring(
    int i, int j, Point at_i, Point at_j, double stiffness, double damping, double length) {
  springs_.push_back({i, j, local(i, at_i), local(j, at_j), stiffness, damping, length});
}

void PlanarReference::torque(int j, std::function<double(double)> value) {
  torques_.push_back({j, std::move(value)});
}

PlanarReference::Equations PlanarReference::equations(const Vector& q, const Vector& v) const {
  const auto rows = static_cast<Eigen::Index>(2 * joints_.size());
  Equations e{Eigen::MatrixXd::Zero(rows, q.size()), Vector(rows), Vector(rows)};
  Eigen::Index r = 0;
  for (const Joint& joint : joints_) {
    const Place a = place(q, v, joint.i, joint.at_i), b = place(q, v, joint.j, joint.at_j);
    const Point d = b.at - a.at, rate = b.velocity - a.velocity;
    Point bend{0, 0};  // d'' without accelerations
    if (joint.i >= 0) bend += a.omega * a.omega * a.arm;
    if (joint.j >= 0) bend -= b.omega * b.omega * b.arm;
    if (!joint.slides) {
      for (Eigen::Index c = 0; c < 2; ++c) {
        if (joint.i >= 0) {
          e.J(r + c, 3 * joint.i + c) = -1;
          e.J(r + c, 3 * joint.i + 2) = -across(a.arm)[c];
        }
        if (joint.j >= 0) {
          e.J(r + c, 3 * joint.j + c) = 1;
          e.J(r + c, 3 * joint.j + 2) = across(b.arm)[c];
        }
        e.phi[r + c] = d[c];
        e.gamma[r + c] = -bend[c];
      }
    } else {
      const Point n = across(turned(a.angle, joint.axis));
      e.phi[r] = b.angle - a.angle - joint.angle;
      e.phi[r + 1] = n.dot(d);
      e.gamma[r] = 0;
      e.gamma[r + 1] =
          -(n.dot(bend) + 2 * a.omega * across(n).dot(rate) - a.omega * a.omega * n.dot(d));
      if (joint.i >= 0) {
        e.J(r, 3 * joint.i + 2) = -1;
        e.J.block<1, 2>(r + 1, 3 * joint.i) = -n.transpose();
        e.J(r + 1, 3 * joint.i + 2) = -n.dot(across(a.arm)) + across(n).dot(d);
      }
      if (joint.j >= 0) {
        e.J(r, 3 * joint.j + 2) = 1;
        e.J.block<1, 2>(r + 1, 3 * joint.j) = n.transpose();
        e.J(r + 1, 3 * joint.j + 2) = n.dot(across(b.arm));
      }
    }
    r += 2;
  }
  return e;
}

Vector PlanarReference::forces(double t, const Vector& q, const Vector& v) const {
  Vector Q = Vector::Zero(q.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    Q.segment<2>(static_cast<Eigen::Index>(3 * b)) = bodies_[b].mass * gravity_;
  const auto add = [&](int body, const Point& arm, const Point& force) {
    if (body < 0) return;
    Q.segment<2>(3 * body) += force;
    Q[3 * body + 2] += arm.x() * force.y() - arm.y() * force.x();
  };
  for (const Spring& s : springs_) {
    const Place a = place(q, v, s.i, s.at_i), b = place(q, v, s.j, s.at_j);
    const Point d = b.at - a.at, u = d.normalized();
    const Point pull =
        (s.stiffness * (d.norm() - s.length) + s.damping * u.dot(b.velocity - a.velocity)) * u;
    add(s.i, a.arm, pull);
    add(s.j, b.arm, -pull);
  }
  for (const Torque& torque : torques_) Q[3 * torque.j + 2] += torque.value(t);
  return Q;
}

Vector PlanarReference::mass() const {
  Vector m(static_cast<Eigen::Index>(3 * bodies_.size()));
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    m.segment<3>(static_cast<Eigen::Index>(3 * b)) << bodies_[b].mass, bodies_[b].mass,
        bodies_[b].inertia;
  return m;
}

Vector PlanarReference::accelerations(double t, const Vector& q, const Vector& v) const {
  const Equations e = equations(q, v);
  const Eigen::Index n = q.size(), m = e.phi.size();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = mass().asDiagonal();
  K.topRightCorner(n, m) = e.J.transpose();
  K.bottomLeftCorner(m, n) = e.J;
  Vector right(n + m);
  right << forces(t, q, v), e.gamma;
  return K.partialPivLu().solve(right).head(n);
}

bool PlanarReference::project(Vector& q, Vector& v) const {
  const Vector weight = mass().cwiseInverse();
  const auto solve = [&](const Eigen::MatrixXd& J, const Vector& g) -> Vector {
    const Eigen::MatrixXd S = J * weight.asDiagonal() * J.transpose();
    return weight.asDiagonal() * (J.transpose() * S.ldlt().solve(g));
  };
  for (int pass = 0; pass < 20; ++pass) {
    const Equations e = equations(q, v);
    if (e.phi.size() == 0 || e.phi.cwiseAbs().maxCoeff() < 1e-13) {
      if (e.phi.size() > 0) v -= solve(e.J, e.J * v);
      return v.allFinite();
    }
    q -= solve(e.J, e.phi);
    if (!q.allFinite()) return false;
  }
  return false;
}

Vector PlanarReference::frames(const Vector& q) const {
  Vector out = q;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const auto k = static_cast<Eigen::Index>(3 * b);
    out.segment<2>(k) -= turned(q[k + 2], {bodies_[b].half, 0});
  }
  return out;
}

std::optional<std::vector<Vector>> PlanarReference::solve(const std::vector<double>& times,
                                                          double tolerance,
                                                          double shift,
                                                          int pattern) const {
  static constexpr double c[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
  static constexpr double a[7][6] = {
      {},
      {0.2},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double b4[] = {
      5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
  const auto n = static_cast<Eigen::Index>(q0_.size());
  Vector q = Eigen::Map<const Vector>(q0_.data(), n);
  Vector v(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double phase = (1 + pattern) * static_cast<double>(k + 1);
    q[k] += shift * std::sin(phase);
    v[k] = shift * std::cos(phase);
  }
  if (!project(q, v)) return {};
  std::vector<Vector> rows;
  double t = times.front(), h = 1e-3;
  for (const double end : times) {
    while (t < end) {
      h = std::min(h, end - t);
      if (h < 1e-13) {
        if (end - t > 1e-12) return {};
        t = end;
        break;
      }
      Vector dq[7], dv[7];
      Vector q1, v1;
      for (int s = 0; s < 7; ++s) {
        q1 = q, v1 = v;
        for (int k = 0; k < s; ++k) q1 += h * a[s][k] * dq[k], v1 += h * a[s][k] * dv[k];
        dq[s] = v1;
        dv[s] = accelerations(t + c[s] * h, q1, v1);
      }
      Vector eq = q - q1, ev = v - v1;
      for (int k = 0; k < 7; ++k) eq += h * b4[k] * dq[k], ev += h * b4[k] * dv[k];
      const double error =
          std::max((eq.array().abs() / (tolerance * (1 + q1.array().abs()))).maxCoeff(),
                   (ev.array().abs() / (tolerance * (1 + v1.array().abs()))).maxCoeff());
      const bool good = std::isfinite(error) && error <= 1 && project(q1, v1);
      if (good) t = end - t - h < 1e-14 ? end : t + h, q = q1, v = v1;
      h *= std::isfinite(error)
               ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, good ? 4.0 : 0.9)
               : 0.2;
    }
    rows.push_back(frames(q));
  }
  return rows;
}

}  // namespace cardan::test
