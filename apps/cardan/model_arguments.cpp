#include "model_arguments.h"

#include <algorithm>

#include "cardan/model/analysis_type.h"
#include "cardan/session/analysis_options.h"

namespace cardan::app {

void add_model(CommandLine& line, ModelRequest& request) {
  line.option("MODEL", request.path, "The model file, or a folder with a model.toml").required();
  add_model_options(line, request);
}

void add_model_options(CommandLine& line, ModelRequest& request) {
  line.option("--set", request.set, "Another value for a parameter; may be repeated")
      .word("NAME=VALUE")
      .one_each();
  line.flag("--spatial", request.spatial, "Run a planar model as a spatial one in the plane z = 0");
}

void AnalysisArguments::add_to(CommandLine& line,
                               std::string_view analysis,
                               const std::vector<std::string_view>& only) {
  const AnalysisType& type = *find_analysis(analysis);
  given_.reserve(type.fields.size());
  for (const OptionField& field : type.fields) {
    const KeySpec& key = field.key;
    if (!only.empty() && std::find(only.begin(), only.end(), key.name) == only.end()) continue;
    Given& given = given_.emplace_back(Given{std::string(key.name), {}, false});
    std::string help(key.doc);
    help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
    const std::string flag = option_flag(key.name);
    if (key.kind == ValueKind::boolean)
      line.flag(flag.c_str(), given.flag, help.c_str());
    else
      line.option(flag.c_str(), given.text, help.c_str());
  }
}

void AnalysisArguments::give_to(ModelRequest& request) const {
  for (const Given& given : given_) {
    if (given.flag) request.give(given.key, "true");
    if (!given.text.empty()) request.give(given.key, given.text);
  }
}

std::string AnalysisArguments::given(std::initializer_list<std::string_view> keys) const {
  for (const Given& given : given_)
    if ((given.flag || !given.text.empty()) &&
        std::find(keys.begin(), keys.end(), given.key) != keys.end())
      return option_flag(given.key);
  return {};
}

}  // namespace cardan::app
