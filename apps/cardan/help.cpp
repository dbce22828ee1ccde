#include "help.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cardan/session/method_reference.h"

namespace cardan::app {

namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true, false);
    std::string names;
    for (const auto& name : option->get_snames()) names += (names.empty() ? "-" : ", -") + name;
    for (const auto& name : option->get_lnames()) names += (names.empty() ? "--" : ", --") + name;
    return names;
  }

  // In the line of usage: RUN..., and brackets about what may be left out.
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name =
        make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const bool flag = option->get_type_size() == 0 || option->get_type_name().empty();
    if (flag || option->get_positional()) return "";
    std::string text = " " + value_word(option->get_type_name());
    if (option->get_expected_max() > 2 && option->get_allow_extra_args()) text += " ...";
    if (option->get_expected_max() == 2) text = text + text;
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    const std::string otherwise = option->get_default_str();
    if (!otherwise.empty()) text += fmt::format(" (otherwise {})", otherwise);
    return text;
  }

 private:
  // TEXT:FLOAT in [0 - 1] is a number to people; a choice tells its words in its description.
  static std::string value_word(const std::string& type) {
    if (type.starts_with("INT") || type.starts_with("UINT")) return "N";
    if (type.starts_with("FLOAT")) return "NUMBER";
    if (type.starts_with("TEXT") || type.empty()) return "VALUE";
    return type.substr(0, type.find_first_of(":{ "));
  }
};

struct Example {
  std::string_view command, lines;
};

constexpr Example table[] = {
    {"check",
     "cardan check press.toml                  is it sound, how large, how can it move?\n"
     "cardan check press.toml --set crank=70mm  with another value of a parameter\n"
     "cardan check press.toml --picture press.svg\n"
     "cardan check press.toml --channels       the names of its results"},
    {"run",
     "cardan run press.toml                    all analyses of the model, into runs/press/1\n"
     "cardan run press.toml --set speed=1500rpm --until 3s --open\n"
     "cardan run press.toml --integrator rk4 --step 0.1ms --formulation baumgarte --alpha 20\n"
     "cardan run press.toml -o out --force -v  into a folder of your own, with all notes"},
    {"assemble", "cardan assemble fourbar.toml --branches  all ways to put it together"},
    {"kinematic",
     "cardan kinematic press.toml --until 2s   positions, velocities, accelerations of a driven "
     "mechanism"},
    {"inverse", "cardan inverse press.toml --until 2s     the driver's torque and all reactions"},
    {"dynamic", "cardan dynamic pendulum.toml --until 10s --rtol 1e-8"},
    {"linearise",
     "cardan linearise car.toml                frequencies and damping about the start\n"
     "cardan linearise car.toml --frequencies 1,2,5,10 --inputs 'road' --outputs 'car.y'"},
    {"equilibrium", "cardan equilibrium car.toml              where it comes to rest"},
    {"resume", "cardan resume runs/press/1"},
    {"compare", "cardan compare press.toml --accuracy 1e-6 --budget 30"},
    {"study",
     "cardan study press.toml --step-halving --integrator rk4\n"
     "cardan study press.toml --vary alpha=20:20:200 --formulation baumgarte --integrator rk4 "
     "--step 1ms"},
    {"report",
     "cardan report runs/press/1 --open\n"
     "cardan report runs/press/1 runs/press/2 -o both.html\n"
     "cardan report runs/press/1 --pdf press.pdf       two sheets to hand over"},
    {"view",
     "cardan view                              all runs below the folder runs\ncardan view "
     "runs/press/1"},
    {"runs", "cardan runs                              all runs below the folder runs"},
    {"show",
     "cardan show runs/press/1                 what was run and what came out\ncardan show "
     "runs/press/1 --units mm,deg,kN"},
    {"plot",
     "cardan plot runs/press/1 motor.torque ram.x -o press.png\n"
     "cardan plot runs/press/1 ram.x --with runs/press/2 --term"},
    {"table",
     "cardan table runs/press/1 'main bearing.*' --units kN,mm,deg\n"
     "cardan table runs/press/1 ram.x --at 0.1,0.2 --format csv"},
    {"animate", "cardan animate runs/press/1 -o press.gif"},
    {"export",
     "cardan export runs/press/1 -o press.csv\n"
     "cardan export runs/press/1 -o press.mat        for MATLAB\n"
     "cardan export runs/press/1 -o press.xlsx -c 'ram.*'"},
    {"diff", "cardan diff runs/press/1 runs/press/2"},
    {"verify", "cardan verify runs/press/1"},
    {"selftest", "cardan selftest"},
    {"ode", "cardan ode \"x'' = -x\" --start \"x=1,x'=0\" --until 10 --plot"},
    {"method", "cardan method dop853"},
    {"matrices", "cardan matrices fourbar.toml"},
    {"parameters", "cardan parameters press.toml"},
    {"sensitivity", "cardan sensitivity press.toml"},
    {"sweep",
     "cardan sweep press.toml --vary speed=60rpm,120rpm,180rpm --measure 'peak = "
     "max(abs(\"motor.torque\"))'\n"
     "cardan sweep show sweeps/press/1\n"
     "cardan view sweeps/press/1"},
    {"optimise",
     "cardan optimise press.toml --over 'k=5:50 N/mm' --minimise 'max(abs(\"motor.torque\"))'"},
    {"documents", "cardan documents 002 \"figure 7\""},
    {"explain", "cardan explain assembly.conflict"},
    {"new", "cardan new press                         press/model.toml, commented, to start from"},
    {"completion", "cardan completion bash > ~/.local/share/bash-completion/completions/cardan"},
    {"watch",
     "cardan watch press.toml                  checks it again at every save, until Ctrl-C"},
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  auto formatter = std::make_shared<HelpFormatter>();
  constexpr std::size_t left = 34;  // columns of names of options
  formatter->column_width(left);
  return formatter;
}

std::string examples_of(std::string_view command) {
  for (const Example& e : table) {
    if (e.command != command) continue;
    std::string text = "Examples:\n  ";
    for (const char c : e.lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    if (command == "run" || command == "dynamic") text += "\n\n" + method_lines();
    return text;
  }
  return {};
}

}  // namespace cardan::app
