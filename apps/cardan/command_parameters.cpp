// cardan parameters MODEL: what can be varied, and what follows from it.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "model_arguments.h"

namespace cardan::app {

namespace command_parameters {

// "body 'crank' (at, mass)" for every element that follows from the parameter.
std::vector<std::string> users_of(const std::string& parameter, const Model& model) {
  std::vector<std::pair<std::string, std::vector<std::string>>> users;
  for (const ParameterUse& use : model.parameter_uses) {
    const auto& names = use.parameters;
    if (std::find(names.begin(), names.end(), parameter) == names.end()) continue;
    const std::string element = use.element.empty() ? "model" : use.element;
    auto found = std::find_if(
        users.begin(), users.end(), [&](const auto& user) { return user.first == element; });
    if (found == users.end()) found = users.insert(users.end(), {element, {}});
    auto& keys = found->second;
    if (std::find(keys.begin(), keys.end(), use.key) == keys.end()) keys.push_back(use.key);
  }
  std::vector<std::string> words;
  for (const auto& [element, keys] : users)
    words.push_back(fmt::format("{} ({})", element, fmt::join(keys, ", ")));
  return words;
}

int work(const ModelRequest& request, const Console& console) {
  const auto model = read(request);
  if (!model) return console.fail(model.why());
  const auto known = parametric(request, model.value());
  if (!known) return console.fail(known.why());
  std::string text = known.value().parameters().empty() ? "the model has no parameters\n" : "";
  auto list = nlohmann::ordered_json::array();
  for (const ParameterInfo& p : known.value().parameters()) {
    const std::string unit = si_unit(p.dimension);
    const auto users = users_of(p.name, model.value());
    text += fmt::format("{} = {:.10g}{}{}", p.name, p.value, unit.empty() ? "" : " ", unit);
    if (!p.uses.empty()) text += fmt::format("   from {}: {}", fmt::join(p.uses, ", "), p.text);
    if (p.structural) text += "   decides how many elements there are";
    text += users.empty() ? "\n    not used\n" : "\n";
    for (const std::string& user : users) text += "    " + user + "\n";
    list.push_back({{"name", p.name},
                    {"value", p.value},
                    {"unit", unit},
                    {"text", p.text},
                    {"follows_from", p.uses},
                    {"structural", p.structural},
                    {"used_by", users}});
  }
  console.print(text);
  console.print_json("parameters", {{"parameters", list}});
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto request = std::make_shared<ModelRequest>();
  add_model(line, *request);
  line.json_flag(console);
  return [request, &console] {
    return work(*request, console);
  };
}

}  // namespace command_parameters

extern const Command parameters_command;
const Command parameters_command{"parameters",
                                 "List the parameters of a model and what follows from them",
                                 command_parameters::define};

}  // namespace cardan::app
