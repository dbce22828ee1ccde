// Bodies that fly at each other are never missed: discs and spheres of all sizes and speeds, hard
// and compliant, from central to grazing, with every kind of integrator, also where steps may be of
// any length. What happens is known in closed form: d(t) = d_0 + v t meets |d| = R or does not, and
// an elastic impact without friction reverses the relative velocity along d.
//   CARDAN_FULL   1000 flights instead of 120
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

struct Flight {
  bool space = false, hard = true;
  double R1 = 0, R2 = 0, m1 = 1, m2 = 1;
  Vec<3> x1, x2, v1, v2;
  double until = 1;
  double hit = -1;  // when they meet; negative: never
  Vec<3> v_end;     // of the second, after a hard impact
};

class Flights {
 public:
  explicit Flights(std::uint64_t seed) : random_(seed) {}

  Flight next(bool space, bool hard) {
    Flight f;
    f.space = space;
    f.hard = hard;
    f.R1 = std::pow(10, uniform(-3, -0.5));
    f.R2 = std::pow(10, uniform(-3, -0.5));
    f.m1 = std::pow(10, uniform(-1, 2));
    f.m2 = std::pow(10, uniform(-1, 1));
    const double R = f.R1 + f.R2, speed = std::pow(10, uniform(-1, 2));
    const double distance = R * std::pow(10, uniform(0.4, 3));
    const Vec<3> along = direction(space);
    Vec<3> across = direction(space);
    across -= across.dot(along) * along;
    across.normalize();
    const double most = hard ? 1.3 : 0.9;
    double off = uniform(-most, most);
    if (std::abs(std::abs(off) - 1) < 5e-4) off = 0.5;
    f.x1 = 0.1 * direction(space);
    f.x2 = f.x1 + distance * along + off * R * across;
    const Vec<3> drift = uniform(0, 0.5) * speed * direction(space), v = -speed * along;
    f.v1 = drift;
    f.v2 = drift + v;
    f.until = uniform(1.5, 3) * distance / speed;
    if (std::abs(off) >= 1) return f;
    f.hit = (distance - R * std::sqrt(1 - off * off)) / speed;
    const Vec<3> n = (f.x2 - f.x1 + v * f.hit) / R;
    f.v_end = f.v2 - 2 * f.m1 / (f.m1 + f.m2) * v.dot(n) * n;
    return f;
  }

 private:
  double uniform(double a, double b) {
    return a + (b - a) * (static_cast<double>(random_()) / 0x1p64);
  }

  Vec<3> direction(bool space) {
    for (;;) {
      const Vec<3> x(uniform(-1, 1), uniform(-1, 1), space ? uniform(-1, 1) : 0);
      if (x.norm() > 0.1 && x.norm() < 1) return x.normalized();
    }
  }

  std::mt19937_64 random_;
};

std::string vector(const Vec<3>& x, bool space) {
  return space ? fmt::format("[{:.17g},{:.17g},{:.17g}]", x[0], x[1], x[2])
               : fmt::format("[{:.17g},{:.17g}]", x[0], x[1]);
}

std::string model_of(const Flight& f) {
  const auto body = [&](const char* name, double m, const Vec<3>& x, const Vec<3>& v) {
    return fmt::format("[[body]]\nname='{}'\nmass={}\ninertia={}\nat={}\nvelocity={}\n",
                       name,
                       m,
                       f.space ? fmt::format("[{0},{0},{0}]", m) : fmt::format("{}", m),
                       vector(x, f.space),
                       vector(v, f.space));
  };
  const double R = f.R1 + f.R2, reduced = f.m1 * f.m2 / (f.m1 + f.m2);
  const double depth = 0.02 * R;
  const std::string law = f.hard
                              ? std::string("restitution=1\n")
                              : fmt::format("stiffness={:.17g}\nonset={:.17g}\n",
                                            reduced * (f.v2 - f.v1).squaredNorm() / (depth * depth),
                                            0.01 * depth);
  return fmt::format("space='{}'\ngravity={}\n",
                     f.space ? "spatial" : "planar",
                     f.space ? "[0,0,0]" : "[0,0]") +
         body("one", f.m1, f.x1, f.v1) + body("two", f.m2, f.x2, f.v2) +
         fmt::format(
             "[[contact]]\ntype='{}'\nname='hit'\nbetween=['one','two']\nradii=[{:.17g},{:.17g}]\n{"
             "}"
             "[[analysis]]\ntype='dynamic'\nuntil={:.17g}\n",
             f.space ? "sphere-sphere" : "disc-disc",
             f.R1,
             f.R2,
             law,
             f.until);
}

Vec<3> velocity(const test::Memory& memory, const Flight& f, const std::string& body) {
  return {memory.last(body + ".vx"),
          memory.last(body + ".vy"),
          f.space ? memory.last(body + ".vz") : 0};
}

void fly(const Flight& f, const std::string& integrator, bool any_step, const std::string& what) {
  auto model = read_model_text(model_of(f), "text", {});
  ASSERT_TRUE(model) << to_text(model.why());
  DynamicOptions& options = test::dynamic(model.value());
  options.integrator = integrator;
  if (any_step) options.max_step = 1e9;
  if (integrator == "rk4") options.step = f.until / 7;
  test::Memory memory;
  const Outcome out = run_model(model.value(), memory, {});
  ASSERT_EQ(out.exit_code(), 0) << what << to_text(out.summary.diagnostics);
  const Vec<3> v = velocity(memory, f, "two");
  const double speed = (f.v2 - f.v1).norm();
  if (f.hit < 0) {
    EXPECT_LT((v - f.v2).norm(), 1e-9 * speed) << what;
    return;
  }
  if (f.hard) {
    EXPECT_LT((v - f.v_end).norm(), 1e-6 * (speed + f.v2.norm())) << what;
    return;
  }
  const Vec<3> u = velocity(memory, f, "one");
  const double before = f.m1 * f.v1.squaredNorm() + f.m2 * f.v2.squaredNorm();
  EXPECT_NEAR(f.m1 * u.squaredNorm() + f.m2 * v.squaredNorm(), before, 2e-3 * before) << what;
  EXPECT_LT((v - f.v_end).norm(), 0.25 * speed) << what;
}

TEST(PassingContacts, AreNeverMissed) {
  const bool full = std::getenv("CARDAN_FULL") != nullptr;
  const char* const integrators[] = {
      "auto", "ode45", "dop853", "adams", "bdf", "radau5", "esdirk", "rosenbrock", "ode23", "rk4"};
  Flights flights(20);
  const int count = full ? 1000 : 120;
  int hits = 0;
  for (int k = 0; k < count; ++k) {
    const bool hard = k % 3 != 2;
    const std::string integrator = integrators[(k / 3) % (hard ? 10 : 9)];
    const Flight f = flights.next(k % 2 == 1, hard);
    hits += f.hit >= 0 ? 1 : 0;
    fly(f, integrator, k % 5 < 3, fmt::format("flight {} with {}: ", k, integrator));
  }
  EXPECT_GT(hits, count / 2);
}

// A ball against a post that stands on the ground, which is a cylinder without ends: what counts is
// the motion across its axis.
TEST(PassingContacts, PostsAreNotMissedEither) {
  const bool full = std::getenv("CARDAN_FULL") != nullptr;
  const char* const integrators[] = {"auto", "dop853", "adams", "radau5"};
  std::mt19937_64 random(7);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * (static_cast<double>(random()) / 0x1p64);
  };
  int hits = 0;
  const int count = full ? 400 : 40;
  for (int k = 0; k < count; ++k) {
    const double post = std::pow(10, uniform(-2.5, -0.5)), ball = std::pow(10, uniform(-2.5, -0.5));
    const double R = post + ball, speed = std::pow(10, uniform(-1, 2)), off = uniform(-1.3, 1.3);
    const double distance = R * std::pow(10, uniform(0.4, 3)), climb = uniform(-2, 2) * speed;
    if (std::abs(std::abs(off) - 1) < 5e-4) continue;
    const double turn = uniform(0, 6);  // of the plane of motion about the post
    const Vec<3> along(std::cos(turn), std::sin(turn), 0), across(-along[1], along[0], 0);
    const Vec<3> x = distance * along + off * R * across;
    const Vec<3> v = -speed * along + Vec<3>(0, 0, climb);
    Vec<3> expected = v;
    if (std::abs(off) < 1) {
      ++hits;
      const double hit = (distance - R * std::sqrt(1 - off * off)) / speed;
      const Vec<3> n = (x - speed * hit * along) / R;
      expected = v - 2 * v.dot(n) * n;
    }
    const std::string text =
        "space='spatial'\ngravity=[0,0,0]\n[[body]]\nname='ball'\nmass=2\n" +
        fmt::format("inertia=[1,1,1]\nat={}\nvelocity={}\n", vector(x, true), vector(v, true)) +
        fmt::format(
            "[[contact]]\ntype='sphere-cylinder'\nname='hit'\nbetween=['ground','ball']\n"
            "points=[[0,0,0],[0,0,0]]\naxis=[0,0,1]\nradii=[{:.17g},{:.17g}]\nrestitution=1\n",
            post,
            ball) +
        fmt::format("[[analysis]]\ntype='dynamic'\nuntil={:.17g}\n",
                    uniform(1.5, 3) * distance / speed);
    auto model = read_model_text(text, "text", {});
    ASSERT_TRUE(model) << to_text(model.why());
    DynamicOptions& options = test::dynamic(model.value());
    options.integrator = integrators[k % 4];
    if (k % 3 != 0) options.max_step = 1e9;
    test::Memory memory;
    const Outcome out = run_model(model.value(), memory, {});
    ASSERT_EQ(out.exit_code(), 0) << k << to_text(out.summary.diagnostics);
    const Vec<3> found(memory.last("ball.vx"), memory.last("ball.vy"), memory.last("ball.vz"));
    EXPECT_LT((found - expected).norm(), 1e-6 * v.norm()) << k << ' ' << options.integrator;
  }
  EXPECT_GT(hits, count / 2);
}

// The tip of an arm that turns dips below a line, or into a stop's range, for a small part of a turn:
// it turns back there, again and again. Many turns are within one step where nothing else happens.
TEST(PassingContacts, LinesAreMetByWhatTurnsFast) {
  for (const char* formulation : {"partitioned", "reduced", "projected", "direct"})
    for (const char* integrator : {"dop853", "adams", "ode45"})
      for (const double rate : {1.0, 40.0, 300.0})
        for (const double depth : {1e-5, 1e-3}) {
          const double blocked = 2 * std::acos(1 - depth),
                       first = (1.5 * std::numbers::pi) - blocked / 2;
          const double between = 2 * std::numbers::pi - blocked;
          const int hits = 1 + static_cast<int>(40 / between);
          const double until = (first + (hits - 0.5) * between) / rate;
          auto model = read_model_text(
              fmt::format(
                  "gravity=[0,0]\n[[body]]\nname='arm'\nfrom=[0,0]\nto=[1,0]\nmass=1\nrate={}\n"
                  "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground','arm']\nat=[0,0]\n"
                  "[[contact]]\ntype='disc-line'\nname='floor'\nbetween=['ground','arm']\n"
                  "points=[[0,{:.17g}],[1,0]]\naxis=[1,0]\nrestitution=1\n"
                  "[[analysis]]\ntype='dynamic'\nuntil={:.17g}\n",
                  rate,
                  depth - 1,
                  until),
              "text",
              {});
          ASSERT_TRUE(model) << to_text(model.why());
          DynamicOptions& options = test::dynamic(model.value());
          options.formulation = formulation;
          options.integrator = integrator;
          options.max_step = 1e9;
          options.rtol = options.atol = 1e-8;
          test::Memory memory;
          const Outcome out = run_model(model.value(), memory, {});
          ASSERT_EQ(out.exit_code(), 0) << to_text(out.summary.diagnostics);
          EXPECT_NEAR(memory.last("arm.omega"), hits % 2 == 0 ? rate : -rate, 1e-3 * rate)
              << formulation << ' ' << integrator << ' ' << rate << ' ' << depth;
        }
}

}  // namespace
}  // namespace cardan
