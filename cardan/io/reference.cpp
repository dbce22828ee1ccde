// Made from what the reader checks against, so that they cannot drift from it.
#include "cardan/io/reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/element/element_type.h"
#include "cardan/model/block_types.h"

namespace cardan {

namespace {

std::string dimensions_in_words(const KeySpec& key) {
  if (key.dimensions.empty()) return key.kind == ValueKind::numbers ? "numbers" : "any unit";
  const bool alike = std::all_of(key.dimensions.begin(), key.dimensions.end(), [&](Dimension d) {
    return d == key.dimensions.front();
  });
  if (alike) return to_text(key.dimensions.front());
  std::string words;
  for (const auto d : key.dimensions) words += (words.empty() ? "" : "; ") + to_text(d);
  return words;
}

std::string value_in_words(const KeySpec& key) {
  switch (key.kind) {
    case ValueKind::number:
      return dimensions_in_words(key);
    case ValueKind::integer:
      return "whole number";
    case ValueKind::boolean:
      return "true or false";
    case ValueKind::text:
      return "string";
    case ValueKind::choice:
      return fmt::format("`\"{}\"`", fmt::join(key.choices, "\"`, `\""));
    case ValueKind::numbers:
      return key.dimensions.empty() ? "list of numbers"
                                    : fmt::format("list of {}{}: {}",
                                                  key.dimensions.size(),
                                                  key.either ? " (3 in space)" : "",
                                                  dimensions_in_words(key));
    case ValueKind::points:
      return "list of points";
    case ValueKind::names:
      return "list of strings";
    case ValueKind::motion:
      return "formula or name of a curve, " + dimensions_in_words(key);
    case ValueKind::formula:
      return "formula, " + dimensions_in_words(key);
    case ValueKind::formulas:
      if (key.parts.empty()) return "list of formulas";
      return fmt::format("list of {} formulas: {}", key.parts.size(), dimensions_in_words(key));
    case ValueKind::curve:
      return "name of a curve";
    case ValueKind::curves:
      return fmt::format("list of {} names of planar curves", key.parts.size());
    case ValueKind::table:
      return "table";
  }
  return {};
}

std::string key_table(const std::vector<KeySpec>& keys) {
  if (keys.empty()) return "No keys of its own.\n";
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const auto& key : keys) {
    std::string value = value_in_words(key);
    if (key.range == Range::positive) value += ", > 0";
    if (key.range == Range::not_negative) value += ", >= 0";
    text += fmt::format("| `{}` | {} | {} | {} |\n",
                        key.name,
                        value,
                        key.required() ? "**required**" : std::string(key.otherwise),
                        key.doc);
  }
  return text;
}

std::string geometry_in_words(const Geometry& g) {
  if (g.sides == 0) return {};
  const auto any_point = [&](PointRule rule) {
    return g.point[0] == rule || g.point[1] == rule;
  };
  std::string text;
  if (g.role[0] != Geometry{}.role[0])
    text += fmt::format("Sides: {}, then {}. ", g.role[0], g.role[1]);
  if (any_point(PointRule::required) || any_point(PointRule::origin) ||
      any_point(PointRule::meeting)) {
    switch (g.at) {
      case At::each:
        text += "A point on each side: `points`, or `at` with two points. ";
        break;
      case At::both:
        text += "One point: `at`, or `points`. ";
        break;
      case At::first:
      case At::second:
        text += fmt::format("`at` places the {}. ", g.role[g.at == At::first ? 0 : 1]);
        break;
      case At::none:
        text += "Frames: `points` and `axes`, or `markers`. ";
        break;
    }
    if (g.point[0] == g.point[1] && any_point(PointRule::origin))
      text += "A point not given is the origin of the body's frame. ";
    else if (any_point(PointRule::origin))
      text += fmt::format("Without one, the point of the {} is the origin of its body's frame. ",
                          g.role[g.point[0] == PointRule::origin ? 0 : 1]);
    if (any_point(PointRule::meeting))
      text += "Without it: the origin of the second body in the given pose. ";
  }
  for (std::size_t k = 0; k < 2; ++k)
    if (g.axis[k] == AxisRule::required && (k == 0 || g.axis[0] != AxisRule::required))
      text += g.axis[1 - k] == AxisRule::required
                  ? "Needs `axis`. "
                  : fmt::format("Needs `axis`, fixed in the {}. ", g.role[k]);
  if (g.axis[0] == AxisRule::pose)
    text += "`axis` turns its axes (default: the ground's x axis in the given pose). ";
  if (!text.empty()) text.pop_back();
  return text;
}

std::string element_tables(Kind kind) {
  std::string text =
      "Keys of every " + std::string(kind_name(kind)) + ":\n\n" + key_table(common_keys(kind));
  for (const auto& type : element_types()) {
    if (type.kind != kind || !type.written) continue;
    text += fmt::format("\n#### `{}`{}\n\n{}",
                        type.type,
                        type.space == Space::spatial ? " in space" : "",
                        type.doc);
    const std::string geometry = geometry_in_words(type.geometry);
    text += (geometry.empty() ? "" : " " + geometry) + "\n\n" + key_table(type.keys);
  }
  return text;
}

std::string curve_tables() {
  std::string text;
  for (const auto& curve : curve_types())
    text += fmt::format("#### `{}`\n\n{}{}\n\n{}\n",
                        curve.type,
                        curve.shape == CurveShape::planar ? "Planar curve for cams. " : "",
                        curve.doc,
                        key_table(curve.keys));
  text.pop_back();
  return text;
}

std::string block_tables() {
  std::string text =
      "Keys of every block: `name`, letters, digits and _, and `type`. Where a formula is wanted, "
      "`t`, requests, states, inputs and the outputs of other blocks may be used.\n\n";
  for (const auto& block : block_types())
    text += fmt::format("#### `{}`\n\n{}\n\n{}\n", block.type, block.doc, key_table(block.keys));
  text.pop_back();
  return text;
}

}  // namespace

std::string reference_tables(std::string_view part) {
  for (const Kind kind :
       {Kind::joint, Kind::driver, Kind::force, Kind::stop, Kind::contact, Kind::request})
    if (part == kind_name(kind)) return element_tables(kind);
  if (part == "curve") return curve_tables();
  if (part == "block") return block_tables();
  const SectionSpec* section = find_section(part);
  return section != nullptr ? fmt::format("{}\n\n{}", section->doc, key_table(section->keys)) : "";
}

}  // namespace cardan
