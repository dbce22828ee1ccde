// The TOML parser: values, tables, positions.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/io/toml_tree.h"

namespace cardan {
namespace {

using Kind = TomlNode::Kind;

TomlNode parse(const std::string& text) {
  auto tree = parse_toml(text, std::make_shared<const std::string>("t"));
  EXPECT_TRUE(tree) << to_text(tree.why()[0]);
  return tree ? std::move(tree).value() : TomlNode{};
}

const TomlNode& value_of(const TomlNode& table, const char* key) {
  const TomlEntry* entry = table.find(key);
  EXPECT_NE(entry, nullptr) << key;
  return entry != nullptr ? entry->value : table;
}

bool refused(const std::string& text) {
  return !parse_toml(text, std::make_shared<const std::string>("t"));
}

TEST(toml, numbers) {
  const TomlNode t = parse(
      "a = 1_000\nb = -0.5e-3\nc = 0xff\nd = 0o17\ne = 0b101\nf = +inf\ng = nan\nh = 1e3\ni = "
      "-7\nj = 6.02_2e2_3");
  EXPECT_EQ(value_of(t, "a").number, 1000);
  EXPECT_EQ(value_of(t, "a").kind, Kind::integer);
  EXPECT_EQ(value_of(t, "b").number, -0.5e-3);
  EXPECT_EQ(value_of(t, "c").number, 255);
  EXPECT_EQ(value_of(t, "d").number, 15);
  EXPECT_EQ(value_of(t, "e").number, 5);
  EXPECT_TRUE(std::isinf(value_of(t, "f").number));
  EXPECT_TRUE(std::isnan(value_of(t, "g").number));
  EXPECT_EQ(value_of(t, "h").kind, Kind::real);
  EXPECT_EQ(value_of(t, "i").number, -7);
  EXPECT_EQ(value_of(t, "j").number, 6.022e23);
  for (const char* bad :
       {"01", "1.", ".5", "1_", "_1", "1__0", "0x", "0xg", "1e", "+-1", "0x-1", "1e_3"})
    EXPECT_TRUE(refused("a = " + std::string(bad))) << bad;
}

TEST(toml, strings) {
  const TomlNode t = parse(
      "a = \"x\\ty\\\"\\u00e4\\U0001F600\"\nb = 'C:\\dir'\nc = \"\"\"\none\ntwo \\\n   "
      "three\"\"\"\nd = '''\nraw \\n'''\ne = \"\"\"say \"\"hi\"\" \"\"\"\"\nf = \"\"\n");
  EXPECT_EQ(value_of(t, "a").text, "x\ty\"\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(value_of(t, "b").text, "C:\\dir");
  EXPECT_EQ(value_of(t, "c").text, "one\ntwo three");
  EXPECT_EQ(value_of(t, "d").text, "raw \\n");
  EXPECT_EQ(value_of(t, "e").text, "say \"\"hi\"\" \"");
  EXPECT_EQ(value_of(t, "f").text, "");
}

TEST(toml, tables_and_lists) {
  const TomlNode t = parse(
      "a.b = 1\na.c = 2\n[d]\ne = { f = 1, g.h = [1, [2, 3],] }\n[[k]]\nn = 1\n[[k]]\nn = "
      "2\n[[k.m]]\nx = true\n[d.sub]\ny = 1979-05-27T07:32:00Z # date\n");
  EXPECT_EQ(value_of(value_of(t, "a"), "c").number, 2);
  const TomlNode& e = value_of(value_of(t, "d"), "e");
  EXPECT_EQ(value_of(value_of(e, "g"), "h").items[1].items[1].number, 3);
  ASSERT_EQ(value_of(t, "k").items.size(), 2u);
  EXPECT_TRUE(value_of(value_of(t, "k").items[1], "m").items[0].find("x")->value.truth);
  EXPECT_EQ(value_of(value_of(value_of(t, "d"), "sub"), "y").kind, Kind::date);
}

TEST(toml, what_may_not_be_extended) {
  EXPECT_TRUE(refused("a = 1\na = 2"));
  EXPECT_TRUE(refused("[a]\n[a]"));
  EXPECT_TRUE(refused("a = { b = 1 }\n[a.c]\nd = 1"));
  EXPECT_TRUE(refused("a = { b = 1 }\na.c = 2"));
  EXPECT_TRUE(refused("a = [1]\n[[a]]\nb = 1"));
  EXPECT_TRUE(refused("[[a]]\n[a]"));
  EXPECT_TRUE(refused("a.b = 1\n[a]"));
  EXPECT_FALSE(refused("[a.b]\n[a]\nc = 1"));
}

TEST(toml, positions) {
  const TomlNode t = parse("# ä\n[[body]]\n  \"nämé\" = [1,\n   \"x\"]\r\n");
  const TomlNode& body = value_of(t, "body").items[0];
  EXPECT_EQ(body.where.line, 2);
  const TomlEntry* entry = body.find("n\xC3\xA4m\xC3\xA9");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->where.line, 3);
  EXPECT_EQ(entry->where.column, 3);
  EXPECT_EQ(entry->value.where.column, 12) << "counts characters, not bytes";
  EXPECT_EQ(entry->value.items[1].where.line, 4);
  EXPECT_EQ(entry->value.items[1].where.column, 4);
}

TEST(toml, goes_on_after_faults) {
  const auto tree = parse_toml("a = \nb = [1 2,\n 3]\nc = 4\n[d\ne = 1\ne = 2\n",
                               std::make_shared<const std::string>("t"));
  ASSERT_FALSE(tree);
  std::vector<int> lines;
  for (const auto& d : tree.why()) lines.push_back(d.where.line);
  EXPECT_EQ(lines, (std::vector<int>{1, 2, 5, 7}));
}

TEST(toml, tables_of_many_keys) {
  std::string text;
  for (int k = 0; k < 100; ++k)
    text += "key" + std::to_string(k) + " = " + std::to_string(k) + "\n";
  const TomlNode t = parse(text);
  for (int k = 0; k < 100; ++k)
    EXPECT_EQ(value_of(t, ("key" + std::to_string(k)).c_str()).number, k);
  EXPECT_EQ(t.find("key100"), nullptr);
  EXPECT_TRUE(refused(text + "key50 = 1\n"));
}

}  // namespace
}  // namespace cardan
