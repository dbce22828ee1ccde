// The keys of equations of one's own.
#include "cardan/model/key_parts.h"

namespace cardan {

using enum ValueKind;

std::vector<SectionSpec> equation_sections() {
  return {
      {"coordinate",
       "A coordinate of equations of one's own. Formulas use it by its name `NAME`, its rate as "
       "`NAME'` or `rate(NAME)`.",
       {{.name = "name", .kind = text, .doc = "letters, digits and _; for formulas and results"},
        {.name = "unit",
         .kind = text,
         .otherwise = "that of `initial`",
         .doc = "SI unit of the coordinate"},
        {.name = "initial",
         .kind = number,
         .otherwise = "found from the constraints",
         .doc = "value at the start"},
        {.name = "guess",
         .kind = number,
         .otherwise = "0",
         .doc = "instead of `initial`: where the search for a start that meets the constraints "
                "begins"},
        {.name = "rate",
         .kind = number,
         .otherwise = "found from the constraints, nearest to 0",
         .doc = "rate at the start"}}},
      {"equations",
       "Equations of motion of coordinates of one's own. From the energies T = `kinetic` and V = "
       "`potential` follow Lagrange's equations, d/dt T_q' - T_q + V_q + phi_q^T lambda = "
       "`forces`; with M = `mass` they are M q'' + V_q + phi_q^T lambda = `forces`. Energies, "
       "masses and constraints are formulas of the coordinates, `t` and parameters.",
       {{.name = "kinetic",
         .kind = formula,
         .otherwise = "use `mass`",
         .doc = "kinetic energy, at most quadratic in the rates"},
        {.name = "mass",
         .kind = formulas,
         .otherwise = "use `kinetic`",
         .doc = "mass matrix, without rates: a list of rows, or of the entries on the diagonal"},
        {.name = "potential", .kind = formula, .otherwise = "0", .doc = "potential energy"},
        {.name = "forces",
         .kind = formulas,
         .otherwise = "none",
         .doc = "force along each coordinate; may also use rates, requests, states and inputs"}}},
      {"constraint",
       "An equation 0 = `formula` between coordinates, or linear in their rates (nonholonomic).",
       {{.name = "name",
         .kind = text,
         .otherwise = "constraint and number",
         .doc = "for messages and results; `NAME.lambda` is the multiplier"},
        {.name = "formula", .kind = formula, .doc = "what is zero, such as `x^2 + y^2 - l^2`"}}}};
}

}  // namespace cardan
