// Bodies, mass centres and the geometry of elements in them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/dense.h"
#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"
#include "cardan/model/own_equations.h"
#include "cardan/system/compiler.h"

namespace cardan {

namespace {

void append(std::vector<double>& list, std::initializer_list<double> more) {
  list.insert(list.end(), more);
}

}  // namespace

void Compiler::bodies() {
  if (model_.own != nullptr) return own_coordinates();
  system_.mass_ = MassMatrix(body_size());
  for (const Body& b : model_.bodies) {
    if (dimension_ == 2) {
      system_.layout_.add_planar();
      planar_body(b);
    } else {
      system_.layout_.add_spatial();
      spatial_body(b);
    }
    system_.velocity_given_.push_back(b.velocity_given ? 1 : 0);
  }
}

void Compiler::planar_body(const Body& b) {
  const std::string words = "body '" + b.name + "'";
  if (!std::isfinite(b.mass) || !std::isfinite(b.inertia))
    report("model.not-finite", b.where, words, "a mass or inertia that is not finite", "numbers");
  else if (b.mass < 0 || b.inertia < 0)
    report("model.negative-mass",
           b.where,
           words,
           fmt::format("mass {:g} kg, inertia {:g} kg*m^2", b.mass, b.inertia),
           "none of them negative");
  else if (b.mass == 0 && b.inertia > 0)
    report("model.zero-inertia",
           b.where,
           words,
           fmt::format("no mass, but inertia {:g} kg*m^2", b.inertia),
           "a mass, or no inertia");
  system_.bodies_.push_back({b.name, b.where, b.mass, b.inertia, b.centre});
  system_.mass_.add_planar(b.mass, b.inertia);
  const double c = elementary::cos(b.angle), s = elementary::sin(b.angle);
  const double dx = c * b.centre[0] - s * b.centre[1], dy = s * b.centre[0] + c * b.centre[1];
  append(system_.given_.q, {b.at[0] + dx, b.at[1] + dy, b.angle});
  append(system_.given_.v, {b.velocity[0] - b.rate * dy, b.velocity[1] + b.rate * dx, b.rate});
}

void Compiler::spatial_body(const Body& b) {
  const Mat<3, 3> J =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.tensor.data());
  const Quaternion e(b.orientation.data());
  const Vec<3> centre(b.centre.data()), omega(b.omega.data()), at(b.at.data()),
      velocity(b.velocity.data());
  double least = 0;
  if (!std::isfinite(b.mass) || !J.allFinite()) {
    report("model.not-finite",
           b.where,
           "body '" + b.name + "'",
           "a mass or inertia that is not finite",
           "numbers");
  } else {
    least = check_tensor(b, J);
  }
  system_.bodies_.push_back({b.name, b.where, b.mass, least, b.centre, J});
  system_.mass_.add_spatial(b.mass, J);
  const Mat<3, 3> A = matrix_of_quaternion(e);
  const Vec<3> r = at + A * centre, v = velocity + A * omega.cross(centre);
  append(system_.given_.q, {r.x(), r.y(), r.z(), e[0], e[1], e[2], e[3]});
  append(system_.given_.v, {v.x(), v.y(), v.z(), omega.x(), omega.y(), omega.z()});
}

// A body's tensor is symmetric, its principal values are not negative, and none exceeds the sum of
// the other two. Returns the least of them.
double Compiler::check_tensor(const Body& b, const Mat<3, 3>& J) {
  constexpr double slack = 1e-9;  // relative: what rounding in the model file may cost
  const std::string words = "body '" + b.name + "'";
  const Vec<3> p = Eigen::SelfAdjointEigenSolver<Mat<3, 3>>(J).eigenvalues();
  const double scale = p.cwiseAbs().maxCoeff();
  const std::string values =
      fmt::format("principal moments {:.6g}, {:.6g}, {:.6g} kg*m^2", p[0], p[1], p[2]);
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > slack * scale)
    report("model.bad-inertia",
           b.where,
           words,
           "an inertia tensor that is not symmetric",
           "J_xy = J_yx, J_xz = J_zx, J_yz = J_zy");
  else if (b.mass < 0 || p[0] < -slack * scale)
    report("model.negative-mass",
           b.where,
           words,
           fmt::format("mass {:g} kg, {}", b.mass, values),
           "none of them negative",
           "off-diagonal entries of the tensor are J_xy = -sum of m x y");
  else if (p[2] > (p[0] + p[1]) * (1 + slack))
    report("model.bad-inertia",
           b.where,
           words,
           fmt::format("{}: {:.6g} > {:.6g} + {:.6g}", values, p[2], p[0], p[1]),
           "no principal moment larger than the sum of the other two",
           "no distribution of mass has such moments; check the numbers and where they refer to");
  else if (b.mass == 0 && scale > 0)
    report("model.zero-inertia", b.where, words, "no mass, but " + values, "a mass, or no inertia");
  return p[0] > slack * scale ? p[0] : 0.0;
}

// The size of the links: root mean square over the bodies of the largest distance of a point from
// the mass centre. (Not the size of the whole, so that tolerances do not grow with the length of
// a chain.) Coordinates of one's own that all have a unit are as large as the largest in the given
// pose; angles and plain numbers count as they are.
void Compiler::measure_length() {
  if (model_.own != nullptr) {
    double largest = 0;
    for (const auto& c : model_.own->coordinates) {
      if (c.unit.empty() || c.unit == "rad") return;
      largest = std::max(largest, std::abs(c.initial));
    }
    if (std::isfinite(largest) && largest > 0) system_.length_ = largest;
    return;
  }
  std::vector<double> span(model_.bodies.size(), 0.0);
  double reach = 0;
  for (const auto* list : {&model_.joints, &model_.drivers, &model_.forces})
    for (const Element& e : *list)
      for (const Side& given : e.sides) {
        const Side side = in_mass_frame(given);
        const double distance = elementary::hypot(side.point[0], side.point[1], side.point[2]);
        double& widest = side.body >= 0 ? span[static_cast<std::size_t>(side.body)] : reach;
        widest = std::max(widest, distance);
      }
  double sum = 0;
  int count = 0;
  for (const double s : span)
    if (std::isfinite(s) && s > 0) {
      sum += s * s;
      ++count;
    }
  if (count > 0)
    system_.length_ = std::sqrt(sum / count);
  else if (std::isfinite(reach) && reach > 0)
    system_.length_ = reach;
  const double squared = system_.length_ * system_.length_;
  system_.metric_ = MassMatrix(body_size());
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (dimension_ == 2)
      system_.metric_.add_planar(1, squared);
    else
      system_.metric_.add_spatial(1, squared * Mat<3, 3>::Identity());
}

Side Compiler::in_mass_frame(Side side) const {
  if (side.body >= 0)
    for (std::size_t k = 0; k < 3; ++k)
      side.point[k] -= model_.bodies[static_cast<std::size_t>(side.body)].centre[k];
  return side;
}

ElementEnd Compiler::end_of(const Side& given) const {
  const Side side = in_mass_frame(given);
  return {
      side.body, Vec<3>(side.point.data()), Vec<3>(side.axis.data()), Vec<3>(side.across.data())};
}

ElementSpec Compiler::spec_of(const Element& e) const {
  ElementSpec spec;
  for (std::size_t k = 0; k < std::min<std::size_t>(2, e.sides.size()); ++k) {
    spec.ends[k] = end_of(e.sides[k]);
  }
  for (const auto& [key, value] : e.settings) {
    if (const auto* x = std::get_if<double>(&value)) spec.numbers.push_back({key, {*x}});
    if (const auto* x = std::get_if<bool>(&value)) spec.numbers.push_back({key, {*x ? 1.0 : 0.0}});
    if (const auto* x = std::get_if<std::vector<double>>(&value)) spec.numbers.push_back({key, *x});
    if (const auto* x = std::get_if<std::string>(&value)) spec.choices.push_back({key, *x});
    if (const auto* x = std::get_if<PlanarCurvePtr>(&value)) spec.curves.push_back({key, *x});
    if (const auto* x = std::get_if<SpaceCurvePtr>(&value)) spec.space_curves.push_back({key, *x});
    if (const auto* x = std::get_if<Expression>(&value)) spec.formulas.push_back({key, *x});
    if (const auto* x = std::get_if<FunctionPtr>(&value))
      (e.kind == Kind::driver ? (void)(spec.drive = *x) : spec.functions.push_back({key, *x}));
  }
  for (const auto& c : e.coupled) {
    const auto& sides = model_.joints[static_cast<std::size_t>(c.joint)].sides;
    CoupledJoint joint{{}, c.angle, c.factor};
    for (std::size_t k = 0; k < 2 && k < sides.size(); ++k) joint.ends[k] = end_of(sides[k]);
    spec.coupled.push_back(joint);
  }
  spec.inputs = e.inputs;
  spec.start_angle = e.start_angle;
  return spec;
}

}  // namespace cardan
