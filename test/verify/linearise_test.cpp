// Linear analysis against results computed elsewhere in closed form or at high precision
// (test/reference/analyses), and against differences of the nonlinear motion.
#include <complex>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/linear/linear_system.h"
#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "cardan/results/summary.h"
#include "cardan/system/motion_solver.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;
using Complex = std::complex<double>;
using Set = std::vector<std::pair<std::string, std::string>>;

std::string words_of(const Diagnostics& list) {
  std::string text;
  for (const auto& d : list) text += to_text(d) + "\n";
  return text;
}

std::string linear_place(const std::string& name) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name;
}

Json linear_reference(const std::string& name) {
  std::ifstream file(linear_place(name) + "/reference.json");
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

std::unique_ptr<Model> linear_model_file(const std::string& path,
                                         const Set& set = {},
                                         const std::string& more = "") {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf() << "\n" << more << "\n";
  ReadOptions options;
  options.set = set;
  auto model = read_model_text(text.str(), path, options);
  EXPECT_TRUE(model) << (model ? "" : words_of(model.why()));
  return model ? std::make_unique<Model>(std::move(model).value()) : nullptr;
}

struct Linearised {
  Outcome outcome;
  LinearModel linear;
  test::Memory memory;
};

Linearised linearised(const std::string& name,
                      const Set& set = {},
                      const std::string& more = "",
                      const std::string& keys = "") {
  Linearised out;
  const auto model = linear_model_file(linear_place(name) + "/model.toml",
                                       set,
                                       more + "\n[[analysis]]\ntype = \"linearise\"\n" + keys);
  if (!model) return out;
  model->analyses = analyses_of_type(model->analyses, *find_analysis("linearise"));
  out.outcome = run_model(*model, out.memory, {});
  EXPECT_EQ(out.outcome.summary.status, "complete") << words_of(out.outcome.summary.diagnostics);
  EXPECT_TRUE(out.outcome.summary.linear.has_value());
  if (out.outcome.summary.linear) out.linear = *out.outcome.summary.linear;
  return out;
}

Complex number(const Json& pair) {
  return {pair[0].get<double>(), pair[1].get<double>()};
}

Complex number(const ComplexNumber& pair) {
  return {pair[0], pair[1]};
}

// Each expected one is among those found, in any order, none twice; tolerance relative to its size.
void expect_eigenvalues(std::vector<ComplexNumber> found,
                        const Json& expected,
                        double tolerance,
                        bool all = true) {
  if (all) {
    EXPECT_EQ(found.size(), expected.size());
  }
  for (const Json& pair : expected) {
    const Complex value = number(pair);
    auto best = found.end();
    for (auto f = found.begin(); f != found.end(); ++f)
      if (best == found.end() || std::abs(number(*f) - value) < std::abs(number(*best) - value))
        best = f;
    ASSERT_NE(best, found.end());
    EXPECT_LE(std::abs(number(*best) - value), tolerance * std::max(1.0, std::abs(value)))
        << value << " found " << number(*best);
    found.erase(best);
  }
}

void expect_frequencies(const LinearModel& linear, const Json& squared, double tolerance) {
  ASSERT_EQ(linear.modes.size(), squared.size());
  for (std::size_t k = 0; k < squared.size(); ++k) {
    const double w = std::sqrt(squared[k].get<double>());
    EXPECT_NEAR(linear.modes[k].omega, w, tolerance * w);
    EXPECT_EQ(linear.modes[k].eigenvalue[0], 0) << "no damping";
    EXPECT_NEAR(linear.modes[k].frequency * 2 * std::numbers::pi, w, tolerance * w);
  }
}

void expect_matrix(const NumberMatrix& found, const Json& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  double size = 0;
  for (const auto& row : expected)
    for (const auto& x : row) size = std::max(size, std::abs(x.get<double>()));
  for (std::size_t r = 0; r < found.size(); ++r) {
    ASSERT_EQ(found[r].size(), expected[r].size());
    for (std::size_t c = 0; c < found[r].size(); ++c)
      EXPECT_NEAR(found[r][c], expected[r][c].get<double>(), tolerance * size) << r << ", " << c;
  }
}

TEST(Linearise, SpringMassChain) {
  const Json expected = linear_reference("spring-mass-chain");
  const Linearised run = linearised("spring-mass-chain");
  expect_frequencies(run.linear, expected["squared_frequencies"], 1e-10);
  for (std::size_t k = 0; k < run.linear.modes.size(); ++k) {
    const auto& shape = run.linear.modes[k].shape;
    const Json& want = expected["mode_shapes"][k];
    double turned = 0, same = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double x = shape.at(fmt::format("mass {}", i + 1))[0][0], y = want[i].get<double>();
      same = std::max(same, std::abs(x - y));
      turned = std::max(turned, std::abs(x + y));
    }
    EXPECT_LE(std::min(same, turned), 1e-10) << "mode " << k + 1;
  }
  EXPECT_EQ(run.linear.about, "equilibrium");
  EXPECT_EQ(run.linear.stability, "neutral");
  EXPECT_EQ(run.linear.neutral, 0);
  EXPECT_EQ(run.memory.rows.size(), 1u);
}

TEST(Linearise, QuarterCar) {
  const Json expected = linear_reference("quarter-car");
  const Linearised run =
      linearised("quarter-car",
                 {},
                 "[[initial]]\nbody = \"chassis\"\ny = 0.806173\n[[initial]]\nbody = \"wheel\"\ny "
                 "= 0.303323\n",
                 "inputs = [\"road drive\", \"pull drive.fy\"]\n"
                 "outputs = [\"chassis.y\", \"wheel.y\", \"chassis.ay\", \"tyre.force\"]\n"
                 "frequencies = [1.2, 5, 11]\n");
  EXPECT_EQ(run.linear.about, "equilibrium");
  EXPECT_EQ(run.linear.stability, "stable");
  ASSERT_EQ(run.linear.states.size(), 4u);
  EXPECT_EQ(run.linear.states[0].name, "y of 'chassis'");
  EXPECT_EQ(run.linear.states[3].unit, "m/s");
  expect_matrix(run.linear.M, expected["M"], 1e-12);
  expect_matrix(run.linear.C_damping, expected["C"], 1e-11);
  expect_matrix(run.linear.K, expected["K"], 1e-11);
  expect_matrix(run.linear.A, expected["A"], 1e-11);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(run.linear.B[k][1], expected["B_pull"][k].get<double>(), 1e-15);
  expect_eigenvalues(run.linear.eigenvalues, expected["eigenvalues"], 1e-10);
  for (const VibrationMode& mode : run.linear.modes)
    for (std::size_t k = 0; k < 4; ++k) {
      if (std::abs(number(mode.eigenvalue) - number(expected["eigenvalues"][k])) > 1e-6) continue;
      const Complex ratio = number(mode.shape.at("chassis")[1]) / number(mode.shape.at("wheel")[1]);
      const Complex want = number(expected["mode_chassis_over_wheel"][k]);
      EXPECT_LE(std::abs(ratio - want), 1e-9 * std::abs(want));
    }
  ASSERT_EQ(run.linear.frequency_response.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const ResponsePoint& point = run.linear.frequency_response[k];
    const Json& want = expected["frequency_response"][k];
    const auto check = [&](std::size_t output, std::size_t input, const char* key, double sign) {
      const Complex value = sign * number(want[key]);
      EXPECT_LE(std::abs(number(point.response[output][input]) - value), 1e-9 * std::abs(value))
          << key << " at " << point.frequency << ": " << number(point.response[output][input])
          << " instead of " << value;
    };
    check(0, 0, "chassis_over_road", 1);
    check(1, 0, "wheel_over_road", 1);
    check(2, 0, "chassis_acceleration_over_road", 1);
    check(0, 1, "chassis_over_pull", 1);
    check(1, 1, "wheel_over_pull", 1);
    // The realisation A B C D gives the same.
    const Complex s(0, 2 * std::numbers::pi * point.frequency);
    Eigen::MatrixXcd A(4, 4), B(4, 2), C(2, 4), D(2, 2);
    for (Eigen::Index r = 0; r < 4; ++r)
      for (Eigen::Index c = 0; c < 4; ++c)
        A(r, c) = (r == c ? s : 0.0) -
                  run.linear.A[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    for (Eigen::Index c = 0; c < 2; ++c)
      for (Eigen::Index r = 0; r < 4; ++r) {
        B(r, c) = run.linear.B[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
        C(c, r) = run.linear.C[static_cast<std::size_t>(c)][static_cast<std::size_t>(r)];
      }
    for (Eigen::Index r = 0; r < 2; ++r)
      for (Eigen::Index c = 0; c < 2; ++c)
        D(r, c) = run.linear.D[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    const Eigen::MatrixXcd G = C * A.partialPivLu().solve(B) + D;
    for (Eigen::Index r = 0; r < 2; ++r)
      for (Eigen::Index c = 0; c < 2; ++c)
        EXPECT_LE(
            std::abs(
                G(r, c) -
                number(point.response[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)])),
            1e-10 * (1 + std::abs(G(r, c))));
  }
}

std::string pendulum_at(double a, double b) {
  return fmt::format(
      "[[initial]]\nbody = \"upper\"\nangle = {:.17g}\n[[initial]]\nbody = \"lower\"\nangle = "
      "{:.17g}\n[[request]]\ntype = \"point\"\nname = \"tip\"\nbody = \"lower\"\n"
      "point = [\"L2\", 0]\n",
      a - std::numbers::pi / 2,
      b - std::numbers::pi / 2);
}

TEST(Linearise, DoublePendulum) {
  const Json expected = linear_reference("double-pendulum-linear");
  const Json& pose = expected["equilibrium"];
  std::string frequencies;
  for (const Json& point : expected["frequency_response"])
    frequencies += fmt::format("{}{:.17g}",
                               frequencies.empty() ? "" : ", ",
                               point["omega"].get<double>() / (2 * std::numbers::pi));
  const Linearised run = linearised("double-pendulum-linear",
                                    {},
                                    pendulum_at(pose[0], pose[1]),
                                    "inputs = [\"hip drive\"]\noutputs = [\"upper.angle\", "
                                    "\"lower.angle\", \"tip.x\"]\nfrequencies = [" +
                                        frequencies + "]\n");
  EXPECT_EQ(run.linear.about, "equilibrium");
  EXPECT_EQ(run.linear.stability, "stable");
  expect_eigenvalues(run.linear.eigenvalues, expected["eigenvalues"], 1e-10);
  expect_matrix(run.linear.M, expected["M"], 1e-12);
  expect_matrix(run.linear.C_damping, expected["C"], 1e-11);
  expect_matrix(run.linear.K, expected["K"], 1e-11);
  expect_matrix(run.linear.A, expected["A"], 1e-11);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(run.linear.B[k][0], 0);
    EXPECT_NEAR(run.linear.B[k + 2][0], expected["B"][k].get<double>(), 1e-11);
    EXPECT_NEAR(run.linear.C[2][k], expected["C_tip_x"][k].get<double>(), 1e-11);
    EXPECT_EQ(run.linear.D[k][0], 0);
  }
  static const char* const keys[] = {
      "upper_angle_over_hip_torque", "lower_angle_over_hip_torque", "tip_x_over_hip_torque"};
  ASSERT_EQ(run.linear.frequency_response.size(), expected["frequency_response"].size());
  for (std::size_t k = 0; k < run.linear.frequency_response.size(); ++k)
    for (std::size_t o = 0; o < 3; ++o) {
      const Complex want = number(expected["frequency_response"][k][keys[o]]),
                    found = number(run.linear.frequency_response[k].response[o][0]);
      EXPECT_LE(std::abs(found - want), 1e-10 * std::abs(want)) << keys[o];
    }
}

// With both bars near upright, from the two angles alone:
//   g_a = A sin a - t = 0, g_b = B sin b + t = 0, t = kt (b - a - 0.4);  M x'' + C x' + K x = 0
TEST(Linearise, DoublePendulumNearUpright) {
  constexpr double L1 = 0.5, L2 = 0.7, m1 = 2, m2 = 1.5, kt = 3, g = 9.81;
  constexpr double A = (m1 / 2 + m2) * g * L1, B = m2 / 2 * g * L2;
  double a = std::numbers::pi - 0.1, b = std::numbers::pi + 0.2;
  Eigen::Matrix2d K;
  for (int k = 0; k < 50; ++k) {
    const double t = kt * (b - a - 0.4);
    K << A * std::cos(a) + kt, -kt, -kt, B * std::cos(b) + kt;
    const Eigen::Vector2d d =
        K.inverse() * Eigen::Vector2d(A * std::sin(a) - t, B * std::sin(b) + t);
    a -= d[0];
    b -= d[1];
  }
  ASSERT_NEAR(A * std::sin(a) + B * std::sin(b), 0, 1e-13);
  ASSERT_NEAR(a, std::numbers::pi, 0.5);
  const double couple = m2 / 2 * L1 * L2 * std::cos(b - a);
  Eigen::Matrix2d M, C;
  M << (m1 / 3 + m2) * L1 * L1, couple, couple, m2 / 3 * L2 * L2;
  C << 0.7, -0.2, -0.2, 0.2;
  Eigen::Matrix4d state = Eigen::Matrix4d::Zero();
  state.topRightCorner<2, 2>().setIdentity();
  state.bottomLeftCorner<2, 2>() = -M.inverse() * K;
  state.bottomRightCorner<2, 2>() = -M.inverse() * C;
  Json expected = Json::array();
  const Eigen::Vector4cd values = state.eigenvalues();
  for (const Complex& x : values) expected.push_back({x.real(), x.imag()});
  const Linearised run = linearised("double-pendulum-linear", {}, pendulum_at(a, b));
  EXPECT_EQ(run.linear.about, "equilibrium");
  EXPECT_EQ(run.linear.stability, "unstable");
  expect_eigenvalues(run.linear.eigenvalues, expected, 1e-10);
}

TEST(Linearise, TrifilarPendulum) {
  const Json expected = linear_reference("trifilar-pendulum");
  expect_frequencies(
      linearised("trifilar-pendulum").linear, expected["squared_frequencies"], 1e-10);
  expect_frequencies(linearised("trifilar-pendulum", {{"ex", "0"}, {"ey", "0"}}).linear,
                     expected["centred"]["squared_frequencies"],
                     1e-10);
}

TEST(Linearise, ZieglerColumn) {
  const Json expected = linear_reference("ziegler-column");
  for (const auto& [load, want] : expected["by_load"].items()) {
    const Linearised run = linearised("ziegler-column", {{"P", load}});
    expect_eigenvalues(run.linear.eigenvalues, want["eigenvalues"], 1e-10);
    expect_matrix(run.linear.K, want["K"], 1e-11);
    expect_matrix(run.linear.M, expected["M"], 1e-12);
    expect_matrix(run.linear.C_damping, expected["C"], 1e-11);
    EXPECT_EQ(run.linear.stability, want["stable"].get<bool>() ? "stable" : "unstable");
    const Linearised free = linearised("ziegler-column", {{"P", load}, {"c1", "0"}, {"c2", "0"}});
    expect_eigenvalues(free.linear.eigenvalues, want["eigenvalues_without_damping"], 1e-9);
  }
}

TEST(Linearise, Bicycle) {
  const Json expected = linear_reference("bicycle");
  for (const auto& [speed, want] : expected["eigenvalues_by_speed"].items()) {
    const Linearised run = linearised("bicycle", {{"speed", speed}});
    expect_eigenvalues(run.linear.eigenvalues, want, 1e-9, false);
    EXPECT_EQ(run.linear.about, "steady motion") << speed;
    const double v = std::stod(speed);
    const bool stable =
        v > expected["weave_speed"].get<double>() && v < expected["capsize_speed"].get<double>();
    EXPECT_EQ(run.linear.stability, stable ? "neutral" : "unstable") << speed;
    // Place, heading, the two wheels' angles and the speed.
    EXPECT_EQ(run.linear.coordinates, 7);
    EXPECT_EQ(run.linear.rates, 3);
    EXPECT_EQ(run.linear.neutral, 6) << speed;
  }
}

TEST(Linearise, HangingChain) {
  const Json expected = linear_reference("hanging-chain");
  std::string pose;
  for (std::size_t k = 1; k < 9; ++k)  // the first and the last link follow
    pose += fmt::format("[[initial]]\nbody = \"link {}\"\nangle = {:.17g}\n",
                        k,
                        expected["link_angles"][k].get<double>());
  const Linearised run = linearised("hanging-chain", {}, pose);
  EXPECT_EQ(run.linear.about, "equilibrium");
  expect_frequencies(run.linear, expected["squared_frequencies"], 1e-9);
}

TEST(Linearise, HoopPendulumAtItsSteadyMotions) {
  const Json expected = linear_reference("hoop-pendulum");
  for (const Json& want : expected["equilibria"]) {
    const Linearised run = linearised(
        "hoop-pendulum", {{"start", fmt::format("{:.17g}", want["angle"].get<double>())}});
    EXPECT_EQ(run.linear.about, "steady motion");
    expect_eigenvalues(run.linear.eigenvalues, want["eigenvalues"], 1e-9);
    ASSERT_EQ(run.linear.K.size(), 1u);
    EXPECT_NEAR(run.linear.K[0][0] / run.linear.M[0][0],
                want["stiffness"].get<double>() / want["inertia"].get<double>(),
                1e-8);
  }
}

TEST(Linearise, FourBarWithSprings) {
  const Json expected = linear_reference("four-bar-springs");
  for (const Json& want : expected["equilibria"]) {
    const double crank = want["crank"];
    if (std::abs(crank) > std::numbers::pi) continue;  // the drawing gives no more turns
    const Linearised run =
        linearised("four-bar-springs", {{"start", fmt::format("{:.17g}", crank)}});
    EXPECT_EQ(run.linear.about, "equilibrium");
    expect_eigenvalues(run.linear.eigenvalues, want["eigenvalues"], 1e-9);
    ASSERT_EQ(run.linear.states[0].name, "angle of 'crank'");
    EXPECT_NEAR(run.linear.M[0][0], want["mass"].get<double>(), 1e-12);
    EXPECT_NEAR(run.linear.K[0][0], want["stiffness"].get<double>(), 1e-8);
    EXPECT_NEAR(run.linear.C_damping[0][0], want["damping"].get<double>(), 1e-11);
  }
}

// ---- the nonlinear motion

class Flow {  // classical Runge-Kutta steps of the nonlinear equations
 public:
  Flow(const System& system, const std::vector<char>& active)
      : system_(system), solver_(system, active) {}

  void settle(State& s) {
    EXPECT_EQ(solver_.project_positions(s.t, s.q), Eval::ok);
    EXPECT_EQ(solver_.project_velocities(s.t, s.q, s.v), Eval::ok);
    accelerate(s, s.v.data());
  }

  void step(State& s, double h) {
    const State start = s;
    const double at[] = {0, h / 2, h / 2, h}, weight[] = {h / 6, h / 3, h / 3, h / 6};
    std::vector<double> q(s.q.size(), 0.0), v(s.v.size(), 0.0), q_dot(s.q.size()), a;
    for (int k = 0; k < 4; ++k) {
      State stage = start;
      if (k > 0) {
        for (std::size_t i = 0; i < s.q.size(); ++i) stage.q[i] += at[k] * q_dot[i];
        for (std::size_t i = 0; i < s.v.size(); ++i) stage.v[i] += at[k] * a[i];
      }
      stage.t = start.t + at[k];
      accelerate(stage, nullptr);
      a = stage.a;
      system_.rate(stage.q, stage.v, q_dot);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += weight[k] * q_dot[i];
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += weight[k] * a[i];
    }
    for (std::size_t i = 0; i < q.size(); ++i) s.q[i] += q[i];
    for (std::size_t i = 0; i < v.size(); ++i) s.v[i] += v[i];
    s.t = start.t + h;
    system_.normalise(s.q);
    accelerate(s, nullptr);
  }

 private:
  void accelerate(State& s, const double*) {
    s.a.resize(s.v.size());
    s.lambda.assign(static_cast<std::size_t>(system_.equations().rows()), 0.0);
    system_.use(s, solver_.work());
    EXPECT_EQ(solver_.accelerations(s.t, s.q, s.v, s.a, s.lambda), Eval::ok);
  }

  const System& system_;
  MotionSolver solver_;
};

// Every solution of the linear equations along a motion is the difference of two motions near it,
// in all coordinates that could be chosen.
void expect_follows_motion(const Model& model, double until, int steps) {
  const Checked checked = check_model(model);
  ASSERT_TRUE(checked.system != nullptr && checked.assembly.ok) << words_of(checked.diagnostics);
  const System& system = *checked.system;
  const std::vector<char>& active = checked.assembly.mobility.active;
  const double h = until / steps, change = 1e-5;
  Flow flow(system, active);
  State start = checked.assembly.state;
  flow.settle(start);
  for (const LinearSetting& setting : {LinearSetting{LinearAxes::of_ground, 0.3, nullptr},
                                       LinearSetting{LinearAxes::of_body, 1, nullptr}}) {
    auto first = linear_system(system, active, start, {}, setting);
    ASSERT_TRUE(first) << words_of(first.why());
    const LinearSystem& begin = first.value();
    LinearSetting same = setting;
    same.like = &begin;
    // A at the ends and middles of steps.
    std::vector<Eigen::MatrixXd> A{begin.A};
    State s = start;
    for (int k = 0; k < 2 * steps; ++k) {
      flow.step(s, h / 2);
      auto here = linear_system(system, active, s, {}, same);
      ASSERT_TRUE(here);
      A.push_back(here.value().A);
    }
    Eigen::MatrixXd solution = Eigen::MatrixXd::Identity(begin.states(), begin.states());
    for (std::size_t k = 0; k + 2 < A.size(); k += 2) {
      const Eigen::MatrixXd k1 = A[k] * solution, k2 = A[k + 1] * (solution + h / 2 * k1),
                            k3 = A[k + 1] * (solution + h / 2 * k2),
                            k4 = A[k + 2] * (solution + h * k3);
      solution += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    const CoordinateRows rows = coordinate_rows(system, s, setting.axes, setting.spinning);
    const CoordinateRows x = rows.only(begin.x), w = rows.only(begin.w);
    Eigen::MatrixXd motion(begin.states(), begin.states());
    for (Eigen::Index c = 0; c < begin.states(); ++c) {
      std::array<State, 2> pair{start, start};
      for (int side = 0; side < 2; ++side) {
        State& moved = pair[static_cast<std::size_t>(side)];
        const double by = side == 0 ? -change : change;
        const Eigen::VectorXd d = by * begin.theta.col(c);
        system.advance(start.q, CView(d.data(), static_cast<std::size_t>(d.size())), moved.q);
        for (std::size_t i = 0; i < moved.v.size(); ++i)
          moved.v[i] += by * begin.dv(static_cast<Eigen::Index>(i), c);
        flow.settle(moved);
        for (int k = 0; k < 2 * steps; ++k) flow.step(moved, h / 2);
      }
      Eigen::VectorXd theta(system.v_size()), dv(system.v_size());
      system.difference(
          pair[1].q, pair[0].q, View(theta.data(), static_cast<std::size_t>(theta.size())));
      for (Eigen::Index i = 0; i < dv.size(); ++i)
        dv[i] = pair[1].v[static_cast<std::size_t>(i)] - pair[0].v[static_cast<std::size_t>(i)];
      theta /= 2 * change;
      dv /= 2 * change;
      motion.col(c) << x.S * theta, w.S * dv + w.S_rate * theta;
    }
    EXPECT_LE((solution - motion).cwiseAbs().maxCoeff(), 2e-7 * motion.cwiseAbs().maxCoeff())
        << "linear\n"
        << solution << "\nnonlinear\n"
        << motion;
  }
}

TEST(Linearise, FollowsDifferencesOfTheMotion) {
  expect_follows_motion(
      *linear_model_file(linear_place("four-bar-springs") + "/model.toml"), 0.1, 40);
  expect_follows_motion(*linear_model_file(linear_place("hoop-pendulum") + "/model.toml"), 0.1, 40);
  expect_follows_motion(*linear_model_file(linear_place("quarter-car") + "/model.toml"), 0.02, 40);
}

TEST(Linearise, FollowsDifferencesOfARollingMotion) {
  expect_follows_motion(
      *linear_model_file(linear_place("bicycle") + "/model.toml",
                         {},
                         "[[initial]]\njoint = \"head\"\nangle = 0.2\nrate = 0.5\n"),
      0.05,
      20);
}

// Fifty equal masses between walls: w_j = 2 sqrt(k/m) sin(j pi/102).
TEST(Linearise, ChainOfFiftyMasses) {
  const auto read = read_model_text(R"toml(
[parameters]
n = 50
m = 0.5
k = 2000
[[repeat]]
count = "n"
[[repeat.body]]
name    = "mass {i}"
at      = ["0.1*(i + 1)", 0]
mass    = "m"
inertia = 1
[[repeat.joint]]
type    = "translational"
name    = "guide {i}"
between = ["ground", "mass {i}"]
at      = ["0.1*(i + 1)", 0]
axis    = [1, 0]
[[force]]
type        = "spring"
name        = "first"
between     = ["ground", "mass 0"]
points      = [[0, 0], [0, 0]]
stiffness   = "k"
free_length = 0.1
[[repeat]]
count = "n - 1"
[[repeat.force]]
type        = "spring"
name        = "spring {i}"
between     = ["mass {i}", "mass {i + 1}"]
points      = [[0, 0], [0, 0]]
stiffness   = "k"
free_length = 0.1
[[force]]
type        = "spring"
name        = "last"
between     = ["mass 49", "ground"]
points      = [[0, 0], [5.1, 0]]
stiffness   = "k"
free_length = 0.1
[[analysis]]
type = "linearise"
)toml",
                                    "chain.toml");
  ASSERT_TRUE(read) << to_text(read.why());
  test::Memory memory;
  const Outcome out = run_model(read.value(), memory, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  std::vector<double> found;
  for (const auto& [re, im] : out.summary.linear->eigenvalues)
    if (im > 0) found.push_back(im);
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found.size(), 50U);
  for (std::size_t j = 0; j < 50; ++j) {
    const double w = 2 * std::sqrt(2000 / 0.5) * std::sin(static_cast<double>(j + 1) * M_PI / 102);
    EXPECT_NEAR(found[j], w, 1e-9 * w) << j;
  }
}

// The matrices at each time are those of a run that ends there and is linearised.
TEST(Linearise, AlongAMotion) {
  Model model = test::model_file("double-pendulum");
  LineariseOptions options;
  options.times = {0, 0.1, 0.35};
  options.rtol = options.atol = 1e-12;
  model.analyses = {Analysis(options)};
  test::Memory memory;
  const Outcome along = run_model(model, memory, {});
  ASSERT_EQ(along.summary.status, "complete") << to_text(along.summary.diagnostics);
  ASSERT_TRUE(along.summary.linear);
  ASSERT_EQ(along.summary.linear->along.size(), 3U);
  EXPECT_EQ(memory.times, options.times);
  for (const LinearInstant& instant : along.summary.linear->along) {
    DynamicOptions motion;
    motion.until = instant.t;
    motion.rtol = motion.atol = 1e-12;
    model.analyses.clear();
    if (instant.t > 0) model.analyses.emplace_back(motion);
    model.analyses.emplace_back(LineariseOptions{});
    test::Memory other;
    const Outcome there = run_model(model, other, {});
    ASSERT_TRUE(there.summary.linear) << to_text(there.summary.diagnostics);
    const NumberMatrix& A = there.summary.linear->A;
    ASSERT_EQ(A.size(), instant.A.size());
    for (std::size_t r = 0; r < A.size(); ++r)
      for (std::size_t c = 0; c < A[r].size(); ++c)
        EXPECT_NEAR(instant.A[r][c], A[r][c], 1e-7 * (1 + std::abs(A[r][c]))) << instant.t;
  }
  const Summary read = summary_from_json(to_json(along.summary));
  EXPECT_EQ(read.linear->along.size(), 3U);
}

TEST(Linearise, RefusesTimesThatGoBack) {
  Model model = test::model_file("double-pendulum");
  LineariseOptions options;
  options.times = {0.2, 0.1};
  model.analyses = {Analysis(options)};
  test::Memory memory;
  const Outcome out = run_model(model, memory, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.bad-value");
  EXPECT_TRUE(memory.times.empty());
}

TEST(Linearise, SaysWhenCoefficientsChange) {
  const Linearised run = linearised("four-bar-springs");  // as drawn, not at rest for long
  EXPECT_EQ(run.linear.about, "motion");
  EXPECT_EQ(run.linear.stability, "");
  bool told = false;
  for (const auto& d : run.outcome.summary.diagnostics)
    told = told || d.id == "numeric.frozen-coefficients";
  EXPECT_TRUE(told);
}

TEST(Linearise, RefusesUnknownNames) {
  const auto model =
      linear_model_file(linear_place("quarter-car") + "/model.toml",
                        {},
                        "[[analysis]]\ntype = \"linearise\"\ninputs = [\"rod drive\"]\n");
  ASSERT_TRUE(model);
  model->analyses = analyses_of_type(model->analyses, *find_analysis("linearise"));
  test::Memory memory;
  const Outcome outcome = run_model(*model, memory, {});
  EXPECT_EQ(outcome.summary.status, "failed");
  ASSERT_FALSE(outcome.summary.diagnostics.empty());
  EXPECT_EQ(outcome.summary.diagnostics.back().id, "model.unknown-name");
  EXPECT_NE(outcome.summary.diagnostics.back().hint.find("road drive"), std::string::npos);
}

TEST(Linearise, SummaryIsReadBack) {
  const Linearised run = linearised("quarter-car",
                                    {},
                                    "",
                                    "inputs = [\"road drive\"]\noutputs = [\"chassis.y\"]\n"
                                    "frequencies = [1, 2]\n");
  const auto json = to_json(run.outcome.summary);
  EXPECT_EQ(to_json(summary_from_json(json)), json);
  EXPECT_EQ(json["A"].size(), 4u);
  EXPECT_EQ(json["eigenvalues"][0].size(), 2u);
}

}  // namespace
}  // namespace cardan
