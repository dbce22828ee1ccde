// The official files of TOML 1.0.0, valid and invalid (test/reference/toml-1.0.0.json), against our
// parser.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cardan/io/toml_tree.h"
#include "cardan/io/utf8.h"
#include "test/places.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

const Json& suite() {
  static const Json all = [] {
    std::ifstream file(std::string(test::source_dir) + "/test/reference/toml-1.0.0.json");
    EXPECT_TRUE(file.good());
    return Json::parse(file);
  }();
  return all;
}

std::string text_of(const Json& entry) {
  if (entry.contains("text")) return entry["text"];
  const std::string hex = entry["hex"];
  std::string bytes;
  for (std::size_t k = 0; k < hex.size(); k += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
  return bytes;
}

// Where the tree differs from what is expected; empty: nowhere.
std::string difference(const TomlNode& node, const Json& expected, const std::string& path) {
  using Kind = TomlNode::Kind;
  if (expected.is_array()) {
    if (node.kind != Kind::array || node.items.size() != expected.size())
      return path + ": no such array";
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (auto found = difference(node.items[k], expected[k], path + "/" + std::to_string(k));
          !found.empty())
        return found;
    return {};
  }
  const bool leaf = expected.contains("type") && expected.contains("value") &&
                    expected["type"].is_string() && expected.size() == 2;
  if (!leaf) {
    if (node.kind != Kind::table || node.entries.size() != expected.size())
      return path + ": no such table";
    for (const auto& [key, value] : expected.items()) {
      const TomlEntry* entry = node.find(key);
      if (entry == nullptr) return path + "/" + key + " is missing";
      if (auto found = difference(entry->value, value, path + "/" + key); !found.empty())
        return found;
    }
    return {};
  }
  const std::string type = expected["type"], value = expected["value"];
  if (type == "string")
    return node.kind == Kind::text && node.text == value ? "" : path + ": " + node.text;
  if (type == "bool")
    return node.kind == Kind::boolean && node.truth == (value == "true") ? "" : path;
  if (type == "integer")
    return node.kind == Kind::integer && node.number == std::stod(value) ? "" : path + ": integer";
  if (type == "float") {
    const double number = std::stod(value);
    const bool same = std::isnan(number) ? std::isnan(node.number) : node.number == number;
    return node.kind == Kind::real && same ? "" : path + ": float";
  }
  return node.kind == Kind::date ? "" : path + ": " + type;
}

TEST(TomlSuite, ValidFilesAreRead) {
  const auto name = std::make_shared<const std::string>("file.toml");
  ASSERT_GT(suite()["valid"].size(), 100U);
  for (const auto& [key, entry] : suite()["valid"].items()) {
    const auto parsed = parse_toml(text_of(entry), name);
    EXPECT_TRUE(parsed) << key << ": " << (parsed ? "" : to_text(parsed.why().front()));
    if (!parsed) continue;
    EXPECT_EQ(difference(parsed.value(), entry["expected"], ""), "") << key;
  }
}

TEST(TomlSuite, InvalidFilesAreRefused) {
  const auto name = std::make_shared<const std::string>("file.toml");
  ASSERT_GT(suite()["invalid"].size(), 300U);
  for (const auto& [key, entry] : suite()["invalid"].items())
    EXPECT_FALSE(parse_toml(text_of(entry), name)) << key;
}

}  // namespace
}  // namespace cardan
