// Options belong to formulations; the automatic choice takes the integrator that was asked for.
#include "cardan/formulation/option_table.h"

#include "cardan/analysis/run.h"
#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

const char* const bar =
    "gravity = [0, -9.81]\n"
    "[[body]]\nname='bar'\nfrom=[0, 0]\nto=[1, 0]\nmass=1\n"
    "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground', 'bar']\nat=[0, 0]\n";

std::string analysis(const std::string& more) {
  return bar + std::string("[[analysis]]\ntype='dynamic'\nuntil=0.02\n") + more;
}

TEST(FormulationOptions, EveryRowNamesFormulationsThatExist) {
  for (const auto& option : formulation_options()) {
    EXPECT_FALSE(option.formulations.empty()) << option.key;
    for (const auto& name : option.formulations)
      EXPECT_NE(find_formulation(name), nullptr) << option.key;
    DynamicOptions o;
    EXPECT_FALSE(option.given(o)) << option.key << ": the default is not given";
  }
}

TEST(FormulationOptions, OneThatIsNotUsedIsAFaultThatSaysWhereItBelongs) {
  struct Given {
    const char *key, *text;
  };

  const Given all[] = {{"max_drift", "max_drift=0.001\n"},
                       {"constraint_tolerance", "constraint_tolerance=0.001\n"},
                       {"alpha", "alpha=5\n"},
                       {"beta", "beta=5\n"},
                       {"zeta", "zeta=1\n"},
                       {"omega", "omega=5\n"},
                       {"gains", "gains='nonsense'\n"},
                       {"safety", "safety=0.1\n"},
                       {"stabilization", "stabilization='nonsense'\n"},
                       {"jacobian", "jacobian='fv'\n"},
                       {"predictor", "predictor='zero'\n"},
                       {"newton_tolerance", "newton_tolerance=1e-6\n"},
                       {"newton_iterations", "newton_iterations=5\n"},
                       {"independent", "independent=['bar.angle']\n"}};
  ASSERT_EQ(std::size(all), formulation_options().size());
  for (const auto& entry : formulations())
    for (const Given& given : all) {
      Model model = test::model_of(analysis(given.text));
      test::dynamic(model).formulation = entry.name;
      test::Memory run;
      const Outcome out = run_model(model, run, {});
      const auto option = std::find_if(formulation_options().begin(),
                                       formulation_options().end(),
                                       [&](const OwnedOption& o) { return o.key == given.key; });
      const bool own =
          std::find(option->formulations.begin(), option->formulations.end(), entry.name) !=
          option->formulations.end();
      if (own) continue;
      EXPECT_EQ(out.summary.status, "failed") << entry.name << ' ' << given.key;
      EXPECT_EQ(out.exit_code(), 4) << entry.name << ' ' << given.key;
      const std::string text = to_text(out.summary.diagnostics.back());
      EXPECT_NE(text.find(given.key), std::string::npos) << text;
      EXPECT_NE(text.find(option->formulations.front()), std::string::npos) << text;
    }
}

TEST(AutomaticChoice, TakesEveryIntegratorThatIsAskedFor) {
  const std::string stiff =
      "[[force]]\ntype='rotational-spring'\nname='d'\nbetween=['ground', 'bar']\n"
      "damping=50000\nstiffness=1\n";
  for (const MethodEntry* method : list_methods())
    for (const std::string& force : {std::string(), stiff}) {
      Model model = test::model_of(
          bar + force +
          fmt::format("[[analysis]]\ntype='dynamic'\nuntil=1\nintegrator='{}'\nstep=1e-3\n",
                      method->name));
      model.analyses.resize(1);
      test::dynamic(model).max_steps = 3;
      test::Memory run;
      const Outcome out = run_model(model, run, {});
      for (const auto& d : out.summary.diagnostics)
        EXPECT_NE(d.id, "model.unknown-option") << method->name << ": " << to_text(d);
    }
}

}  // namespace
}  // namespace cardan
