// cardan check MODEL: is the model sound, can it be assembled, and how can it move? No simulation.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
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

int work(const ModelRequest& request, const Console& console) {
  const auto model = read(request);
  if (!model) return console.fail(model.why());
  const Checked checked = check_model(model.value());
  console.report(checked.diagnostics);
  if (checked.system != nullptr && checked.assembly.ok) {
    console.print(mobility_text(checked.assembly.mobility));
    console.print_json("mobility", to_json(checked.assembly.mobility));
  }
  return exit_code(checked.diagnostics);
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto request = std::make_shared<ModelRequest>();
  add_model(line, *request);
  line.json_flag(console);
  return [request, &console] {
    return work(*request, console);
  };
}

}  // namespace command_check

extern const Command check_command;
const Command check_command{
    "check", "Check a model and tell how it can move", command_check::define};

}  // namespace cardan::app
