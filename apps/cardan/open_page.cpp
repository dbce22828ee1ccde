#include "open_page.h"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "browser.h"
#include "console.h"

namespace cardan::app {

std::optional<Diagnostic> open_page(const std::filesystem::path& page) {
  std::string program;
  if (const char* browser = std::getenv("BROWSER"); browser != nullptr && *browser != '\0')
    program = in_search_path(browser);
  for (const char* name : {"xdg-open", "open", "sensible-browser"})
    if (program.empty()) program = in_search_path(name);
  const std::string file = std::filesystem::absolute(page).string();
  if (program.empty()) {
    Diagnostic d = usage_fault(
        "io.open", "no program that shows pages (xdg-open, open)", "open " + file + " yourself");
    d.severity = Severity::warning;
    return d;
  }
  const pid_t child = fork();
  if (child == 0) {
    // A second process, so that nobody waits for the browser.
    if (fork() == 0) {
      setsid();
      const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int stream : {0, 1, 2}) dup2(nothing, stream);
      execl(program.c_str(), program.c_str(), file.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
  return {};
}

}  // namespace cardan::app
