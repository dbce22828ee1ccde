// Double pendulums released in many ways, in every formulation, against two angles: the vectors
// that span the motion turn by whole turns, so that any choice of them comes to its end.
#include <cmath>

#include "test/verify/planar_reference.h"
#include "test/verify/random_loops.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

class Pendulums : public testing::TestWithParam<const char*> {};

TEST_P(Pendulums, MeetTheIndependentSolution) {
  std::vector<double> times;
  for (int k = 0; k <= 20; ++k) times.push_back(0.1 * k);
  int silent = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    test::Random random(seed);
    const double l = seed % 2 == 0 ? 1 : random.uniform(0.3, 1.5);
    const double a = random.uniform(-3, 3), b = random.uniform(-3, 3);
    const Eigen::Vector2d O(0, 0), A(std::cos(a), std::sin(a)),
        B = A + l * Eigen::Vector2d(std::cos(b), std::sin(b));
    test::PlanarReference reference;
    reference.bar(O, A, 1);
    reference.bar(A, B, 1);
    reference.revolute(-1, 0, O);
    reference.revolute(0, 1, A);
    const auto truth = reference.solve(times, 1e-10), changed = reference.solve(times, 1e-9, 1e-6);
    ASSERT_TRUE(truth && changed);
    Model model = test::model_of(fmt::format(
        "gravity=[0, -9.81]\n[[body]]\nname='a'\nfrom=[0, 0]\nto=[{0}, {1}]\nmass=1\n"
        "[[body]]\nname='b'\nfrom=[{0}, {1}]\nto=[{2}, {3}]\nmass=1\n"
        "[[joint]]\ntype='revolute'\nname='O'\nbetween=['ground', 'a']\nat=[0, 0]\n"
        "[[joint]]\ntype='revolute'\nname='A'\nbetween=['a', 'b']\nat=[{0}, {1}]\n"
        "[[analysis]]\ntype='dynamic'\nuntil=2\noutput_step=0.1\nrtol=1e-8\natol=1e-10\n",
        A.x(),
        A.y(),
        B.x(),
        B.y()));
    test::dynamic(model).formulation = GetParam();
    test::Memory run;
    const Outcome out = run_model(model, run, {});
    if (out.summary.status != "complete") {
      ++refused;
      continue;
    }
    double off = 0, grown = 0;
    for (std::size_t r = 0; r < times.size(); ++r) {
      off = std::max({off,
                      std::abs(run.value("a.angle", r) - (*truth)[r][2]),
                      std::abs(run.value("b.angle", r) - (*truth)[r][5])});
      grown = std::max(grown, ((*truth)[r] - (*changed)[r]).cwiseAbs().maxCoeff());
    }
    if (off > 1e-6 * std::max(1.0, grown / 1e-6)) ++silent;
  }
  EXPECT_EQ(silent, 0);
  EXPECT_EQ(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         Pendulums,
                         testing::Values("projected",
                                         "partitioned",
                                         "hybrid",
                                         "tangent-svd",
                                         "tangent-qr",
                                         "null-space",
                                         "reduced",
                                         "half-explicit",
                                         "direct",
                                         "baumgarte"));

}  // namespace
}  // namespace cardan
