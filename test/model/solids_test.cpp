#include "cardan/model/solids.h"

#include <cmath>

#include <gtest/gtest.h>

namespace cardan {
namespace {

constexpr double round_off = 1e-13;
constexpr Quad straight{1, 0, 0, 0};

Shape shape(const std::string& kind, std::vector<double> sizes, std::vector<Triple> points) {
  return {kind, std::move(sizes), std::move(points), "", straight, {}};
}

// A box as a mesh, far from the origin.
Shape box_mesh(const Vec<3>& size, const Vec<3>& at) {
  Shape mesh = shape("mesh", {}, {});
  for (int k = 0; k < 8; ++k)
    mesh.points.push_back({at.x() + (k & 1 ? 0.5 : -0.5) * size.x(),
                           at.y() + (k & 2 ? 0.5 : -0.5) * size.y(),
                           at.z() + (k & 4 ? 0.5 : -0.5) * size.z()});
  for (const auto& f : std::vector<std::array<int, 4>>{
           {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    mesh.triangles.push_back({f[0], f[1], f[2]});
    mesh.triangles.push_back({f[0], f[2], f[3]});
  }
  return mesh;
}

TEST(Solids, MeshOfABoxIsABox) {
  const Vec<3> size(0.2, 0.3, 0.5), at(10, -7, 3);
  const Shape mesh = box_mesh(size, at);
  EXPECT_EQ(open_edges(mesh.triangles), 0);
  const Solid a = solid_of(mesh),
              b = solid_of(shape("box", {0.2, 0.3, 0.5}, {{at.x(), at.y(), at.z()}}));
  EXPECT_NEAR(a.volume, b.volume, round_off);
  EXPECT_LT((a.centroid - b.centroid).norm(), 1e-11);
  EXPECT_LT((a.tensor - b.tensor).norm(), round_off);
  Shape torn = mesh;
  torn.triangles.pop_back();
  EXPECT_GT(open_edges(torn.triangles), 0);
}

TEST(Solids, PartsAddUpToTheWhole) {
  const Solid whole = solid_of(shape("cylinder", {0.3}, {{0, 0, -1}, {0, 0, 1}}));
  const Solid parts = solid_of({shape("cylinder", {0.3}, {{0, 0, -1}, {0, 0, 0.2}}),
                                shape("cylinder", {0.1}, {{0, 0, 0.2}, {0, 0, 1}}),
                                shape("tube", {0.3, 0.1}, {{0, 0, 0.2}, {0, 0, 1}})});
  EXPECT_NEAR(whole.volume, parts.volume, round_off);
  EXPECT_LT((whole.centroid - parts.centroid).norm(), round_off);
  EXPECT_LT((whole.tensor - parts.tensor).norm(), round_off);
}

TEST(Solids, ConeAndSphereAndTurnedBox) {
  const Solid cone = solid_of(shape("cone", {2}, {{0, 0, 0}, {0, 0, 3}}));
  EXPECT_NEAR(cone.volume, 4 * M_PI, round_off);
  EXPECT_NEAR(cone.centroid.z(), 0.75, round_off);
  EXPECT_NEAR(cone.tensor(2, 2), 0.3 * cone.volume * 4, 1e-12);
  EXPECT_NEAR(cone.tensor(0, 0), cone.volume * 3.0 / 80 * (16 + 9), 1e-12);
  const Solid ball = solid_of(shape("sphere", {0.5}, {{1, 2, 3}}));
  EXPECT_NEAR(ball.tensor(1, 1), 0.4 * ball.volume * 0.25, round_off);
  Shape box = shape("box", {1, 2, 3}, {{0, 0, 0}});
  const Solid before = solid_of(box);
  box.orientation = {std::sqrt(0.5), 0, 0, std::sqrt(0.5)};  // x and y change places
  const Solid after = solid_of(box);
  EXPECT_NEAR(after.tensor(0, 0), before.tensor(1, 1), round_off);
  EXPECT_NEAR(after.tensor(1, 1), before.tensor(0, 0), round_off);
}

TEST(Solids, MovedTensorsComeBack) {
  const Mat<3, 3> J = Vec<3>(1, 2, 2.5).asDiagonal();
  const Vec<3> d(0.1, -0.4, 0.7);
  const Mat<3, 3> away = moved_to_centre(J, -3, d);
  EXPECT_LT((moved_to_centre(away, 3, -d) - J).norm(), round_off);
  EXPECT_NEAR(away(0, 0), 1 + 3 * (0.16 + 0.49), round_off);
  EXPECT_NEAR(away(0, 1), 3 * 0.1 * 0.4, round_off);
}

}  // namespace
}  // namespace cardan
