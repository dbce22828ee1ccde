// Several states evaluated at once are those evaluated one by one, up to round-off, and one of them has the motion of
// its bodies, found with the factor of S and by the powers of all forces; and whole runs
// of a method whose stages stand side by side are those of other methods.
#include <random>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/formulation/formulation.h"
#include "test/mechanisms.h"

namespace cardan::test {
namespace {

constexpr double round_off = 2e-12;  // relative to the largest number of its kind

// Forces of every kind that is evaluated for several states at once, and one that is not.
const char* const forces = R"toml(
[[force]]
type = "spring"
name = "spring with damper"
between = ["ground", "coupler"]
at = [[0.3, -1], [0.9, 1]]
stiffness = 30
damping = 2
[[force]]
type = "spring"
name = "actuator"
between = ["crank", "rocker"]
at = [[0, 0.5], [1.5, 0.5]]
force = "3 N*sin(4 rad/s*t)"
[[force]]
type = "rotational-spring"
name = "at the rocker"
between = ["ground", "rocker"]
stiffness = 5
damping = 0.3
[[force]]
type = "torque"
name = "motor"
body = "crank"
value = "2 N*m + 1 N*m*cos(1 rad/s*t)"
)toml";
const char* const stiffening = R"(
[[force]]
type = "spring"
name = "stiffening"
between = ["ground", "coupler"]
at = [[0.3, -2], [0.5, 1]]
force = "4 N/m^3*length^3"
)";

struct Mechanism {
  const char* name;
  std::string text;  // empty: the example of that name
};

void PrintTo(const Mechanism& m, std::ostream* out) {
  *out << m.name;
}

class SeveralStates : public testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    const Mechanism& m = GetParam();
    system_ = system_of(m.text.empty() ? model_file(m.name) : model_of(m.text));
    const Assembly start = assemble(system_, 0, system_.given_state());
    ASSERT_TRUE(start.ok);
    options_.formulation = "reduced";
    options_.integrator = "gauss-simd";
    active_ = start.mobility.active;
    auto made = make_formulation({system_, active_, options_});
    ASSERT_TRUE(made);
    formulation_ = std::move(made).value();
    State state = start.state;
    y_.resize(static_cast<std::size_t>(formulation_->size()));
    formulation_->parametrize(state, y_);
  }

  System system_;
  DynamicOptions options_;
  std::vector<char> active_;
  std::unique_ptr<Formulation> formulation_;
  std::vector<double> y_;
};

TEST_P(SeveralStates, AreThoseOneByOne) {
  std::mt19937 random(5);
  std::uniform_real_distribution<> anywhere(-1, 1);
  const std::size_t n = y_.size(), z = static_cast<std::size_t>(formulation_->quadratures()),
                    p = (n - z) / 2;
  EXPECT_GT(z, 0U);  // the energies
  for (const int width : {4, 8}) {
    const auto w = static_cast<std::size_t>(width);
    formulation_->reserve_several(width);
    std::vector<double> t(w), y(n * w), dy(n * w), one(n), done(n);
    for (std::size_t l = 0; l < w; ++l) {
      t[l] = 0.002 * static_cast<double>(l);
      for (std::size_t i = 0; i < n; ++i)
        y[i * w + l] = y_[i] + (i < p ? 0.05 : 3) * anywhere(random);
    }
    ASSERT_EQ(formulation_->evaluate_several(width, t, y, dy), Eval::ok);
    ASSERT_EQ(formulation_->evaluate_quadratures(width, t, y, dy), Eval::ok);
    double off = 0, size = 1;
    for (std::size_t l = 0; l < w; ++l) {
      for (std::size_t i = 0; i < n; ++i) one[i] = y[i * w + l];
      ASSERT_EQ(formulation_->evaluate(t[l], one, done), Eval::ok);
      for (std::size_t i = 0; i < n; ++i) {
        off = std::max(off, std::abs(done[i] - dy[i * w + l]));
        size = std::max(size, std::abs(done[i]));
      }
    }
    EXPECT_LT(off, round_off * size) << width;
  }
}

TEST_P(SeveralStates, HaveTheMotionOfTheirBodies) {
  std::mt19937 random(6);
  std::uniform_real_distribution<> anywhere(-1, 1);
  const std::size_t n = y_.size(), z = static_cast<std::size_t>(formulation_->quadratures()),
                    p = (n - z) / 2;
  MotionSolver by_factor(system_, active_);
  Workspace work = system_.workspace();
  std::vector<double> y(y_), dy(n), powers(z), a(static_cast<std::size_t>(system_.v_size()));
  for (int trial = 0; trial < 20; ++trial) {
    for (std::size_t i = 0; i < n; ++i) y[i] = y_[i] + (i < p ? 0.05 : 3) * anywhere(random);
    const double t = 5e-4 * trial;
    ASSERT_EQ(formulation_->evaluate(t, y, dy), Eval::ok);
    State full = system_.given_state();
    ASSERT_EQ(formulation_->recover(t, y, full), Eval::ok);
    ASSERT_EQ(by_factor.accelerations(t, full.q, full.v, a, full.lambda), Eval::ok);
    system_.rotations(full.q, work);
    system_.state_rates(t, full.q, full.v, full.lambda, work, powers);
    double size = 1;
    for (const double x : a) size = std::max(size, std::abs(x));
    std::size_t met = 0;
    for (int k = 0; k < system_.v_size(); ++k)
      for (std::size_t j = 0; j < p; ++j) {
        if (formulation_->component_name(static_cast<int>(j)) != system_.coordinate_label(k))
          continue;
        ++met;
        EXPECT_NEAR(dy[p + j], a[static_cast<std::size_t>(k)], 1e-10 * size);
      }
    EXPECT_EQ(met, p);
    for (std::size_t k = 0; k < z; ++k)
      EXPECT_NEAR(dy[2 * p + k], powers[k], 1e-11 * (1 + std::abs(powers[k])));
  }
}

// Far from the start some states have no pose: several have an answer where each of them has one.
TEST_P(SeveralStates, HaveAnAnswerWhereEachHasOne) {
  std::mt19937 random(8);
  std::uniform_real_distribution<> anywhere(-3, 3);
  const std::size_t n = y_.size(), z = static_cast<std::size_t>(formulation_->quadratures()),
                    p = (n - z) / 2;
  formulation_->reserve_several(4);
  std::vector<double> t(4, 0.0), y(4 * n), dy(4 * n), one(n), done(n);
  int without = 0;
  for (int k = 0; k < 40; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < 4; ++l) y[4 * i + l] = y_[i];
    for (std::size_t i = 0; i < p; ++i) y[4 * i + 2] += anywhere(random);
    for (std::size_t i = 0; i < n; ++i) one[i] = y[4 * i + 2];
    const bool has = formulation_->evaluate(0, one, done) == Eval::ok;
    EXPECT_EQ(formulation_->evaluate_several(4, t, y, dy) == Eval::ok, has) << k;
    without += has ? 0 : 1;
  }
  if (std::string(GetParam().name).starts_with("four-bar")) {
    EXPECT_GT(without, 5);
  }
}

TEST_P(SeveralStates, MakeTheSameMotionAsOneByOne) {
  State ends[2];
  for (const bool several : {false, true}) {
    DynamicOptions options = options_;
    options.integrator = several ? "gauss-simd" : "dop853";
    options.rtol = options.atol = 1e-12;
    options.until = std::string(GetParam().name) == "andrews" ? 0.02 : 0.5;
    const Assembly start = assemble(system_, 0, system_.given_state());
    Simulation simulation(system_, start.mobility, options, start.state);
    ASSERT_FALSE(simulation.prepare());
    ASSERT_FALSE(simulation.start());
    ASSERT_EQ(simulation.step_to(options.until).why, Simulation::Stop::Why::reached);
    ends[several ? 1 : 0] = simulation.state();
  }
  for (std::size_t k = 0; k < ends[0].q.size(); ++k)
    EXPECT_NEAR(ends[0].q[k], ends[1].q[k], 2e-9) << k;
}

INSTANTIATE_TEST_SUITE_P(
    OfClosedGroups,
    SeveralStates,
    testing::Values(Mechanism{"andrews", ""},
                    Mechanism{"n-four-bar", ""},
                    Mechanism{"four-bar with springs", four_bar(2, 1.3, forces)},
                    Mechanism{"four-bar with all forces",
                              four_bar(2, 1.3, std::string(forces) + stiffening)},
                    Mechanism{"chain", chain(5)}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace cardan::test
