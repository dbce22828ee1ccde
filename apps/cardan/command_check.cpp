// cardan check MODEL: is the model sound, can it be assembled, and how can it move? No simulation.
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "browser.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/run.h"
#include "cardan/analysis/start/model_overview.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "cardan/session/model_picture.h"
#include "command.h"
#include "model_arguments.h"

namespace cardan::app {

namespace command_check {

nlohmann::ordered_json to_json(const Mobility& m) {
  return {{"bodies", m.bodies},
          {"coordinates", m.coordinates},
          {"equations", m.equations},
          {"driver_equations", m.driver_equations},
          {"rank", m.rank},
          {"dof", m.dof},
          {"dof_here", m.dof_here},
          {"counted_dof", m.counted_dof},
          {"redundant", m.redundant.size()},
          {"free_coordinates", m.free_coordinates},
          {"distance_to_singular", m.distance_to_singular}};
}

nlohmann::ordered_json to_json(const ModelOverview& o) {
  nlohmann::ordered_json json{{"size", o.size},
                              {"mass", o.mass},
                              {"bodies", o.bodies},
                              {"joints", o.joints},
                              {"drivers", o.drivers},
                              {"forces", o.forces},
                              {"contacts", o.contacts},
                              {"equations", o.equations}};
  json["start"] = nlohmann::ordered_json::array();
  for (const auto& d : o.starts)
    json["start"].push_back({{"driver", d.name},
                             {"unit", d.turns ? "rad" : "m"},
                             {"value", d.value},
                             {"rate", d.rate}});
  json["analyses"] = nlohmann::ordered_json::array();
  for (const auto& s : o.spans)
    json["analyses"].push_back({{"type", s.analysis}, {"from", s.from}, {"until", s.until}});
  return json;
}

struct Options {
  ModelRequest model;
  bool channels = false, force = false;
  std::optional<std::string> picture;  // file
};

void list_channels(const Checked& checked, const Console& console) {
  const Recorder recorder(*checked.system, {}, !checked.assembly.mobility.indeterminate.empty());
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Channel& c : recorder.all_channels()) {
    text += fmt::format("{:<36} {:<8} {}\n", c.name, c.unit, c.quantity);
    list.push_back({{"name", c.name}, {"unit", c.unit}, {"quantity", c.quantity}});
  }
  console.print(text);
  console.print_json("channels", {{"channels", list}});
}

// The assembled pose, or the nearest that was found.
std::optional<Diagnostic> draw_picture(const Model& model,
                                       const Checked& checked,
                                       const Options& options,
                                       const Console& console) {
  State pose = checked.assembly.state;
  pose.a.resize(pose.v.size(), 0.0);
  const std::string svg = model_picture(model, Recorder(*checked.system, {}).body_states(pose));
  const std::filesystem::path file = *options.picture;
  std::error_code error;
  if (!options.force && std::filesystem::exists(file, error)) return already_there(file);
  std::string drawn = svg;
  if (file.extension() == ".png" || file.extension() == ".pdf") {
    constexpr int width = 900, height = 600;  // of the picture
    auto made = file.extension() == ".png" ? png_of_svg(svg, width, height)
                                           : pdf_of_svg(svg, width, height);
    if (!made) return made.why().front();
    drawn = std::move(made).value();
  }
  if (auto fault = write_file(file, drawn)) return fault;
  console.print(file.string() + "\n");
  return {};
}

int work(const Options& options, const Console& console) {
  const auto model = read(options.model);
  if (!model) return console.fail(model.why());
  Checked checked = check_model(model.value());
  if (checked.system != nullptr && checked.assembly.ok) {
    const Diagnostics judged = judge_analyses(model.value(), *checked.system, checked.assembly);
    checked.diagnostics.insert(checked.diagnostics.end(), judged.begin(), judged.end());
  }
  console.report(checked.diagnostics);
  if (checked.system != nullptr && checked.assembly.ok) {
    const ModelOverview overview = overview_of(model.value(), *checked.system, checked.assembly);
    if (!console.quiet()) {
      console.print(overview_text(overview));
      console.print(mobility_text(checked.assembly.mobility));
    }
    const auto unused = unused_parameters(model.value());
    if (!console.quiet() && !unused.empty())
      console.print(fmt::format("unused parameters     {}\n", fmt::join(unused, ", ")));
    nlohmann::ordered_json json = to_json(overview);
    json["unused_parameters"] = unused;
    console.print_json("overview", json);
    console.print_json("mobility", to_json(checked.assembly.mobility));
    if (options.channels) list_channels(checked, console);
  }
  if (options.picture && checked.system != nullptr && model.value().own == nullptr)
    if (const auto fault = draw_picture(model.value(), checked, options, console))
      return console.fail(*fault);
  return exit_code(checked.diagnostics);
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  add_model(line, options->model);
  line.option("--picture", options->picture, "A drawing of the assembled pose: .svg, .png or .pdf");
  line.flag("--force", options->force, "Replace the picture if it is there");
  line.flag("--channels", options->channels, "Also the names and units of all results");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_check

extern const Command check_command;
const Command check_command{
    "check", "Check a model and show how it can move", command_check::define};

}  // namespace cardan::app
