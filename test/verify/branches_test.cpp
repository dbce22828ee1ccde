// The ways to put mechanisms together: found, listed in a fixed order, and chosen by the model file.
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(test::source_dir) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Model with(const std::string& text) {
  auto model = read_model_text(text, "model.toml", {});
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  return model ? std::move(model).value() : Model{};
}

Json reference(const std::string& name) {
  return Json::parse(text_of("test/reference/analyses/" + name + "/reference.json"));
}

std::string case_text(const std::string& name) {
  return text_of("test/reference/analyses/" + name + "/model.toml");
}

Outcome listed(Model model, test::Memory& memory) {
  model.analyses = analyses_of_type(model.analyses, *find_analysis("assembly"));
  Control control;
  control.branches = true;
  return run_model(model, memory, control);
}

BranchList branches_of(const Model& model) {
  test::Memory memory;
  const Outcome out = listed(model, memory);
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_TRUE(out.summary.branches);
  if (!out.summary.branches) return {};
  EXPECT_EQ(memory.rows.size(), out.summary.branches->branches.size());  // a row each
  return *out.summary.branches;
}

double value(const BranchList& list, std::size_t branch, const std::string& name) {
  for (const NamedValue& x : list.branches.at(branch).values)
    if (x.name == name) return x.value;
  ADD_FAILURE() << "no quantity " << name;
  return 0;
}

std::vector<double> pose(const BranchList& list, std::size_t branch, const std::string& body) {
  for (const BodyPose& p : list.branches.at(branch).coordinates)
    if (p.body == body) return p.q;
  ADD_FAILURE() << "no body " << body;
  return {0, 0, 0};
}

Outcome driven(Model model, test::Memory& memory) {
  model.analyses = analyses_of_type(model.analyses, *find_analysis("kinematic"));
  return run_model(model, memory, {});
}

double near_turn(double angle, double to) {
  return to + std::remainder(angle - to, 2 * std::acos(-1.0));
}

TEST(Branches, FourBarHasTwo) {
  const Json expected = reference("four-bar-kinematics").at("at").at(0);
  const BranchList list = branches_of(with(case_text("four-bar-kinematics")));
  ASSERT_EQ(list.branches.size(), 2U);
  EXPECT_FALSE(list.more);
  EXPECT_TRUE(list.held.empty());  // the driver holds all
  EXPECT_TRUE(list.branches[0].chosen);
  EXPECT_FALSE(list.branches[1].chosen);
  const double rockers[] = {expected["rocker"][0], expected["other_branch_rocker"][0]};
  const double couplers[] = {expected["coupler"][0], expected["other_branch_coupler"][0]};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(near_turn(pose(list, k, "rocker")[2], rockers[k]), rockers[k], 1e-10);
    EXPECT_NEAR(near_turn(pose(list, k, "coupler")[2], couplers[k]), couplers[k], 1e-10);
  }
  EXPECT_NEAR(value(list, 0, "A.angle"), value(list, 1, "A.angle"), 1e-12);
  for (const BranchQuantity& q : list.quantities) EXPECT_EQ(q.differs, q.name != "A.angle");
}

TEST(Branches, AreTheSameInEveryRun) {
  const Model model = test::model_file("six-bar-watt");
  const BranchList one = branches_of(model), two = branches_of(model);
  ASSERT_EQ(one.branches.size(), 4U);
  ASSERT_EQ(two.branches.size(), 4U);
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t k = 0; k < one.quantities.size(); ++k)
      EXPECT_EQ(one.branches[b].values[k].value, two.branches[b].values[k].value);
  // behind the first by the first quantity that differs
  for (std::size_t b = 1; b + 1 < 4; ++b)
    EXPECT_LE(value(one, b, "lever bearing.angle"),
              value(one, b + 1, "lever bearing.angle") + 1e-6);
}

TEST(Branches, OfASpatialLinkage) {
  const Json expected = reference("rssr");
  const BranchList list = branches_of(with(case_text("rssr")));
  ASSERT_EQ(list.branches.size(), 2U);
  EXPECT_NEAR(value(list, 0, "swing"), 0, 1e-9);
  // psi = atan2(K2, K1) +- acos(...): mirrored about atan2(K2, K1)
  const Model model = with(case_text("rssr"));
  double k1 = 0, k2 = 0;
  for (const auto& [name, x] : model.parameters) {
    if (name == "K1") k1 = x;
    if (name == "K2") k2 = x;
  }
  const double first = expected["psi_in_the_drawing"], other = 2 * std::atan2(k2, k1) - first;
  EXPECT_NEAR(near_turn(value(list, 1, "swing"), other - first), other - first, 1e-9);
}

// Nothing prescribes the crank's angle: it is held as it is drawn.
TEST(Branches, HoldFreeCoordinates) {
  const BranchList list = branches_of(test::model_file("slider-crank"));
  ASSERT_EQ(list.branches.size(), 2U);
  ASSERT_EQ(list.held.size(), 1U);
  EXPECT_EQ(list.held.front(), "main bearing.angle");
  EXPECT_NEAR(value(list, 0, "main bearing.angle"), value(list, 1, "main bearing.angle"), 1e-9);
}

// A rod between balls and crosses may be turned over about its own line, which is no other position.
TEST(Branches, OfASpatialSliderCrank) {
  const BranchList list = branches_of(test::model_file("spatial-slider-crank"));
  ASSERT_EQ(list.branches.size(), 2U);
  EXPECT_NEAR(value(list, 1, "guide.displacement"), -0.4, 1e-9);
}

// In other positions of a scissor lift bars fall into one line and swing freely: those are none.
TEST(Branches, LeaveOutPosesThatSwingFreely) {
  const BranchList list = branches_of(test::model_file("scissor-lift"));
  EXPECT_FALSE(list.more);
  EXPECT_GT(list.branches.size(), 1U);
}

const char* const flat = R"(
gravity = [0, 0]
[[body]]
name = "crank"
from = [0, 0]
to   = [1, 0]
mass = 1
[[body]]
name = "coupler"
from = [1, 0]
to   = [3, 0]
mass = 1
[[body]]
name = "rocker"
from = [2, 0]
to   = [3, 0]
mass = 1
[[joint]]
type    = "revolute"
name    = "O"
between = ["ground", "crank"]
at      = [0, 0]
[[joint]]
type    = "revolute"
name    = "A"
between = ["crank", "coupler"]
at      = [1, 0]
[[joint]]
type    = "revolute"
name    = "B"
between = ["coupler", "rocker"]
at      = [3, 0]
[[joint]]
type    = "revolute"
name    = "D"
between = ["ground", "rocker"]
at      = [2, 0]
[[request]]
joint = "D"
name  = "rocker_angle"
[[analysis]]
type  = "dynamic"
until = 1
)";

const std::string rate = "[[initial]]\njoint = \"O\"\nrate = 3\n";
const std::string motor = "[[driver]]\njoint = \"O\"\nmotion = \"3*t\"\n";

// Loop of a flat parallelogram 1, 2, 1, 2 m: to second order the rocker goes at 3 or at -9 rad/s.
TEST(Branches, AFlatParallelogramHasTwoMotions) {
  for (const std::string& moved : {rate, motor}) {
    test::Memory memory;
    const Outcome out = run_model(with(flat + moved), memory, {});
    EXPECT_EQ(out.summary.status, "failed");
    const auto& told = out.summary.diagnostics;
    const auto fault = std::find_if(told.begin(), told.end(), [](const Diagnostic& d) {
      return d.severity == Severity::error;
    });
    ASSERT_NE(fault, told.end());
    EXPECT_EQ(fault->id, "assembly.branch");
    EXPECT_NE(fault->hint.find("branch = 1"), std::string::npos) << fault->hint;
    EXPECT_NE(fault->hint.find("branch = 2"), std::string::npos) << fault->hint;

    const BranchList list = branches_of(with(flat + moved));
    ASSERT_EQ(list.branches.size(), 2U);
    EXPECT_NEAR(value(list, 0, "rate(D.angle)"), -9, 1e-9);
    EXPECT_NEAR(value(list, 1, "rate(D.angle)"), 3, 1e-9);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(value(list, k, "rate(O.angle)"), 3, 1e-9);
  }
}

TEST(Branches, AChosenMotionIsFollowedFromAChangePoint) {
  for (const std::string& choice : {std::string("2"), std::string("\"rate(rocker_angle) > 0\"")}) {
    const std::string chosen = "[assembly]\nbranch = " + choice + "\n";
    test::Memory free;
    const Outcome out = run_model(with(flat + rate + chosen), free, {});
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    ASSERT_FALSE(free.rows.empty());
    EXPECT_NEAR(free.value("crank.omega", 0), 3, 1e-9);
    EXPECT_NEAR(free.value("rocker.omega", 0), 3, 1e-9);
    EXPECT_NEAR(free.last("crank.angle"), 3, 1e-4);  // no forces: all rates are constant

    test::Memory memory;
    const Outcome kinematic = driven(with(flat + motor + chosen), memory);
    EXPECT_EQ(kinematic.summary.status, "complete") << to_text(kinematic.summary.diagnostics);
    ASSERT_FALSE(memory.rows.empty());
    for (std::size_t k = 0; k < memory.rows.size(); ++k) {
      EXPECT_NEAR(memory.value("rocker.angle", k), 3 * memory.times[k], 1e-8);
      EXPECT_NEAR(memory.value("coupler.angle", k), 0, 1e-8);
    }
  }
}

TEST(Branches, TheOtherMotionToo) {
  test::Memory memory;
  const Outcome out = driven(with(flat + motor + "[assembly]\nbranch = 1\n"), memory);
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  ASSERT_FALSE(memory.rows.empty());
  EXPECT_NEAR(memory.value("rocker.omega", 0), -9, 1e-8);
  // crossed: the coupler keeps its length, and the rocker does not go with the crank
  for (std::size_t k = 1; k < memory.rows.size(); ++k) {
    const double t = memory.times[k], a = 3 * t;
    const double rocker = memory.value("rocker.angle", k);
    const double x = 2 + std::cos(rocker) - std::cos(a), y = std::sin(rocker) - std::sin(a);
    EXPECT_NEAR(std::hypot(x, y), 2, 1e-9);
    if (t > 0.1) {
      EXPECT_GT(std::abs(std::remainder(rocker - a, 2 * std::acos(-1.0))), 1e-3);
    }
  }
}

// A slider-crank with a rod as long as its crank, upright: the slider stays at the bearing, or goes at -0.8
// m/s. The first is the smallest motion, which is no reason to take it.
TEST(Branches, TheSmallestMotionIsOneOfTwo) {
  const std::string upright = R"(
[[body]]
name = "crank"
from = [0, 0]
to   = [0, 0.2]
mass = 1
[[body]]
name = "rod"
from = [0, 0.2]
to   = [0, 0]
mass = 1
[[body]]
name    = "slider"
at      = [0, 0]
mass    = 1
inertia = 0.01
[[joint]]
type    = "revolute"
name    = "A"
between = ["ground", "crank"]
at      = [0, 0]
[[joint]]
type    = "revolute"
name    = "B"
between = ["crank", "rod"]
at      = [0, 0.2]
[[joint]]
type    = "revolute"
name    = "C"
between = ["rod", "slider"]
at      = [0, 0]
[[joint]]
type    = "translational"
name    = "guide"
between = ["ground", "slider"]
at      = [0, 0]
axis    = [1, 0]
[[driver]]
joint  = "A"
motion = "90 deg + 2 rad/s*t"
[[analysis]]
type  = "dynamic"
until = 0.5
)";
  test::Memory none;
  const Outcome refused = driven(with(upright), none);
  EXPECT_EQ(refused.summary.status, "failed");
  const auto& told = refused.summary.diagnostics;
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const Diagnostic& d) {
    return d.id == "assembly.branch";
  })) << to_text(told);
  std::vector<double> ends;
  for (const char* branch : {"1", "2"}) {
    test::Memory memory;
    const Outcome out = driven(with(upright + "[assembly]\nbranch = " + branch + "\n"), memory);
    ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    ends.push_back(memory.last("slider.x"));
  }
  std::sort(ends.begin(), ends.end());
  EXPECT_NEAR(ends[0], -0.4 * std::sin(1), 1e-8);
  EXPECT_NEAR(ends[1], 0, 1e-8);
}

TEST(Branches, EveryAnalysisObeysTheChoice) {
  const Json expected = reference("four-bar-kinematics").at("at");
  const std::string text =
      case_text("four-bar-kinematics") +
      "\n[[request]]\ntype = \"y\"\nname = \"pin_y\"\nbody = \"rocker\"\npoint "
      "= [\"c\", 0]\n[assembly]\nbranch = ";
  for (const char* choice : {"2", "\"pin_y < 0\""}) {
    test::Memory memory;
    const Outcome out = driven(with(text + choice + "\n"), memory);
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    std::size_t compared = 0;
    for (const Json& row : expected)
      for (std::size_t k = 0; k < memory.times.size(); ++k) {
        if (std::abs(memory.times[k] - row["t"].get<double>()) > 1e-9) continue;
        for (const std::string body : {"coupler", "rocker"}) {
          const Json& of = row["other_branch_" + body];
          const double angle = of[0], rate = of[1], acceleration = of[2];
          EXPECT_NEAR(near_turn(memory.value(body + ".angle", k), angle), angle, 1e-10);
          EXPECT_NEAR(memory.value(body + ".omega", k), rate, 1e-10);
          EXPECT_NEAR(memory.value(body + ".alpha", k), acceleration, 1e-10);
        }
        ++compared;
      }
    EXPECT_EQ(compared, expected.size());
    test::Memory run;
    Model model = with(text + choice + "\n");
    test::dynamic(model).until = 0.4;
    const Outcome dynamic = run_model(model, run, {});
    EXPECT_EQ(dynamic.summary.status, "complete");
    const double rocker = expected.at(1)["other_branch_rocker"][0];
    EXPECT_NEAR(near_turn(run.last("rocker.angle"), rocker), rocker, 1e-7);
  }
}

void expect_refused(const std::string& text, const std::string& id, const std::string& words) {
  test::Memory memory;
  const Outcome out = run_model(with(text), memory, {});
  EXPECT_EQ(out.summary.status, "failed");
  bool found = false;
  for (const Diagnostic& d : out.summary.diagnostics)
    found = found || (d.id == id && d.severity == Severity::error && d.where.line > 0 &&
                      d.found.find(words) != std::string::npos);
  EXPECT_TRUE(found) << to_text(out.summary.diagnostics);
}

TEST(Branches, ChoicesThatCannotBeMetAreRefused) {
  const std::string text = case_text("four-bar-kinematics") +
                           "\n[[request]]\njoint = \"D\"\nname = \"swing\"\n[assembly]\nbranch = ";
  expect_refused(text + "5\n", "assembly.branch", "branch = 5");
  expect_refused(text + "\"swing > 100\"\n", "assembly.branch", "none of 2 branches");
  expect_refused(text + "\"swing > -100\"\n", "assembly.branch", "branches 1, 2 of 2");
}

TEST(Branches, OfAMechanismInOnePieceThereIsOne) {
  const BranchList list = branches_of(test::model_file("double-pendulum"));
  EXPECT_EQ(list.branches.size(), 1U);
}

}  // namespace
}  // namespace cardan
