#pragma once
// A value or why there is none (std::expected before C++23): the list of diagnostics, or a Why of one's
// own where who asks knows more, such as the element that is at fault.
#include <type_traits>
#include <utility>
#include <variant>

#include "cardan/base/diagnostic.h"

namespace cardan {

template <class T, class Why = Diagnostics> class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Why why) : held_(std::move(why)) {}  // NOLINT(google-explicit-constructor)

  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Diagnostic why) requires(std::is_same_v<Why, Diagnostics>)
      : held_(Diagnostics{std::move(why)}) {}

  explicit operator bool() const { return held_.index() == 0; }

  T& value() & { return std::get<0>(held_); }

  const T& value() const& { return std::get<0>(held_); }

  T&& value() && { return std::get<0>(std::move(held_)); }

  const Why& why() const { return std::get<1>(held_); }

 private:
  std::variant<T, Why> held_;
};

}  // namespace cardan
