// Shapes of bodies and of the ground.
#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

// What to write for a shape that was given as a word.
std::string_view example_of_shape(const TomlNode& node, Space space) {
  std::string_view word;
  if (node.kind == TomlNode::Kind::text) word = node.text;
  if (space == Space::planar)
    return word == "disc" || word == "circle" || word == "cylinder"
               ? "{ disc = \"30 mm\" }"
               : "{ box = [\"60 mm\", \"40 mm\"] }";
  if (word == "cylinder" || word == "cone" || word == "disc")
    return "{ cylinder = \"20 mm\", length = \"40 mm\" }";
  if (word == "tube") return "{ tube = [\"20 mm\", \"15 mm\"], length = \"40 mm\" }";
  if (word == "sphere" || word == "ball") return "{ sphere = \"30 mm\" }";
  return "{ box = [\"60 mm\", \"40 mm\", \"20 mm\"] }";
}

}  // namespace

std::vector<Shape> ModelReader::read_shapes(TableReader& keys) {
  const Field f = keys.take("shape");
  if (!f) return {};
  std::vector<Shape> shapes;
  const auto add = [&](const TomlNode& node) {
    if (node.kind != TomlNode::Kind::table)
      return environment_.wrong_type(
          {f.key, &node}, fmt::format("a table such as {}", example_of_shape(node, model_.space)));
    if (auto shape = model_.space == Space::planar ? read_shape(node) : read_spatial_shape(node))
      shapes.push_back(std::move(*shape));
  };
  if (f.node->kind == TomlNode::Kind::array)
    for (const auto& item : f.node->items) add(item);
  else
    add(*f.node);
  return shapes;
}

std::optional<Shape> ModelReader::read_shape(const TomlNode& table) {
  TableReader keys(table, faults_);
  const Field kind = keys.take_one_of({"box", "disc", "polygon", "bar", "slider", "hatch"});
  if (!kind) {
    faults_.error("model.missing-key",
                  table.where,
                  "a shape of no kind",
                  "one of box, disc, polygon, bar, slider, hatch");
    for (const auto key : {"at", "angle", "width", "colour"}) keys.take(key);
    keys.finish(key_names(find_section("shape")->keys), "a shape");
    return std::nullopt;
  }
  Shape shape;
  shape.kind = kind.key;
  const std::size_t before = faults_.seen();
  if (shape.kind == "box" || shape.kind == "slider") {
    shape.sizes =
        environment_.numbers(kind, {dimension::length, dimension::length}, Range::positive)
            .value_or(std::vector<double>{1, 1});
  } else if (shape.kind == "disc") {
    shape.sizes = {environment_.number(kind, dimension::length, Range::positive).value_or(1)};
  } else {
    const bool polygon = shape.kind == "polygon";
    shape.points = environment_.points(kind, polygon ? 3 : 2, polygon ? 10'000 : 2)
                       .value_or(std::vector<Triple>{});
  }
  if (shape.points.empty()) {
    Triple centre{};
    if (const Field f = keys.take("at")) centre = environment_.point(f).value_or(Triple{});
    shape.points = {centre};
    if (shape.kind != "disc") {
      const Field f = keys.take("angle");
      shape.sizes.push_back(f ? environment_.number(f, dimension::none).value_or(0) : 0);
    }
  }
  if (shape.kind == "bar") {
    const Field f = keys.take("width");
    shape.sizes = {f ? environment_.number(f, dimension::length, Range::positive).value_or(0) : 0};
  }
  if (const Field f = keys.take("colour")) shape.colour = environment_.text(f).value_or("");
  keys.finish(key_names(find_section("shape")->keys), fmt::format("the shape '{}'", shape.kind));
  return faults_.seen() == before ? std::optional(shape) : std::nullopt;
}

}  // namespace cardan
