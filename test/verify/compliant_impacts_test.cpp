// Short impacts of compliant contacts and stops, of random stiffness, damping and place: what pushes, how long
// and how strongly is the same whatever formulation, integrator and grid of rows is asked for, the largest forces
// are found between rows, no limit pulls, and works have no corner that nobody steps on.
//   CARDAN_FULL   five times as many
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "test/verify/random_loops.h"
#include "test/verify/space_runs.h"

namespace cardan {
namespace {

using test::model_of;

struct Thrown {
  std::string text, contact;
  bool space = false;
};

// A body on a pendulum or a guide falls onto a floor or against a stop and leaves it again, some times.
Thrown thrown(std::uint64_t seed) {
  test::Random random(seed);
  Thrown out;
  const double k = std::pow(10, random.uniform(4, 6)), m = random.uniform(0.5, 3);
  const double critical = 2 * std::sqrt(k * m);
  const double c = critical * std::pow(10, random.uniform(-2, 0.3));
  const double fall = random.uniform(0.3, 1);
  const int kind = random.below(4);
  const std::string law = fmt::format("stiffness = {:.6g}\ndamping = {:.6g}\n", k, c);
  if (kind == 0) {  // in space
    out.space = true;
    out.contact = "floor.normal";
    out.text = fmt::format(
        "space = \"spatial\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"ball\"\nmass = "
        "{0}\ninertia = [0.01, 0.01, 0.01]\nat = [0, 0, {1}]\nvelocity = [0.2, 0, 0]\n"
        "[[contact]]\ntype = \"sphere-plane\"\nname = \"floor\"\nbetween = [\"ground\", \"ball\"]\n"
        "points = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = 0.1\n{2}",
        m,
        0.1 + fall,
        law);
  } else if (kind == 1) {  // a disc in a guide
    out.contact = "floor.normal";
    out.text = fmt::format(
        "gravity = [0, -9.81]\n[[body]]\nname = \"ball\"\nat = [0, {0}]\nmass = {1}\ninertia = "
        "0.01\n"
        "[[joint]]\ntype = \"translational\"\nbetween = [\"ground\", \"ball\"]\nat = [0, 0]\naxis "
        "= [0, 1]\n"
        "[[contact]]\ntype = \"disc-line\"\nname = \"floor\"\nbetween = [\"ground\", \"ball\"]\n"
        "points = [[0, 0], [0, 0]]\naxis = [1, 0]\nradius = 0.1\n{2}",
        0.1 + fall,
        m,
        law);
  } else {  // a hinged bar on a floor, or against a stop of its angle
    const bool stop = kind == 3;
    out.contact = stop ? "end.normal" : "floor.normal";
    out.text = fmt::format(
        "gravity = [0, -9.81]\n[[body]]\nname = \"bar\"\nfrom = [0, 0]\nto = [\"cos({0})\", "
        "\"sin({0})\"]\nmass = {1}\n[[joint]]\ntype = \"revolute\"\nname = \"pin\"\nbetween = "
        "[\"ground\", \"bar\"]\nat = [0, 0]\n",
        fall,
        m);
    out.text +=
        stop ? fmt::format("[[stop]]\nname = \"end\"\njoint = \"pin\"\nlower = -0.2\n{}", law)
             : fmt::format(
                   "[[contact]]\ntype = \"disc-line\"\nname = \"floor\"\nbetween = [\"ground\", "
                   "\"bar\"]\npoints = [[0, -0.1], [0.5, 0]]\naxis = [1, 0]\n{}",
                   law);
  }
  return out;
}

struct Met {
  Summary summary;
  double least = 0, largest = 0, lost = 0;
};

Met meet(const Thrown& what,
         const char* formulation,
         const char* integrator,
         double rtol,
         double output_step) {
  Model model = model_of(what.text + test::dynamic_analysis(1, output_step, rtol));
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = integrator;
  test::Memory run;
  Met met;
  met.summary = run_model(model, run, {}).summary;
  for (const auto& c : met.summary.channels) {
    if (c.channel != what.contact) continue;
    met.least = c.least;
    met.largest = c.largest;
  }
  if (!run.rows.empty()) met.lost = run.last("energy.dissipated");
  return met;
}

TEST(CompliantImpacts, ForcesAndWorksAreThoseOfTheMotion) {
  const std::uint64_t count = std::getenv("CARDAN_FULL") != nullptr ? 20 : 4;
  const std::pair<const char*, const char*> methods[] = {{"projected", "ode45"},
                                                         {"projected", "adams"},
                                                         {"partitioned", "dop853"},
                                                         {"null-space", "bdf"},
                                                         {"half-explicit", "auto"},
                                                         {"state-space", "bdf"},
                                                         {"ggl", "bdf"},
                                                         {"index3", "generalized-alpha"}};
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const Thrown what = thrown(seed);
    const Met right = meet(what, "partitioned", "dop853", 1e-11, 1e-4);
    ASSERT_EQ(right.summary.status, "complete") << seed << what.text;
    ASSERT_GT(right.largest, 0);
    for (const auto& [formulation, integrator] : methods) {
      SCOPED_TRACE(fmt::format("{} {} + {}: {}", seed, formulation, integrator, what.text));
      const Met met = meet(what, formulation, integrator, 1e-7, 0.1);
      EXPECT_EQ(met.summary.status, "complete") << to_text(met.summary.diagnostics);
      EXPECT_NEAR(met.largest, right.largest, 0.02 * right.largest);
      EXPECT_GE(met.least, -1e-9 * right.largest);
      // Newmark's order 2 follows an impact less closely.
      const double part = formulation == std::string("index3") ? 0.02 : 0.005;
      EXPECT_NEAR(met.lost, right.lost, part * std::abs(right.lost));
    }
  }
}

}  // namespace
}  // namespace cardan
