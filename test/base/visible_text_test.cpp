#include "cardan/base/visible_text.h"

#include <gtest/gtest.h>

#include "cardan/base/diagnostic.h"

namespace cardan {

namespace {

TEST(VisibleText, ShowsWhatWouldSteerATerminal) {
  EXPECT_EQ(visible_text("\x1b[2Jred", Lines::keep), "\\x1b[2Jred");
  EXPECT_EQ(visible_text("a\nb\tc\r", Lines::keep), "a\nb\tc\\x0d");
  EXPECT_EQ(visible_text("a\nb", Lines::show), "a\\x0ab");
  EXPECT_EQ(visible_text("\x7f\xc2\x9b", Lines::keep), "\\x7f\\x9b");
  EXPECT_EQ(visible_text("\xe2\x80\xae", Lines::keep), "\\u202e");
  EXPECT_EQ(visible_text("\xe2\x81\xa6", Lines::keep), "\\u2066");
}

TEST(VisibleText, LeavesAllElse) {
  const std::string text = "\xc2\xb5m \xc3\xa4 \xe2\x82\xac \xe2\xa0\x80 \xf0\x9f\x98\x80 \xff";
  EXPECT_EQ(visible_text(text, Lines::show), text);
  EXPECT_EQ(visible_json(text), text);
}

TEST(VisibleText, JsonReadsBackAsItWas) {
  EXPECT_EQ(visible_json("\"\x7f\xc2\x9b\xe2\x80\xae\""), "\"\\u007f\\u009b\\u202e\"");
}

TEST(VisibleText, DiagnosticsForgeNoLines) {
  Diagnostic d;
  d.id = "model.value";
  d.element = "body 'a\nnote: all is well'";
  d.found = "\x1b[31mred";
  const std::string text = to_text(d);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

}  // namespace

}  // namespace cardan
