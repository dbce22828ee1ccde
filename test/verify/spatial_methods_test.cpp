// Formulations and integrators on spatial mechanisms agree with each other.
#include <cmath>
#include <tuple>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

Vec<3> slider_after(const std::string& formulation,
                    const std::string& integrator,
                    double tolerance,
                    double step) {
  Model model = test::model_file("spatial-slider-crank");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = integrator;
  o.rtol = o.atol = tolerance;
  o.step = step;
  o.until = 0.2;
  o.output_step = 0.1;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete") << formulation << ' ' << integrator;
  if (run.rows.empty()) return Vec<3>::Zero();
  return {run.last("slider.x"), run.last("bearing.angle"), run.last("bearing.angle_rate")};
}

TEST(SpatialMethods, FormulationsAgree) {
  const Vec<3> reference = slider_after("projected", "dop853", 1e-12, 0);
  for (const char* formulation : {"direct",
                                  "baumgarte",
                                  "projected",
                                  "half-explicit",
                                  "partitioned",
                                  "hybrid",
                                  "tangent-svd",
                                  "tangent-qr",
                                  "null-space",
                                  "reduced"})
    EXPECT_LT((slider_after(formulation, "ode45", 1e-10, 0) - reference).norm(), 1e-6)
        << formulation;
}

TEST(SpatialMethods, EveryIntegratorServes) {
  const Vec<3> reference = slider_after("projected", "dop853", 1e-12, 0);
  for (const MethodEntry* entry : list_methods()) {
    const MethodOptions options;
    const bool fixed = !entry->traits(options).adaptive;
    const double off =
        (slider_after("projected", std::string(entry->name), 1e-8, fixed ? 2e-4 : 0.0) - reference)
            .norm();
    const int order = entry->traits(options).order_max;
    EXPECT_LT(off, fixed && order < 2 ? 0.05 : fixed ? 1e-3 : 1e-5) << entry->name;
  }
}

// Bushings whose dampers let their springs creep: explicit steps would be bound by 5e4 1/s.
TEST(SpatialMethods, StiffModelsAreGivenAnImplicitIntegrator) {
  const std::string text =
      "space='spatial'\ngravity=[0,0,-9.81]\n"
      "[[body]]\nname='frame'\nat=[0,0,0]\nmass=20\ninertia=[1,1.2,1.5]\nangular_velocity=[0,0,0.5]"
      "\n"
      "[[body]]\nname='arm'\nat=[0.5,0,0]\nmass=2\ninertia=[0.02,0.05,0.05]\n"
      "[[joint]]\ntype='revolute'\nname='hinge'\nbetween=['frame','arm']\nat=[0.2,0,0]\naxis=[0,1,"
      "0]\n"
      "[[force]]\ntype='bushing'\nname='mount'\nbetween=['ground','frame']\nat=[0,0,0]\n"
      "stiffness=[1e6,1e6,1e6,1e5,1e5,1e5]\ndamping=[3e5,3e5,3e5,5e4,5e4,5e4]\n"
      "[[analysis]]\ntype='dynamic'\nuntil=2\noutput_step=0.1\n";
  Model model = test::model_of(text);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_EQ(out.summary.integrator, "radau5");
  EXPECT_LT(out.summary.stats.steps, 2000);
  test::tighten(model, 1e-9, "bdf");
  test::dynamic(model).formulation = "partitioned";
  Memory other;
  ASSERT_EQ(run_model(model, other, {}).summary.status, "complete");
  for (const char* channel : {"arm.x", "arm.z", "arm.omega_y", "frame.z", "hinge.angle"})
    EXPECT_NEAR(run.last(channel), other.last(channel), 1e-3) << channel;
}

// Over many turns, with redundant equations, with three freedoms of one body, and along a chain.
TEST(SpatialMethods, FormulationsAgreeOnOtherModels) {
  for (const auto& [name, channel, until] :
       std::vector<std::tuple<std::string, std::string, double>>{
           {"universal-train", "output bearing.angle", 0.5},
           {"bennett", "A.angle", 0.3},
           {"heavy-top", "centre.x", 0.05},
           {"gyroscope", "inner.angle", 0.1}}) {
    const auto value =
        [&, file = name, column = channel, end = until](const std::string& formulation) {
          Model model = test::model_file(file);
          test::tighten(model, 1e-10);
          DynamicOptions& o = test::dynamic(model);
          o.formulation = formulation;
          o.until = end;
          o.output_step = end / 2;
          Memory run;
          const Outcome out = run_model(model, run, {});
          EXPECT_EQ(out.summary.status, "complete") << file << ' ' << formulation;
          return run.rows.empty() ? 0.0 : run.last(column);
        };
    const double reference = value("projected");
    for (const char* formulation : {"partitioned",
                                    "hybrid",
                                    "tangent-svd",
                                    "tangent-qr",
                                    "null-space",
                                    "reduced",
                                    "half-explicit"})
      EXPECT_NEAR(value(formulation), reference, 1e-6) << name << ' ' << formulation;
  }
}

}  // namespace
}  // namespace cardan
