// Forces that are narrow over position, with every formulation and every integrator that controls its
// error: humps and teeth of 1e-4 to 1e-1 m or rad, once or again and again, on sliders, rotors, pendulums
// and cranks. In every row the energy is what the force has done up to there,
//   T + V = T_0 + V_0 + integral of F dx,
// also in rows within a hump: a step that ends inside of one unseen is found.
//   CARDAN_PLACES=first:count   other humps
//   CARDAN_FULL                 1000 of them
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>

#include <fmt/format.h>

#include "cardan/math/curve.h"
#include "test/verify/gate.h"

namespace cardan {
namespace {

using test::Memory;
using test::Random;

struct Hump {
  std::string formula;  // of X, between a - 6 w and a + 6 w
  std::string curve;    // what it needs besides
  std::function<double(double)> value;
};

constexpr int hump_kinds = 7;

Hump hump_of(int kind, double a, double w) {
  const auto f = [](double x) {
    return fmt::format("{:.17g}", x);
  };
  const auto rise = [](double u) {
    u = std::clamp(u, 0.0, 1.0);
    return u * u * (3 - 2 * u);
  };
  switch (kind) {
    case 0:
      return {"exp(-((X-" + f(a) + ")/" + f(w) + ")^2)", "", [=](double x) {
                return std::exp(-(x - a) * (x - a) / (w * w));
              }};
    case 1:
      return {
          "(step(X," + f(a - w) + ",0," + f(a) + ",1)-step(X," + f(a) + ",0," + f(a + w) + ",1))",
          "",
          [=](double x) {
            return rise((x - a + w) / w) - rise((x - a) / w);
          }};
    case 2:
      return {
          "table(clamp(X,-99,99),-99,0," + f(a - w) + ",0," + f(a) + ",1," + f(a + w) + ",0,99,0)",
          "",
          [=](double x) {
            return std::max(0.0, 1 - std::abs(x - a) / w);
          }};
    case 3:
      return {"(tanh((X-" + f(a) + ")/" + f(w / 10) + ")-tanh((X-" + f(a + w) + ")/" + f(w / 10) +
                  "))/2",
              "",
              [=](double x) {
                return 0.5 * (std::tanh((x - a) / (w / 10)) - std::tanh((x - a - w) / (w / 10)));
              }};
    case 4:
      return {"max(0,1-((X-" + f(a) + ")/" + f(w) + ")^2)", "", [=](double x) {
                return std::max(0.0, 1 - (x - a) * (x - a) / (w * w));
              }};
    case 5: {  // a spline with a narrow tooth
      const std::vector<double> x{a - 5 * w,
                                  a - 4 * w,
                                  a - 3 * w,
                                  a - 2 * w,
                                  a - w,
                                  a,
                                  a + w,
                                  a + 2 * w,
                                  a + 3 * w,
                                  a + 4 * w,
                                  a + 5 * w};
      const std::vector<double> y{0, 0, 0, 0, 0.4, 1, 0.4, 0, 0, 0, 0};
      std::string points;
      for (std::size_t k = 0; k < x.size(); ++k)
        points += fmt::format("{}[{:.17g}, {}]", k > 0 ? ", " : "", x[k], y[k]);
      const SplineOptions ends{SplineEnds::clamped, 0, 0, Outside::hold};
      const FunctionPtr spline = cubic_spline(x, y, ends);
      return {"tooth(X)",
              "[[curve]]\nname='tooth'\ntype='spline'\ntable=[" + points +
                  "]\nslopes=[0,0]\noutside='hold'\n",
              [=](double x) {
                return spline->at(x).f;
              }};
    }
    default:  // one side and then the other: the work cancels
      return {"((X-" + f(a) + ")/" + f(w) + ")*exp(-((X-" + f(a) + ")/" + f(w) + ")^2)",
              "",
              [=](double x) {
                return (x - a) / w * std::exp(-(x - a) * (x - a) / (w * w));
              }};
  }
}

// Of the hump from 0 to x >= 0, by Simpson's rule where it is.
double integral(const Hump& hump, double a, double w, double x) {
  constexpr int parts = 4800;  // of 12 w
  const double from = a - 6 * w, to = std::min(x, a + 6 * w);
  if (to <= from) return 0;
  const double h = 12 * w / parts;
  double sum = 0;
  for (double u = from; u < to; u += h) {
    const double d = std::min(h, to - u);
    sum += d / 6 * (hump.value(u) + 4 * hump.value(u + 0.5 * d) + hump.value(u + d));
  }
  return sum;
}

std::string with(std::string text, const std::string& variable) {
  std::size_t at = 0;
  while ((at = text.find('X', at)) != std::string::npos) {
    text.replace(at, 1, variable);
    at += variable.size();
  }
  return text;
}

struct Course {
  std::string name, model;
  double way = 0;      // that is certainly passed without the hump
  double kinetic = 0;  // energy at the start
  bool turns = false;
};

constexpr int courses = 6;

Course course_of(int place, const std::string& force) {
  const std::string slider =
      "gravity=[0,0]\n[[body]]\nname='b'\nmass=1\ninertia=1\nvelocity=[1,0]\n"
      "[[joint]]\ntype='translational'\nname='g'\nbetween=['ground','b']\nat=[0,0]\naxis=[1,0]\n"
      "[[request]]\nname='x'\njoint='g'\n";
  const std::string torque =
      "[[force]]\ntype='torque'\nbody='b'\nvalue='" + with(force, "x") + "'\n";
  switch (place) {
    case 0:
      return {"slider",
              slider + "[[force]]\ntype='force'\nbody='b'\nvalue=['" + with(force, "x") + "',0]\n",
              4,
              0.5};
    case 1:
      return {"slider by a request",
              slider + "[[request]]\nname='F'\ntype='expression'\nunit='N'\nvalue='(" +
                  with(force, "(x/(1 m))") +
                  ")*(1 N)'\n[[force]]\ntype='force'\nbody='b'\nvalue=['F',0]\n",
              4,
              0.5};
    case 2:
      return {"slider by a spring",
              slider +
                  "[[force]]\ntype='spring'\nbetween=['ground','b']\npoints=[[-1,0],[0,0]]\n"
                  "force='-(" +
                  with(force, "(length-1)") + ")'\n",
              4,
              0.5};
    case 3:
      return {"rotor",
              "gravity=[0,0]\n[[body]]\nname='b'\nmass=1\ninertia=0.5\nrate=3\n"
              "[[joint]]\ntype='revolute'\nname='g'\nbetween=['ground','b']\nat=[0,0]\n"
              "[[request]]\nname='x'\njoint='g'\n" +
                  torque,
              12,
              2.25,
              true};
    case 4:
      return {"pendulum",
              "gravity=[0,-9.81]\n[[body]]\nname='b'\nfrom=[0,0]\nto=[0,-1]\nmass=1\nrate=12\n"
              "[[joint]]\ntype='revolute'\nname='g'\nbetween=['ground','b']\nat=[0,0]\n"
              "[[request]]\nname='x'\njoint='g'\n" +
                  torque,
              24,
              10,
              true};
    default:
      return {
          "crank",
          "gravity=[0,0]\n[[body]]\nname='b'\nfrom=[0,0]\nto=[0.3,0]\nmass=1\nrate=4\n"
          "[[body]]\nname='rod'\nfrom=[0.3,0]\nto=[1.2,0]\nmass=1\n"
          "[[body]]\nname='block'\nat=[1.2,0]\nmass=1\ninertia=0.1\n"
          "[[joint]]\ntype='revolute'\nname='g'\nbetween=['ground','b']\nat=[0,0]\n"
          "[[joint]]\ntype='revolute'\nbetween=['b','rod']\nat=[0.3,0]\n"
          "[[joint]]\ntype='revolute'\nbetween=['rod','block']\nat=[1.2,0]\n"
          "[[joint]]\ntype='translational'\nbetween=['ground','block']\nat=[1.2,0]\naxis=[1,0]\n"
          "[[request]]\nname='x'\njoint='g'\n" +
              torque,
          8,
          0.5,
          true};
  }
}

TEST(NarrowPlaces, AreNotSteppedOverByAnyMethod) {
  constexpr double rtol = 1e-7, most_off = 1e-3, span = 5;
  std::uint64_t first = 1;
  int count = std::getenv("CARDAN_FULL") != nullptr ? 1000 : 200;
  if (const char* given = std::getenv("CARDAN_PLACES"))
    std::sscanf(given, "%lu:%d", &first, &count);
  const std::vector<Contender> methods = test::gate_methods();
  int complete = 0, loud = 0;
  std::string refused;
  double worst = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<unsigned>(count); ++seed) {
    Random random(seed);
    const int kind = random.below(hump_kinds), place = random.below(courses);
    const double w = std::pow(10, random.uniform(-4, -1)), share = random.uniform(-0.6, 1.5);
    const Course plain = course_of(place, "0");
    const bool again = plain.turns && random.below(2) == 0;  // at every turn
    const double pitch = 2.5 + random.uniform(0, 2),
                 a = again ? 1.5 : random.uniform(0.7, plain.way);
    const Hump hump = hump_of(kind, a, w);
    const double scale =
        share * plain.kinetic / std::max(integral(hump, a, w, 1e9), 0.3 * w) / (again ? 5 : 1);
    Contender method =
        methods[static_cast<std::size_t>(random.below(static_cast<int>(methods.size())))];
    method.setting = rtol;
    const std::string force = fmt::format("{:.17g}*", scale) + hump.formula;
    const Course course =
        course_of(place, again ? with(force, fmt::format("mod(X,{:.17g})", pitch)) : force);
    const auto run = test::gate_run(course.model + hump.curve, method, 5, span);
    const std::string what = fmt::format("{}: kind {} on a {}{}, width {:.2g} at {:.3g}, {}",
                                         seed,
                                         kind,
                                         course.name,
                                         again ? ", again and again" : "",
                                         w,
                                         a,
                                         method.name());
    if (std::getenv("CARDAN_PLACES") != nullptr)
      std::cout << fmt::format("{}: {} steps, {}", what, run->steps, run->status) << std::endl;
    if (run->status != "complete") {
      ++loud;
      refused += what + ": " + run->status + ' ' + run->why + '\n';
      continue;
    }
    ++complete;
    double off = 0, start = 0;
    for (std::size_t r = 0; r < run->memory.rows.size(); ++r) {
      const double x = run->memory.value("x", r);
      double done = integral(hump, a, w, x);
      if (again) {
        const double turns = std::floor(x / pitch);
        done = turns * integral(hump, a, w, pitch) + integral(hump, a, w, x - turns * pitch);
      }
      const double energy = run->memory.value("energy.kinetic", r) +
                            (course.turns ? run->memory.value("energy.potential", r) : 0) -
                            scale * done;
      if (r == 0) start = energy;
      off = std::max(off, std::abs(energy - start) / plain.kinetic);
    }
    worst = std::max(worst, off);
    // Within a hump work follows a position that is known to the tolerance alone.
    EXPECT_LT(off, most_off + 10 * rtol * (1 + a) / w) << what;
  }
  std::cout << fmt::format("{} complete, largest error {:.2g}; {} refused or doubtful\n{}",
                           complete,
                           worst,
                           loud,
                           refused);
  EXPECT_GE(complete, count * 9 / 10);
}

}  // namespace
}  // namespace cardan
