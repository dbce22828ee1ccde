// Mechanisms with controllers, an electric and a hydraulic drive, against a plain Runge-Kutta
// integration of their equations in minimal coordinates, written down here by hand.
#include <cmath>
#include <functional>
#include <numbers>

#include "test/verify/support.h"

namespace cardan {
namespace {

using std::cos;
using std::sin;
using Values = std::vector<double>;
using Rates = std::function<Values(double, const Values&)>;

// The classical method of order 4 with a fixed step, from t to `until`.
void integrate(const Rates& f, double& t, double until, double step, Values& y) {
  const auto steps = static_cast<long>(std::ceil((until - t) / step - 1e-9));
  const double h = (until - t) / static_cast<double>(steps);
  for (long k = 0; k < steps; ++k, t += h) {
    const auto ahead = [&](double by, const Values& d) {
      Values out = y;
      for (std::size_t i = 0; i < y.size(); ++i) out[i] += by * d[i];
      return out;
    };
    const Values a = f(t, y), b = f(t + h / 2, ahead(h / 2, a)), c = f(t + h / 2, ahead(h / 2, b)),
                 d = f(t + h, ahead(h, c));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (a[i] + 2 * (b[i] + c[i]) + d[i]);
  }
  t = until;
}

double step5(double x, double from, double to) {
  const double u = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return u * u * u * (10 + u * (-15 + 6 * u));
}

test::Memory run(Model& model, double until, const std::string& formulation = "projected") {
  test::tighten(model, 1e-9, "dop853");
  DynamicOptions& o = test::dynamic(model);
  o.until = until;
  o.output_step = until / 20;
  o.formulation = formulation;
  test::Memory memory;
  const Outcome out = run_model(model, memory, {});
  EXPECT_EQ(out.summary.status, "complete");
  return memory;
}

// Cart of mass M at x, pole of mass m with its centre l from the hinge, tilted by a to the left:
//   (M + m) x'' - m l cos(a) a'' + m l sin(a) a'^2 = u
//   -m l cos(a) x'' + (J + m l^2) a'' = m g l sin(a)
TEST(ControlledMechanism, CartAndPole) {
  const double M = 1, m = 0.2, l = 0.5, J = m / 12, g = 9.81;
  bool limited = false;
  const Rates f = [&](double t, const Values& y) -> Values {
    const double x = y[0], a = y[1], v = y[2], w = y[3], filter = y[4], integral = y[5];
    const double upright = 53.4 * -a + (13.5 * -a - filter) / 0.005;
    const double home = 0.5 * step5(t, 4, 5), s = (t - 4),
                 rate = s > 0 && s < 1 ? 0.5 * 30 * s * s * (1 - s) * (1 - s) : 0;
    const double raw = -5.8 * (home - x) + integral - 7.7 * (rate - v);
    const double growth = -1.5 * (home - x);
    const bool rests = (raw > 4 && growth > 0) || (raw < -4 && growth < 0);
    limited = limited || std::abs(raw) > 4;
    const double u = upright + std::clamp(raw, -4.0, 4.0);
    const double a11 = M + m, a12 = -m * l * cos(a), a22 = J + m * l * l,
                 b1 = u - m * l * sin(a) * w * w, b2 = m * g * l * sin(a),
                 det = a11 * a22 - a12 * a12;
    return {v,
            w,
            (b1 * a22 - a12 * b2) / det,
            (a11 * b2 - a12 * b1) / det,
            (13.5 * -a - filter) / 0.005,
            rests ? 0 : growth};
  };
  Model model = test::model_file("cart-pole");
  const test::Memory memory = run(model, 10);
  Values y{0, 8 * std::numbers::pi / 180, 0, 0, 0, 0};
  double t = 0;
  for (std::size_t k = 1; k < memory.rows.size(); ++k) {
    integrate(f, t, memory.times[k], 2e-5, y);
    EXPECT_NEAR(memory.value("place", k), y[0], 2e-6) << t;
    EXPECT_NEAR(memory.value("tilt", k), y[1], 2e-6) << t;
    EXPECT_NEAR(memory.value("centre.integral", k), y[5], 1e-5) << t;
  }
  EXPECT_TRUE(limited);  // the limits of the controller are met
  EXPECT_NEAR(memory.last("place"), 0.5, 0.02);
  EXPECT_NEAR(memory.last("tilt"), 0, 1e-3);
}

// I(p) p'' + I'(p)/2 p'^2 = k i - c s_p^2 p',  L i' = V - R i - k p', with the crank angle p, the
// rod's angle b, sin b = -(r/l) sin p, and the piston's place s = r cos p + l cos b.
TEST(ControlledMechanism, MotorStartsASliderCrank) {
  const double r = 0.06, l = 0.18, J1 = 0.008, m2 = 0.6, J2 = m2 * l * l / 12, m3 = 1.5, c = 40,
               V = 24, R = 0.8, L = 4e-3, k = 0.25;
  const Rates f = [&](double, const Values& y) -> Values {
    const double p = y[0], w = y[1], i = y[2];
    const double sb = -r / l * sin(p), cb = std::sqrt(1 - sb * sb);
    const double b_p = -r * cos(p) / (l * cb), b_pp = (r * sin(p) / l + sb * b_p * b_p) / cb;
    const auto along = [&](double d, double& x_p, double& x_pp, double& y_p, double& y_pp) {
      x_p = -r * sin(p) - d * sb * b_p;
      x_pp = -r * cos(p) - d * (cb * b_p * b_p + sb * b_pp);
      y_p = r * cos(p) + d * cb * b_p;
      y_pp = -r * sin(p) + d * (-sb * b_p * b_p + cb * b_pp);
    };
    double x_p, x_pp, y_p, y_pp, s_p, s_pp, n_p, n_pp;
    along(l / 2, x_p, x_pp, y_p, y_pp);
    along(l, s_p, s_pp, n_p, n_pp);
    const double I = J1 + m2 * (x_p * x_p + y_p * y_p) + J2 * b_p * b_p + m3 * s_p * s_p;
    const double half = m2 * (x_p * x_pp + y_p * y_pp) + J2 * b_p * b_pp + m3 * s_p * s_pp;
    return {w, (k * i - c * s_p * s_p * w - half * w * w) / I, (V - R * i - k * w) / L, V * i};
  };
  for (const char* formulation : {"projected", "partitioned"}) {
    Model model = test::model_file("motor-slider-crank");
    const test::Memory memory = run(model, 1, formulation);
    Values y{std::numbers::pi / 3, 0, 0, 0};
    double t = 0;
    for (std::size_t row = 1; row < memory.rows.size(); ++row) {
      integrate(f, t, memory.times[row], 2e-5, y);
      EXPECT_NEAR(memory.value("shaft", row), y[0], 2e-6) << t;
      EXPECT_NEAR(memory.value("motor.current", row), y[2], 2e-5) << t;
      EXPECT_NEAR(memory.value("energy_in", row), y[3], 1e-4) << t;
    }
    EXPECT_GT(y[0], 6 * std::numbers::pi);  // past the dead centres, several times
  }
}

// One angle p and two pressures; the cylinder from (0.6, 0.4) to the eye of the boom, whose foot is
// at (0, 1.5).
TEST(ControlledMechanism, ExcavatorBoom) {
  const double reach = 5, load = 600, own = 900, mass = own + load,
               centre = (own * reach / 2 + load * reach) / mass,
               J = own * reach * reach / 12 + own * load / mass * reach * reach / 4 +
                   mass * centre * centre;
  const double area_a = std::numbers::pi / 4 * 0.12 * 0.12,
               area_b = std::numbers::pi / 4 * (0.12 * 0.12 - 0.08 * 0.08);
  const double B = 1.2e9, V0 = 0.5e-3, stroke = 1.1, ps = 200e5, drop = 35e5, Qn = 2e-3;
  const auto root = [&](double d) {
    d /= drop;
    return d / std::pow(d * d + 1e-4, 0.25);
  };
  const Rates f = [&](double t, const Values& y) -> Values {
    const double p = y[0], w = y[1], pa = y[2], pb = y[3];
    const double u = 0.5 * (step5(t, 0.5, 0.8) - step5(t, 2, 2.3)) -
                     0.35 * (step5(t, 3, 3.3) - step5(t, 4.5, 4.8));
    const double ex = 2.2 * cos(p) + 0.35 * sin(p), ey = 2.2 * sin(p) - 0.35 * cos(p);
    const double dx = ex - 0.6, dy = 1.5 + ey - 0.4, length = std::hypot(dx, dy);
    const double arm = (dx * -ey + dy * ex) / length;  // length' = arm p'
    const double x = length - 1.5, v = arm * w;
    const double qa = Qn * (std::max(u, 0.0) * root(ps - pa) + std::min(u, 0.0) * root(pa)),
                 qb = Qn * (-std::max(u, 0.0) * root(pb) - std::min(u, 0.0) * root(ps - pb));
    const double leak = 1e-12 * (pa - pb);
    return {w,
            (-mass * 9.81 * centre * cos(p) + (pa * area_a - pb * area_b - 4e3 * v) * arm) / J,
            B / (V0 + area_a * x) * (qa - area_a * v - leak),
            B / (V0 + area_b * (stroke - x)) * (qb + area_b * v + leak)};
  };
  Model model = test::model_file("excavator-boom");
  const test::Memory memory = run(model, 6);
  Values y{0, 0, 43e5, 10e5};
  double t = 0;
  for (std::size_t k = 1; k < memory.rows.size(); ++k) {
    integrate(f, t, memory.times[k], 1e-4, y);
    EXPECT_NEAR(memory.value("boom.angle", k), y[0], 1e-7) << t;
    EXPECT_NEAR(memory.value("cylinder.pa", k), y[2], 20) << t;  // of some 60 bar
    EXPECT_NEAR(memory.value("cylinder.pb", k), y[3], 20) << t;
  }
}

}  // namespace
}  // namespace cardan
