#include "guard.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include <unistd.h>

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

// Where there is no memory for a message either.
int without_memory() noexcept {
  std::fputs("error [limit.memory]: there is not enough memory\n", stderr);
  return 8;
}

// The JSON library needs memory even to destroy a value, and throws where nothing may be thrown. What
// was stored up to the last checkpoint stays.
[[noreturn]] void end_without_memory() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) std::abort();
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    _exit(without_memory());
  } catch (...) {
    std::fputs("error [defect.internal]: an exception where none may be\n", stderr);
    _exit(70);
  }
}

int fail(const Console& console, const char* id, const char* found, const char* hint) noexcept {
  try {
    return console.fail(usage_fault(id, found, hint));
  } catch (...) {
    return without_memory();
  }
}

}  // namespace

int guarded(const Console& console, const std::function<int()>& work) {
  std::set_terminate(end_without_memory);
  const char* report_it = "report this with the model that led to it: it is a defect of Cardan";
  try {
    const int code = work();
    return code == 0 && !printed_whole() ? 7 : code;
  } catch (const std::bad_alloc&) {
    return fail(
        console, "limit.memory", "there is not enough memory", "a smaller model or fewer outputs");
  } catch (const std::exception& error) {
    return fail(console, "defect.internal", error.what(), report_it);
  } catch (...) {
    return fail(console, "defect.internal", "an unknown exception", report_it);
  }
}

}  // namespace cardan::app
