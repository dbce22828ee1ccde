// The equations in numbers: reduced to independent coordinates, as in Haug (1989), 7.2.
#include "cardan/analysis/matrices.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/analysis/run.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

std::unique_ptr<MechanismMatrices> matrices(const Checked& checked, std::vector<int> chosen = {}) {
  auto made = matrices_of(
      *checked.system, checked.assembly.mobility, checked.assembly.state, std::move(chosen));
  EXPECT_TRUE(made) << (made ? "" : to_text(made.why().front()));
  return made ? std::move(made).value() : nullptr;
}

// Example 7.2.1: (J' + m) phi'' = -m g cos phi, du = (-sin phi, cos phi) dphi.
TEST(Matrices, ReducedPendulum) {
  Model model = test::model_of(
      "gravity = [0, -9.81]\n[parameters]\nphi = 0.7\n"
      "[[body]]\nname='bar'\nat=['cos(phi)', 'sin(phi)']\nangle='phi'\nmass=2\ninertia=0.5\n"
      "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground', 'bar']\nat=[0, 0]\n"
      "[[initial]]\njoint='pin'\nrate='3 rad/s'\n");
  const Checked checked = check_model(model);
  ASSERT_TRUE(checked.assembly.ok);
  const auto x = matrices(checked, {2});
  ASSERT_TRUE(x && x->find("M_v"));
  EXPECT_NEAR(x->find("M_v")->values(0, 0), 0.5 + 2, 1e-14);
  EXPECT_NEAR(x->find("Q_v")->values(0, 0), -2 * 9.81 * std::cos(0.7), 1e-13);
  ASSERT_EQ(x->dependent.size(), 2U);
  for (int k = 0; k < 2; ++k) {
    const bool is_x = x->dependent[static_cast<std::size_t>(k)] == "x of 'bar'";
    EXPECT_NEAR(x->find("H")->values(k, 0), is_x ? -std::sin(0.7) : std::cos(0.7), 1e-15);
  }
  const auto y = matrices(checked, {1});  // in the height: phi_y = 1/cos phi
  EXPECT_NEAR(y->find("M_v")->values(0, 0), 2.5 / (std::cos(0.7) * std::cos(0.7)), 1e-13);
  EXPECT_EQ(y->independent, std::vector<std::string>{"y of 'bar'"});
}

// The accelerations of the independent coordinates, in their order.
Eigen::VectorXd independent_accelerations(const MechanismMatrices& x) {
  Eigen::VectorXd a(static_cast<Eigen::Index>(x.independent.size()));
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    const auto at = std::find(
        x.coordinates.begin(), x.coordinates.end(), x.independent[static_cast<std::size_t>(j)]);
    a[j] = x.find("a")->values(at - x.coordinates.begin(), 0);
  }
  return a;
}

void expect_reduced(const MechanismMatrices& x) {
  const Eigen::MatrixXd &U = x.find("U")->values, &R = x.find("R")->values,
                        &H = x.find("H")->values, &M = x.find("M_v")->values;
  const Eigen::MatrixXd below = U.triangularView<Eigen::StrictlyLower>();
  EXPECT_LT((U * H + R).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((U.diagonal().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_EQ(below.cwiseAbs().maxCoeff(), 0);
  EXPECT_LT((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-12 * M.cwiseAbs().maxCoeff());
  const Eigen::VectorXd Q = x.find("Q_v")->values, a = independent_accelerations(x);
  EXPECT_LT((M * a - Q).cwiseAbs().maxCoeff(), 1e-9 * (1 + Q.cwiseAbs().maxCoeff()));
}

TEST(Matrices, AccelerationsSatisfyTheReducedEquations) {
  for (const char* name : {"slider-crank",
                           "andrews",
                           "double-pendulum",
                           "doc002-crank-slider",
                           "parallelogram",
                           "spatial-slider-crank",
                           "bennett",
                           "equations-crank-slider"}) {
    SCOPED_TRACE(name);
    const Checked checked = check_model(test::model_file(name));
    ASSERT_TRUE(checked.assembly.ok);
    const auto x = matrices(checked);
    ASSERT_TRUE(x && x->find("M_v"));
    expect_reduced(*x);
  }
}

TEST(Matrices, IndependentOnesMustDetermineTheOthers) {
  const Checked checked = check_model(test::model_file("double-pendulum"));
  const auto refused =
      matrices_of(*checked.system, checked.assembly.mobility, checked.assembly.state, {0, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().front().id, "model.bad-value");
}

}  // namespace
}  // namespace cardan
