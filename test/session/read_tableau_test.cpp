// Butcher arrays from files: right ones are taken with the order they have, wrong ones are named.
#include "cardan/session/read_tableau.h"

#include <gtest/gtest.h>

namespace cardan {
namespace {

std::string why(const std::string& text) {
  const auto read = read_tableau_text(text, "mine.toml");
  EXPECT_FALSE(read);
  std::string out;
  if (!read)
    for (const Diagnostic& d : read.why()) out += to_text(d) + "\n";
  return out;
}

TEST(ReadTableau, FindsTheOrders) {
  const auto read = read_tableau_text(
      "name = 'pair'\nc = [0, '1/2', '3/4', 1]\n"
      "a = [[], ['1/2'], [0, '3/4'], ['2/9', '1/3', '4/9']]\n"
      "b = ['2/9', '1/3', '4/9', 0]\nb_embedded = ['7/24', '1/4', '1/3', '1/8']\norder = 3\n",
      "mine.toml");
  ASSERT_TRUE(read) << why("");
  EXPECT_EQ(read.value().name, "pair");
  EXPECT_EQ(read.value().tableau.order, 3);
  EXPECT_EQ(read.value().tableau.error_order, 2);
  EXPECT_TRUE(read.value().tableau.fsal);
}

TEST(ReadTableau, NamesEveryFault) {
  const std::string text = why("c = [0, '1/2']\na = [[], ['1/3']]\nb = [0, 'x']\nd = 1\n");
  EXPECT_NE(text.find("row 2 has the sum 0.333"), std::string::npos) << text;
  EXPECT_NE(text.find("\"x\""), std::string::npos) << text;
  EXPECT_NE(text.find("'d'"), std::string::npos) << text;
  EXPECT_NE(why("c = [0, 1]\na = [[], [1]]\nb = ['1/2', '1/2']\norder = 3\n").find("2: that many"),
            std::string::npos);
  EXPECT_NE(why("c = [1]\na = [[1]]\nb = [1]\n").find("only explicit"), std::string::npos);
  EXPECT_NE(why("c = [0]\na = [[]]\nb = ['1/2']\n").find("sum b = 1"), std::string::npos);
  EXPECT_NE(why("b = [1]\n").find("no 'c'"), std::string::npos);
}

}  // namespace
}  // namespace cardan
