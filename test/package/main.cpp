// Reads a pendulum, compiles and assembles it through the installed library.
#include <cstdio>

#include <cardan/cardan.h>

namespace {

constexpr const char* pendulum = R"(
title = "Pendulum"
gravity = [0, -9.81]

[[body]]
name = "bar"
from = [0, 0]
to = [1, 0]
mass = 1

[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
)";

int complain(const cardan::Diagnostics& why) {
  for (const auto& d : why) std::fprintf(stderr, "%s\n", cardan::to_text(d).c_str());
  return 1;
}

}  // namespace

int main() {
  const auto model = cardan::read_model_text(pendulum, "pendulum");
  if (!model) return complain(model.why());
  const auto system = cardan::compile(model.value());
  if (!system) return complain(system.why());
  const auto assembly = cardan::assemble(system.value(), 0, system.value().given_state());
  if (!assembly.ok) return complain(assembly.notes);
  std::printf("degrees of freedom: %d\n", assembly.mobility.dof);
  return assembly.mobility.dof == 1 ? 0 : 1;
}
