#include "cardan/model/analysis_type.h"
#include "command.h"

namespace cardan::app {

extern const Command check_command, run_command, resume_command, export_command, explain_command,
    new_command, report_command, view_command, plot_command, table_command, animate_command,
    ode_command, method_command, compare_command, matrices_command, parameters_command,
    sensitivity_command, sweep_command, diff_command, verify_command, selftest_command,
    runs_command, documents_command, show_command, completion_command, watch_command, study_command,
    optimise_command;
Command analysis_command(const AnalysisType&);

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> list{check_command, run_command};
    for (const AnalysisType& type : analysis_types()) list.push_back(analysis_command(type));
    for (const Command& command :
         {resume_command,    compare_command,   study_command,      report_command,
          view_command,      runs_command,      show_command,       plot_command,
          table_command,     animate_command,   export_command,     diff_command,
          verify_command,    selftest_command,  ode_command,        method_command,
          documents_command, matrices_command,  parameters_command, sensitivity_command,
          sweep_command,     optimise_command,  explain_command,    new_command,
          watch_command,     completion_command})
      list.push_back(command);
    return list;
  }();
  return all;
}

}  // namespace cardan::app
