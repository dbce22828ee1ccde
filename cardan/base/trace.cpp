#include "cardan/base/trace.h"

namespace cardan {

namespace {

thread_local const TraceLine* listener = nullptr;

}  // namespace

TraceScope::TraceScope(const TraceLine& line) : outer_(listener) {
  listener = line ? &line : nullptr;
}

TraceScope::~TraceScope() {
  listener = outer_;
}

bool tracing() {
  return listener != nullptr;
}

void trace_line(std::string_view line) {
  if (listener != nullptr) (*listener)(line);
}

}  // namespace cardan
