// One case of bin/bench --case, beside the yardstick in the same run: run_case NAME [--points]
//   NAME <accuracy or size> ours <us> yardstick <us> ratio <r>
//   NAME point <program> tolerance <rtol> error <rad> us <us>      with --points, of solves
// Microseconds of processor time, the least of several samples. Solves go from a compiled system and an initial
// state to the end state, without set-up and rows; evaluations are those of the accelerations.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>

#include "cardan/formulation/formulation.h"
#include "evaluation.h"
#include "yardstick/yardstick.h"

namespace cardan::bench {

namespace {

bool shows_points = false;  // run_case NAME --points: every tolerance of a solve too

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Microseconds a call, the least of the samples.
double least_time(int samples, const std::function<void()>& call) {
  call();
  int calls = 1;
  double best = INFINITY;
  for (int s = 0; s < samples;) {
    const double start = processor_seconds();
    for (int k = 0; k < calls; ++k) call();
    const double took = processor_seconds() - start;
    if (took < 1e-3 && s == 0 && calls < 1000000) {
      calls *= 4;
      continue;
    }
    best = std::min(best, took / calls);
    ++s;
  }
  return 1e6 * best;
}

void print_line(const std::string& name, const std::string& at, double ours, double yardstick) {
  std::printf("%s %s ours %.4g yardstick %.4g ratio %.3g\n",
              name.c_str(),
              at.c_str(),
              ours,
              yardstick,
              ours / yardstick);
  std::fflush(stdout);
}

// ---- one evaluation

void evaluate_andrews() {
  Evaluation evaluate(example("andrews"));
  print_line(
      "evaluation", "andrews", least_time(25, [&] { evaluate(); }), yardstick::evaluation_us());
}

// One state of `reduced` beside one evaluation of the yardstick, and eight at once beside one.
void evaluate_packs() {
  const Model model = example("andrews");
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options = options_of(model);
  options.formulation = "reduced";
  auto formulation = value_of(make_formulation({system, start.mobility.active, options}));
  const auto n = static_cast<std::size_t>(formulation->size());
  std::vector<double> y(n), dy(n);
  formulation->parametrize(start.state, y);
  formulation->reserve_several(8);
  std::vector<double> t(8, start.state.t), several(8 * n), rates(8 * n);
  for (std::size_t i = 0; i < 8 * n; ++i) several[i] = y[i / 8];
  const double one = least_time(25, [&] { formulation->evaluate(start.state.t, y, dy); });
  const double eight = least_time(25, [&] { formulation->evaluate_several(8, t, several, rates); });
  print_line("states", "1", one, yardstick::evaluation_us());
  print_line("states", "8", eight, one);
}

// Per body, beside one evaluation of the yardstick.
void evaluate_sizes(const std::string& name,
                    const std::vector<int>& sizes,
                    const std::function<Model(int)>& make) {
  const double unit = yardstick::evaluation_us();
  for (const int n : sizes) {
    Evaluation evaluate(make(n));
    const double us = least_time(n > 20000 ? 5 : 11, [&] { evaluate(); });
    print_line(name, std::to_string(n), us / evaluate.bodies(), unit);
  }
}

// ---- whole solves

struct Solve {
  double us = INFINITY;
  State end;
};

std::optional<Solve> solve(const System& system,
                           const Assembly& start,
                           const DynamicOptions& options,
                           int samples) {
  Solve out;
  for (int s = 0; s < samples; ++s) {
    Simulation simulation(system, start.mobility, options, start.state);
    if (simulation.prepare()) return {};
    const double before = processor_seconds();
    if (simulation.start()) return {};
    if (simulation.step_to(options.until).why != Simulation::Stop::Why::reached) return {};
    out.us = std::min(out.us, 1e6 * (processor_seconds() - before));
    out.end = simulation.state();
  }
  return out;
}

struct Point {
  double error = 0, us = 0;
};

// The time at the loosest tolerance from which all tighter ones keep the error.
std::optional<double> time_at(const std::vector<Point>& points, double error) {
  std::optional<double> found;
  for (auto p = points.rbegin(); p != points.rend() && p->error <= error; ++p) found = p->us;
  return found;
}

constexpr int loosest = 6, tightest = 24;  // tolerances 10^(-k/2)

double tolerance(int k) {
  return std::pow(10.0, -0.5 * k);
}

void solve_andrews(const std::string& name,
                   const std::string& formulation,
                   const std::string& integrator,
                   yardstick::Method method) {
  const Model model = example("andrews");
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  const auto turns = yardstick::reference_turns();
  DynamicOptions options = options_of(model);
  options.formulation = formulation;
  options.integrator = integrator;
  std::vector<Point> ours, theirs;
  const auto show = [&](const char* program, double tolerance, const Point& p) {
    if (shows_points)
      std::printf("%s point %s tolerance %.3g error %.3g us %.4g\n",
                  name.c_str(),
                  program,
                  tolerance,
                  p.error,
                  p.us);
  };
  for (int k = loosest; k <= tightest; ++k) {
    options.rtol = options.atol = tolerance(k);
    const auto made = solve(system, start, options, 7);
    double error = made ? 0 : INFINITY;
    for (std::size_t b = 0; b < turns.size() && made; ++b)
      error =
          std::max(error, std::abs(made->end.q[3 * b + 2] - start.state.q[3 * b + 2] - turns[b]));
    ours.push_back({error, made ? made->us : 0});
    const auto yard = yardstick::solve(method, tolerance(k), 5);
    theirs.push_back({yard.error, yard.us});
    show((formulation + "+" + integrator).c_str(), tolerance(k), ours.back());
    show("yardstick", tolerance(k), theirs.back());
  }
  for (const double error : {1e-6, 1e-8, 1e-10}) {
    const auto mine = time_at(ours, error), other = time_at(theirs, error);
    if (mine && other)
      print_line(name, fmt::format("{:.0e}", error), *mine, *other);
    else
      std::printf("%s %.0e not reached\n", name.c_str(), error);
  }
}

// A whole solve beside the yardstick's at tolerance 1e-8, as the measure of the machine.
void solve_model(const std::string& name,
                 const std::string& at,
                 const Model& model,
                 const std::function<void(DynamicOptions&)>& set,
                 int samples) {
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options = options_of(model);
  set(options);
  const auto made = solve(system, start, options, samples);
  if (!made) {
    std::printf("%s %s failed\n", name.c_str(), at.c_str());
    return;
  }
  print_line(name, at, made->us, yardstick::solve(yardstick::Method::range, 1e-8, 5).us);
}

Model four_bars(int n) {
  ReadOptions options;
  options.set = {{"n", std::to_string(n)}};
  return value_of(read_model(std::string(CARDAN_MODELS) + "/n-four-bar/model.toml", options));
}

// f of `reduced` beside f of `projected`, which solves with S, and two seconds of motion, which pass two flat poses.
void loops(const std::string& name, int n) {
  const Model model = four_bars(n);
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options = options_of(model);
  options.integrator = "dop853";
  options.rtol = options.atol = 1e-7;
  options.until = 2;
  double evaluation[2], steps[2];
  int k = 0;
  for (const char* formulation : {"reduced", "projected"}) {
    options.formulation = formulation;
    auto made = value_of(make_formulation({system, start.mobility.active, options}));
    std::vector<double> y(static_cast<std::size_t>(made->size())), dy(y);
    made->parametrize(start.state, y);
    evaluation[k] = least_time(11, [&] { (void)made->evaluate(start.state.t, y, dy); });
    const auto solved = solve(system, start, options, 2);
    steps[k++] = solved ? solved->us : INFINITY;
  }
  print_line(name, fmt::format("{}", n), evaluation[0], evaluation[1]);
  print_line(name, fmt::format("{}-steps", n), steps[0], steps[1]);
}

void start_up() {
  const Model model = example("andrews");
  print_line("start-up",
             "andrews",
             least_time(9, [&] { set_up(model); }),
             yardstick::solve(yardstick::Method::range, 1e-8, 5).us);
}

bool run(const std::string& name) {
  const std::vector<int> sizes{10, 100, 1000, 10000, 100000};
  if (name == "evaluation") {
    evaluate_andrews();
  } else if (name == "states") {
    evaluate_packs();
  } else if (name == "andrews") {
    solve_andrews(name, "reduced", "gauss-simd", yardstick::Method::range);
  } else if (name == "dop853") {
    solve_andrews(name, "reduced", "dop853", yardstick::Method::range);
  } else if (name == "projected") {
    solve_andrews(name, "projected", "dop853", yardstick::Method::range);
  } else if (name == "reduced") {
    solve_andrews(name, "reduced", "dop853", yardstick::Method::structured);
  } else if (name == "four-bars") {
    evaluate_sizes(name, {2, 40, 1000}, four_bars);
  } else if (name == "loops") {
    for (const int n : {2, 40, 1000}) loops(name, n);
  } else if (name == "chain-pin") {
    evaluate_sizes(name, sizes, chain);
  } else if (name == "chain-ball") {
    evaluate_sizes(name, sizes, [](int n) { return spatial_chain("spherical", n); });
  } else if (name == "chain-hinge") {
    evaluate_sizes(name, sizes, [](int n) { return spatial_chain("revolute", n); });
  } else if (name == "vehicle") {
    solve_model(
        name,
        "radau5",
        example("vehicle"),
        [](DynamicOptions& o) {
          o.until = 0.5;
          o.rtol = 1e-6;
          o.formulation = "projected";
          o.integrator = "radau5";
        },
        2);
  } else if (name == "stiff") {
    solve_model(
        name, "governor", example("flyball-governor"), [](DynamicOptions&) {}, 2);
  } else if (name == "start-up") {
    start_up();
  } else {
    return false;
  }
  return true;
}

}  // namespace

}  // namespace cardan::bench

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "";
  cardan::bench::shows_points = count > 2 && std::string(arguments[2]) == "--points";
  try {
    if (cardan::bench::run(name)) return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "run_case: %s\n", e.what());
    return 1;
  }
  std::fprintf(stderr,
               "run_case: cases are evaluation, states, andrews, dop853, projected, reduced, "
               "four-bars, loops, chain-pin, "
               "chain-ball, chain-hinge, vehicle, stiff, start-up\n");
  return 2;
}
