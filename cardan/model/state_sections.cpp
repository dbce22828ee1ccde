// The keys of first-order states and inputs.
#include "cardan/model/key_parts.h"

namespace cardan {

using enum ValueKind;

std::vector<SectionSpec> state_sections() {
  const KeySpec name{
      .name = "name", .kind = text, .doc = "letters, digits, _ and .; for formulas and results"};
  return {
      {"state",
       "A first-order state `NAME' = rate` beside the mechanics: of a controller, an electric "
       "circuit, a fluid. Every formula may use it by its name, as it uses a request.",
       {name,
        {.name = "unit",
         .kind = text,
         .otherwise = "that of `initial`",
         .doc = "SI unit of the state"},
        {.name = "initial", .kind = number, .otherwise = "0", .doc = "value at the start"},
        {.name = "rate",
         .kind = formula,
         .doc = "formula of `t`, states, inputs and requests; its unit is that of the state per "
                "second"},
        {.name = "error_control",
         .kind = boolean,
         .otherwise = "true",
         .doc = "whether its error counts when the step is chosen"}}},
      {"input",
       "A named value that formulas use as they use a request: constant until a program that "
       "drives the simulation sets it, or a function of time.",
       {name,
        {.name = "unit",
         .kind = text,
         .otherwise = "that of `value`; with `motion` none",
         .doc = "SI unit of the input"},
        {.name = "value",
         .kind = number,
         .otherwise = "use `motion`",
         .doc = "value until it is set"},
        {.name = "motion",
         .kind = motion,
         .otherwise = "use `value`",
         .doc = "formula of `t`, or the name of a curve"}}}};
}

}  // namespace cardan
