#pragma once
// Where solvers tell every iteration, for somebody who wants to look inside. Nobody listens unless a
// TraceScope is open in this thread; telling then costs one test.
#include <functional>
#include <string_view>

#include <fmt/format.h>

namespace cardan {

using TraceLine = std::function<void(std::string_view line)>;

class TraceScope {  // one at a time in a thread; an empty function: nobody listens
 public:
  explicit TraceScope(const TraceLine&);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  const TraceLine* outer_;
};

bool tracing();
void trace_line(std::string_view);

template <class... Parts> void trace(fmt::format_string<Parts...> format, Parts&&... parts) {
  if (tracing()) trace_line(fmt::format(format, std::forward<Parts>(parts)...));
}

}  // namespace cardan
