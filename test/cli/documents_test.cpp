// cardan documents: lines, tables, pages, and what is refused.
#include "program.h"

namespace cardan::test {
namespace {

TEST(DocumentsCommand, ShowsOneTable) {
  const Place place;
  const Said ran = cardan(place, {"documents", "000", "7.4.4"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("95/298 (95/288) misprint"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("5 of 6 printed values agree"), std::string::npos) << ran.out;
}

TEST(DocumentsCommand, NamesWhatThereIs) {
  const Place place;
  const Said document = cardan(place, {"documents", "005"});
  EXPECT_NE(document.code, 0);
  EXPECT_NE(document.err.find("000, 001, 002, 003, 004"), std::string::npos) << document.err;
  const Said item = cardan(place, {"documents", "002", "9"});
  EXPECT_NE(item.code, 0);
  EXPECT_NE(item.err.find("theorem 1"), std::string::npos) << item.err;
}

TEST(DocumentsCommand, WritesPagesOnce) {
  const Place place;
  EXPECT_EQ(cardan(place, {"documents", "000", "-o", "pages"}).code, 0);
  EXPECT_NE(content_of(place / "pages/000.md").find("# Document 000"), std::string::npos);
  EXPECT_EQ(cardan(place, {"documents", "000", "-o", "pages"}).code, 7);
  EXPECT_EQ(cardan(place, {"documents", "000", "-o", "pages", "--force"}).code, 0);
}

}  // namespace
}  // namespace cardan::test
