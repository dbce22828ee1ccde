// A four-bar 1, 1.5, 1.5 - gap, 2 m: stretched, crank and ground are longer than coupler and rocker
// by `gap`, so the crank cannot pass the angle at which the other two lie in line:
//   |A D| = 3 - gap:   5 - 4 cos(angle) = (3 - gap)^2
// With gap = 0 it passes; with the smallest gap it locks (driven) or turns back (free). Every
// formulation that keeps the constraints must tell the two apart, however small the gap: the default
// follows the motion, the others do or stop.
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

double largest_angle(double gap) {
  return std::acos((5 - (3 - gap) * (3 - gap)) / 4);
}

std::string four_bar(double gap, const std::string& more) {
  const double a = 1;  // crank angle in the drawing
  const Eigen::Vector2d A(std::cos(a), std::sin(a)), D(2, 0);
  const double l = 1.5, r = 1.5 - gap, d = (D - A).norm();
  const double along = (l * l - r * r + d * d) / (2 * d);
  const Eigen::Vector2d u = (D - A) / d, n(-u.y(), u.x());
  const Eigen::Vector2d B = A + along * u + std::sqrt(l * l - along * along) * n;
  const auto bar = [](const char* name, const auto& from, const auto& to, double mass) {
    return fmt::format("[[body]]\nname='{}'\nfrom=[{}, {}]\nto=[{}, {}]\nmass={}\n",
                       name,
                       from.x(),
                       from.y(),
                       to.x(),
                       to.y(),
                       mass);
  };
  const auto pin = [](const char* name, const char* i, const char* j, const auto& at) {
    return fmt::format("[[joint]]\ntype='revolute'\nname='{}'\nbetween=['{}', '{}']\nat=[{}, {}]\n",
                       name,
                       i,
                       j,
                       at.x(),
                       at.y());
  };
  const Eigen::Vector2d O(0, 0);
  return "gravity=[0, 0]\n" + bar("crank", O, A, 100) + bar("coupler", A, B, 1) +
         bar("rocker", D, B, 1) + pin("O", "ground", "crank", O) + pin("A", "crank", "coupler", A) +
         pin("B", "coupler", "rocker", B) + pin("D", "ground", "rocker", D) + more +
         "[[analysis]]\ntype='dynamic'\nuntil=2\noutput_step=0.02\n";
}

struct Case {
  const char* formulation;
  double gap;
};

class Fold : public testing::TestWithParam<Case> {
 protected:
  Outcome run(const std::string& more) {
    Model model = test::model_of(four_bar(GetParam().gap, more));
    test::dynamic(model).formulation = GetParam().formulation;
    return run_model(model, rows, {});
  }

  test::Memory rows;
};

TEST_P(Fold, ADrivenCrankLocks) {
  const Outcome out = run("[[driver]]\njoint='O'\nname='motor'\nmotion='1 + 2*t'\n");
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_NEAR(out.summary.t_end, (largest_angle(GetParam().gap) - 1) / 2, 1e-5);
  EXPECT_EQ(out.exit_code(), 6);
  const bool named = !out.summary.diagnostics.back().element.empty();
  EXPECT_TRUE(named || GetParam().formulation == std::string("null-space"));
}

TEST_P(Fold, AFreeCrankTurnsBack) {
  const Outcome out = run("[[initial]]\njoint='O'\nrate=3\n");
  if (out.exit_code() == 6 && GetParam().formulation != std::string("projected")) return;
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_LT(out.summary.energy.max_imbalance, 2e-4 * out.summary.energy.initial);
  double largest = 0;
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    largest = std::max(largest, rows.value("crank.angle", k));
  EXPECT_LT(largest, largest_angle(GetParam().gap) + 1e-6);
  EXPECT_LT(rows.last("crank.omega"), 0);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* formulation : {"projected",
                                  "partitioned",
                                  "hybrid",
                                  "tangent-svd",
                                  "tangent-qr",
                                  "null-space",
                                  "reduced",
                                  "half-explicit"})
    for (const double gap : {1e-2, 1e-4, 1e-6}) list.push_back({formulation, gap});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Formulations, Fold, testing::ValuesIn(cases()), [](const auto& of) {
  std::string text = fmt::format("{}_{:g}", of.param.formulation, -std::log10(of.param.gap));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

}  // namespace
}  // namespace cardan
