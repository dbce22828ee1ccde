// Equilibria against results computed elsewhere in closed form or at high precision
// (test/reference/analyses), and the methods against each other.
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/equilibrium/balance_kind.h"
#include "cardan/analysis/equilibrium/balance_search.h"
#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

std::string case_folder(const std::string& name) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name;
}

Json expected_of(const std::string& name) {
  std::ifstream file(case_folder(name) + "/reference.json");
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

struct Balanced {
  Outcome outcome;
  test::Memory memory;

  const std::vector<EquilibriumPoint>& points() const { return outcome.summary.equilibria; }

  std::string words() const { return to_text(outcome.summary.diagnostics); }
};

std::unique_ptr<Balanced> balance(Model model, EquilibriumOptions options) {
  auto out = std::make_unique<Balanced>();
  model.analyses = {options};
  out->outcome = run_model(model, out->memory, {});
  return out;
}

Model case_model(const std::string& name, ReadOptions options = {}) {
  auto model = read_model(case_folder(name) + "/model.toml", options);
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  return std::move(model).value();
}

std::unique_ptr<Balanced> balance_case(const std::string& name,
                                       const std::string& method,
                                       bool all = false,
                                       ReadOptions options = {}) {
  EquilibriumOptions equilibrium;
  equilibrium.method = method;
  equilibrium.all = all;
  return balance(case_model(name, options), equilibrium);
}

std::unique_ptr<Balanced> balance_text(const std::string& text,
                                       const std::string& method = "auto",
                                       bool all = false) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  if (!model) return std::make_unique<Balanced>();
  EquilibriumOptions equilibrium;
  equilibrium.method = method;
  equilibrium.all = all;
  return balance(std::move(model).value(), equilibrium);
}

double coordinate(const EquilibriumPoint& point, const std::string& body, std::size_t k) {
  for (const BodyPose& pose : point.coordinates)
    if (pose.body == body) return pose.q.at(k);
  ADD_FAILURE() << "no body " << body;
  return 0;
}

double reaction(const EquilibriumPoint& point, const std::string& channel) {
  for (const NamedValue& x : point.reactions)
    if (x.name == channel) return x.value;
  ADD_FAILURE() << "no reaction " << channel;
  return 0;
}

const char* const every_method[] = {"auto", "newton", "energy", "dfp", "settling"};

// ---- crank-rocker with springs

TEST(Equilibrium, AllOfACrankRockerWithSprings) {
  const auto run = balance_case("four-bar-springs", "auto", true);
  EXPECT_EQ(run->outcome.summary.status, "complete") << run->words();
  const Json all = expected_of("four-bar-springs").at("equilibria");
  EXPECT_EQ(run->points().size(), all.size());
  EXPECT_EQ(run->memory.rows.size(), run->points().size());
  for (const Json& one : all) {
    const EquilibriumPoint* found = nullptr;
    for (const EquilibriumPoint& point : run->points())
      if (std::abs(coordinate(point, "crank", 2) - one["crank"].get<double>()) < 1e-3)
        found = &point;
    ASSERT_NE(found, nullptr) << one["crank"];
    for (const char* body : {"crank", "coupler", "rocker"})
      EXPECT_NEAR(coordinate(*found, body, 2), one[body].get<double>(), 1e-9) << body;
    EXPECT_NEAR(found->potential, one["potential"].get<double>(), 1e-9);
    EXPECT_EQ(found->kind, one["stiffness"].get<double>() > 0 ? "stable" : "maximum");
    EXPECT_NEAR(reaction(*found, "A.second.fx"), one["reaction_A_on_crank"][0].get<double>(), 1e-8);
    EXPECT_NEAR(reaction(*found, "A.second.fy"), one["reaction_A_on_crank"][1].get<double>(), 1e-8);
    EXPECT_NEAR(
        reaction(*found, "D.second.fx"), one["reaction_D_on_rocker"][0].get<double>(), 1e-8);
    EXPECT_NEAR(
        reaction(*found, "D.second.fy"), one["reaction_D_on_rocker"][1].get<double>(), 1e-8);
  }
}

// A crank-rocker of random size on two springs, with its energy in closed form as a function of the
// crank's angle.
struct SpringFourBar {
  double a, b, c, d, side, m1, m2, m3, k, length, x, y, twist, free;

  explicit SpringFourBar(std::mt19937_64& random) {
    const auto uniform = [&](double from, double to) {
      return from + (to - from) * (static_cast<double>(random()) / 0x1p64);
    };
    for (double spare = 0; spare < 0.02;) {
      a = uniform(0.1, 1), b = uniform(0.1, 1), c = uniform(0.1, 1), d = uniform(0.1, 1);
      const double longest = std::max({b, c, d}), shortest = std::min({b, c, d});
      spare = std::min(b + c + d - 2 * longest - a, shortest - a);
    }
    side = uniform(-1, 1) < 0 ? -1 : 1;
    m1 = uniform(0.2, 3), m2 = uniform(0.2, 3), m3 = uniform(0.2, 3);
    k = std::pow(10, uniform(1.5, 3.3)), length = uniform(0, 0.6);
    x = uniform(-0.5, 1), y = uniform(-1, 1);
    twist = std::pow(10, uniform(-1, 1.2)), free = uniform(-2, 2);
  }

  std::array<double, 4> pins(double angle) const {
    const double px = a * std::cos(angle), py = a * std::sin(angle), gap = std::hypot(d - px, py);
    const double turn =
        side * std::acos((b * b + gap * gap - c * c) / (2 * b * gap)) + std::atan2(-py, d - px);
    return {px, py, px + b * std::cos(turn), py + b * std::sin(turn)};
  }

  double energy(double angle) const {
    const auto [px, py, qx, qy] = pins(angle);
    const double stretch = std::hypot(qx - x, qy - y) - length;
    return 9.81 * (m1 * py / 2 + m2 * (py + qy) / 2 + m3 * qy / 2) + k / 2 * stretch * stretch +
           twist / 2 * (angle - free) * (angle - free);
  }

  double slope(double angle) const {
    const double h = 1e-5;
    return (8 * (energy(angle + h) - energy(angle - h)) -
            (energy(angle + 2 * h) - energy(angle - 2 * h))) /
           (12 * h);
  }

  std::string text(double start) const {
    const auto [px, py, qx, qy] = pins(start);
    std::string out = "gravity=[0,-9.81]\n";
    const auto bar = [&](const char* name, double x0, double y0, double x1, double y1, double m) {
      out += fmt::format(
          "[[body]]\nname='{}'\nfrom=[{:.17g},{:.17g}]\nto=[{:.17g},{:.17g}]\nmass={:.17g}\n",
          name,
          x0,
          y0,
          x1,
          y1,
          m);
    };
    const auto pin = [&](const char* one, const char* two, double px0, double py0) {
      out += fmt::format("[[joint]]\ntype='revolute'\nbetween=['{}','{}']\nat=[{:.17g},{:.17g}]\n",
                         one,
                         two,
                         px0,
                         py0);
    };
    bar("crank", 0, 0, px, py, m1);
    bar("coupler", px, py, qx, qy, m2);
    bar("rocker", d, 0, qx, qy, m3);
    pin("ground", "crank", 0, 0);
    pin("crank", "coupler", px, py);
    pin("coupler", "rocker", qx, qy);
    pin("ground", "rocker", d, 0);
    out += fmt::format(
        "[[force]]\ntype='spring'\nbetween=['ground','rocker']\npoints=[[{:.17g},{:.17g}],[{:.17g},"
        "0]]\n"
        "stiffness={:.17g}\nfree_length={:.17g}\n",
        x,
        y,
        c,
        k,
        length);
    return out + fmt::format(
                     "[[force]]\ntype='rotational-spring'\nbetween=['ground','crank']\n"
                     "stiffness={:.17g}\nfree_angle={:.17g}\n",
                     twist,
                     free);
  }
};

// With one freedom none is missed: where the energy's slope changes sign there is one, a minimum or a
// maximum by turns.
TEST(Equilibrium, AllOfRandomCrankRockers) {
  constexpr double turn = 2 * std::numbers::pi;
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 12; ++trial) {
    const SpringFourBar made(random);
    const auto found = balance_text(made.text(made.free + 0.3 * trial), "auto", true);
    ASSERT_EQ(found->outcome.summary.status, "complete") << trial << found->words();
    double before = made.slope(made.free - turn);
    for (int k = 1; k <= 20000; ++k) {
      const double angle = made.free - turn + 2 * turn * k / 20000, slope = made.slope(angle);
      if (before * slope < 0) {
        const std::string kind = before < 0 ? "stable" : "maximum";
        EXPECT_TRUE(std::any_of(found->points().begin(),
                                found->points().end(),
                                [&](const EquilibriumPoint& p) {
                                  return p.kind == kind &&
                                         std::abs(coordinate(p, "crank", 2) - angle) < 1e-3;
                                }))
            << trial << ' ' << angle << ' ' << kind;
      }
      before = slope;
    }
  }
}

TEST(Equilibrium, StiffnessAndEigenvaluesOfACrankRocker) {
  const Model model = case_model("four-bar-springs");
  auto system = compile(model);
  ASSERT_TRUE(system);
  const Assembly assembly = assemble(system.value(), 0, system.value().given_state());
  ForceBalance at(system.value(), assembly.mobility, assembly.state);
  const FoundBalance found = least_energy(at, assembly.state.q, {});
  ASSERT_TRUE(found.converged);
  const BalanceNature nature = nature_of(at, found.q, found.lambda);
  EXPECT_FALSE(nature.by_motion);
  ASSERT_EQ(nature.eigenvalues.size(), 2);
  double nearest = 1e300;
  const Json all = expected_of("four-bar-springs").at("equilibria");
  for (const Json& one : all)
    nearest =
        std::min(nearest,
                 std::abs(nature.eigenvalues[0].real() - one["eigenvalues"][0][0].get<double>()) +
                     std::abs(std::abs(nature.eigenvalues[0].imag()) -
                              std::abs(one["eigenvalues"][0][1].get<double>())));
  EXPECT_LT(nearest, 1e-8 * std::abs(nature.eigenvalues[0]));
}

TEST(Equilibrium, SettlingEndsWhereTheMotionEnds) {
  const auto crank = balance_case("four-bar-springs", "settling");
  ASSERT_EQ(crank->points().size(), 1U) << crank->words();
  EXPECT_NEAR(coordinate(crank->points().front(), "crank", 2),
              expected_of("four-bar-springs")["settles_from_the_drawing_to_crank"].get<double>(),
              1e-9);
  const auto hoop = balance_case("hoop-pendulum", "settling");
  ASSERT_EQ(hoop->points().size(), 1U) << hoop->words();
  EXPECT_NEAR(hoop->memory.last("hinge.angle"),
              expected_of("hoop-pendulum")["settles_from_the_drawing_to"].get<double>(),
              1e-9);
}

// ---- one equilibrium, every method

TEST(Equilibrium, HangingChain) {
  const Json expected = expected_of("hanging-chain");
  for (const char* method : every_method) {
    const auto run = balance_case("hanging-chain", method);
    ASSERT_EQ(run->points().size(), 1U) << method << run->words();
    const EquilibriumPoint& point = run->points().front();
    EXPECT_EQ(point.kind, "stable") << method;
    for (std::size_t k = 0; k < 10; ++k)
      EXPECT_NEAR(coordinate(point, "link " + std::to_string(k), 2),
                  expected["link_angles"][k].get<double>(),
                  1e-9)
          << method << k;
    EXPECT_NEAR(point.potential, expected["potential"].get<double>(), 1e-9) << method;
    EXPECT_NEAR(
        reaction(point, "left.second.fx"), expected["left_on_chain"][0].get<double>(), 1e-8);
    EXPECT_NEAR(
        reaction(point, "left.second.fy"), expected["left_on_chain"][1].get<double>(), 1e-8);
    EXPECT_NEAR(
        reaction(point, "right.second.fx"), expected["right_on_chain"][0].get<double>(), 1e-8);
    EXPECT_NEAR(
        reaction(point, "right.second.fy"), expected["right_on_chain"][1].get<double>(), 1e-8);
  }
}

TEST(Equilibrium, QuarterCar) {
  const Json expected = expected_of("quarter-car").at("equilibrium");
  for (const char* method : every_method) {
    const auto run = balance_case("quarter-car", method);
    ASSERT_EQ(run->points().size(), 1U) << method << run->words();
    const EquilibriumPoint& point = run->points().front();
    EXPECT_EQ(point.kind, "stable") << method;
    EXPECT_NEAR(coordinate(point, "chassis", 1), expected["chassis_y"].get<double>(), 1e-10)
        << method;
    EXPECT_NEAR(coordinate(point, "wheel", 1), expected["wheel_y"].get<double>(), 1e-10) << method;
  }
}

TEST(Equilibrium, DoublePendulum) {
  const Json expected = expected_of("double-pendulum-linear").at("equilibrium");
  for (const char* method : every_method) {
    const auto run = balance_case("double-pendulum-linear", method);
    ASSERT_EQ(run->points().size(), 1U) << method << run->words();
    const EquilibriumPoint& point = run->points().front();
    EXPECT_EQ(point.kind, "stable") << method;
    const double down = std::numbers::pi / 2;
    EXPECT_NEAR(coordinate(point, "upper", 2) + down, expected[0].get<double>(), 1e-10) << method;
    EXPECT_NEAR(coordinate(point, "lower", 2) + down, expected[1].get<double>(), 1e-10) << method;
  }
}

TEST(Equilibrium, DoublePendulumHasFourWithoutItsSpring) {
  ReadOptions free;
  free.set.emplace_back("kt", "0");
  const auto run = balance_case("double-pendulum-linear", "auto", true, free);
  std::map<std::string, int> kinds;
  for (const EquilibriumPoint& point : run->points()) ++kinds[point.kind];
  EXPECT_EQ(run->points().size(), 4U) << run->words();
  EXPECT_EQ(kinds["stable"], 1);
  EXPECT_EQ(kinds["saddle"], 2);
  EXPECT_EQ(kinds["maximum"], 1);
  EXPECT_EQ(run->points().front().kind, "stable");  // in the order of the potential
  EXPECT_EQ(run->points().back().kind, "maximum");
}

TEST(Equilibrium, MethodsAgreeOnExampleModels) {
  for (const char* name : {"andrews", "doc002-crank-slider", "quick-return", "spatial-four-bar"}) {
    std::vector<double> first;
    for (const char* method : every_method) {
      auto model = read_model(std::string(test::source_dir) + "/models/" + name + "/model.toml");
      ASSERT_TRUE(model) << name;
      EquilibriumOptions options;
      options.method = method;
      const auto run = balance(std::move(model).value(), options);
      ASSERT_EQ(run->points().size(), 1U) << name << method << run->words();
      EXPECT_EQ(run->points().front().kind, "stable") << name << method;
      std::vector<double> all;
      for (const BodyPose& pose : run->points().front().coordinates)
        all.insert(all.end(), pose.q.begin(), pose.q.end());
      if (first.empty()) first = all;
      for (std::size_t k = 0; k < all.size(); ++k)
        EXPECT_NEAR(std::abs(all[k]), std::abs(first[k]), 1e-8) << name << method << k;
    }
  }
}

// ---- steady motion

TEST(Equilibrium, PendulumOnASpinningCarrier) {
  const Json all = expected_of("hoop-pendulum").at("equilibria");
  const auto run = balance_case("hoop-pendulum", "auto", true);
  EXPECT_EQ(run->outcome.summary.status, "complete") << run->words();
  ASSERT_EQ(run->points().size(), all.size());
  for (const Json& one : all) {
    bool found = false;
    for (std::size_t k = 0; k < run->points().size(); ++k) {
      const double angle = run->memory.value("hinge.angle", k);
      if (std::abs(std::remainder(angle - one["angle"].get<double>(), 2 * std::numbers::pi)) > 1e-3)
        continue;
      found = true;
      EXPECT_NEAR(
          std::remainder(angle - one["angle"].get<double>(), 2 * std::numbers::pi), 0, 1e-9);
      EXPECT_EQ(run->points()[k].kind, one["kind"] == "stable" ? "stable" : "maximum");
      const Json& force = one["hinge_force_on_pendulum_in_carrier_axes"];
      EXPECT_NEAR(reaction(run->points()[k], "hinge.second.fx"), force[0].get<double>(), 1e-8);
      EXPECT_NEAR(reaction(run->points()[k], "hinge.second.fz"), force[2].get<double>(), 1e-8);
      EXPECT_NEAR(reaction(run->points()[k], "motor.torque"), 0, 1e-9);
    }
    EXPECT_TRUE(found) << one["angle"];
  }
}

TEST(Equilibrium, EigenvaluesOnASpinningCarrier) {
  const Model model = case_model("hoop-pendulum");
  auto system = compile(model);
  ASSERT_TRUE(system);
  const Assembly assembly = assemble(system.value(), 0, system.value().given_state());
  ForceBalance at(system.value(), assembly.mobility, assembly.state);
  EXPECT_LT(at.find_twists(assembly.state.q), 1e-12);
  for (const auto method : {newton_balance, least_energy, least_energy_dfp, settled_balance}) {
    const FoundBalance found = method(at, assembly.state.q, {});
    ASSERT_TRUE(found.converged);
    const BalanceNature nature = nature_of(at, found.q, found.lambda);
    const Json expected = expected_of("hoop-pendulum")["equilibria"][3]["eigenvalues"];
    ASSERT_EQ(nature.eigenvalues.size(), 2);
    EXPECT_NEAR(nature.eigenvalues[0].real(), expected[0][0].get<double>(), 1e-8);
    EXPECT_NEAR(std::abs(nature.eigenvalues[0].imag()), expected[1][1].get<double>(), 1e-8);
  }
}

// ---- follower load

TEST(Equilibrium, FollowerLoadIsJudgedByItsMotion) {
  for (const auto& [load, kind] :
       {std::pair{"250", "stable"}, std::pair{"400", "unstable"}, std::pair{"550", "unstable"}}) {
    ReadOptions options;
    options.set.emplace_back("P", load);
    const auto run = balance_case("ziegler-column", "auto", false, options);
    ASSERT_EQ(run->points().size(), 1U) << run->words();
    EXPECT_EQ(run->points().front().kind, kind) << load;
    EXPECT_NEAR(coordinate(run->points().front(), "bar 1", 2), std::numbers::pi / 2, 1e-12);
    EXPECT_NEAR(coordinate(run->points().front(), "bar 2", 2), std::numbers::pi / 2, 1e-12);
    EXPECT_NE(run->words().find("'follower'"), std::string::npos) << run->words();
    EXPECT_TRUE(std::isnan(run->points().front().potential));
  }
  for (const char* method : {"energy", "dfp"}) {
    const auto run = balance_case("ziegler-column", method);
    EXPECT_EQ(run->outcome.summary.status, "failed");
    ASSERT_FALSE(run->outcome.summary.diagnostics.empty());
    EXPECT_EQ(run->outcome.summary.diagnostics.back().id, "model.no-potential");
    EXPECT_EQ(run->outcome.exit_code(), 4);
  }
}

TEST(Equilibrium, EigenvaluesUnderAFollowerLoad) {
  const Json loads = expected_of("ziegler-column").at("by_load");
  for (const auto& [load, expected] : loads.items()) {
    ReadOptions options;
    options.set.emplace_back("P", load);
    auto system = compile(case_model("ziegler-column", options));
    ASSERT_TRUE(system);
    const Assembly assembly = assemble(system.value(), 0, system.value().given_state());
    ForceBalance at(system.value(), assembly.mobility, assembly.state);
    const FoundBalance found = newton_balance(at, assembly.state.q, {});
    const BalanceNature nature = nature_of(at, found.q, found.lambda);
    EXPECT_TRUE(nature.by_motion);
    for (const Json& one : expected["eigenvalues"]) {
      double nearest = 1e300;
      for (const auto& value : nature.eigenvalues)
        nearest = std::min(
            nearest,
            std::abs(value - std::complex<double>(one[0].get<double>(), one[1].get<double>())));
      EXPECT_LT(nearest, 1e-9 * 53) << load;
    }
  }
}

// ---- forces whose potential is their work

const char* const pulled = R"(
[[body]]
name = "slide"
mass = 2
inertia = 1

[[joint]]
type = "translational"
name = "guide"
between = ["ground", "slide"]
axis = [1, 0]

[[force]]
type = "spring"
name = "spring"
between = ["ground", "slide"]
points = [[-1, 0], [0, 0]]
stiffness = 50
free_length = 1
)";

TEST(Equilibrium, ConstantForceHasAPotential) {
  for (const char* method : every_method) {
    const auto run = balance_text(
        std::string(pulled) +
            "[[force]]\ntype = \"force\"\nname = \"pull\"\nbody = \"slide\"\nvalue = [10, 3]\n",
        method);
    ASSERT_EQ(run->points().size(), 1U) << method << run->words();
    EXPECT_NEAR(coordinate(run->points().front(), "slide", 0), 0.2, 1e-10) << method;
    EXPECT_NEAR(run->points().front().potential, 25 * 0.04 - 10 * 0.2, 1e-9) << method;
  }
}

TEST(Equilibrium, ForceOfALengthHasAPotential) {
  // 50 x = 8 (1 + x)^2, the smaller root
  const double x = (34 - std::sqrt(34.0 * 34.0 - 4 * 8 * 8)) / 16;
  for (const char* method : every_method) {
    const auto run = balance_text(std::string(pulled) +
                                      "[[force]]\ntype = \"spring\"\nname = \"push\"\nbetween = "
                                      "[\"ground\", \"slide\"]\npoints = [[-1, 0], [0, 0]]\n"
                                      "force = \"-8*length^2\"\n",
                                  method);
    ASSERT_EQ(run->points().size(), 1U) << method << run->words();
    EXPECT_NEAR(coordinate(run->points().front(), "slide", 0), x, 1e-9) << method;
    EXPECT_NEAR(
        run->points().front().potential, 25 * x * x - 8.0 / 3 * (std::pow(1 + x, 3) - 1), 1e-9)
        << method;
  }
}

// ---- kinds

TEST(Equilibrium, FreeSlideIsNeutral) {
  const auto run = balance_text(R"(
[[body]]
name = "slide"
mass = 2
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "slide"]
axis = [1, 0]
)");
  ASSERT_EQ(run->points().size(), 1U) << run->words();
  EXPECT_EQ(run->points().front().kind, "neutral");
}

TEST(Equilibrium, UprightPendulumIsAMaximumThatEnergyLeaves) {
  const std::string pendulum = R"(
gravity = [0, -9.81]
[[body]]
name = "rod"
from = [0, 0]
to = [0, 1]
mass = 2
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "rod"]
at = [0, 0]
)";
  const auto newton = balance_text(pendulum, "newton");
  ASSERT_EQ(newton->points().size(), 1U);
  EXPECT_EQ(newton->points().front().kind, "maximum");
  const auto energy = balance_text(pendulum, "energy");
  ASSERT_EQ(energy->points().size(), 1U);
  EXPECT_EQ(energy->points().front().kind, "stable");
  EXPECT_NEAR(std::sin(coordinate(energy->points().front(), "rod", 2)), -1, 1e-12);
}

// ---- what it refuses

TEST(Equilibrium, RefusesDriversWithoutSteadyMotion) {
  const std::string crank = R"(
[[body]]
name = "crank"
from = [0, 0]
to = [1, 0]
mass = 1
[[body]]
name = "rod"
from = [1, 0]
to = [3, 0]
mass = 1
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["crank", "rod"]
at = [1, 0]
[[driver]]
joint = "bearing"
name = "motor"
)";
  const auto quick = balance_text("gravity = [0, -9.81]\n" + crank + "motion = \"3*t\"\n");
  EXPECT_EQ(quick->outcome.summary.status, "failed");  // weight turns against the crank
  const auto changing = balance_text(crank + "motion = \"3*t^2\"\n");
  EXPECT_EQ(changing->outcome.exit_code(), 4);
  ASSERT_FALSE(changing->outcome.summary.diagnostics.empty());
  EXPECT_EQ(changing->outcome.summary.diagnostics.back().id, "model.not-available");
  EXPECT_EQ(changing->outcome.summary.diagnostics.back().element, "driver 'motor'");
  const auto steady = balance_text(crank + "motion = \"3*t\"\n");  // the rod flies straight out
  ASSERT_EQ(steady->points().size(), 1U) << steady->words();
  EXPECT_EQ(steady->points().front().kind, "stable");
  EXPECT_NEAR(coordinate(steady->points().front(), "rod", 2), 0, 1e-9);
}

TEST(Equilibrium, RestsOnAStop) {
  const auto run = balance_text(R"(
gravity = [0, -9.81]
[[body]]
name = "rod"
from = [0, 0]
to = [1, 0]
mass = 2
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "rod"]
at = [0, 0]
[[stop]]
joint = "pin"
name = "rest"
lower = -0.5
)");
  ASSERT_EQ(run->points().size(), 1U) << run->words();
  EXPECT_NEAR(coordinate(run->points().front(), "rod", 2), -0.5, 1e-12);
}

TEST(Equilibrium, FallsOntoAHardStop) {
  const auto run = balance_text(R"(
gravity = [0, -9.81]
[[body]]
name = "block"
at = [0, 1]
mass = 2
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "block"]
axis = [0, 1]
[[stop]]
joint = "guide"
name = "floor"
lower = -2
)");
  ASSERT_EQ(run->points().size(), 1U) << run->words();
  EXPECT_NEAR(coordinate(run->points().front(), "block", 1), -1, 1e-12);
}

// ---- what comes after

TEST(Equilibrium, DynamicsStayWhereItLeft) {
  Model model = case_model("hanging-chain");
  EquilibriumOptions equilibrium;
  DynamicOptions dynamic;
  dynamic.until = 0.5;
  model.analyses = {equilibrium, dynamic};
  test::Memory memory;
  const Outcome outcome = run_model(model, memory, {});
  EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
  ASSERT_EQ(outcome.summary.earlier.size(), 1U);
  EXPECT_EQ(outcome.summary.earlier.front().equilibria.size(), 1U);
  for (const BodyState& body : outcome.summary.final)
    for (const double v : body.v) EXPECT_NEAR(v, 0, 1e-6) << body.body;
}

TEST(Equilibrium, SummaryReadsBack) {
  const auto run = balance_case("quarter-car", "auto");
  const Summary again = summary_from_json(to_json(run->outcome.summary));
  ASSERT_EQ(again.equilibria.size(), 1U);
  EXPECT_EQ(again.equilibria.front().kind, run->points().front().kind);
  EXPECT_EQ(again.equilibria.front().potential, run->points().front().potential);
  EXPECT_EQ(coordinate(again.equilibria.front(), "chassis", 1),
            coordinate(run->points().front(), "chassis", 1));
}

}  // namespace
}  // namespace cardan
