#include "guard.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "cardan/results/faults.h"

namespace cardan::app {

namespace {

// What was printed may not have reached the file or the pipe behind the standard output.
bool printed_whole() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return true;
  const auto fault = write_fault("standard output", "what was printed is lost");
  std::fputs((to_text(fault) + "\n").c_str(), stderr);
  return false;
}

}  // namespace

int guarded(const Console& console, const std::function<int()>& work) {
  const char* report_it = "report this with the model that led to it: it is a defect of Cardan";
  try {
    const int code = work();
    return code == 0 && !printed_whole() ? 7 : code;
  } catch (const std::bad_alloc&) {
    return console.fail(usage_fault(
        "limit.memory", "there is not enough memory", "a smaller model or fewer outputs"));
  } catch (const std::exception& error) {
    return console.fail(usage_fault("defect.internal", error.what(), report_it));
  } catch (...) {
    return console.fail(usage_fault("defect.internal", "an unknown exception", report_it));
  }
}

}  // namespace cardan::app
