#pragma once
// A value or the list of reasons why there is none (std::expected before C++23).
#include <utility>
#include <variant>

#include "cardan/base/diagnostic.h"

namespace cardan {

template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Diagnostics why) : held_(std::move(why)) {}  // NOLINT(google-explicit-constructor)

  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Diagnostic why) : held_(Diagnostics{std::move(why)}) {}

  explicit operator bool() const { return held_.index() == 0; }

  T& value() & { return std::get<0>(held_); }

  const T& value() const& { return std::get<0>(held_); }

  T&& value() && { return std::get<0>(std::move(held_)); }

  const Diagnostics& why() const { return std::get<1>(held_); }

 private:
  std::variant<T, Diagnostics> held_;
};

}  // namespace cardan
