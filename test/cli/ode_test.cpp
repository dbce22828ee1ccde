// cardan ode as a user runs it: tables of the documents, JSON, faults, plots.
#include <cmath>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "program.h"
#include "test/places.h"

namespace cardan::test {

namespace {

using Words = std::vector<std::string>;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

nlohmann::json run_json(Words words) {
  const Place place;
  words.insert(words.begin(), "ode");
  words.emplace_back("--json");
  const Said said = cardan(place, words);
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  return nlohmann::json::parse(last_line(said.out), nullptr, false);
}

const nlohmann::json& sources() {
  static const nlohmann::json all = nlohmann::json::parse(
      content_of(std::string(test::source_dir) + "/test/reference/sources.json"));
  return all;
}

double number(const nlohmann::json& x) {
  return x.is_string() ? std::stod(x.get<std::string>()) : x.get<double>();
}

std::string model(const std::string& name) {
  return std::string(test::source_dir) + "/models/ode/" + name;
}

TEST(Ode, TablesOfAdamsBashforth) {
  const auto& h1 = sources()["000"]["7.4.8"]["values"];
  for (int k = 1; k <= 5; ++k) {
    const auto said = run_json({"x' = x",
                                "--start",
                                "x=1",
                                "--until",
                                "10",
                                "--integrator",
                                "ab",
                                "--order",
                                std::to_string(k),
                                "--step",
                                "0.1",
                                "--exact",
                                "exp(t)"});
    const auto& row = h1[std::to_string(k)];
    EXPECT_NEAR(said["final"]["x"].get<double>() / number(row[0]), 1, 1e-12) << k;
    EXPECT_NEAR(said["errors"]["x"].get<double>(), number(row[1]), 1e-6) << k;
    EXPECT_EQ(said["statistics"]["steps"], 100);
  }
}

TEST(Ode, TablesOfPece) {
  const auto& table = sources()["000"]["7.4.11"]["values"];
  for (const auto& [variant, column] :
       {std::pair{"text", "text_convention"}, std::pair{"print", "printed_convention"}}) {
    for (int k = 1; k <= 5; ++k) {
      const auto said = run_json({"x' = x",
                                  "--start",
                                  "x=1",
                                  "--until",
                                  "10",
                                  "--integrator",
                                  "pece",
                                  "--order",
                                  std::to_string(k),
                                  "--step",
                                  "0.1",
                                  "--variant",
                                  variant});
      EXPECT_NEAR(
          said["final"]["x"].get<double>() / number(table[std::to_string(k)][column]), 1, 1e-11)
          << k << variant;
    }
  }
}

TEST(Ode, BackwardDifferences) {
  const auto said = run_json({"x' = x",
                              "--start",
                              "x=1",
                              "--until",
                              "0.4",
                              "--integrator",
                              "ab",
                              "--order",
                              "5",
                              "--step",
                              "0.1",
                              "--differences"});
  const auto& columns = sources()["000"]["7.4.5"]["values_columns_t0_to_t4"];
  ASSERT_EQ(said["rows"].size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& differences = said["rows"][i]["differences"];
    ASSERT_EQ(differences.size(), i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(differences[j].get<double>(), number(columns[i][j]), 1e-14);
    }
  }
}

TEST(Ode, SecondOrderEquationsTakeAllMethods) {
  for (const char* integrator : {"newmark",
                                 "verlet",
                                 "hht",
                                 "generalized-alpha",
                                 "rk4",
                                 "gauss",
                                 "ode45",
                                 "bdf",
                                 "radau5"}) {
    Words words{"x'' = -x",
                "--start",
                "x=1,x'=0",
                "--until",
                "3",
                "--integrator",
                integrator,
                "--step",
                "0.01",
                "--exact",
                "cos(t)"};
    if (std::set<std::string>{"ode45", "bdf", "radau5"}.contains(
            integrator))  // these choose their steps
      words.insert(words.end(), {"--rtol", "1e-8", "--atol", "1e-8"});
    const auto said = run_json(words);
    EXPECT_NEAR(said["final"]["x"].get<double>(), std::cos(3.0), 1e-3) << integrator;
    EXPECT_NEAR(said["final"]["x'"].get<double>(), -std::sin(3.0), 1e-3) << integrator;
    EXPECT_LT(std::abs(said["errors"]["x"].get<double>()), 1e-3) << integrator;
  }
}

TEST(Ode, EnergiesAndConstraints) {
  const auto said = run_json({"T = m/2*(x'^2 + y'^2)",
                              "V = m*g*y",
                              "0 = x^2 + y^2 - 1",
                              "--set",
                              "m=1,g=9.81",
                              "--start",
                              "x=1,y=0,y'=0",
                              "--until",
                              "0.5",
                              "--rtol",
                              "1e-11",
                              "--atol",
                              "1e-11"});
  EXPECT_NEAR(said["final"]["x"].get<double>(), 0.39104879155054639, 1e-9);
  EXPECT_NEAR(said["final"]["y'"].get<double>(), -1.6617346075474145, 1e-9);
  EXPECT_NEAR(said["final"]["constraint1.lambda"].get<double>(), 13.543243796374103, 1e-8);
}

// A mass on a spring, x = sin t, from 1 back to 0.
TEST(Ode, EnergiesFromAnotherTime) {
  const Place place;
  const Said said = cardan(place,
                           {"ode",
                            "T = x'^2/2",
                            "V = x^2/2",
                            "--start",
                            "x=sin(1),x'=cos(1)",
                            "--from",
                            "1",
                            "--until",
                            "0",
                            "--rtol",
                            "1e-11",
                            "--csv"});
  ASSERT_EQ(said.code, 0) << said.err;
  std::istringstream lines(said.out);
  std::string first, last;
  std::getline(lines, first);
  std::getline(lines, first);
  for (std::string line = first; !line.empty(); std::getline(lines, line)) {
    if (line.find(',') == std::string::npos) break;
    last = line;
    if (!lines) break;
  }
  EXPECT_EQ(std::stod(first), 1);
  EXPECT_EQ(std::stod(last), 0);
  EXPECT_NEAR(std::stod(last.substr(last.find(',') + 1)), 0, 1e-9);
}

// A ball that falls from 1 and bounces twice within 1.5, written as energies.
TEST(Ode, EventsChangeMotionsFromEnergies) {
  const Words ball{"T = m*x'^2/2",
                   "V = m*g*x",
                   "--set",
                   "m=2,g=10",
                   "--start",
                   "x=1,x'=0",
                   "--until",
                   "1.5",
                   "--rtol",
                   "1e-11",
                   "--atol",
                   "1e-11"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), ball.begin(), ball.end());
    return more;
  };
  const auto said =
      run_json(with({"--event", "x falling: x' -> -0.8*x'", "--event", "x' falling"}));
  const double first = std::sqrt(0.2), up = 0.8 * std::sqrt(20.0), second = first + up / 5;
  ASSERT_EQ(said["events"].size(), 4u);  // two bounces and the tops behind them
  EXPECT_NEAR(said["events"][0]["t"].get<double>(), first, 1e-9);
  EXPECT_EQ(said["events"][0]["event"], "x falling");
  EXPECT_NEAR(said["events"][1]["t"].get<double>(), first + up / 10, 1e-9);
  EXPECT_EQ(said["events"][1]["event"], "x' falling");
  EXPECT_NEAR(said["events"][2]["t"].get<double>(), second, 1e-9);
  const double rest = 1.5 - second;
  EXPECT_NEAR(said["final"]["x"].get<double>(), 0.8 * up * rest - 5 * rest * rest, 1e-8);
  EXPECT_NEAR(said["final"]["x'"].get<double>(), 0.8 * up - 10 * rest, 1e-8);

  const auto ended = run_json(with({"--event", "x - 0.5: stop"}));
  EXPECT_NEAR(ended["t"].get<double>(), std::sqrt(0.1), 1e-9);
  EXPECT_NEAR(ended["final"]["x"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(run_json(with({"--event", "x - 0.5", "--stop-at-event"})), ended);
  EXPECT_EQ(run_json(with({"--event", "x - 0.5 rising"}))["events"].size(), 0u);

  const Place place;
  const auto told = [&](Words more) {
    Words words = with(std::move(more));
    words.insert(words.begin(), "ode");
    return cardan(place, words);
  };
  const Said endless = told({"--event", "x falling: x' -> -0.1*x'"});
  EXPECT_EQ(endless.code, 6) << endless.out;
  EXPECT_TRUE(contains(endless.err, "numeric.chatter")) << endless.err;
  for (const char* wrong : {"x falling: y -> 1", "x falling: bounce", "x falling: x'' -> 1"})
    EXPECT_EQ(told({"--event", wrong}).code, 2) << wrong;
  EXPECT_NE(told({"--event", "z falling"}).code, 0);
  EXPECT_NE(told({"--event", "x falling: x' -> z"}).code, 0);
}

// Beside constraints: a pendulum thrown back by a wall keeps its length and its energy.
TEST(Ode, EventsBesideConstraints) {
  const auto said = run_json({"T = (x'^2 + y'^2)/2",
                              "V = 10*y",
                              "0 = x^2 + y^2 - 1",
                              "--start",
                              "x=1,y=0,y'=0",
                              "--show",
                              "E=(x'^2 + y'^2)/2 + 10*y",
                              "--until",
                              "3",
                              "--rtol",
                              "1e-10",
                              "--event",
                              "x falling: x' -> -x', y' -> -y'"});
  const auto& end = said["final"];
  EXPECT_NEAR(std::hypot(end["x"].get<double>(), end["y"].get<double>()), 1, 1e-11);
  EXPECT_NEAR(end["E"].get<double>(), 0, 1e-8);
  // It swings between the wall and where it began: a quarter period down, and up again.
  constexpr double quarter = 1.31102877714606 / 3.16227766016838 * 1.4142135623731;
  ASSERT_EQ(said["events"].size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(said["events"][static_cast<std::size_t>(k)]["t"].get<double>(),
                (2 * k + 1) * quarter,
                1e-7);
}

TEST(Ode, Events) {
  const auto said = run_json({"x' = v",
                              "v' = -x",
                              "--start",
                              "x=1,v=0",
                              "--until",
                              "6",
                              "--integrator",
                              "dop853",
                              "--rtol",
                              "1e-13",
                              "--atol",
                              "1e-13",
                              "--event",
                              "x"});
  ASSERT_EQ(said["events"].size(), 2u);
  EXPECT_NEAR(said["events"][0]["t"].get<double>(), std::acos(-1.0) / 2, 1e-10);
  EXPECT_NEAR(said["events"][1]["t"].get<double>(), 3 * std::acos(-1.0) / 2, 1e-10);
}

TEST(Ode, FilesOfTheExamples) {
  const auto spring = run_json({model("mass-spring-damper.toml")});
  EXPECT_NEAR(spring["final"]["x"].get<double>(), spring["exact"]["x"].get<double>(), 1e-4);
  EXPECT_NEAR(spring["exact"]["x"].get<double>(),
              number(sources()["003"]["v_curve_example"]["exact"]),
              1e-12);
  const auto orbit = run_json({model("two-body.toml")});
  EXPECT_NEAR(orbit["final"]["x"].get<double>(), 0.7, 1e-7);
  const auto euler = run_json({model("pendulum.toml")}),
             verlet = run_json({model("pendulum.toml"), "--integrator", "verlet"});
  const double start = -9.81 * std::cos(0.5);
  EXPECT_GT(euler["shown"]["energy"].get<double>(), start + 1);
  EXPECT_NEAR(verlet["shown"]["energy"].get<double>(), start, 1e-3);
  const auto robertson = run_json({model("robertson.toml")});
  EXPECT_NEAR(robertson["shown"]["total"].get<double>(), 1, 1e-12);
  const auto stiff = run_json({model("van-der-pol.toml")});
  EXPECT_NEAR(stiff["final"]["x"].get<double>(), 1.706167732170469, 1e-3);
}

TEST(Ode, StudyShowsTheVCurve) {
  const Place place;
  const Said said = cardan(place,
                           {"ode",
                            model("mass-spring-damper.toml"),
                            "--study",
                            "euler",
                            "heun",
                            "rk4",
                            "--halvings",
                            "4",
                            "16",
                            "--json"});
  ASSERT_EQ(said.code, 0) << said.out;
  const auto study = nlohmann::json::parse(last_line(said.out));
  const auto& reference = sources()["003"]["v_curve_example"]["D"];
  const double orders[] = {1, 2, 4};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& method = study["methods"][k];
    EXPECT_NEAR(method["order"].get<double>(), orders[k], 0.1);
    for (const auto& point : method["halving"]) {
      const int n = point["n"];
      if (n < 5 || n > 12) continue;
      const double expected =
          number(reference[method["method"].get<std::string>()]["D"][std::to_string(n)]);
      EXPECT_NEAR(point["difference"].get<double>(), expected, 1e-6 * expected + 1e-12);
    }
  }
  EXPECT_GE(study["methods"][2]["round_off_from"].get<int>(), 15);
  EXPECT_TRUE(contains(content_of(place / "study.svg"), "<svg"));
}

TEST(Ode, StabilityWritesRegionsAndLimits) {
  const Place place;
  const Said said =
      cardan(place, {"ode", "--stability", "rk4", "mampc:3", "bdf-fixed:3", "--json"});
  ASSERT_EQ(said.code, 0) << said.out;
  const auto object = nlohmann::json::parse(last_line(said.out));
  EXPECT_NEAR(object["methods"][0]["real_limit"].get<double>(), 2.785293563405282, 1e-9);
  EXPECT_NEAR(object["methods"][0]["imaginary_limit"].get<double>(), 2 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(object["methods"][1]["real_limit"].get<double>(), 1.9346084211573464, 1e-9);
  EXPECT_TRUE(object["methods"][2]["real_unbounded"].get<bool>());
  EXPECT_NEAR(object["methods"][2]["angle"].get<double>(), 86.0324, 1e-3);
  EXPECT_TRUE(contains(content_of(place / "stability.svg"), "<svg"));
  EXPECT_EQ(cardan(place, {"ode", "--stability", "rk4", "-o", "stability.svg"}).code, 7);
  EXPECT_EQ(cardan(place, {"ode", "--stability", "rk4", "-o", "stability.svg", "--force"}).code, 0);
}

TEST(Method, ShowsOneAndListsAll) {
  const Place place;
  const Said one = cardan(place, {"method", "ode45"});
  EXPECT_EQ(one.code, 0) << one.err;
  for (const char* text : {"-25360/2187", "5179/57600", "stability region", "Dormand"})
    EXPECT_TRUE(contains(one.out, text)) << text;
  EXPECT_TRUE(contains(cardan(place, {"method"}).out, "generalized-alpha"));
  const Said wrong = cardan(place, {"method", "ode54"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_TRUE(contains(wrong.err, "ode45")) << wrong.err;
  EXPECT_NE(cardan(place, {"method", "rk4", "--order", "5"}).code, 0);
}

TEST(Method, OwnTableauRunsLikeTheBuiltInOne) {
  const Place place;
  const auto write = [&](const char* order) {
    std::ofstream(place / "mine.toml")
        << "c = [0, '1/2', '1/2', 1]\na = [[], ['1/2'], [0, '1/2'], [0, 0, 1]]\n"
           "b = ['1/6', '1/3', '1/3', '1/6']\norder = "
        << order << "\n";
  };
  write("4");
  const Words problem{"ode", "x' = -x*t", "--start", "x=1", "--until", "2", "--step", "0.1"};
  Words own = problem, named = problem;
  own.insert(own.end(), {"--tableau", "mine.toml"});
  named.insert(named.end(), {"--integrator", "rk4"});
  const Said mine = cardan(place, own), known = cardan(place, named);
  ASSERT_EQ(mine.code, 0) << mine.err;
  EXPECT_EQ(mine.out, known.out);
  EXPECT_TRUE(contains(cardan(place, {"method", "--tableau", "mine.toml"}).out, "1/120"));
  own.insert(own.end(), {"--integrator", "rk4"});
  EXPECT_EQ(cardan(place, own).code, 2);
  write("5");
  const Said wrong = cardan(place, {"method", "--tableau", "mine.toml"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_TRUE(contains(wrong.err, "4: that many orders")) << wrong.err;
}

// A ball let go from height 1: it bounces at sqrt(2/g) and then after 2 e v/g with e v its speed.
TEST(Ode, EventsChangeTheState) {
  for (const char* method : {"ode45", "dop853", "adams", "radau5", "ode23tb"}) {
    const auto said = run_json({"x'' = -g",
                                "--set",
                                "g=9.81",
                                "--start",
                                "x=1,x'=0",
                                "--until",
                                "2",
                                "--integrator",
                                method,
                                "--rtol",
                                "1e-9",
                                "--event",
                                "x falling: x' -> -0.8*x'"});
    double speed = std::sqrt(2 * 9.81), t = speed / 9.81;
    ASSERT_EQ(said["events"].size(), 3u) << method;
    for (const auto& event : said["events"]) {
      EXPECT_NEAR(event["t"].get<double>(), t, 1e-6) << method;
      speed *= 0.8;
      t += 2 * speed / 9.81;
    }
    const double since = 2 - (t - 2 * speed / 9.81);
    EXPECT_NEAR(said["final"]["x"].get<double>(), speed * since - 9.81 / 2 * since * since, 1e-5)
        << method;
  }
}

TEST(Ode, EventsHaveADirection) {
  const auto times = [](const std::string& event) {
    std::vector<double> out;
    const auto said = run_json(
        {"x'' = -x", "--start", "x=1,x'=0", "--until", "9", "--rtol", "1e-9", "--event", event});
    for (const auto& e : said["events"]) out.push_back(e["t"].get<double>());
    return out;
  };
  const double half = std::acos(-1.0) / 2;
  const auto both = times("x"), up = times("x rising"), down = times("x falling");
  ASSERT_EQ(both.size(), 3u);
  ASSERT_EQ(up.size(), 1u);
  ASSERT_EQ(down.size(), 2u);
  EXPECT_NEAR(up[0], 3 * half, 1e-6);
  EXPECT_NEAR(down[1], 5 * half, 1e-6);
  const auto ended = times("x rising: stop");
  ASSERT_EQ(ended.size(), 1u);
}

TEST(Ode, EventsWithoutEndAndFaultyOnesAreNamed) {
  const Place place;
  const auto said = [&](const char* event) {
    return cardan(place,
                  {"ode", "x'' = -9.81", "--start", "x=1,x'=0", "--until", "10", "--event", event});
  };
  const Said endless = said("x falling: x' -> -0.5*x'");
  EXPECT_NE(endless.code, 0);
  EXPECT_TRUE(contains(endless.err, "numeric.chatter")) << endless.err;
  EXPECT_TRUE(contains(said("x: bounce").err, "NAME -> FORMULA"));
  EXPECT_TRUE(contains(said("x: y -> 1").err, "one of x, x'"));
  EXPECT_NE(said("x + : stop").code, 0);
}

TEST(Ode, PicturesOfSolutions) {
  const Place place;
  const Words swing{"ode", "x'' = -x", "--start", "x=1,x'=0", "--until", "6"};
  const auto with = [&](Words more) {
    Words all = swing;
    all.insert(all.end(), more.begin(), more.end());
    return cardan(place, all);
  };
  EXPECT_EQ(with({"--phase", "x, x'", "--with", "x=2", "-o", "p.svg"}).code, 0);
  const std::string picture = content_of(place.path() / "p.svg");
  EXPECT_TRUE(contains(picture, "x=2") && contains(picture, "as given")) << picture.size();
  EXPECT_EQ(with({"-o", "p.svg"}).code, 7);
  EXPECT_EQ(with({"-o", "p.svg", "--force"}).code, 0);
  EXPECT_NE(content_of(place.path() / "p.svg"), picture);
  EXPECT_EQ(with({"-o", "p.html"}).code, 0);
  EXPECT_TRUE(contains(content_of(place.path() / "p.html"), "<svg"));
  EXPECT_EQ(with({"-o", "p.txt"}).code, 2);
  EXPECT_TRUE(contains(with({"--plot", "y"}).err, "one of t, x, x'"));
  EXPECT_EQ(with({"--phase", "x"}).code, 2);
  EXPECT_TRUE(contains(with({"--plot"}).out, "\u2524"));  // an axis in the terminal
}

// The counts of a program of one's own with these rules.
TEST(Ode, StepRulesOfTheNotes) {
  const auto run = [](const char* method) {
    return run_json({"x'' = -x",
                     "--start",
                     "x=1,x'=0",
                     "--until",
                     "20",
                     "--rtol",
                     "1e-3",
                     "--atol",
                     "1e-6",
                     "--integrator",
                     method,
                     "--variant",
                     "notes",
                     "--exact",
                     "x=cos(t)"});
  };
  const auto low = run("ode23"), high = run("ode45");
  EXPECT_EQ(low["statistics"]["steps"], 101);
  EXPECT_EQ(low["statistics"]["rejected"], 14);
  EXPECT_NEAR(low["largest_errors"]["x"].get<double>(), 0.0100, 5e-5);
  EXPECT_EQ(high["statistics"]["steps"], 30);
  EXPECT_EQ(high["statistics"]["rejected"], 0);
  EXPECT_NEAR(high["largest_errors"]["x"].get<double>(), 0.0022, 5e-5);
}

// alpha = 1/4: the second stage at t + 2 h.
TEST(Ode, TwoStageFamilyByItsWeight) {
  const auto said = run_json({"x' = x + t^2",
                              "--start",
                              "x=1",
                              "--until",
                              "0.5",
                              "--integrator",
                              "rk2",
                              "--alpha",
                              "0.25",
                              "--step",
                              "0.5"});
  const double k1 = 1, k2 = (1 + 2 * 0.5 * k1) + 1;
  EXPECT_NEAR(said["final"]["x"].get<double>(), 1 + 0.5 * (0.75 * k1 + 0.25 * k2), 1e-15);
  const Place place;
  EXPECT_NE(cardan(place,
                   {"ode",
                    "x' = x",
                    "--start",
                    "x=1",
                    "--until",
                    "1",
                    "--integrator",
                    "rk2",
                    "--alpha",
                    "0",
                    "--step",
                    "0.1"})
                .code,
            0);
}

// Each option in a place where it would do nothing.
TEST(Ode, OptionsThatMeanNothingAreRefused) {
  const Place place;
  const Words fixed{
      "ode", "x' = -x", "--start", "x=1", "--until", "1", "--integrator", "rk4", "--step", "0.1"};
  const Words study{"ode", "x' = -x", "--start", "x=1", "--until", "1", "--study", "rk4"};
  const Words region{"ode", "--stability", "rk4"};
  const Words list{"ode", "--list"};
  const Words differences{"ode",
                          "x' = -x",
                          "--start",
                          "x=1",
                          "--until",
                          "1",
                          "--integrator",
                          "ab",
                          "--step",
                          "0.1",
                          "--differences"};
  const Words energies{"ode", "T = x'^2/2", "V = x^2/2", "--start", "x=1", "--until", "1"};
  const auto refused = [&](const Words& base, const std::vector<Words>& options) {
    for (const Words& option : options) {
      Words all = base;
      all.insert(all.end(), option.begin(), option.end());
      const Said said = cardan(place, all);
      EXPECT_EQ(said.code, 2) << option[0] << "\n" << said.out << said.err;
      EXPECT_TRUE(contains(said.err, option[0])) << option[0] << "\n" << said.err;
    }
  };
  const Words until{"--until", "1"}, rtol{"--rtol", "1e-5"}, atol{"--atol", "1e-5"},
      longest{"--max-step", "1"}, shortest{"--min-step", "1e-9"}, norm{"--norm-control"},
      watch{"--watch", "x"}, halvings{"--halvings", "4", "6"}, event{"--event", "x"},
      rows{"--output-step", "0.1"}, csv{"--csv"}, steps{"--steps"}, show{"--show", "x"},
      exact{"--exact", "exp(-t)"}, with{"--with", "x=2"}, plot{"--plot"}, force{"--force"},
      stop{"--stop-at-event"}, starter{"--starter", "self"}, step{"--step", "0.1"};
  refused(fixed, {rtol, atol, longest, shortest, norm, watch, halvings, with, force, stop});
  refused(study, {rtol, atol, longest, shortest, norm, event, rows, csv, steps, show, plot, stop});
  refused(region, {until, rtol, atol, watch, halvings, event, rows, csv, steps, exact, starter});
  refused(list, {until, rtol, {"--integrator", "rk4"}, {"-o", "x.svg"}, csv, step});
  refused(differences, {rtol, atol, exact, event, rows, csv, steps, show, plot, watch});
  refused(energies, {exact, steps, watch, halvings, stop, with, {"--tableau", "x"}});
}

// From the script for completion, without those of all commands.
std::set<std::string> options_of_ode(const Place& place) {
  const std::string script = cardan(place, {"completion", "bash"}).out;
  const std::size_t from = script.find(" ode) options=\"");
  EXPECT_NE(from, std::string::npos);
  std::istringstream names(script.substr(from + 15, script.find('"', from + 15) - from - 15));
  const std::set<std::string> common{"--help", "--quiet", "--verbose", "--json"};
  std::set<std::string> known;
  for (std::string name; names >> name;)
    if (name.starts_with("--") && !common.contains(name)) known.insert(name);
  return known;
}

// The option is taken, or refused by name.
void expect_use(const Place& place, const Words& base, const Words& option, bool taken) {
  Words words{"ode"};
  words.insert(words.end(), base.begin(), base.end());
  words.insert(words.end(), option.begin(), option.end());
  const Said said = cardan(place, words);
  std::filesystem::remove(place / "o.svg");
  const std::string what = base.back() + " " + option.front() + ": " + said.err;
  if (taken) {
    EXPECT_EQ(said.code, 0) << what;
    return;
  }
  EXPECT_TRUE(said.code == 2 || said.code == 4) << what;
  EXPECT_TRUE(contains(said.err, "usage.") || contains(said.err, "unknown-option")) << what;
}

// Every option of the command in every use of it: it is taken, by the table here, or refused by name.
TEST(Ode, EveryOptionIsTakenOrRefused) {
  const Place place;
  write_text(place / "mine.toml",
             "name = \"mine\"\nc = [0, 1]\na = [[], [1]]\nb = [\"1/2\", \"1/2\"]\n"
             "b_embedded = [1, 0]\n");
  const std::map<std::string, Words> values{{"--start", {"x=2"}},
                                            {"--set", {"k=1"}},
                                            {"--exact", {"exp(-t)"}},
                                            {"--event", {"x - 0.5"}},
                                            {"--show", {"x"}},
                                            {"--stop-at-event", {}},
                                            {"--from", {"0"}},
                                            {"--until", {"1"}},
                                            {"--integrator", {"ode23"}},
                                            {"--tableau", {"mine.toml"}},
                                            {"--formulation", {"projected"}},
                                            {"--order", {"4"}},
                                            {"--step", {"0.1"}},
                                            {"--rtol", {"1e-5"}},
                                            {"--atol", {"1e-5"}},
                                            {"--norm-control", {}},
                                            {"--max-step", {"1"}},
                                            {"--min-step", {"1e-9"}},
                                            {"--output-step", {"0.1"}},
                                            {"--alpha", {"0.5"}},
                                            {"--gamma", {"0.5"}},
                                            {"--beta", {"0.25"}},
                                            {"--rho", {"0.5"}},
                                            {"--variant", {"notes"}},
                                            {"--starter", {"self"}},
                                            {"--csv", {}},
                                            {"--steps", {}},
                                            {"--differences", {}},
                                            {"--list", {}},
                                            {"--phase", {"x, t"}},
                                            {"--with", {"x=2"}},
                                            {"--output", {"o.svg"}},
                                            {"--force", {}},
                                            {"--watch", {"x"}},
                                            {"--halvings", {"4", "6"}},
                                            {"--stability", {"rk4"}},
                                            {"--plot", {"x"}},
                                            {"--study", {"rk4"}}};
  const std::set<std::string> known = options_of_ode(place);
  EXPECT_EQ(known.size(), values.size());
  for (const std::string& name : known) EXPECT_TRUE(values.contains(name)) << name;

  struct Usage {
    Words base;
    std::set<std::string> taken;
  };

  const Words decay{"x' = -x", "--start", "x=1", "--until", "1"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), decay.begin(), decay.end());
    return more;
  };
  const Usage usages[] = {
      {with({"--integrator", "rk4", "--step", "0.1"}),
       {"--set",
        "--exact",
        "--event",
        "--show",
        "--from",
        "--order",
        "--output-step",
        "--csv",
        "--steps",
        "--differences",
        "--phase",
        "--output",
        "--plot"}},
      {with({}),
       {"--set",         "--exact",   "--event",     "--show",         "--from",     "--tableau",
        "--step",        "--rtol",    "--atol",      "--norm-control", "--max-step", "--min-step",
        "--output-step", "--variant", "--csv",       "--steps",        "--phase",    "--output",
        "--plot",        "--study",   "--integrator"}},
      {with({"--study", "rk4"}),
       {"--set", "--exact", "--from", "--order", "--output", "--force", "--watch", "--halvings"}},
      {{"--stability", "rk4"}, {"--order", "--output", "--force"}},
      {{"--list"}, {}},
      {with({"--integrator", "ab", "--step", "0.1", "--differences"}),
       {"--set", "--from", "--order", "--starter"}},
      {{"T = x'^2/2", "V = x^2/2", "--start", "x=1", "--until", "1"},
       {"--set",
        "--show",
        "--formulation",
        "--from",
        "--integrator",
        "--step",
        "--rtol",
        "--atol",
        "--max-step",
        "--min-step",
        "--norm-control",
        "--event",
        "--variant",
        "--output-step",
        "--csv",
        "--phase",
        "--output",
        "--plot"}}};
  for (const Usage& usage : usages)
    for (const auto& [name, value] : values) {
      if (std::find(usage.base.begin(), usage.base.end(), name) != usage.base.end()) continue;
      Words option{name};
      option.insert(option.end(), value.begin(), value.end());
      expect_use(place, usage.base, option, usage.taken.contains(name));
    }
}

TEST(Ode, MassMatricesMayBeSingular) {
  const auto said = run_json({"e*x' = 1 - x",
                              "y' = x - y",
                              "--set",
                              "e=0",
                              "--start",
                              "x=3,y=0",
                              "--until",
                              "1",
                              "--rtol",
                              "1e-10"});
  EXPECT_EQ(said["final"]["x"], 1.0);
  EXPECT_NEAR(said["final"]["y"].get<double>(), 1 - std::exp(-1.0), 1e-9);
  const Place place;
  const Said deep = cardan(
      place, {"ode", "x'' = -x - z", "0 = x - sin(t)", "--start", "x=0,x'=1,z=0", "--until", "1"});
  EXPECT_EQ(deep.code, 6);
  EXPECT_TRUE(contains(deep.err, "numeric.singular") && contains(deep.err, "'z'")) << deep.err;
}

TEST(Ode, ListNamesEveryMethod) {
  const Place place;
  const Said said = cardan(place, {"ode", "--list"});
  EXPECT_EQ(said.code, 0);
  for (const char* name : {"euler",
                           "taylor2",
                           "heun",
                           "rk2",
                           "midpoint",
                           "rk3",
                           "rk4",
                           "euler2",
                           "ab",
                           "am",
                           "pece",
                           "ampc",
                           "mampc",
                           "verlet",
                           "backward-euler",
                           "trapezoidal",
                           "newmark",
                           "hht",
                           "generalized-alpha",
                           "bdf-fixed",
                           "gauss",
                           "radau-fixed",
                           "sdirk",
                           "ode23",
                           "ode45",
                           "rkf45",
                           "dop853",
                           "adams",
                           "bdf",
                           "radau5",
                           "esdirk",
                           "rosenbrock",
                           "ode23s",
                           "ode23t",
                           "ode23tb",
                           "ode113",
                           "ode15s"}) {
    EXPECT_TRUE(contains(said.out, name)) << name;
  }
}

TEST(Ode, TableAndCsv) {
  const Place place;
  const Said table = cardan(
      place,
      {"ode", "x' = x", "--start", "x=1", "--until", "1", "--integrator", "rk4", "--step", "0.25"});
  EXPECT_EQ(table.code, 0);
  EXPECT_TRUE(contains(table.out, "2.718209939"));
  EXPECT_TRUE(contains(table.out, "17 evaluations"));
  const Said csv = cardan(place,
                          {"ode",
                           "x' = x",
                           "--start",
                           "x=1",
                           "--until",
                           "1",
                           "--integrator",
                           "rk4",
                           "--step",
                           "0.25",
                           "--csv",
                           "--exact",
                           "exp(t)"});
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "t,x,error x");
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 6);
}

TEST(Ode, FaultsAndTheirCodes) {
  const Place place;

  struct Case {
    Words words;
    int code;
    const char* says;
  };

  write_text(place / "bad.toml", "equations = \"x' = x\"\nuntil = 1\nstrat = 1\n[start]\nx = 1\n");
  const std::vector<Case> cases{
      {{"x' = x", "--until", "1"}, 4, "start value of x"},
      {{"x' = x", "--start", "x=1"}, 2, "--until"},
      {{"x' = y", "--start", "x=1", "--until", "1"}, 4, "model.unknown-name"},
      {{"x' = x +", "--start", "x=1", "--until", "1"}, 3, "syntax.expression"},
      {{"x' = x", "--start", "x=1", "--until", "1", "--integrator", "rk44"}, 4, "'rk4'"},
      {{"x' = x", "--start", "x=1", "--until", "1", "--integrator", "rk4"}, 2, "--step"},
      {{"x' = x", "--start", "x=1", "--until", "1", "--integrator", "newmark", "--step", "0.1"},
       4,
       "second"},
      {{"x' = x^2", "--start", "x=1", "--until", "2"}, 6, "numeric."},
      {{"x' = sqrt(-x)", "--start", "x=1", "--until", "2"}, 6, "numeric.not-finite"},
      {{"bad.toml"}, 4, "strat"},
      {{"missing.toml"}, 7, "missing.toml"},
      {{}, 2, "equations"}};
  for (const Case& c : cases) {
    Words words{"ode"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const Said said = cardan(place, words);
    EXPECT_EQ(said.code, c.code) << said.err;
    EXPECT_TRUE(contains(said.err, c.says)) << said.err;
  }
}

}  // namespace

}  // namespace cardan::test
