// What bin/check counts the instructions of, under callgrind with --toggle-collect='*count_these_instructions*':
//   evaluation  one evaluation of the accelerations of Andrews' mechanism
//   chain       the same of 1,000 pins in a row
//   set-up      from Andrews' model to the first step
// Each was done once before, so that memory and tables are there.
#include <cstdio>
#include <functional>

#include "evaluation.h"

namespace cardan::bench {

[[gnu::noinline]] void count_these_instructions(const std::function<void()>& call) {
  call();
}

namespace {

void count(const std::function<void()>& call) {
  call();
  count_these_instructions(call);
}

bool run(const std::string& name) {
  if (name == "set-up") {
    const Model model = example("andrews");
    count([&] { set_up(model); });
    return true;
  }
  if (name != "evaluation" && name != "chain") return false;
  Evaluation evaluate(name == "evaluation" ? example("andrews") : chain(1000));
  count([&] { evaluate(); });
  return true;
}

}  // namespace

}  // namespace cardan::bench

int main(int count, char** arguments) {
  if (count == 2 && cardan::bench::run(arguments[1])) return 0;
  std::fprintf(stderr, "count_case: evaluation, chain or set-up\n");
  return 2;
}
