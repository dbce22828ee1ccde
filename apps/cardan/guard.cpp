#include "guard.h"

#include <exception>
#include <new>

namespace cardan::app {

int guarded(const Console& console, const std::function<int()>& work) {
  const char* report_it = "report this with the model that led to it: it is a defect of Cardan";
  try {
    return work();
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
