#pragma once
// An independent solution of planar mechanisms, written for the tests alone: coordinates of mass
// centres, the dense system
//   | M  J^T | | a      |   | Q     |
//   | J   0  | | lambda | = | gamma |
// by full LU, Dormand-Prince 5(4) with error control, and mass-orthogonal projection after every
// step. It shares no code with the program.
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Dense>

namespace cardan::test {

class PlanarReference {
 public:
  using Vector = Eigen::VectorXd;
  using Point = Eigen::Vector2d;

  explicit PlanarReference(Point gravity = {0, -9.81}) : gravity_(gravity) {}

  // Bodies are bars drawn from one point to another, their frame at the first one. -1: the ground.
  int bar(Point from, Point to, double mass);
  void revolute(int i, int j, Point at);
  void slide(int i, int j, Point at, Point axis);
  void spring(
      int i, int j, Point at_i, Point at_j, double stiffness, double damping, double length);
  void torque(int j, std::function<double(double t)> value);

  // Rows of (x, y, angle) of the bars' frames at the times asked for, from rest in the drawing.
  // Nothing when a step becomes too small. shift: changes the initial positions and velocities by
  // as much at most, in one of several directions, before they are made consistent.
  std::optional<std::vector<Vector>> solve(const std::vector<double>& times,
                                           double tolerance,
                                           double shift = 0,
                                           int pattern = 0) const;

 private:
  struct Body {
    double mass, inertia, half;
  };

  struct Joint {
    bool slides;
    int i, j;
    Point at_i, at_j, axis;
    double angle;
  };

  struct Spring {
    int i, j;
    Point at_i, at_j;
    double stiffness, damping, length;
  };

  struct Torque {
    int j;
    std::function<double(double)> value;
  };

  struct Equations {
    Eigen::MatrixXd J;
    Vector phi, gamma;
  };

  Point local(int body, Point drawn) const;
  Equations equations(const Vector& q, const Vector& v) const;
  Vector forces(double t, const Vector& q, const Vector& v) const;
  Vector accelerations(double t, const Vector& q, const Vector& v) const;
  bool project(Vector& q, Vector& v) const;
  Vector mass() const;
  Vector frames(const Vector& q) const;

  Point gravity_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Spring> springs_;
  std::vector<Torque> torques_;
  std::vector<double> q0_;
};

}  // namespace cardan::test
