// Joints and initial conditions by formulas: against the joints that they repeat, against closed
// forms, and under all formulations.
#include <cmath>

#include "cardan/formulation/formulation.h"
#include "cardan/io/read_model.h"
#include "cardan/study/comparison.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Finished {
  Outcome out;
  Memory rows;
};

Model text_model(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

Finished run(const Model& model) {
  Finished r;
  r.out = run_model(model, r.rows, {});
  EXPECT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  return r;
}

Finished run_tight(const std::string& text) {
  Model model = text_model(text);
  DynamicOptions& o = test::dynamic(model);
  o.integrator = "dop853";
  o.formulation = "projected";
  o.rtol = o.atol = 1e-13;
  return run(model);
}

// Largest difference of channels of two runs, over all rows.
double difference(const Finished& a,
                  const Finished& b,
                  const std::vector<std::pair<std::string, std::string>>& pairs) {
  EXPECT_EQ(a.rows.times.size(), b.rows.times.size());
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.rows.rows.size(), b.rows.rows.size()); ++k)
    for (const auto& [one, two] : pairs)
      worst = std::max(worst, std::abs(a.rows.value(one, k) - b.rows.value(two, k)));
  EXPECT_GT(a.rows.rows.size(), 5U);
  return worst;
}

// ---------------------------------------------------------------- repeated joints

const std::string link_bodies = R"toml(
gravity = [0, "-9.81 m/s^2"]
[[body]]
name = "crank"
from = [0, 0]
to = [0.3, 0.1]
mass = 1
rate = 4
[[body]]
name = "rocker"
from = [1, 0]
to = [0.9, 0.6]
mass = 2
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "D"
between = ["ground", "rocker"]
at = [1, 0]
[[request]]
type = "distance"
name = "d"
between = ["crank", "rocker"]
at = [[0.3, 0.1], [0.9, 0.6]]
[[analysis]]
type = "dynamic"
until = "1 s"
output_step = "50 ms"
)toml";

TEST(FormulaJoint, DistanceRepeatsTheJoint) {
  const Finished joint = run_tight(link_bodies + R"toml(
[[joint]]
type = "distance"
name = "rod"
between = ["crank", "rocker"]
at = [[0.3, 0.1], [0.9, 0.6]]
)toml");
  for (const std::string phi : {"d - sqrt(0.61 m^2)",
                                "d^2 - (0.61 m^2)",
                                "4*log(d^2/(0.61 m^2))",
                                "1/d - 1/sqrt(0.61 m^2)"}) {
    const Finished formula = run_tight(
        link_bodies + "[[joint]]\ntype = \"formula\"\nname = \"rod\"\nphi = \"" + phi + "\"\n");
    EXPECT_LT(difference(joint,
                         formula,
                         {{"crank.angle", "crank.angle"},
                          {"rocker.angle", "rocker.angle"},
                          {"rocker.omega", "rocker.omega"}}),
              1e-10)
        << phi;
    EXPECT_LT(difference(joint,
                         formula,
                         {{"rocker.alpha", "rocker.alpha"},
                          {"rod.second.fx", "rod.rocker.fx"},
                          {"rod.second.fy", "rod.rocker.fy"},
                          {"rod.first.fx", "rod.crank.fx"},
                          {"A.second.fx", "A.second.fx"}}),
              1e-9)
        << phi;
  }
}

const std::string gear_bodies = R"toml(
gravity = [0, 0]
[[body]]
name = "one"
at = [0, 0]
mass = 1
inertia = 0.02
[[body]]
name = "two"
at = [0.3, 0]
mass = 2
inertia = 0.05
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "one"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "B"
between = ["ground", "two"]
at = [0.3, 0]
[[request]]
joint = "A"
name = "a"
[[request]]
joint = "B"
name = "b"
[[force]]
type = "torque"
name = "motor"
body = "one"
value = "0.3 N*m*sin(3*t/(1 s))"
[[analysis]]
type = "dynamic"
until = "1 s"
output_step = "50 ms"
)toml";

TEST(FormulaJoint, AnglesRepeatAGear) {
  const Finished joint = run_tight(gear_bodies + R"toml(
[[joint]]
type = "gear"
name = "mesh"
between = ["one", "two"]
radii = [0.1, 0.2]
)toml");
  const Finished formula = run_tight(gear_bodies + R"toml(
[[joint]]
type = "formula"
name = "mesh"
phi = "a + 2*b"
)toml");
  EXPECT_LT(
      difference(
          joint,
          formula,
          {{"one.angle", "one.angle"}, {"two.angle", "two.angle"}, {"two.alpha", "two.alpha"}}),
      1e-10);
  // The torque on the second wheel follows from its inertia.
  for (std::size_t k = 0; k < formula.rows.rows.size(); ++k) {
    EXPECT_NEAR(
        formula.rows.value("mesh.two.torque", k), 0.05 * formula.rows.value("two.alpha", k), 1e-12);
    EXPECT_NEAR(
        formula.rows.value("mesh.two.torque", k), 2 * formula.rows.value("mesh.force", k), 1e-12);
  }
}

TEST(FormulaJoint, DisplacementRepeatsAPointOnALine) {
  const std::string bodies = R"toml(
gravity = [0, "-9.81 m/s^2"]
[[body]]
name = "frame"
from = [0, 0]
to = [0.8, 0.2]
mass = 1
[[body]]
name = "block"
at = [0.39, 0.08]
mass = 0.5
inertia = 0.01
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "frame"]
at = [0, 0]
[[request]]
type = "displacement"
name = "side"
between = ["frame", "block"]
points = [[0, 0], [0.01, 0.02]]
axes = [[0, 1], [1, 0]]
[[initial]]
joint = "A"
rate = 1
[[initial]]
body = "block"
vx = 0
rate = 0
[[analysis]]
type = "dynamic"
until = "0.5 s"
output_step = "25 ms"
)toml";
  const Finished joint = run_tight(bodies + R"toml(
[[joint]]
type = "pin-in-slot"
name = "slot"
between = ["frame", "block"]
points = [[0, 0], [0.01, 0.02]]
axes = [[1, 0], [1, 0]]
)toml");
  const Finished formula = run_tight(bodies + R"toml(
[[joint]]
type = "formula"
name = "slot"
phi = "side"
)toml");
  EXPECT_LT(difference(joint,
                       formula,
                       {{"frame.angle", "frame.angle"},
                        {"block.x", "block.x"},
                        {"block.angle", "block.angle"},
                        {"slot.second.fx", "slot.block.fx"},
                        {"slot.second.fy", "slot.block.fy"}}),
            1e-10);
}

// A flat follower on an eccentric circle: y = r + e sin(angle).
TEST(FormulaJoint, AngleAndHeightRepeatACam) {
  const std::string bodies = R"toml(
gravity = [0, "-9.81 m/s^2"]
[[curve]]
name = "disc"
type = "circle"
radius = "0.1 m"
[[body]]
name = "cam"
at = [0, 0]
mass = 1
inertia = 0.02
[[body]]
name = "follower"
at = [0, 0.1]
mass = 0.3
inertia = 0.001
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "cam"]
at = [0, 0]
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "follower"]
at = [0, 0.1]
axis = [0, 1]
[[request]]
joint = "A"
name = "angle"
[[request]]
type = "y"
name = "height"
body = "follower"
[[initial]]
joint = "A"
rate = 3
[[analysis]]
type = "dynamic"
until = "0.5 s"
output_step = "25 ms"
)toml";
  const Finished joint = run_tight(bodies + R"toml(
[[joint]]
type = "cam-flat"
name = "contact"
between = ["cam", "follower"]
curve = "disc"
points = [[0.03, 0], [0, 0]]
axes = [[1, 0], [1, 0]]
)toml");
  const Finished formula = run_tight(bodies + R"toml(
[[joint]]
type = "formula"
name = "contact"
phi = "height - (0.1 m) - (0.03 m)*sin(angle)"
)toml");
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"cam.angle", "cam.angle"},
      {"follower.y", "follower.y"},
      {"follower.ay", "follower.ay"},
      {"contact.second.fy", "contact.follower.fy"}};
  for (const auto& pair : pairs) EXPECT_LT(difference(joint, formula, {pair}), 1e-9) << pair.first;
}

// ---------------------------------------------------------------- closed forms

TEST(FormulaJoint, GearsAndBeadKeepTheirEnergies) {
  Model model = test::model_file("formula-gears");
  test::tighten(model, 1e-12, "dop853");
  const Finished r = run(model);
  const auto slope = [](double angle) {
    return 1 + 0.6 * std::cos(2 * angle);
  };
  EXPECT_NEAR(r.rows.value("driver.omega", 0), 10 / (1 + slope(0)), 1e-11);
  EXPECT_NEAR(r.rows.value("bead.x", 0), 0.5 * std::cos(0.9), 1e-12);
  EXPECT_NEAR(r.rows.value("bead.vx", 0), 0, 1e-12);
  const double w0 = 10 / (1 + slope(0)), kept = (0.02 + 0.05 * slope(0) * slope(0)) * w0 * w0,
               height = r.rows.value("bead.y", 0);
  for (std::size_t k = 0; k < r.rows.rows.size(); ++k) {
    const double angle = r.rows.value("driver.angle", k), w = r.rows.value("driver.omega", k),
                 F = slope(angle), y = r.rows.value("bead.y", k),
                 v = std::hypot(r.rows.value("bead.vx", k), r.rows.value("bead.vy", k));
    EXPECT_NEAR(r.rows.value("driven.angle", k), -(angle + 0.3 * std::sin(2 * angle)), 1e-10);
    EXPECT_NEAR(w, std::sqrt(kept / (0.02 + 0.05 * F * F)), 1e-10);
    EXPECT_NEAR(0.5 * v * v + 9.81 * (y - height), 0, 1e-10);
  }
}

// ---------------------------------------------------------------- all formulations

const std::string swinging = R"toml(
gravity = [0, "-9.81 m/s^2"]
[[body]]
name = "arm"
from = [0, 0]
to = [0.5, 0]
mass = 1
[[body]]
name = "weight"
at = [0.8, -0.2]
mass = 2
inertia = 0.1
rate = 0.5
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "arm"]
at = [0, 0]
[[joint]]
type = "formula"
name = "rope"
phi = "span - (0.36 m) - (0.05 m)*sin(turn) - (0.02 m)*sin(2*t/(1 s))"
[[joint]]
type = "formula"
name = "turning"
phi = "2*tip - turn"
[[request]]
type = "distance"
name = "span"
between = ["arm", "weight"]
points = [[0.5, 0], [0, 0]]
[[request]]
type = "angle"
name = "turn"
between = ["arm", "weight"]
[[request]]
joint = "A"
name = "tip"
[[analysis]]
type = "dynamic"
until = "0.5 s"
output_step = "50 ms"
)toml";

const std::string in_space = R"toml(
space = "spatial"
gravity = [0, 0, "-9.81 m/s^2"]
[[body]]
name = "bob"
at = [0.6, 0, -0.8]
mass = 1
inertia = [0.01, 0.02, 0.015]
velocity = [0, 1.5, 0]
angular_velocity = [0, 0, 1]
[[body]]
name = "tail"
at = [1.0, 0.1, -0.9]
mass = 0.5
inertia = [0.01, 0.01, 0.02]
[[joint]]
type = "formula"
name = "sphere"
phi = "squared - (1 m^2)"
[[joint]]
type = "formula"
name = "rope"
phi = "apart - (0.4 m) - (0.05 m)*sin(lean)"
[[request]]
type = "point"
name = "bob_place"
body = "bob"
[[request]]
type = "expression"
name = "squared"
value = "bob_place.x^2 + bob_place.y^2 + bob_place.z^2"
[[request]]
type = "distance"
name = "apart"
between = ["bob", "tail"]
points = [[0.05, 0, 0], [0, 0.02, 0]]
[[request]]
type = "angle"
name = "lean"
between = ["bob", "tail"]
axis = [0, 0, 1]
[[analysis]]
type = "dynamic"
until = "0.3 s"
output_step = "50 ms"
)toml";

TEST(FormulaJoint, AllFormulationsAgree) {
  for (const std::string& text : {swinging, in_space}) {
    Model model = text_model(text);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = "projected";
    o.integrator = "dop853";
    o.rtol = o.atol = 1e-12;
    const Finished reference = run(model);
    for (const FormulationEntry& entry : formulations()) {
      if (entry.name == "auto" || entry.name == "projected") continue;
      o.formulation = entry.name;
      o.integrator = entry.built_in_integrator ? "auto" : "dop853";
      o.rtol = o.atol = 1e-11;
      double bound = 1e-8;
      o.step = 0;
      o.order = 0;
      if (entry.name == "rattle") {
        o.step = 1e-3;
        o.order = 6;
      }
      if (entry.name == "index3" || entry.name == "ggl" || entry.name == "extra-multipliers" ||
          entry.name == "overdetermined" || entry.name == "haug-yen" ||
          entry.name == "coordinate-splitting" || entry.name == "state-space") {
        o.rtol = o.atol = 1e-10;
        bound = 1e-6;
      }
      Finished other;
      other.out = run_model(model, other.rows, {});
      const auto& summary = other.out.summary;
      if (summary.status == "failed" && !summary.diagnostics.empty() &&
          summary.diagnostics.back().id == "model.unknown-option") {
        ADD_FAILURE() << entry.name << " refuses: " << to_text(summary.diagnostics);
        continue;
      }
      EXPECT_EQ(summary.status, "complete") << entry.name << to_text(summary.diagnostics);
      std::vector<std::pair<std::string, std::string>> pairs;
      for (const Channel& c : reference.rows.channels)
        if (c.quantity == "position") pairs.emplace_back(c.name, c.name);
      EXPECT_LT(difference(reference, other, pairs), bound) << entry.name;
    }
  }
}

// What `cardan compare` does: every formulation, the reference found by the program itself.
TEST(FormulaJoint, IsCompared) {
  for (const std::string& text : {swinging, in_space}) {
    ComparisonOptions options;
    options.integrators = {"dop853"};
    options.formulations = {"projected", "partitioned", "hybrid", "null-space"};
    options.tolerances = {1e-9};
    const auto found = compare_methods(text_model(text), options, {});
    ASSERT_TRUE(found) << to_text(found.why());
    EXPECT_TRUE(found.value().reference.converged) << found.value().reference.agreement;
    EXPECT_EQ(found.value().winners, 4U);
    for (const Trial& trial : found.value().trials) {
      EXPECT_EQ(trial.state, Trial::State::complete) << trial.method.name() << ' ' << trial.reason;
      EXPECT_LT(trial.error.relative, 1e-6) << trial.method.name();
    }
  }
}

// ---------------------------------------------------------------- what is wrong

std::string fault_of(const std::string& more) {
  auto model = read_model_text(gear_bodies + more, "model.toml");
  if (!model) return model.why().front().id + ": " + model.why().front().found;
  auto system = compile(model.value());
  if (!system) return system.why().front().id + ": " + system.why().front().found;
  return "none";
}

TEST(FormulaJoint, FaultsAreNamed) {
  const auto joint = [](const std::string& phi) {
    return "[[joint]]\ntype = \"formula\"\nname = \"f\"\nphi = \"" + phi + "\"\n";
  };
  EXPECT_EQ(fault_of(joint("t/(1 s)")), "model.bad-value: a formula that no body moves");
  EXPECT_EQ(fault_of(joint("if(a > 1, a, b)")),
            "model.bad-value: a condition in a formula that must be smooth");
  EXPECT_EQ(fault_of(joint("rate(a)*rate(b)")),
            "model.bad-value: a formula that is not linear in the rates");
  EXPECT_EQ(fault_of(joint("sqrt(a - 1)")),
            "model.not-finite: a formula without a value in the drawn pose");
  EXPECT_EQ(fault_of(joint("sqrt(a)")),
            "model.not-finite: a formula without slopes in the drawn pose");
  EXPECT_EQ(fault_of("[[state]]\nname = \"s\"\nrate = \"-s/(1 s)\"\n" + joint("a - s")),
            "model.bad-value: the state 's' in an equation of positions");
  EXPECT_NE(fault_of(joint("a - nothing")).find("model.unknown-name"), std::string::npos);
  EXPECT_EQ(fault_of("[[initial]]\nformula = \"rate(a)\"\nrate = \"1 rad/s^2\"\n"),
            "model.bad-value: the rate of a formula of rates");
  EXPECT_NE(fault_of("[[initial]]\nformula = \"a\"\n").find("model.missing-key"),
            std::string::npos);
}

// A formula that repeats a joint is redundant; one that contradicts it is told.
TEST(FormulaJoint, DependentFormulasAreNamed) {
  const std::string gear =
      "[[joint]]\ntype = \"gear\"\nname = \"mesh\"\nbetween = [\"one\", \"two\"]\nradii = [0.1, "
      "0.2]\n";
  const Finished same = run(text_model(
      gear_bodies + gear + "[[joint]]\ntype = \"formula\"\nname = \"again\"\nphi = \"a + 2*b\"\n"));
  EXPECT_EQ(same.out.summary.redundant, 1);
  bool named = false;
  for (const Diagnostic& d : same.out.summary.diagnostics)
    named =
        named || (d.id == "assembly.redundant" && to_text(d).find("again") != std::string::npos);
  EXPECT_TRUE(named) << to_text(same.out.summary.diagnostics);
  Memory rows;
  const Outcome other = run_model(
      text_model(gear_bodies + gear +
                 "[[joint]]\ntype = \"formula\"\nname = \"against\"\nphi = \"a + 2*b - 0.5\"\n"),
      rows,
      {});
  ASSERT_FALSE(other.summary.diagnostics.empty());
  EXPECT_EQ(other.summary.status, "failed");
  EXPECT_EQ(other.summary.diagnostics.back().id, "assembly.conflict")
      << to_text(other.summary.diagnostics);
}

// An equation without a slope where the motion begins restricts it there, and gives no accelerations.
TEST(FormulaJoint, EquationsWithoutAGradientAtTheStartAreNamed) {
  for (const char* phi : {"a^2", "(a + 2*b)^2", "a^3*(1 + b^2)"}) {
    SCOPED_TRACE(phi);
    Memory rows;
    const Outcome out = run_model(
        text_model(gear_bodies + "[[joint]]\ntype = \"formula\"\nname = \"flat\"\nphi = \"" + phi +
                   "\"\n"),
        rows,
        {});
    EXPECT_EQ(out.summary.status, "failed");
    const std::string told = to_text(out.summary.diagnostics);
    ASSERT_FALSE(out.summary.diagnostics.empty());
    EXPECT_EQ(out.summary.diagnostics.back().severity, Severity::error) << told;
    EXPECT_NE(out.summary.diagnostics.back().element.find("flat"), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace cardan
