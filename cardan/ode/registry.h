#pragma once
// Methods by name. Each family lists its methods in its own file; families.h names the families.
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/ode/method.h"

namespace cardan {

struct MethodOptions {
  int order = 0;    // 0: the method's own
  double step = 0;  // fixed-step methods
  double alpha =
      std::numeric_limits<double>::quiet_NaN();  // rk2: weight of the second stage; hht: alpha
  double gamma = std::numeric_limits<double>::quiet_NaN();         // newmark
  double beta = std::numeric_limits<double>::quiet_NaN();          // newmark
  double rho_infinity = std::numeric_limits<double>::quiet_NaN();  // generalized-alpha
  std::string start;    // fixed-step multistep: "accurate" (default), "self", "small-steps"
  std::string variant;  // of a method: mampc "weighted" (default) or "direct"; pece "text"
                        // (default) or "print"; bdf "bdf" (default) or "ndf"; ode23, ode45 "own"
                        // (default) or "notes"
};

struct MethodEntry {
  std::string_view name;
  std::string_view summary;                // one line for `cardan ode --list`
  Traits (*traits)(const MethodOptions&);  // of the method these options make
  Result<std::unique_ptr<Method>> (*make)(OdeProblem&, const MethodOptions&);
  std::string_view alias = {};
  // Growth of the numerical solution of y' = lambda y per step (largest root for multistep methods)
  // as a function of z = h lambda; null: not known.
  double (*amplification)(const MethodOptions&, std::complex<double> z) = nullptr;
};

std::vector<const MethodEntry*> list_methods();  // all, in the order of the families
const MethodEntry* find_method(std::string_view name_or_alias);  // null: unknown

// What is wrong is told as "model.unknown-option": no such name (with the nearest), an option out
// of range, a second-order method for a first-order problem.
Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            const MethodOptions&,
                                            OdeProblem&);

// For families: the diagnostics of a bad option.
Diagnostic bad_option(std::string_view method,
                      std::string_view option,
                      std::string found,
                      std::string expected);
Diagnostic needs_second_order(std::string_view method);

}  // namespace cardan
