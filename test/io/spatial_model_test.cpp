// Spatial model files: orientations, inertia, markers, the sides of elements.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/io/mesh_file.h"
#include "cardan/io/read_model.h"
#include "cardan/math/rotation.h"

namespace cardan {
namespace {

constexpr double round_off = 1e-13;

Model read(const std::string& text, const ReadOptions& options = {}) {
  auto model = read_model_text(text, "test.toml", options);
  if (!model) {
    for (const auto& d : model.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(model).value();
}

Model one_body(const std::string& keys, const std::string& more = "") {
  return read("space = 'spatial'\ngravity = [0, 0, 0]\n[[body]]\nname = 'a'\n" + keys + "\n" +
              more);
}

Mat<3, 3> turn_of(const Quad& e) {
  return matrix_of_quaternion(Quaternion(e.data()));
}

Mat<3, 3> tensor_of(const Body& b) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.tensor.data());
}

Mat<3, 3> orientation(const std::string& table) {
  const Model m = one_body("mass = 1\ninertia = [1, 1, 1]\norientation = " + table);
  return m.bodies.empty() ? Mat<3, 3>::Zero() : turn_of(m.bodies[0].orientation);
}

TEST(SpatialModel, FiveWaysToSayAnOrientation) {
  const Mat<3, 3> A = orientation("{ axis = [0, 0, 2], angle = '90 deg' }");
  EXPECT_LT((A.col(0) - Vec<3>(0, 1, 0)).norm(), round_off);
  for (const char* same : {"{ quaternion = ['sqrt(0.5)', 0, 0, 'sqrt(0.5)'] }",
                           "{ angles = [0, 0, '90 deg'], sequence = 'xyz' }",
                           "{ angles = ['30 deg', 0, '60 deg'], sequence = 'zxz' }",
                           "{ z = [0, 0, 1], x = [0, 5, 3] }",
                           "{ x = [0, 1, 0], y = [-2, 0, 0] }",
                           "{ from = [1, 1, 0], to = [1, 3, 0] }",
                           "{ from = [1, 1, 0], to = [1, 3, 0], z = [0, 1, 1] }"})
    EXPECT_LT((orientation(same) - A).norm(), round_off) << same;
  const Mat<3, 3> moving = orientation("{ angles = [0.1, 0.2, 0.3], sequence = 'xyz' }"),
                  fixed = orientation(
                      "{ angles = [0.3, 0.2, 0.1], sequence = 'zyx', fixed_axes = true }");
  EXPECT_LT((moving - fixed).norm(), round_off);
}

TEST(SpatialModel, BarsPointFromOneEndToTheOther) {
  const Model m =
      one_body("from = [1, 1, 1]\nto = [1, 1, 4]\nwidth = 0.2\ndensity = 1000\nz = [1, 0, 0]");
  const Body& b = m.bodies.at(0);
  EXPECT_LT((turn_of(b.orientation).col(0) - Vec<3>(0, 0, 1)).norm(), round_off);
  EXPECT_LT((turn_of(b.orientation).col(2) - Vec<3>(1, 0, 0)).norm(), round_off);
  EXPECT_EQ(b.centre, (Triple{1.5, 0, 0}));
  const double mass = 1000 * M_PI * 0.01 * 3;
  EXPECT_NEAR(b.mass, mass, 1e-10);
  EXPECT_NEAR(tensor_of(b)(0, 0), mass * 0.01 / 2, 1e-10);
  EXPECT_NEAR(tensor_of(b)(1, 1), mass * (0.03 + 9) / 12, 1e-10);
}

TEST(SpatialModel, InertiaIsMovedAndTurned) {
  const Body plain = one_body("mass = 2\ninertia = [1, 2, 2.5]").bodies.at(0);
  EXPECT_EQ(tensor_of(plain), (Mat<3, 3>(Vec<3>(1, 2, 2.5).asDiagonal())));
  const Body six = one_body("mass = 2\ninertia = [1, 2, 2.5, 0.1, 0.2, 0.3]").bodies.at(0),
             nine = one_body("mass = 2\ninertia = [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]")
                        .bodies.at(0);
  EXPECT_EQ(six.tensor, nine.tensor);
  EXPECT_EQ(tensor_of(six)(0, 2), 0.2);
  const Body turned = one_body(
                          "mass = 2\ninertia = [1, 2, 2.5]\ninertia_axes = { axis = [0, 0, 1], "
                          "angle = '90 deg' }")
                          .bodies.at(0);
  EXPECT_NEAR(tensor_of(turned)(0, 0), 2, round_off);
  EXPECT_NEAR(tensor_of(turned)(1, 1), 1, round_off);
  const Body moved =
      one_body("mass = 2\ncentre = [0, 0, 1]\ninertia = [3, 4, 2.5]\ninertia_at = [0, 0, 0]")
          .bodies.at(0);
  EXPECT_NEAR(tensor_of(moved)(0, 0), 1, round_off);
  EXPECT_NEAR(tensor_of(moved)(1, 1), 2, round_off);
  EXPECT_NEAR(tensor_of(moved)(2, 2), 2.5, round_off);
}

TEST(SpatialModel, AngularVelocityInGroundOrBodyAxes) {
  const std::string keys =
      "mass = 1\ninertia = [1, 1, 1]\norientation = { axis = [0, 0, 1], angle = '90 deg' }\n";
  const Body ground_axes = one_body(keys + "angular_velocity = [0, 2, 3]").bodies.at(0),
             body_axes = one_body(keys + "angular_velocity_body = [2, 0, 3]").bodies.at(0);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(ground_axes.omega[k], body_axes.omega[k], round_off);
}

// The same hinge by a point and axis in the pose, in the bodies' frames, and by markers.
TEST(SpatialModel, SidesOfAJoint) {
  const std::string body =
      "at = [1, 2, 3]\nmass = 1\ninertia = [1, 1, 1]\n"
      "orientation = { axis = [1, 0, 0], angle = '90 deg' }\n";
  const auto joint = [&](const std::string& where, const std::string& before = "") {
    return one_body(body, before + "[[joint]]\ntype = 'revolute'\n" + where).joints.at(0);
  };
  const Element pose = joint(
      "between = ['ground', 'a']\nat = [1, 2, 5]\naxis = [0, 0, 2]\n"
      "across = [1, 0, 1]");
  const Element local = joint(
      "between = ['ground', 'a']\npoints = [[1, 2, 5], [0, 2, 0]]\n"
      "axes = [[0, 0, 1], [0, 1, 0]]\nacross = [1, 0, 0]");
  const Element marked = joint("markers = ['g', 'm']",
                               "[[marker]]\nname = 'g'\nbody = 'ground'\npoint = [1, 2, 5]\n"
                               "[[marker]]\nname = 'm'\nbody = 'a'\nat = [1, 2, 5]\norientation = "
                               "{ z = [0, 0, 1], x = [1, 0, 0] }\n");
  for (const Element& e : {pose, local, marked})
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec<3> point(e.sides[k].point.data()), axis(e.sides[k].axis.data()),
          across(e.sides[k].across.data());
      EXPECT_LT((point - (k == 0 ? Vec<3>(1, 2, 5) : Vec<3>(0, 2, 0))).norm(), round_off);
      EXPECT_LT((axis - (k == 0 ? Vec<3>(0, 0, 1) : Vec<3>(0, 1, 0))).norm(), round_off);
      EXPECT_LT((across - Vec<3>(1, 0, 0)).norm(), round_off);
    }
}

TEST(SpatialModel, MeshesOfBothKinds) {
  const char* obj =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1/1 4/2 3/3\nf -3 -2 -1\n";
  const MeshFile tetrahedron = parse_obj(obj);
  EXPECT_EQ(tetrahedron.fault, "");
  EXPECT_EQ(tetrahedron.points.size(), 4U);
  EXPECT_EQ(tetrahedron.triangles.size(), 4U);
  EXPECT_NE(parse_obj("v 0 0\n").fault, "");
  EXPECT_NE(parse_obj("v 0 0 0\nf 1 2 3\n").fault, "");
  EXPECT_NE(parse_obj("").fault, "");
  const MeshFile stl = parse_stl(
      "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
      "endfacet\nendsolid x\n");
  EXPECT_EQ(stl.fault, "");
  EXPECT_EQ(stl.triangles.size(), 1U);
  EXPECT_NE(parse_stl("solid x\nvertex 0 0\n").fault, "");
  std::string binary(80, ' ');
  const auto append = [&](auto value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(std::uint32_t{1});
  for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F}) append(x);
  append(std::uint16_t{0});
  EXPECT_EQ(parse_stl(binary).triangles.size(), 1U);
}

TEST(SpatialModel, PlanarModelsAreEmbedded) {
  ReadOptions options;
  options.spatial = true;
  const Model m = read(
      "gravity = [0, -9.81]\n[[body]]\nname = 'a'\nfrom = [0, 0]\nto = [0, 2]\nmass = 3\n"
      "[[body]]\nname = 'b'\nmass = 1\ninertia = 1\n"
      "[[joint]]\ntype = 'revolute'\nbetween = ['ground', 'a']\nat = [0, 0]\n",
      options);
  EXPECT_EQ(m.space, Space::spatial);
  EXPECT_EQ(m.joints.at(0).sides[0].axis, (Triple{0, 0, 1}));
  EXPECT_EQ(m.joints.at(1).type, "planar");  // the free body is kept in the plane
  EXPECT_EQ(m.joints.at(1).name, "plane of b");
  EXPECT_LT((turn_of(m.bodies[0].orientation).col(0) - Vec<3>(0, 1, 0)).norm(), round_off);
  EXPECT_NEAR(tensor_of(m.bodies[0])(2, 2), 1, round_off);
}

}  // namespace
}  // namespace cardan
