#include "interrupt.h"

#include <csignal>

namespace cardan::app {

namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int) {
  caught = 1;
}

}  // namespace

void catch_interrupt() {
  struct sigaction action {};

  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one has its usual effect
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() {
  return caught != 0;
}

void ignore_size_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace cardan::app
