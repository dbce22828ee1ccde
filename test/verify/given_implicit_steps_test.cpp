// Implicit methods with given steps on a stiff mechanism: large steps are solved, small ones have the
// errors that an independent program finds, and what cannot be solved is told as it is.
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

constexpr double beta_end = 0.28964493459578848;

Outcome squeeze(
    const char* formulation, const char* integrator, int order, double step, test::Memory& memory) {
  Model model = test::model_file("andrews-stiff");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = formulation;
  o.integrator = integrator;
  o.order = order;
  o.step = step;
  return run_model(model, memory, {});
}

TEST(GivenImplicitSteps, LargeOnesAreSolved) {
  struct Case {
    const char* integrator;
    int order;
    double step;
  };

  const Case cases[] = {{"trapezoidal", 0, 0.00075},
                        {"trapezoidal", 0, 0.001},
                        {"trapezoidal", 0, 0.0018},
                        {"backward-euler", 0, 0.0005},
                        {"backward-euler", 0, 0.001},
                        {"backward-euler", 0, 0.0018},
                        {"bdf-fixed", 2, 0.0007},
                        {"bdf-fixed", 2, 0.0018},
                        {"sdirk", 4, 0.0018}};
  for (const char* formulation : {"partitioned", "null-space", "reduced"})
    for (const Case& c : cases) {
      test::Memory memory;
      const Outcome out = squeeze(formulation, c.integrator, c.order, c.step, memory);
      EXPECT_EQ(out.exit_code(), 0) << formulation << ' ' << c.integrator << ' ' << c.step
                                    << to_text(out.summary.diagnostics);
      // With its largest step backward Euler's equation has another root beside the dead point where
      // the motion begins; the energy then tells that the run is doubtful.
      const bool near = std::abs(memory.last("K1.angle") - beta_end) < 0.02;
      EXPECT_TRUE(near || out.doubtful()) << c.integrator << ' ' << c.step;
      if (c.step <= 0.001 || c.order > 1) {
        EXPECT_TRUE(near) << c.integrator << ' ' << c.step;
      }
    }
}

TEST(GivenImplicitSteps, ErrorsOfTheTrapezoidalRule) {
  const double steps[] = {7e-4, 5e-4, 2.5e-4, 1e-4},
               errors[] = {1.7297e-4, 8.7886e-5, 2.1930e-5, 3.5076e-6};
  for (std::size_t k = 0; k < std::size(steps); ++k) {
    test::Memory memory;
    ASSERT_EQ(squeeze("partitioned", "trapezoidal", 0, steps[k], memory).exit_code(), 0);
    EXPECT_NEAR(std::abs(memory.last("K1.angle") - beta_end), errors[k], 2e-3 * errors[k]);
  }
}

TEST(GivenImplicitSteps, AStepThatCannotBeSolvedNamesAMotionAndItsStep) {
  test::Memory memory;
  const Outcome out = squeeze("projected", "gauss", 4, 0.0018, memory);
  ASSERT_EQ(out.exit_code(), 6);
  const std::string text = to_text(out.summary.diagnostics);
  EXPECT_NE(text.find("this step could not be solved"), std::string::npos) << text;
  EXPECT_EQ(text.find("however small"), std::string::npos) << text;
  EXPECT_EQ(text.find("component dissipated"), std::string::npos) << text;
}

}  // namespace
}  // namespace cardan
