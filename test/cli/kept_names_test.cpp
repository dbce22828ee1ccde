// Names that users have written into their models and scripts stay: commands and their options, keys of
// model files with their words, channels, diagnostics, exit codes, fields of summary.json.
// test/reference/kept_names.json lists those of the first program and all that have come since. New
// names need not be entered at once: CARDAN_UPDATE_DOCS=1 adds them, and never takes one away.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cardan/base/catalogue.h"
#include "cardan/base/diagnostic.h"
#include "cardan/io/schema.h"
#include "program.h"

namespace cardan::test {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::set<std::string>;

const std::string list_path = std::string(source_dir) + "/test/reference/kept_names.json";

Names split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string joined(const Names& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

// The part of the list at `section` (and `group`) holds these names still; with CARDAN_UPDATE_DOCS it
// is made to.
void expect_kept(const Json::json_pointer& at, const Names& now) {
  Json list = Json::parse(content_of(list_path));
  ASSERT_TRUE(list.contains(at)) << at.to_string();
  const Json& kept = list[at];
  const Names names = kept.is_string() ? split(kept) : kept.get<Names>();
  EXPECT_FALSE(names.empty()) << at.to_string();
  for (const auto& name : names)
    EXPECT_TRUE(now.count(name)) << at.to_string() << " had " << name << ", which is gone";
  if (std::getenv("CARDAN_UPDATE_DOCS") == nullptr) return;
  Names all = names;
  all.insert(now.begin(), now.end());
  if (kept.is_string())
    list[at] = joined(all);
  else
    list[at] = all;
  std::ofstream(list_path) << list.dump(1) << '\n';
}

// A section of the list whose groups are those of `now`.
void expect_groups_kept(const std::string& section, const std::map<std::string, Names>& now) {
  const Json list = Json::parse(content_of(list_path));
  ASSERT_GT(list[section].size(), 10u);
  for (const auto& [group, names] : list[section].items()) {
    const auto found = now.find(group);
    if (found == now.end())
      ADD_FAILURE() << section << " had '" << group << "', which is gone";
    else
      expect_kept(Json::json_pointer() / section / group, found->second);
  }
  if (std::getenv("CARDAN_UPDATE_DOCS") == nullptr) return;
  Json more = Json::parse(content_of(list_path));
  for (const auto& [group, names] : now)
    if (!more[section].contains(group)) more[section][group] = joined(names);
  std::ofstream(list_path) << more.dump(1) << '\n';
}

TEST(KeptNames, CommandsAndOptions) {
  const Place place;
  const Said script = cardan(place, {"completion", "bash"});
  ASSERT_EQ(script.code, 0) << script.err;
  // Lines of the form: NAME) options="--one --two" ;;
  std::map<std::string, Names> now;
  std::istringstream lines(script.out);
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = ") options=\"";
    const std::size_t at = line.find(mark), end = line.rfind('"');
    if (at == std::string::npos) continue;
    const std::size_t name = line.find_first_not_of(' '), first = at + mark.size();
    now[line.substr(name, at - name)] = split(line.substr(first, end - first));
  }
  expect_groups_kept("commands", now);
}

TEST(KeptNames, Diagnostics) {
  Names now;
  for (const auto& entry : catalogue()) now.emplace(entry.id);
  expect_kept(Json::json_pointer("/diagnostics"), now);
}

TEST(KeptNames, ExitCodes) {
  const Json list = Json::parse(content_of(list_path));
  const Json& codes = list["exit_codes"];
  ASSERT_GT(codes.size(), 5u);
  for (const auto& [family, code] : codes.items()) {
    Diagnostic d;
    d.severity = Severity::error;
    d.id = family + ".any";
    EXPECT_EQ(exit_code(d), code.get<int>()) << family;
  }
  for (const auto& entry : catalogue()) {
    const std::string id(entry.id);
    EXPECT_TRUE(codes.contains(id.substr(0, id.find('.')))) << id;
  }
}

// ---- keys: PATH<type> with the keys, and key=word where only certain words may stand

const Json& resolved(const Json& root, const Json& node) {
  const Json* at = &node;
  while (at->is_object() && at->contains("$ref"))
    at = &root[Json::json_pointer((*at)["$ref"].get<std::string>().substr(1))];
  return *at;
}

void gather_keys(const Json& root,
                 const Json& given,
                 const std::string& path,
                 std::vector<const Json*> above,
                 std::map<std::string, Names>& out) {
  const Json& node = resolved(root, given);
  if (!node.is_object() || std::find(above.begin(), above.end(), &node) != above.end()) return;
  above.push_back(&node);
  if (node.contains("properties")) {
    const Json& keys = node["properties"];
    std::string group = path;
    if (keys.contains("type") && resolved(root, keys["type"]).contains("const"))
      group += "<" + resolved(root, keys["type"])["const"].get<std::string>() + ">";
    for (const auto& [key, value] : keys.items()) {
      out[group].insert(key);
      const Json& what = resolved(root, value);
      if (what.contains("enum"))
        for (const auto& word : what["enum"])
          out[group].insert(key + "=" + word.get<std::string>());
      gather_keys(root, what, group.empty() ? key : group + "." + key, above, out);
    }
  }
  for (const char* part : {"items", "additionalProperties", "if", "then", "else", "not"})
    if (node.contains(part)) gather_keys(root, node[part], path, above, out);
  for (const char* parts : {"anyOf", "oneOf", "allOf"})
    if (node.contains(parts))
      for (const auto& part : node[parts]) gather_keys(root, part, path, above, out);
}

TEST(KeptNames, KeysOfModelFiles) {
  const Json schema = Json::parse(model_schema());
  std::map<std::string, Names> now;
  gather_keys(schema, schema, "", {}, now);
  expect_groups_kept("keys", now);
}

// ---- channels with their units, and fields of the summary, of the models in test/cli/models/kept

void gather_fields(const Json& node, const std::string& path, bool names, Names& out) {
  if (node.is_array())
    for (const auto& item : node) gather_fields(item, path + "[]", false, out);
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) {
    const std::string part = names ? "*" : key, below = path.empty() ? part : path + "." + part;
    if (path.empty() && key == "earlier") {  // summaries like this one
      for (const auto& before : value) gather_fields(before, "", false, out);
      out.insert(key);
      continue;
    }
    out.insert(below);
    // Below these stand names of the model.
    static const Names named{"channels", "final", "shape", "coordinates", "reactions"};
    gather_fields(value, below, !names && named.count(key), out);
  }
}

TEST(KeptNames, ChannelsAndFieldsOfTheSummary) {
  const Place place;
  Names fields;
  for (const std::string model : {"plane", "space", "driven"}) {
    const std::string file = std::string(source_dir) + "/test/cli/models/kept/" + model + ".toml";
    const Said run = cardan(place, {"run", file, "-o", model, "--no-report", "-q"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Said written = cardan(place, {"export", model, "--json"});
    ASSERT_EQ(written.code, 0) << written.err;
    const Json rows = Json::parse(written.out);
    Names channels;
    for (const auto& analysis : rows["analyses"])
      for (const auto& channel : analysis["channels"])
        channels.insert(channel["name"].get<std::string>() + " [" +
                        channel["unit"].get<std::string>() + "]");
    expect_kept(Json::json_pointer() / "channels" / model, channels);
    gather_fields(Json::parse(content_of(place / model / "summary.json")), "", false, fields);
  }
  expect_kept(Json::json_pointer("/summary"), fields);
}

}  // namespace
}  // namespace cardan::test
