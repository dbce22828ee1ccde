#include "cardan/results/json.h"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

namespace cardan {

namespace {

constexpr int deepest = 100;

constexpr std::array<const char*, 3> severities{"note", "warning", "error"};

Severity severity_from(const std::string& word) {
  for (std::size_t i = 0; i < severities.size(); ++i)
    if (word == severities[i]) return static_cast<Severity>(i);
  return Severity::error;
}

void put(nlohmann::ordered_json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}

}  // namespace

nlohmann::ordered_json to_json(const Diagnostic& d) {
  nlohmann::ordered_json json;
  json["id"] = d.id;
  json["severity"] = severities[static_cast<std::size_t>(d.severity)];
  if (d.where.file) json["file"] = *d.where.file;
  if (d.where.line > 0) {
    json["line"] = d.where.line;
    json["column"] = d.where.column;
  }
  put(json, "element", d.element);
  put(json, "found", d.found);
  put(json, "expected", d.expected);
  put(json, "hint", d.hint);
  if (std::isfinite(d.t)) json["t"] = d.t;
  if (std::isfinite(d.h)) json["h"] = d.h;
  for (const auto& gap : d.worst)
    json["worst"].push_back({{"equation", gap.equation}, {"value", gap.value}, {"unit", gap.unit}});
  return json;
}

nlohmann::ordered_json to_json(const Diagnostics& all) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& d : all) json.push_back(to_json(d));
  return json;
}

Diagnostic diagnostic_from_json(const nlohmann::ordered_json& json) {
  Diagnostic d;
  d.id = json.value("id", "");
  d.severity = severity_from(json.value("severity", "error"));
  if (json.contains("file"))
    d.where.file = std::make_shared<const std::string>(json["file"].get<std::string>());
  d.where.line = json.value("line", 0);
  d.where.column = json.value("column", 0);
  d.element = json.value("element", "");
  d.found = json.value("found", "");
  d.expected = json.value("expected", "");
  d.hint = json.value("hint", "");
  d.t = json.value("t", d.t);
  d.h = json.value("h", d.h);
  for (const auto& gap : json.value("worst", nlohmann::ordered_json::array())) {
    const bool known = gap.contains("value") && gap["value"].is_number();
    d.worst.push_back({gap.value("equation", ""),
                       known ? gap["value"].get<double>() : std::nan(""),
                       gap.value("unit", "")});
  }
  return d;
}

std::optional<nlohmann::ordered_json> parse_json(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return {};
    if (c == ']' || c == '}') --depth;
  }
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded()) return {};
  return json;
}

std::string to_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cardan
