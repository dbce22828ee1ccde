#pragma once
// A model from a text, which must be good.
#include <string>

#include <gtest/gtest.h>

#include "cardan/io/read_model.h"

namespace cardan {

inline Model read_good(const std::string& text, const ReadOptions& options = {}) {
  auto model = read_model_text(text, "text", options);
  if (model) return std::move(model).value();
  for (const auto& d : model.why()) ADD_FAILURE() << to_text(d);
  return {};
}

// Bodies a (bar from [1, 1] to [1, 3]) and b (at [2, 0], turned by 90 degrees).
inline const std::string two_bodies = R"(
gravity = [0, 0]
[[body]]
name = "a"
from = [1, 1]
to   = [1, 3]
mass = 3
[[body]]
name = "b"
at = [2, 0]
angle = "90 deg"
mass = 1
inertia = 0.5
)";

inline void expect_near(const Triple& a, const Triple& b) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-15);
}

}  // namespace cardan
