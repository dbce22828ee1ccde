// What is generated from the catalogue and committed, so that it can be read without building, is
// up to date. With CARDAN_UPDATE_DOCS set in the environment these tests write the files instead.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/record/channel_reference.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/element/element_type.h"
#include "cardan/io/read_model.h"
#include "cardan/io/reference.h"
#include "cardan/io/schema.h"
#include "cardan/session/method_reference.h"
#include "test/places.h"

namespace cardan {
namespace {

const std::string folder = std::string(test::source_dir) + "/docs/user-guide/";

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_current(const std::string& path, const std::string& current) {
  if (std::getenv("CARDAN_UPDATE_DOCS") != nullptr) std::ofstream(path) << current;
  EXPECT_TRUE(read(path) == current)
      << path << " is out of date: run this test with CARDAN_UPDATE_DOCS=1";
}

// The page with every "<!-- table: NAME -->" ... "<!-- end -->" filled in anew.
std::string with_tables(const std::string& page, int& count) {
  const std::string open = "<!-- table: ", close = " -->\n", end = "<!-- end -->";
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, from)) {
    const std::size_t name_start = at + open.size(), name_end = page.find(close, name_start);
    const std::string name = page.substr(name_start, name_end - name_start),
                      table = reference_tables(name);
    EXPECT_FALSE(table.empty()) << name;
    out += page.substr(from, name_end + close.size() - from) + table;
    from = page.find(end, name_end);
    EXPECT_NE(from, std::string::npos) << name;
    ++count;
  }
  return out + page.substr(from);
}

TEST(documentation, tables_of_the_model_file) {
  int count = 0;
  const std::string path = folder + "model-file.md";
  const std::string page = with_tables(read(path), count);
  EXPECT_EQ(count, 38);
  expect_current(path, page);
}

TEST(documentation, contents_of_the_model_file_lead_to_every_part) {
  const std::string page = read(folder + "model-file.md");
  std::istringstream lines(page);
  int parts = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("## ")) continue;
    std::string link = "[" + line.substr(3) + "](#";
    for (const char c : line.substr(3))
      if (c == ' ' || c == '-')
        link += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        link += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_NE(page.find(link + ")"), std::string::npos) << link;
    ++parts;
  }
  EXPECT_GE(parts, 20);
}

TEST(documentation, every_section_and_kind_has_its_table) {
  const std::string page = read(folder + "model-file.md");
  for (const auto& section : sections())
    EXPECT_NE(page.find("<!-- table: " + std::string(section.name) + " -->"), std::string::npos)
        << section.name;
  for (const char* name :
       {"joint", "driver", "force", "stop", "contact", "request", "curve", "block"})
    EXPECT_NE(page.find("<!-- table: " + std::string(name) + " -->"), std::string::npos) << name;
}

TEST(documentation, tables_list_every_key) {
  const std::string forces = reference_tables("force");
  for (const char* key : {"`stiffness`", "`free_length`", "`torque`", "`frame`"})
    EXPECT_NE(forces.find(key), std::string::npos) << key;
  for (const auto& section : sections())
    EXPECT_FALSE(reference_tables(section.name).empty()) << section.name;
  EXPECT_EQ(reference_tables("nothing"), "");
}

TEST(documentation, schema_of_the_model_file) {
  expect_current(folder + "model.schema.json", model_schema(method_text()));
}

TEST(documentation, page_of_channels) {
  expect_current(folder + "channels.md", channel_page());
}

// Every channel of every model in the folder of examples.
TEST(documentation, every_channel_has_a_meaning) {
  int models = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(test::source_dir) + "/models")) {
    const auto file = entry.path() / "model.toml";
    if (!std::filesystem::exists(file)) continue;
    const auto model = read_model(file);
    if (!model) continue;
    const auto system = compile(model.value());
    if (!system) continue;
    ++models;
    const Recorder recorder(system.value(), {}, true);
    for (const Channel& c : recorder.all_channels())
      EXPECT_NE(meaning_of(c, model.value().space == Space::planar), nullptr)
          << file << " " << c.name << " [" << c.unit << "]";
  }
  EXPECT_GT(models, 40);
}

TEST(documentation, page_of_methods) {
  expect_current(folder + "methods.md", method_page());
}

TEST(documentation, schema_knows_every_type) {
  const auto schema = nlohmann::json::parse(model_schema());
  for (const auto& type : element_types()) {
    if (type.kind == Kind::initial || !type.written) continue;
    const auto& choices =
        schema["definitions"][std::string(kind_name(type.kind))]["items"]["anyOf"];
    const bool found = std::any_of(choices.begin(), choices.end(), [&](const auto& c) {
      return c["properties"]["type"].value("const", "") == type.type;
    });
    EXPECT_TRUE(found) << type.type;
  }
}

}  // namespace
}  // namespace cardan
