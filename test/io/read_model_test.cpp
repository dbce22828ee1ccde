// Whole models: parameters, repetition, includes, curves, analyses, and the examples.
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "cardan/math/curve.h"
#include "test/io/read_text.h"
#include "test/places.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

const std::string body = "gravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 1\n";

double parameter(const Model& m, const std::string& name) {
  for (const auto& [known, value] : m.parameters)
    if (known == name) return value;
  ADD_FAILURE() << name;
  return 0;
}

fs::path scratch_folder(const char* name) {
  const fs::path folder = fs::path(test::binary_dir) / "test_io" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(read_model, parameters_in_any_order_and_overridden) {
  const std::string text =
      body + "[parameters]\narea = \"pi*r^2\"\nr = \"2*base\"\nbase = \"10 mm\"\n";
  EXPECT_NEAR(parameter(read_good(text), "area"), std::numbers::pi * 4e-4, 1e-18);
  const Model m = read_good(text, {.set = {{"base", "1 m + 50 cm"}}, .folder = {}});
  EXPECT_EQ(parameter(m, "r"), 3);
  EXPECT_NEAR(parameter(m, "area"), 9 * std::numbers::pi, 1e-14);
}

TEST(read_model, bare_numbers_override_quantities) {
  const std::string text = body + "[parameters]\narea = \"r*(1 m)\"\nr = \"10 mm\"\nn = 3\n";
  const Model m = read_good(text, {.set = {{"r", "7"}, {"r", "2"}, {"n", "4"}}, .folder = {}});
  EXPECT_EQ(parameter(m, "area"), 2);
  EXPECT_EQ(parameter(m, "n"), 4);
  const auto wrong = read_model_text(body + "[parameters]\nr = \"10 mm\"\nw = \"r + 1 s\"\n",
                                     "text",
                                     {.set = {{"r", "0.02"}}, .folder = {}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.why()[0].id, "model.wrong-unit");
}

TEST(read_model, units_of_expression_requests) {
  const std::string text =
      body +
      "[[curve]]\nname = \"c\"\ntype = \"constant\"\nvalue = 2\n"
      "[[request]]\ntype = \"expression\"\nname = \"wanted\"\nvalue = \"c(t)\"\n";
  const std::string force =
      "[[force]]\ntype = \"force\"\nbody = \"a\"\nvalue = [\"-5 N/m*(wanted - 1 m)\", 0]\n";
  EXPECT_EQ(read_good(text + "unit = \"m\"\n" + force).forces.size(), 1u);
  EXPECT_EQ(read_good(text + "unit = \"percent\"\n").requests.size(), 1u);
  for (const auto& [tail, id] : std::vector<std::pair<std::string, std::string>>{
           {"unit = \"mm\"\n", "model.bad-value"},
           {"unit = \"s\"\n" + force, "model.wrong-unit"},
           {"[[request]]\ntype = \"expression\"\nvalue = \"t\"\nunit = \"m\"\n",
            "model.wrong-unit"}}) {
    const auto read = read_model_text(text + tail, "text", {});
    ASSERT_FALSE(read) << tail;
    EXPECT_EQ(read.why()[0].id, id) << tail;
  }
}

TEST(read_model, faults_of_overrides) {
  const std::string text = body +
                           "[parameters]\nlength = \"1 m\"\n[[marker]]\nname = \"m\"\nbody = "
                           "\"a\"\npoint = [\"length\", 0]\n";
  const auto unknown = read_model_text(text, "text", {.set = {{"lenght", "1"}}, .folder = {}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.why()[0].id, "usage.unknown-parameter");
  EXPECT_EQ(exit_code(unknown.why()), 2);
  EXPECT_NE(unknown.why()[0].hint.find("length"), std::string::npos);
  const auto bad = read_model_text(text, "text", {.set = {{"length", "3 +"}}, .folder = {}});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.why()[0].id, "syntax.expression");
  EXPECT_EQ(*bad.why()[0].where.file, "--set length");
  const auto wrong = read_model_text(text, "text", {.set = {{"length", "3 kg"}}, .folder = {}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.why()[0].id, "model.wrong-unit");
}

std::string chain(int n) {
  return "gravity = [0, -9.81]\n[parameters]\nn = " + std::to_string(n) + R"TOML(
L = "0.1 m"
[[repeat]]
count = "n"
  [[repeat.body]]
  name = "link {i}"
  from = ["i*L", 0]
  to = ["(i + 1)*L", 0]
  mass = "50 g"
[[joint]]
type = "revolute"
between = ["ground", "link 0"]
at = [0, 0]
[[repeat]]
count = "n - 1"
first = 1
  [[repeat.joint]]
  type = "revolute"
  between = ["link {i-1}", "link {i}"]
  at = ["i*L", 0]
[[request]]
type = "y"
name = "tip"
body = "link {n-1}"
point = ["L", 0]
)TOML";
}

TEST(read_model, repetition) {
  const Model m = read_good(chain(5));
  ASSERT_EQ(m.bodies.size(), 5u);
  ASSERT_EQ(m.joints.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(m.bodies[k].name, "link " + std::to_string(k));
    EXPECT_NEAR(m.bodies[k].at[0], 0.1 * static_cast<double>(k), 1e-16);
    EXPECT_EQ(m.joints[k].sides[1].body, static_cast<int>(k));
    EXPECT_EQ(m.joints[k].sides[0].body, static_cast<int>(k) - 1);
    expect_near(m.joints[k].sides[0].point, {k == 0 ? 0 : 0.1, 0, 0});
  }
  EXPECT_EQ(m.requests[0].sides[1].body, 4);
}

TEST(read_model, nested_repetition_and_formulas_of_copies) {
  const Model m = read_good(R"TOML(
gravity = [0, 0]
[[repeat]]
count = 2
  [[repeat.repeat]]
  count = 3
  index = "j"
  first = 1
    [[repeat.repeat.body]]
    name = "b{i}{j}"
    at = ["i + 0.5", "j"]
    mass = "1 + i"
    inertia = 1
    [[repeat.repeat.request]]
    type = "x"
    name = "x{i}{j}"
    body = "b{i}{j}"
    [[repeat.repeat.request]]
    type = "expression"
    name = "twice{i}{j}"
    value = "2*x{i}{j} + i"
)TOML");
  ASSERT_EQ(m.bodies.size(), 6u);
  EXPECT_EQ(m.bodies[4].name, "b12");
  expect_near(m.bodies[4].at, {1.5, 2, 0});
  EXPECT_EQ(m.bodies[4].mass, 2);
  const auto& last = m.requests.at(11);
  EXPECT_EQ(last.name, "twice13");
  EXPECT_EQ(m.requests[static_cast<std::size_t>(last.inputs.at(0))].name, "x13");
  EXPECT_EQ(std::get<Expression>(*last.find("value")).value(std::vector<double>{0, 0, 0, 5, 0}),
            11);
}

TEST(read_model, a_hundred_thousand_links) {
  const std::clock_t start = std::clock();
  const Model m = read_good(chain(100'000));
  EXPECT_EQ(m.bodies.size(), 100'000u);
  EXPECT_EQ(m.joints.size(), 100'000u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10)
      << "seconds of the processor";
}

TEST(read_model, includes) {
  const fs::path folder = scratch_folder("good_includes");
  fs::create_directories(folder / "parts");
  write(folder / "model.toml",
        "gravity = [0, 0]\ninclude = [\"parts/arm.toml\"]\n[parameters]\nlength = "
        "2\n[[joint]]\ntype = \"revolute\"\nbetween = [\"ground\", \"arm\"]\nat = [0, 0]\n");
  write(folder / "parts/arm.toml",
        "include = [\"common.toml\"]\n[[body]]\nname = \"arm\"\nfrom = [0, 0]\nto = [\"length\", "
        "0]\nmass = \"m\"\n");
  write(folder / "parts/common.toml", "[parameters]\nm = 3\n");
  const auto model = read_model(folder / "model.toml");
  ASSERT_TRUE(model) << to_text(model.why()[0]);
  EXPECT_EQ(model.value().bodies.at(0).mass, 3);
  EXPECT_EQ(model.value().bodies[0].centre[0], 1);
  ASSERT_EQ(model.value().included.size(), 2u);
  EXPECT_NE(model.value().included[0].second.find("arm"), std::string::npos);
  EXPECT_NE(model.value().text.find("include"), std::string::npos);
}

FunctionPtr motion_of(const std::string& curve, const ReadOptions& options = {}) {
  const Model m = read_good(
      body +
          "[[driver]]\ntype = \"angle\"\nbody = \"a\"\nmotion = \"f\"\n[[curve]]\nname = \"f\"\n" +
          curve,
      options);
  return m.drivers.empty() ? constant_curve(NAN)
                           : std::get<FunctionPtr>(*m.drivers[0].find("motion"));
}

TEST(read_model, curves) {
  EXPECT_EQ(motion_of("type = \"constant\"\nvalue = \"30 deg\"\n")->at(1).f, std::numbers::pi / 6);
  EXPECT_EQ(motion_of("type = \"polynomial\"\ncoefficients = [1, 2, 3]\n")->at(2).f, 17);
  EXPECT_NEAR(
      motion_of("type = \"harmonic\"\namplitude = 2\nfrequency = 3\nphase = 0.5\noffset = 1\n")
          ->at(2)
          .f,
      1 + 2 * std::sin(6.5),
      1e-15);
  for (const char* type : {"cubic-step", "quintic-step", "cycloidal", "modified-sine"}) {
    const auto f =
        motion_of("type = \"" + std::string(type) + "\"\nfrom = [1, 0]\nto = [\"3 s\", 4]\n");
    EXPECT_EQ(f->at(0).f, 0) << type;
    EXPECT_NEAR(f->at(2).f, 2, 1e-14) << type;
    EXPECT_EQ(f->at(5).f, 4) << type;
  }
  const auto again =
      motion_of("type = \"cycloidal\"\nfrom = [0, 0]\nto = [1, 2]\nperiod = 3\ngain = 2\n");
  EXPECT_NEAR(again->at(3.5).f, 2 + 1, 1e-14);
  const auto spline = motion_of(
      "type = \"spline\"\ntable = [[0, 0], [1, \"90 deg\"], [2, 0]]\nslopes = [1, 0]\noutside = "
      "\"hold\"\n");
  EXPECT_NEAR(spline->at(1).f, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(spline->at(0).d, 1, 1e-14);
  EXPECT_NEAR(spline->at(9).f, 0, 1e-15);
  EXPECT_NEAR(motion_of("type = \"linear\"\ntable = [[0, 0], [2, 1]]\n")->at(0.5).f, 0.25, 1e-15);
  const auto wave = motion_of(
      "type = \"spline\"\nperiodic = true\ntable = [[0, 0], [1, 1], [2, 0], [3, -1], [4, 0]]\n");
  EXPECT_NEAR(wave->at(5).f, 1, 1e-14);
}

TEST(read_model, tables_in_files) {
  const fs::path folder = scratch_folder("tables");
  write(folder / "law.csv", "# measured\ntime; angle\n\n0; 0\n1000;90 # end\n2000\t0\r\n");
  const auto f = motion_of("type = \"linear\"\nfile = \"law.csv\"\nunits = [\"ms\", \"deg\"]\n",
                           {.set = {}, .folder = folder});
  EXPECT_NEAR(f->at(0.5).f, std::numbers::pi / 4, 1e-14);
  EXPECT_NEAR(f->at(2).f, 0, 1e-14);
}

TEST(read_model, tables_in_files_as_spreadsheets_write_them) {
  const fs::path folder = scratch_folder("tables");
  const auto at_half = [&](const std::string& text, const std::string& more) {
    write(folder / "law.csv", text);
    return motion_of("type = \"linear\"\nfile = \"law.csv\"\n" + more,
                     {.set = {}, .folder = folder})
        ->at(0.5)
        .f;
  };
  // Units in the first line hold where the model names none.
  EXPECT_NEAR(at_half("t [ms],angle [deg]\n0,0\n1000,90\n", ""), std::numbers::pi / 4, 1e-14);
  EXPECT_NEAR(at_half("t [ms],angle [deg]\n0,0\n1,1\n", "units = [\"s\", \"rad\"]\n"), 0.5, 1e-14);
  EXPECT_NEAR(at_half("t [s],angle [-]\n0,0\n1,1\n", ""), 0.5, 1e-14);  // no unit
  EXPECT_NEAR(at_half("t [s],x,angle [deg]\n0,7,0\n1,8,90\n", "columns = [\"t\", \"angle\"]\n"),
              std::numbers::pi / 4,
              1e-14);
  // Decimal commas between semicolons.
  EXPECT_NEAR(at_half("t;angle\n0,0;0,0\n1,0;0,5\n", ""), 0.25, 1e-14);
  EXPECT_NEAR(at_half("t;x;angle\n0,0;7,5;0,0\n1,0;8,5;0,5\n", "columns = [\"t\", \"angle\"]\n"),
              0.25,
              1e-14);
}

TEST(read_model, curves_in_formulas_and_parameters) {
  const Model m = read_good(body + R"TOML(
[parameters]
top = "2*law(1)"
rise = "3 mm"
[[curve]]
name = "law"
type = "polynomial"
coefficients = [0, "rise"]
[[driver]]
type = "x"
body = "a"
motion = "law(t/1 s)*2 + 1 mm"
)TOML");
  EXPECT_EQ(parameter(m, "top"), 0.006);
  const Jet c = std::get<FunctionPtr>(*m.drivers[0].find("motion"))->at(2);
  EXPECT_NEAR(c.f, 0.013, 1e-16);
  EXPECT_NEAR(c.d, 0.006, 1e-16);
}

TEST(read_model, analyses_and_output) {
  const Model m = read_good(body + R"TOML(
[[analysis]]
type = "assembly"
tolerance = 1e-10
[[analysis]]
type = "dynamic"
until = "2 min"
formulation = "projected"
integrator = "ode45"
rtol = 1e-9
max_step = "10 ms"
order = 4
[[analysis]]
type = "dynamic"
until = 5
output_step = 1
[output]
step = "5 ms"
channels = ["a.*"]
)TOML");
  ASSERT_EQ(m.analyses.size(), 3u);
  EXPECT_EQ(std::get<AssemblyOptions>(m.analyses[0]).tolerance, 1e-10);
  const auto& first = std::get<DynamicOptions>(m.analyses[1]);
  EXPECT_EQ(first.until, 120);
  EXPECT_EQ(first.formulation, "projected");
  EXPECT_EQ(first.formulation_where.line, 13);
  EXPECT_EQ(first.integrator_where.line, 14);
  EXPECT_EQ(first.max_step, 0.01);
  EXPECT_EQ(first.order, 4);
  EXPECT_EQ(first.output_step, 0.005);
  EXPECT_EQ(std::get<DynamicOptions>(m.analyses[2]).output_step, 1);
  EXPECT_EQ(m.output_channels, std::vector<std::string>{"a.*"});
}

// Largest distance between the two points of a revolute joint in the given pose.
double largest_gap(const Model& m) {
  double gap = 0;
  for (const auto& e : m.joints) {
    if (e.type != "revolute") continue;
    std::array<Triple, 2> p;
    for (std::size_t k = 0; k < 2; ++k) {
      const Side& s = e.sides[k];
      const Body b = s.body < 0 ? Body{} : m.bodies[static_cast<std::size_t>(s.body)];
      p[k] = {b.at[0] + std::cos(b.angle) * s.point[0] - std::sin(b.angle) * s.point[1],
              b.at[1] + std::sin(b.angle) * s.point[0] + std::cos(b.angle) * s.point[1],
              0};
    }
    gap = std::max(gap, std::hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]));
  }
  return gap;
}

TEST(read_model, examples) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir) / "models")) {
    if (!fs::exists(entry.path() / "model.toml")) continue;  // problems without a mechanism
    const auto model = read_model(entry.path() / "model.toml");
    ASSERT_TRUE(model) << to_text(model.why()[0]);
    EXPECT_TRUE(model.value().notes.empty()) << entry.path();
    EXPECT_FALSE(model.value().analyses.empty()) << entry.path();
    EXPECT_TRUE(fs::exists(entry.path() / "README.md")) << entry.path();
    ++count;
    if (model.value().space == Space::spatial) continue;
    const double gap = largest_gap(model.value());
    EXPECT_EQ(gap < 1e-15, entry.path().filename() != "infeasible") << entry.path() << ": " << gap;
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace cardan
