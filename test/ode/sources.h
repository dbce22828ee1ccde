#pragma once
// Recomputed values of the documents that the methods come from (test/reference/sources.json).
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "test/places.h"

namespace cardan::test {

inline const nlohmann::json& sources() {
  static const nlohmann::json all = [] {
    std::ifstream file(std::string(test::source_dir) + "/test/reference/sources.json");
    return nlohmann::json::parse(file);
  }();
  return all;
}

inline double number(
    const nlohmann::json& x) {  // numbers are written as strings where digits matter
  return x.is_string() ? std::stod(x.get<std::string>()) : x.get<double>();
}

}  // namespace cardan::test
