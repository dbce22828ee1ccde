#include "cardan/io/schema.h"

#include <nlohmann/json.hpp>

#include "cardan/element/element_type.h"
#include "cardan/model/analysis_type.h"
#include "cardan/model/block_types.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

Json reference(const char* name) {
  return {{"$ref", std::string("#/definitions/") + name}};
}

Json list_of(Json item, std::size_t least, std::size_t most = 0) {
  Json list{{"type", "array"}, {"items", std::move(item)}, {"minItems", least}};
  if (most > 0) list["maxItems"] = most;
  return list;
}

Json value_schema(const KeySpec& key) {
  const std::size_t n = key.dimensions.size();
  switch (key.kind) {
    case ValueKind::number:
    case ValueKind::integer:
    case ValueKind::motion:
    case ValueKind::formula:
      return reference("number");
    case ValueKind::boolean:
      return {{"type", "boolean"}};
    case ValueKind::text:
    case ValueKind::curve:
      return {{"type", "string"}};
    case ValueKind::choice:
      return {{"enum", key.choices}};
    case ValueKind::numbers:
      if (key.name == "inertia")
        return list_of({{"anyOf", Json::array({reference("number"), reference("point")})}}, 3, 6);
      if (key.name == "axis" && key.either)
        return {{"anyOf", Json::array({reference("point"), list_of(reference("point"), 2, 2)})}};
      return n == 0 ? list_of(reference("number"), 1)
                    : list_of(reference("number"), n, key.either ? 3 : n);
    case ValueKind::formulas:
      if (n == 0)  // of coordinates: one each, or rows
        return list_of(
            {{"anyOf", Json::array({reference("number"), list_of(reference("number"), 1)})}}, 1);
      return list_of(reference("number"), n, n);
    case ValueKind::points:
      return list_of(reference("point"), 1);
    case ValueKind::names:
      return list_of({{"type", "string"}}, 0);
    case ValueKind::curves:
      return list_of({{"type", "string"}}, key.parts.size(), key.parts.size());
    case ValueKind::table:
      return {{"type", Json::array({"object", "array"})}};
  }
  return {};
}

void add_keys(Json& schema, const std::vector<KeySpec>& keys) {
  for (const auto& key : keys) {
    Json value = value_schema(key);
    std::string words(key.doc);
    if (!key.required()) words += " (default: " + std::string(key.otherwise) + ")";
    value["description"] = words;
    schema["properties"][std::string(key.name)] = std::move(value);
    if (key.required() && key.name != "type") schema["required"].push_back(key.name);
  }
}

Json object(std::string_view doc) {
  return {{"type", "object"},
          {"description", doc},
          {"properties", Json::object()},
          {"required", Json::array()},
          {"additionalProperties", false}};
}

Json element_schema(Kind kind) {
  Json choices = Json::array();
  for (const auto& type : element_types()) {
    if (type.kind != kind || !type.written) continue;
    Json schema = object(type.doc);
    add_keys(schema, common_keys(kind));
    schema["properties"]["at"]["anyOf"] =
        Json::array({reference("point"), list_of(reference("point"), 2, 2)});
    for (const char* plain : {"type", "items", "minItems", "maxItems"})
      schema["properties"]["at"].erase(plain);
    add_keys(schema, type.keys);
    schema["properties"]["type"] = {{"const", type.type}, {"description", type.doc}};
    schema["required"].push_back("type");
    choices.push_back(std::move(schema));
  }
  if (on_joint(kind)) {  // on a joint: the type follows
    Json schema = object("On a joint, whose type says what is meant.");
    add_keys(schema, common_keys(kind));
    if (kind != Kind::request) add_keys(schema, find_type(kind, "angle")->keys);
    schema["required"].push_back("joint");
    choices.push_back(std::move(schema));
  }
  return list_of({{"anyOf", std::move(choices)}}, 0);
}

// A list of tables, each of one of these types.
template <class Types> Json typed_tables(const Types& types) {
  Json choices = Json::array();
  for (const auto& type : types) {
    Json schema = object(type.doc);
    schema["properties"]["name"] = {{"type", "string"}};
    schema["properties"]["type"] = {{"const", type.type}, {"description", type.doc}};
    schema["required"] = Json::array({"name", "type"});
    add_keys(schema, type.keys);
    choices.push_back(std::move(schema));
  }
  return list_of({{"anyOf", std::move(choices)}}, 0);
}

Json section_schema(std::string_view name) {
  const SectionSpec& section = *find_section(name);
  Json schema = object(section.doc);
  add_keys(schema, section.keys);
  return schema;
}

// The keys of the plane, or those of space.
Json either_space(const std::string& name) {
  Json spatial = section_schema(name + ".spatial");
  for (const char* key : {"orientation", "inertia_axes"})
    if (spatial["properties"].contains(key)) spatial["properties"][key] = reference("orientation");
  return {{"anyOf", Json::array({section_schema(name), std::move(spatial)})}};
}

// One of several words, each with its line; others where there are more than are listed.
Json one_of_words(const Json& described, std::span<const SchemaWord> words, bool others) {
  if (words.empty()) return described;
  Json schema = described;
  schema.erase("type");
  Json choices = Json::array();
  for (const SchemaWord& word : words)
    choices.push_back({{"const", word.name}, {"description", word.doc}});
  if (others) choices.push_back({{"type", "string"}});
  schema["anyOf"] = std::move(choices);
  return schema;
}

Json analysis_schema(const MethodWords& words) {
  Json choices = Json::array();
  for (const AnalysisType& type : analysis_types()) {
    Json schema = section_schema("analysis." + std::string(type.name));
    schema["properties"]["type"] = {{"const", type.name}};
    schema["required"].push_back("type");
    if (!type.integrator_fields.empty()) {
      Json& word = schema["properties"]["integrator"];
      word.erase("type");
      word["anyOf"] = Json::array({one_of_words({{"type", "string"}}, words.integrators, true),
                                   section_schema("integrator")});
    }
    if (schema["properties"].contains("formulation"))
      schema["properties"]["formulation"] =
          one_of_words(schema["properties"]["formulation"], words.formulations, false);
    choices.push_back(std::move(schema));
  }
  return list_of({{"anyOf", std::move(choices)}}, 0);
}

// Lists of bodies and elements, in the file itself and in repeated parts.
void add_lists(Json& schema) {
  Json& properties = schema["properties"];
  properties["body"] = list_of(reference("body"), 0);
  properties["marker"] = list_of(reference("marker"), 0);
  for (const char* name : {"joint", "driver", "force", "stop", "contact", "request"})
    properties[name] = reference(name);
  properties["initial"] = list_of(reference("initial"), 0);
  for (const char* name : {"state", "input", "coordinate", "constraint"})
    properties[name] = list_of(reference(name), 0);
  properties["block"] = reference("block");
  properties["repeat"] = list_of(reference("repeat"), 0);
}

}  // namespace

std::string model_schema(const MethodWords& words) {
  Json schema = section_schema("model");
  Json root{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Cardan model file"}};
  root.update(schema);
  Json& properties = root["properties"];
  add_lists(root);
  properties["parameters"] = {{"type", "object"}, {"additionalProperties", reference("number")}};
  properties["ground"] = section_schema("ground");
  properties["ground"]["properties"]["shape"] = reference("shapes");
  properties["curve"] = typed_tables(curve_types());
  properties["analysis"] = analysis_schema(words);
  properties["assembly"] = section_schema("assembly");
  Json& branch = properties["assembly"]["properties"]["branch"];
  branch = {{"anyOf", Json::array({{{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}}})},
            {"description", branch["description"]}};
  properties["output"] = section_schema("output");
  Json& output = properties["output"]["properties"];
  const Json patterns = {
      {"anyOf", Json::array({{{"type", "string"}}, list_of({{"type", "string"}}, 1)})}};
  for (const char* key : {"tables", "plots"}) {
    Json one = section_schema(std::string("output.") + key);
    one["properties"]["channels"]["anyOf"] = patterns["anyOf"];
    for (const char* plain : {"type", "items", "minItems"})
      one["properties"]["channels"].erase(plain);
    Json entry{
        {"anyOf", Json::array({{{"type", "string"}}, list_of({{"type", "string"}}, 1), one})}};
    output[key] = {
        {"anyOf", Json::array({{{"type", "string"}}, one, list_of(std::move(entry), 1)})},
        {"description", output[key]["description"]}};
  }
  output["animation"] = {
      {"anyOf", Json::array({{{"type", "boolean"}}, section_schema("output.animation")})},
      {"description", output["animation"]["description"]}};
  Json sweep = section_schema("sweep");
  const Json values{{"anyOf", Json::array({reference("number"), list_of(reference("number"), 1)})}};
  sweep["properties"]["vary"].update({{"type", "object"}, {"additionalProperties", values}});
  sweep["properties"]["measure"].update(
      {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}});
  properties["sweep"] = list_of(std::move(sweep), 0);
  Json& definitions = root["definitions"];
  definitions["number"] = {
      {"anyOf", Json::array({{{"type", "number"}}, {{"type", "string"}}})},
      {"description",
       "A number in SI units, or a string with a unit or formula: \"35 mm\", \"2*crank\""}};
  definitions["point"] = list_of(reference("number"), 2, 3);
  definitions["orientation"] = section_schema("orientation");
  definitions["shape"] = either_space("shape");
  definitions["shapes"] = {
      {"anyOf", Json::array({reference("shape"), list_of(reference("shape"), 0)})}};
  for (const char* name : {"body", "marker", "initial"}) definitions[name] = either_space(name);
  for (auto& body : definitions["body"]["anyOf"]) body["properties"]["shape"] = reference("shapes");
  for (const char* name : {"state", "input", "coordinate", "constraint"})
    definitions[name] = section_schema(name);
  properties["equations"] = section_schema("equations");
  definitions["block"] = typed_tables(block_types());
  definitions["repeat"] = section_schema("repeat");
  add_lists(definitions["repeat"]);
  for (const Kind kind :
       {Kind::joint, Kind::driver, Kind::force, Kind::stop, Kind::contact, Kind::request})
    definitions[std::string(kind_name(kind))] = element_schema(kind);
  return root.dump(1) + "\n";
}

}  // namespace cardan
