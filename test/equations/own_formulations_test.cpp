// Equations of one's own under every formulation that takes them: positions, rates, accelerations and
// multipliers agree to 1e-8, at rows and at the end.
#include <cmath>
#include <functional>

#include "cardan/formulation/formulation.h"
#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Case {
  std::string name, text;
  std::vector<std::string> coordinates, constraints;
  bool rolls = false;
};

std::vector<Case> cases() {
  return {
      // Rates multiply each other and positions, and a force is proportional to a rate.
      {"products",
       R"toml(
[[coordinate]]
name = "r"
initial = 1.2
rate = 0.4
[[coordinate]]
name = "u"
initial = 0.3
rate = 1.1
[[coordinate]]
name = "w"
guess = 0.5
[equations]
kinetic = "(1 + r^2/4)*r'^2/2 + r^2*u'^2/2 + 0.3*r*r'*u'*cos(u) + w'^2*(1 + 0.2*sin(r*u)) + 0.2*w'*r'"
potential = "5*(r - 1)^2 + 3*sin(u)*r + w^2*r"
forces = ["-0.2*r'", "0.1*sin(3*t) - 0.05*u'", "-0.1*w'"]
[[constraint]]
name = "link"
formula = "w*r - 0.3*sin(u)*r - 0.2*cos(w)"
)toml",
       {"r", "u", "w"},
       {"link"}},
      // Two constraints that move, T with a part of degree one, and a potential of three factors.
      {"rheonomic",
       R"toml(
[[coordinate]]
name = "x"
initial = 0.8
rate = 0.3
[[coordinate]]
name = "y"
guess = 0.6
[[coordinate]]
name = "z"
guess = 0.1
[equations]
kinetic = "(x'^2 + 2*y'^2 + 1.5*z'^2 + x'*z')/2 + 0.3*cos(2*t)*y'"
potential = "9.81*z + (x*y*z)"
[[constraint]]
name = "breathing"
formula = "x^2 + y^2 + z^2/2 - (1 + 0.2*sin(3*t))^2"
[[constraint]]
name = "tilting"
formula = "z - x*sin(0.5*t) - 0.1*y"
)toml",
       {"x", "y", "z"},
       {"breathing", "tilting"}},
      // Two constraints of rates, one of them inhomogeneous and moving.
      {"nonholonomic",
       R"toml(
[[coordinate]]
name = "x"
initial = 0
rate = 0.7
[[coordinate]]
name = "y"
initial = 0
[[coordinate]]
name = "z"
initial = 0.2
[[coordinate]]
name = "th"
initial = 0.3
rate = 1.2
[equations]
kinetic = "(x'^2 + y'^2 + z'^2)/2 + 0.2*th'^2 + 0.1*x'*th'*sin(th)"
potential = "2*z^2 + 0.3*x^2"
forces = ["0", "-0.1*y'", "0.2*cos(t)", "0"]
[[constraint]]
name = "knife"
formula = "x'*sin(th) - y'*cos(th)"
[[constraint]]
name = "screw"
formula = "z' - 0.3*th' - 0.1*sin(2*t) - 0.2*x*y'"
)toml",
       {"x", "y", "z", "th"},
       {"knife", "screw"},
       true},
      // A mass matrix of positions, with forces of products of rates and of |rate|.
      {"mass",
       R"toml(
[[coordinate]]
name = "a"
initial = 0.5
rate = 0.2
[[coordinate]]
name = "b"
initial = -0.3
rate = 1
[[coordinate]]
name = "c"
guess = 0.4
[equations]
mass = [["2 + cos(a)", "0.3*b", "0"], ["0.3*b", "1 + 0.1*b^2", "0.1"], ["0", "0.1", "1.5"]]
forces = ["-4*a - 0.3*a' + a'*b'*0.2", "-3*b + 0.2*sin(2*t)", "-c^3 - 0.1*c'*abs(c')"]
[[constraint]]
name = "tie"
formula = "a*c - b*c^2 - 0.5*a - 0.1 + 0.05*t"
)toml",
       {"a", "b", "c"},
       {"tie"}},
  };
}

Model model_of(const Case& c) {
  auto model = read_model_text(
      c.text + "[[analysis]]\ntype = \"dynamic\"\nuntil = 1.2\noutput_step = 0.4\n", "own.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

struct Finished {
  Outcome out;
  Memory rows;
};

Finished run(const Case& c, const std::function<void(DynamicOptions&)>& change) {
  Model model = model_of(c);
  change(test::dynamic(model));
  Finished r;
  r.out = run_model(model, r.rows, {});
  return r;
}

Finished run_as(const Case& c, const FormulationEntry& entry, double step) {
  return run(c, [&](DynamicOptions& o) {
    o.formulation = entry.name;
    o.integrator = entry.built_in_integrator ? "auto" : "dop853";
    o.rtol = o.atol = 1e-12;
    if (step > 0) o.step = step, o.rtol = o.atol = 1e-8;
    if (entry.name == "rattle") o.order = 6;
  });
}

std::vector<std::string> channels_of(const Case& c) {
  std::vector<std::string> list;
  for (const std::string& q : c.coordinates)
    for (const char* of : {"", ".rate", ".acceleration"}) list.push_back(q + of);
  for (const std::string& k : c.constraints) list.push_back(k + ".lambda");
  return list;
}

bool is_refused(const Case& c, const FormulationEntry& entry) {
  return entry.name == "reduced" || entry.name == "null-space" || entry.name == "rattle" ||
         (c.rolls && !entry.rolls);
}

void expect_agreement(const Case& c, const FormulationEntry& entry, const Finished& reference) {
  SCOPED_TRACE(c.name + " " + std::string(entry.name));
  // Of order 2: with steps of 1 ms and half of them the limit is known to order 4.
  const bool extrapolated = entry.name == "index3";
  const Finished r = run_as(c, entry, extrapolated ? 1e-3 : 0);
  if (is_refused(c, entry)) {
    EXPECT_EQ(r.out.summary.status, "failed");
    ASSERT_FALSE(r.out.summary.diagnostics.empty());
    EXPECT_EQ(r.out.summary.diagnostics.back().id, "model.unknown-option");
    return;
  }
  ASSERT_TRUE(ended_well(r.out.summary)) << to_text(r.out.summary.diagnostics);
  const Finished half = extrapolated ? run_as(c, entry, 5e-4) : Finished{};
  ASSERT_EQ(r.rows.rows.size(), reference.rows.rows.size());
  for (std::size_t k = 0; k < r.rows.rows.size(); ++k)
    for (const std::string& channel : channels_of(c)) {
      double value = r.rows.value(channel, k);
      if (extrapolated) value = (4 * half.rows.value(channel, k) - value) / 3;
      EXPECT_NEAR(value, reference.rows.value(channel, k), 1e-8)
          << channel << " at " << r.rows.times[k];
    }
}

TEST(OwnFormulations, AgreeToTheAccelerations) {
  for (const Case& c : cases()) {
    const Finished reference = run(c, [](DynamicOptions& o) {
      o.formulation = "projected";
      o.integrator = "dop853";
      o.rtol = o.atol = 1e-13;
    });
    ASSERT_EQ(reference.out.summary.status, "complete")
        << c.name << to_text(reference.out.summary.diagnostics);
    for (const FormulationEntry& entry : formulations()) expect_agreement(c, entry, reference);
  }
}

}  // namespace
}  // namespace cardan
