// Models that are equations: against references and closed forms, under all formulations, and
// against the same mechanism of bodies.
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "cardan/formulation/formulation.h"
#include "cardan/io/read_model.h"
#include "cardan/ode/formula_system.h"
#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Finished {
  Outcome out;
  Memory rows;

  std::size_t row_at(double t) const {
    for (std::size_t k = 0; k < rows.times.size(); ++k)
      if (std::abs(rows.times[k] - t) < 1e-9) return k;
    ADD_FAILURE() << "no row at " << t;
    return 0;
  }

  double at(double t, const std::string& channel) const { return rows.value(channel, row_at(t)); }
};

Finished run(const Model& model) {
  Finished r;
  r.out = run_model(model, r.rows, {});
  return r;
}

Model text_model(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

// Largest difference of channels to the columns of a table, at its times.
double largest_difference(const Finished& r,
                          const std::string& path,
                          const std::vector<std::pair<std::string, std::string>>& pairs) {
  auto table = test::read_csv(path);
  double worst = 0;
  for (std::size_t k = 0; k < table["t"].size(); ++k)
    for (const auto& [channel, column] : pairs)
      worst = std::max(worst, std::abs(r.at(table["t"][k], channel) - table[column][k]));
  EXPECT_GT(table["t"].size(), 5U);
  return worst;
}

// ---------------------------------------------------------------- references

TEST(OwnEquations, CrankSliderOfTheDocument) {
  Model model = test::model_file("equations-crank-slider");
  DynamicOptions& o = test::dynamic(model);
  const auto average = [&](const std::string& integrator, double h) {
    o.integrator = integrator;
    o.step = o.output_step = h;
    const Finished r = run(model);
    EXPECT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
    double sum = 0;
    for (std::size_t k = 0; k < r.rows.rows.size(); ++k) {
      const double theta = r.rows.value("theta", k), phi = r.rows.value("phi", k),
                   x = r.rows.value("x", k), y = r.rows.value("y", k);
      sum += std::hypot(0.3 * std::cos(theta) + 0.3 * std::cos(phi) - x,
                        0.3 * std::sin(theta) + 0.3 * std::sin(phi) - y,
                        y + 0.2 * std::sin(phi));
    }
    return sum / static_cast<double>(r.rows.rows.size());
  };
  // To the digits of sources.json, down to round-off.
  EXPECT_NEAR(average("ampc", 0.01), 4.67606128736e-6, 1e-15);
  EXPECT_NEAR(average("mampc", 0.01), 9.86513371931e-7, 1e-15);
  EXPECT_NEAR(average("ampc", 0.001), 4.154700457666e-9, 1e-15);
  EXPECT_NEAR(average("mampc", 0.001), 9.725287217471e-11, 3e-15);
}

TEST(OwnEquations, CrankSliderConverged) {
  Model model = test::model_file("equations-crank-slider");
  DynamicOptions& o = test::dynamic(model);
  const DynamicOptions usual;
  o.alpha = usual.alpha;
  o.beta = usual.beta;
  o.order = usual.order;
  o.step = usual.step;
  o.formulation = "partitioned";
  o.integrator = "dop853";
  o.rtol = o.atol = 1e-13;
  const Finished r = run(model);
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_LT(largest_difference(r,
                               "models/equations-crank-slider/reference/minimal_coordinate_10s.csv",
                               {{"theta", "theta"},
                                {"phi", "phi"},
                                {"x", "x"},
                                {"y", "y"},
                                {"theta.rate", "theta_rate"},
                                {"phi.rate", "phi_rate"}}),
            1e-10);
}

TEST(OwnEquations, PendulumInPlaneCoordinates) {
  const Finished r = run(test::model_file("equations-pendulum"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_LT(
      largest_difference(r,
                         "models/equations-pendulum/reference/closed_form_25s.csv",
                         {{"x", "x"}, {"y", "y"}, {"x.rate", "x_rate"}, {"y.rate", "y_rate"}}),
      1e-10);
  auto table = test::read_csv("models/equations-pendulum/reference/closed_form_25s.csv");
  for (std::size_t k = 0; k < table["t"].size(); ++k)
    EXPECT_NEAR(r.at(table["t"][k], "circle.lambda"), table["lambda"][k], 1e-9);
}

TEST(OwnEquations, BarPendulumInPlaceAndAngle) {
  const Finished r = run(test::model_file("equations-bar-pendulum"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_LT(largest_difference(r,
                               "models/equations-bar-pendulum/reference/closed_form_10s.csv",
                               {{"phi", "phi"}, {"phi.rate", "phi_rate"}, {"x", "x"}, {"y", "y"}}),
            1e-10);
}

TEST(OwnEquations, SphericalPendulum) {
  const Finished r = run(test::model_file("spherical-pendulum"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_LT(largest_difference(r,
                               "models/spherical-pendulum/reference/taylor_10s.csv",
                               {{"theta", "theta"},
                                {"psi", "psi"},
                                {"theta.rate", "theta_rate"},
                                {"psi.rate", "psi_rate"}}),
            1e-10);
  EXPECT_NEAR(r.rows.last("spin"), r.rows.value("spin", 0), 1e-11);
  EXPECT_LT(r.out.summary.energy.max_imbalance, 1e-11);
}

TEST(OwnEquations, BeadOnRotatingHoop) {
  const Finished r = run(test::model_file("bead-on-hoop"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_LT(largest_difference(r,
                               "models/bead-on-hoop/reference/taylor_10s.csv",
                               {{"theta", "theta"}, {"theta.rate", "theta_rate"}}),
            1e-10);
  EXPECT_LT(r.out.summary.energy.max_imbalance, 1e-11);  // Jacobi's integral
}

TEST(OwnEquations, DoublePendulumInAnglesAndOfBodies) {
  const Finished angles = run(test::model_file("equations-double-pendulum"));
  ASSERT_EQ(angles.out.summary.status, "complete") << to_text(angles.out.summary.diagnostics);
  Model bodies = test::model_file("double-pendulum");
  test::tighten(bodies, 1e-12, "dop853");
  const Finished drawn = run(bodies);
  ASSERT_EQ(drawn.rows.rows.size(), angles.rows.rows.size());
  for (std::size_t k = 0; k < drawn.rows.rows.size(); k += 10) {
    EXPECT_NEAR(angles.rows.value("a", k), drawn.rows.value("phi1", k), 1e-9);
    EXPECT_NEAR(angles.rows.value("phi2", k), drawn.rows.value("phi2", k), 1e-9);
    EXPECT_NEAR(
        angles.rows.value("energy.applied", k), -drawn.rows.value("energy.dissipated", k), 1e-8);
  }
}

// u = V tanh(c t + d) along the blade, w = V/k / cosh(c t + d), with k^2 = (J + m a^2)/m and
// c = a V/k^2. Reference: Neimark and Fufaev, Dynamics of Nonholonomic Systems, chapter II.
TEST(OwnEquations, SleighOnItsBlade) {
  const Finished r = run(test::model_file("sleigh"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  const double m = 1, J = 0.5, a = 0.4, u0 = 0.3, w0 = 2;
  const double k = std::sqrt((J + m * a * a) / m), V = std::hypot(u0, k * w0), c = a * V / (k * k),
               d = std::atanh(u0 / V);
  const auto turned = [](double x) {  // integral of 1/cosh
    return 2 * std::atan(std::tanh(x / 2));
  };
  for (std::size_t row = 0; row < r.rows.rows.size(); ++row) {
    const double t = r.rows.times[row];
    EXPECT_NEAR(r.rows.value("speed", row), V * std::tanh(c * t + d), 1e-10);
    EXPECT_NEAR(r.rows.value("theta.rate", row), V / k / std::cosh(c * t + d), 1e-10);
    EXPECT_NEAR(r.rows.value("theta", row), V / (k * c) * (turned(c * t + d) - turned(d)), 1e-10);
  }
  EXPECT_LT(r.out.summary.energy.max_imbalance, 1e-10);
}

// ---------------------------------------------------------------- one motion, many ways

TEST(OwnEquations, SamePendulumAsBodiesFormulasAndOde) {
  const char* angle = R"toml(
[[coordinate]]
name = "phi"
initial = 0.7
rate = 0.2
[equations]
kinetic = "phi'^2/2"
potential = "-9.81*cos(phi)"
[[analysis]]
type = "dynamic"
until = 3
output_step = 0.1
integrator = "dop853"
rtol = 1e-13
atol = 1e-13
)toml";
  const Finished formulas = run(text_model(angle));
  ASSERT_EQ(formulas.out.summary.status, "complete") << to_text(formulas.out.summary.diagnostics);
  const Finished bodies = run(text_model(R"toml(
gravity = [0, -9.81]
[[body]]
name = "bob"
at = ["sin(0.7)", "-cos(0.7)"]
angle = 0.7
mass = 1
inertia = 1e-30
[[joint]]
type = "revolute"
name = "pivot"
between = ["ground", "bob"]
points = [[0, 0], [0, 1]]
[[initial]]
joint = "pivot"
angle = 0.7
rate = 0.2
[[analysis]]
type = "dynamic"
until = 3
output_step = 0.1
integrator = "dop853"
rtol = 1e-13
atol = 1e-13
)toml"));
  ASSERT_EQ(bodies.out.summary.status, "complete") << to_text(bodies.out.summary.diagnostics);
  auto system = FormulaSystem::make({{"", "phi'' = -9.81*sin(phi)", {}}}, {});
  ASSERT_TRUE(system);
  auto method = make_method("dop853", {}, *system.value());
  ASSERT_TRUE(method);
  Tolerance tight;
  tight.rtol = tight.atol = 1e-13;
  Integrator ode(std::move(method).value(), tight, {}, nullptr);
  ASSERT_EQ(ode.start(0, std::vector<double>{0.7, 0.2}), Eval::ok);
  ode.advance(3);
  EXPECT_NEAR(formulas.rows.last("phi"), ode.y()[0], 1e-11);
  EXPECT_NEAR(formulas.rows.last("phi"), bodies.rows.last("bob.angle"), 1e-11);
  EXPECT_NEAR(formulas.rows.last("phi.rate"), bodies.rows.last("bob.omega"), 1e-11);
}

// A double pendulum in two angles whose tip slides on a moving line: M(q), constraints of q and t.
const char* const guided = R"toml(
[[coordinate]]
name = "a"
initial = 0.3
rate = 0.5
[[coordinate]]
name = "b"
guess = 1.2
[equations]
kinetic = "a'^2 + b'^2/2 + a'*b'*cos(a - b)"
potential = "9.81*(2*sin(a) + sin(b))"
forces = ["-0.2*a'", "0.3*sin(2*t)"]
[[constraint]]
name = "line"
formula = "sin(a) + sin(b) - 0.9 - 0.1*sin(3*t)*cos(a)"
[[analysis]]
type = "dynamic"
until = 1
output_step = 0.1
)toml";

// The same as `guided` with x and y of the tip as coordinates too: several constraints.
struct Case {
  std::string name, text;
  std::vector<std::string> channels;
};

std::vector<Case> cases() {
  const std::string end = "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\noutput_step = 0.1\n";
  return {
      {"guided", guided, {"a", "b", "a.rate", "line.lambda"}},
      {"crank",
       R"toml(
[[coordinate]]
name = "theta"
initial = 0.9
rate = 2
[[coordinate]]
name = "phi"
guess = -0.4
[[coordinate]]
name = "x"
guess = 0.4
[[coordinate]]
name = "y"
guess = 0.1
[equations]
mass = [0.045, 0.006875, 1, 1]
potential = "9.81*y"
[[constraint]]
name = "pin x"
formula = "0.3*cos(theta) + 0.3*cos(phi) - x"
[[constraint]]
name = "pin y"
formula = "0.3*sin(theta) + 0.3*sin(phi) - y"
[[constraint]]
name = "slide"
formula = "y + 0.2*sin(phi)"
)toml" + end,
       {"theta", "phi", "x", "y", "pin x.lambda", "slide.lambda"}},
      {"mass of positions",
       R"toml(
[[coordinate]]
name = "x"
initial = 0.4
rate = 0
[[coordinate]]
name = "y"
guess = 0.2
[equations]
mass = [["1 + x^2", "0.3*x*y"], ["0.3*x*y", "2 + cos(y)"]]
potential = "x^2 + y^2/2 + 0.1*x^4"
forces = ["-0.1*x'*y'", "0.05*x'"]
[[constraint]]
name = "curve"
formula = "y - x^2 - 0.1*x"
)toml" + end,
       {"x", "y", "x.rate", "curve.lambda"}},
      // A sphere that breathes, a plane that moves, and the plane once more: multipliers are not unique.
      {"redundant",
       R"toml(
[[coordinate]]
name = "x"
initial = 0.6
rate = 0.5
[[coordinate]]
name = "y"
guess = 0.8
[[coordinate]]
name = "z"
guess = 0.2
[equations]
kinetic = "((2 + 0.3*x^2)*x'^2 + 0.4*x*y*x'*y' + (1.5 + 0.2*cos(z))*y'^2 + z'^2)/2 + 0.1*sin(t)*x'"
potential = "9.81*z + 2*(x - y)^2"
forces = ["-0.1*x'", "0.3*cos(2*t)", "-0.05*z'*x^2"]
[[constraint]]
name = "sphere"
formula = "x^2 + y^2 + z^2 - (1 + 0.1*sin(2*t))^2"
[[constraint]]
name = "plane"
formula = "z - 0.3*x - 0.1*sin(3*t)"
[[constraint]]
name = "again"
formula = "2*(z - 0.3*x) - 0.2*sin(3*t)"
)toml" + end,
       {"x", "y", "z", "x.rate", "y.rate", "sphere.lambda"}}};
}

// generalized-alpha is of second order: what it can reach is limited by round-off of small steps.
double agreement(const FormulationEntry& entry) {
  return entry.name == "index3" ? 1e-6 : 1e-8;
}

Finished run_as(Model& model, const FormulationEntry& entry) {
  DynamicOptions& o = test::dynamic(model);
  o.formulation = entry.name;
  o.integrator = entry.built_in_integrator ? "auto" : "dop853";
  o.rtol = o.atol = entry.built_in_integrator ? 1e-11 : 1e-12;
  const bool given_steps = entry.name == "rattle";
  o.step = given_steps ? 1e-3 : DynamicOptions{}.step;
  o.order = given_steps ? 6 : DynamicOptions{}.order;
  return run(model);
}

// Of the cases, only the crank's mass matrix stays.
bool is_refused(const Case& c, const FormulationEntry& entry) {
  return entry.name == "reduced" ||
         (c.name != "crank" && (entry.name == "null-space" || entry.name == "rattle"));
}

void expect_agreement(const Case& c, const FormulationEntry& entry, const Finished& reference) {
  Model model = text_model(c.text);
  const Finished r = run_as(model, entry);
  if (is_refused(c, entry)) {
    EXPECT_EQ(r.out.summary.status, "failed");
    ASSERT_FALSE(r.out.summary.diagnostics.empty());
    EXPECT_EQ(r.out.summary.diagnostics.back().id, "model.unknown-option");
    return;
  }
  ASSERT_TRUE(ended_well(r.out.summary)) << to_text(r.out.summary.diagnostics);
  for (const std::string& channel : c.channels)
    EXPECT_NEAR(r.rows.last(channel), reference.rows.last(channel), agreement(entry)) << channel;
}

TEST(OwnEquations, FormulationsAgree) {
  for (const Case& c : cases()) {
    Model model = text_model(c.text);
    test::tighten(model, 1e-12, "dop853");
    test::dynamic(model).formulation = "projected";
    const Finished reference = run(model);
    ASSERT_EQ(reference.out.summary.status, "complete")
        << c.name << to_text(reference.out.summary.diagnostics);
    for (const FormulationEntry& entry : formulations()) {
      SCOPED_TRACE(c.name + " " + std::string(entry.name));
      expect_agreement(c, entry, reference);
    }
  }
}

TEST(OwnEquations, RestrictedRatesUnderTheFormulationsThatTakeThem) {
  Model model = test::model_file("sleigh");
  const Finished reference = run(model);
  for (const FormulationEntry& entry : formulations()) {
    DynamicOptions& o = test::dynamic(model);
    o.formulation = entry.name;
    o.integrator = entry.built_in_integrator ? "auto" : "dop853";
    o.until = 1;
    o.rtol = o.atol = 1e-11;
    const Finished r = run(model);
    if (!entry.rolls) {
      EXPECT_EQ(r.out.summary.status, "failed") << entry.name;
      continue;
    }
    ASSERT_TRUE(ended_well(r.out.summary)) << entry.name << to_text(r.out.summary.diagnostics);
    for (const char* channel : {"x", "y", "theta", "blade.lambda"})
      EXPECT_NEAR(r.rows.last(channel), reference.at(1, channel), agreement(entry))
          << entry.name << " " << channel;
  }
}

// Rotating constraints, and states, conditions and inputs in forces.
TEST(OwnEquations, BeadInSpaceOnTurningPlane) {
  const Finished angle = run(test::model_file("bead-on-hoop"));
  const Finished space = run(text_model(R"toml(
[parameters]
w = 5
[[coordinate]]
name = "x"
initial = "sin(0.1)"
[[coordinate]]
name = "y"
initial = 0
[[coordinate]]
name = "z"
guess = -1
rate = 0
[equations]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z"
[[constraint]]
name = "sphere"
formula = "x^2 + y^2 + z^2 - 1"
[[constraint]]
name = "plane"
formula = "y*cos(w*t) - x*sin(w*t)"
[[analysis]]
type = "dynamic"
until = 3
output_step = 0.5
integrator = "radau5"
rtol = 1e-12
atol = 1e-12
)toml"));
  ASSERT_EQ(space.out.summary.status, "complete") << to_text(space.out.summary.diagnostics);
  for (const double t : {1.0, 2.0, 3.0}) {
    const double theta = angle.at(t, "theta");
    EXPECT_NEAR(space.at(t, "z"), -std::cos(theta), 1e-8);
    EXPECT_NEAR(space.at(t, "x"), std::sin(theta) * std::cos(5 * t), 1e-8);
  }
  EXPECT_LT(space.out.summary.energy.max_imbalance, 1e-7);  // with the work of the plane
}

TEST(OwnEquations, StatesConditionsAndRequestsInForces) {
  const Finished r = run(text_model(R"toml(
[[coordinate]]
name = "x"
initial = 0
rate = 0
[[request]]
type = "expression"
name = "miss"
value = "1 - x"
[[state]]
name = "sum"
initial = 0
rate = "miss"
[equations]
kinetic = "x'^2/2"
forces = ["if(miss > 0.5, 2, 1)*miss + 0.3*sum - 2*x'"]
[[analysis]]
type = "dynamic"
until = 20
integrator = "dop853"
rtol = 1e-10
atol = 1e-10
)toml"));
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_NEAR(r.rows.last("x"), 1, 1e-2);
}

TEST(OwnEquations, ResumedRunHasTheSameBits) {
  for (const char* formulation : {"projected", "partitioned", "ggl"}) {
    Model model = text_model(guided);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = formulation;
    o.rtol = o.atol = 1e-8;
    Memory whole;
    whole.checkpoint_every = 7;
    ASSERT_TRUE(ended_well(run_model(model, whole, {}).summary)) << formulation;
    ASSERT_FALSE(whole.last_checkpoint.empty());
    Memory rest;
    ASSERT_TRUE(ended_well(run_model(model, rest, {}, whole.last_checkpoint).summary))
        << formulation;
    ASSERT_EQ(rest.rows.size() + whole.rows_at_checkpoint, whole.rows.size()) << formulation;
    for (std::size_t k = 0; k < rest.rows.size(); ++k)
      EXPECT_EQ(rest.rows[k], whole.rows[whole.rows_at_checkpoint + k]) << formulation;
  }
}

// ---------------------------------------------------------------- other analyses

TEST(OwnEquations, EquilibriumOfTheBead) {
  Model model = test::model_file("bead-on-hoop");
  model.analyses = {Analysis{EquilibriumOptions{}}};
  const Finished r = run(model);
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_NEAR(std::abs(r.rows.last("theta")), std::acos(9.81 / 25), 1e-9);
}

TEST(OwnEquations, SmallMotionsOfTheBarPendulum) {
  Model model = test::model_file("equations-bar-pendulum");
  model.analyses = {Analysis{EquilibriumOptions{}}, Analysis{LineariseOptions{}}};
  const Finished r = run(model);
  ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
}

// ---------------------------------------------------------------- faults

std::string fault_of(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  if (!model) return model.why().front().id;
  auto system = compile(model.value());
  return system ? "none" : system.why().front().id;
}

TEST(OwnEquations, FaultsAreNamed) {
  const std::string x = "[[coordinate]]\nname = \"x\"\ninitial = 1\n";
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"x'^2\"\n"), "none");
  EXPECT_EQ(fault_of(x), "model.missing-key");
  EXPECT_EQ(fault_of(x + "[equations]\npotential = \"x^2\"\n"), "model.missing-key");
  EXPECT_EQ(fault_of("[equations]\nkinetic = \"1\"\n"), "model.empty");
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"x'^3\"\n"), "model.bad-value");
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"x'^2\"\npotential = \"x*x'\"\n"),
            "model.bad-value");
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"u'^2\"\n"), "model.unknown-name");
  EXPECT_EQ(fault_of(x + "[equations]\nmass = [1, 2]\n"), "model.wrong-type");
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"x'^2\"\nforces = [1, 2]\n"), "model.wrong-type");
  EXPECT_EQ(fault_of(x + "[equations]\nkinetic = \"x'^2\"\n[[constraint]]\nformula = \"t - 1\"\n"),
            "model.bad-value");
  EXPECT_EQ(
      fault_of(x + "[equations]\nkinetic = \"x'^2\"\n[[constraint]]\nformula = \"x'^2 - 1\"\n"),
      "model.bad-value");
  EXPECT_EQ(fault_of("gravity = [0, -9.81]\n" + x + "[equations]\nkinetic = \"x'^2\"\n"),
            "model.unknown-key");
  EXPECT_EQ(fault_of("[[coordinate]]\nname = \"x\"\nunit = \"m\"\n[equations]\n"
                     "kinetic = \"1 kg*x'^2\"\npotential = \"1 kg*x\"\n"),
            "model.wrong-unit");
}

// What a run of equations says last.
std::string told_of(const std::string& kinetic, const std::string& rest) {
  auto model =
      read_model_text("[[coordinate]]\nname = \"x\"\ninitial = 1\n[[coordinate]]\nname = \"y\"\n" +
                          std::string("initial = 0\n[equations]\nkinetic = \"") + kinetic + "\"\n" +
                          rest + "[[analysis]]\ntype = \"dynamic\"\nuntil = 0.1\n",
                      "own.toml");
  if (!model) return to_text(model.why().front());
  test::Memory rows;
  const Outcome out = run_model(model.value(), rows, {});
  return to_text(out.summary.diagnostics);
}

std::string constraint(const std::string& formula) {
  return "[[constraint]]\nname = \"c\"\nformula = \"" + formula + "\"\n";
}

// Starts from which nothing can begin: the cause, and what it is of.
TEST(OwnEquations, CausesOfImpossibleStartsAreNamed) {
  const std::string T = "(x'^2 + y'^2)/2";
  const auto expect =
      [](const std::string& told, const std::string& what, const std::string& whose) {
        EXPECT_NE(told.find(what), std::string::npos) << told;
        EXPECT_NE(told.find(whose), std::string::npos) << told;
      };
  expect(told_of("(x'^2 - y'^2)/2", ""), "negative kinetic energy", "coordinate 'y'");
  expect(told_of("-(x'^2 + y'^2)/2", constraint("x^2 + y^2 - 1")),
         "negative kinetic energy",
         "coordinate 'y'");
  expect(told_of("x'^2/2", ""), "moves no mass", "coordinate 'y'");
  expect(told_of(T, "potential = \"1/(x - 1)\"\n"), "without a finite value", "coordinate 'x'");
  expect(told_of(T, constraint("(x - 1)^2")), "gradient vanishes", "constraint 'c'");
  // the sign of the energy of a motion that the constraint forbids does not matter
  EXPECT_EQ(told_of("(x'^2 - y'^2)/2", constraint("y")).find("error"), std::string::npos);
}

TEST(OwnEquations, CornersAndJumpsAreRefusedWhereVelocitiesWouldJump) {
  const std::string T = "(x'^2 + y'^2)/2";
  for (const char* f : {"abs(x) + y - 1",
                        "max(x, y) - 1",
                        "min(x, 1 + y) - 1",
                        "floor(x) + y - 1",
                        "mod(x, 2) + y - 1"})
    EXPECT_NE(told_of(T, constraint(f)).find("smooth"), std::string::npos) << f;
  EXPECT_NE(told_of("(x'^2 + abs(x)*y'^2)/2", "").find("smooth"), std::string::npos);
  EXPECT_NE(told_of(T, "potential = \"floor(x)\"\n").find("smooth"), std::string::npos);
  EXPECT_EQ(told_of(T, "potential = \"max(0, -x)^2 + abs(y)\"\n").find("error"), std::string::npos);
}

// A parallelogram in three angles passes its flat poses, a bead the crossing of its curve, a crank and
// a rod of one length the pose in which they fold: constraints lose rank there by parallel gradients and
// by one that vanishes.
TEST(OwnEquations, PassesSingularPosesUnderTheFormulationsThatDo) {
  const std::string end = "[[analysis]]\ntype = \"dynamic\"\nuntil = 2\noutput_step = 0.5\n";
  const Case passing[] = {{"parallelogram",
                           R"toml(
[[coordinate]]
name = "p"
initial = 0.6
rate = 5
[[coordinate]]
name = "q"
guess = 0
[[coordinate]]
name = "s"
guess = 0.6
[equations]
kinetic = "0.5*(p'^2 + s'^2 + 2*(p'^2 + 2*p'*q'*cos(p - q) + q'^2*1.3))"
potential = "9.81*(2.5*sin(p) + 0.5*sin(s))"
)toml" + constraint("cos(p) + 2*cos(q) - cos(s) - 2") +
                               "[[constraint]]\nformula = \"sin(p) + 2*sin(q) - sin(s)\"\n" + end,
                           {"p", "q", "s", "p.rate", "q.rate"}},
                          {"lemniscate",
                           R"toml(
[[coordinate]]
name = "x"
initial = 0.9
rate = 0
[[coordinate]]
name = "y"
guess = 0.1
[equations]
kinetic = "(x'^2 + y'^2)/2"
potential = "2*x"
)toml" + constraint("(x^2 + y^2)^2 - x^2 + y^2") +
                               end,
                           {"x", "y", "x.rate", "y.rate"}},
                          {"fold",
                           R"toml(
[[coordinate]]
name = "a"
initial = 0.5
rate = 4
[[coordinate]]
name = "b"
guess = -0.5
[equations]
kinetic = "(0.4*a'^2 + 0.1*b'^2 + 0.5*(a'^2 + a'*b'*cos(a - b) + b'^2/4))/2"
potential = "4.905*(sin(a) + sin(b)/2)"
)toml" + constraint("sin(a) + sin(b)") +
                               end,
                           {"a", "b", "a.rate", "b.rate"}}};
  for (const Case& c : passing) {
    std::optional<Finished> reference;
    for (const char* formulation :
         {"projected", "partitioned", "hybrid", "tangent-qr", "tangent-svd"}) {
      SCOPED_TRACE(c.name + " " + formulation);
      Model model = text_model(c.text);
      test::tighten(model, 1e-11, "dop853");
      test::dynamic(model).formulation = formulation;
      Finished r = run(model);
      ASSERT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
      EXPECT_NE(to_text(r.out.summary.diagnostics).find("singular-passage"), std::string::npos);
      if (!reference)
        reference = std::move(r);
      else
        for (const std::string& channel : c.channels)
          EXPECT_NEAR(r.rows.last(channel), reference->rows.last(channel), 1e-7) << channel;
    }
  }
}

// Of coordinates there are no bodies to be given mass.
TEST(OwnEquations, AMotionWithoutMassIsToldOfCoordinates) {
  auto model = read_model_text(
      "[[coordinate]]\nname = \"x\"\ninitial = 1\n[[coordinate]]\nname = \"y\"\ninitial = 1\n"
      "[equations]\nkinetic = \"x'^2\"\npotential = \"x^2 + y^2\"\n"
      "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\n",
      "own.toml");
  ASSERT_TRUE(model);
  test::Memory rows;
  const Outcome out = run_model(model.value(), rows, {});
  std::string told;
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.id == "model.singular-mass") told = to_text(d);
  EXPECT_NE(told.find("coordinate"), std::string::npos) << told;
  EXPECT_EQ(told.find("body"), std::string::npos) << told;
}

}  // namespace
}  // namespace cardan
