#pragma once
// MODEL and the options that change what it says: the same for every command that reads a model.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/session/model_request.h"
#include "command_line.h"

namespace cardan::app {

void add_model(CommandLine&, ModelRequest&);          // MODEL, --set and --spatial
void add_model_options(CommandLine&, ModelRequest&);  // without MODEL

// Options of analyses as given on the command line, until they are put into a request.
class AnalysisArguments {
 public:
  // An option for every key of the analysis; only: those.
  void add_to(CommandLine&,
              std::string_view analysis,
              const std::vector<std::string_view>& only = {});
  void give_to(ModelRequest&) const;

  // The first of these keys whose option was given, as "--max-step"; empty: none of them.
  std::string given(std::initializer_list<std::string_view> keys) const;

 private:
  struct Given {
    std::string key, text;
    bool flag = false;
  };

  std::vector<Given> given_;  // one place for each option; stays where it is once added
};

}  // namespace cardan::app
