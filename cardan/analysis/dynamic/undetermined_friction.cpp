#include "cardan/analysis/dynamic/undetermined_friction.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"

namespace cardan {

namespace {

constexpr double least_share = 3e-4;  // of the energy moved: below, the motion is not changed

}  // namespace

void UndeterminedFriction::add(
    double t, double duration, double work, const std::string& element, bool goes_on) {
  if (passages_ == 0) first_ = t;
  if (!goes_on || passages_ == 0) {
    ++passages_;
    now_ = 0;
  }
  now_ += duration;
  if (work > 0) work_ += work;
  if (now_ >= longest_) element_ = element;
  longest_ = std::max(longest_, now_);
}

bool UndeterminedFriction::doubtful(double moved) const {
  return passages_ > 0 && work_ > least_share * moved;
}

Diagnostics UndeterminedFriction::notes(double moved) const {
  if (passages_ == 0) return {};
  const bool doubt = doubtful(moved);
  Diagnostic d = fault_at(doubt ? "numeric.doubtful" : "numeric.friction-paradox", "", first_);
  d.severity = Severity::warning;
  d.element = element_;
  d.found = fmt::format(
      "{}beside {} singular pose{} friction grows with reactions that rigid bodies do not bound, "
      "for up "
      "to {:.2g} s; its work there is {:.2g} J of {:.3g} J moved",
      doubt ? "these results are doubtful: " : "",
      passages_,
      passages_ == 1 ? "" : "s",
      longest_,
      work_,
      moved);
  d.expected = doubt ? fmt::format("at most {:.2g} J", least_share * moved)
                     : "reactions that are bounded; least and largest values leave these times out";
  d.hint =
      "a smaller pin_radius or friction, or a bushing in the place of a joint, which bounds "
      "reactions";
  return {d};
}

void UndeterminedFriction::serialize(Archive& archive) {
  archive.mark("friction beside poses");
  archive.io(passages_);
  for (double* x : {&work_, &longest_, &first_, &now_}) archive.io(*x);
  archive.io(element_);
}

}  // namespace cardan
