#include <array>

#include "command.h"

namespace cardan::app {

extern const Command check_command, assemble_command, run_command, resume_command, export_command,
    explain_command, new_command, report_command, view_command, plot_command, table_command,
    animate_command, ode_command, compare_command;

std::span<const Command* const> commands() {
  static constexpr std::array all{&check_command,
                                  &assemble_command,
                                  &run_command,
                                  &resume_command,
                                  &compare_command,
                                  &report_command,
                                  &view_command,
                                  &plot_command,
                                  &table_command,
                                  &animate_command,
                                  &export_command,
                                  &ode_command,
                                  &explain_command,
                                  &new_command};
  return all;
}

}  // namespace cardan::app
