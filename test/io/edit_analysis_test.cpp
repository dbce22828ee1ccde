#include "cardan/io/edit_analysis.h"

#include "cardan/io/read_model.h"
#include "test/io/read_text.h"

namespace cardan {
namespace {

const std::string model_start =
    "# a model\n[[body]]\nname = \"b\"   # the body\nmass = 1\ninertia = 1\n\n";

SourcePos where_of(const std::string& text) {
  auto model = read_model_text(text, "m.toml");
  EXPECT_TRUE(model) << text;
  SourcePos where;
  for (const auto& a : model.value().analyses)
    if (const auto* d = std::get_if<DynamicOptions>(&a)) where = d->where;
  return where;
}

const std::vector<AnalysisEdit> edits{{"formulation", "\"projected\""},
                                      {"integrator", "\"dop853\""},
                                      {"order", std::nullopt},
                                      {"step", std::nullopt},
                                      {"rtol", "1e-08"}};

std::string edited(const std::string& text) {
  const auto out = edit_analysis(text, where_of(text), edits);
  if (!out) {
    ADD_FAILURE() << to_text(out.why().front());
    return {};
  }
  return out.value();
}

TEST(EditAnalysis, ChangesOnlyWhatItMust) {
  const std::string text = model_start +
                           "[[analysis]]\ntype  = \"dynamic\"\nuntil = \"1 s\"   # long enough\n"
                           "integrator = 'rk4'  # fixed \"step\"\nstep  = \"1 ms\" # small\n\n"
                           "[output]\nstep = 1\n";
  const std::string before = text.substr(0, text.find("[output]"));
  const std::string good = before + "[parameters]\na = 1\n";
  EXPECT_EQ(edited(good),
            model_start +
                "[[analysis]]\ntype  = \"dynamic\"\nuntil = \"1 s\"   # long enough\n"
                "integrator = \"dop853\"  # fixed \"step\"\n# step  = \"1 ms\" # small\n"
                "formulation = \"projected\"\nrtol       = 1e-08\n\n[parameters]\na = 1\n");
}

TEST(EditAnalysis, AtTheEndOfTheFileAndWithForeignLineEnds) {
  EXPECT_TRUE(edited(model_start + "[[analysis]]\ntype = \"dynamic\"\nuntil = 1")
                  .ends_with("until = 1\nformulation = \"projected\"\nintegrator = \"dop853\"\n"
                             "rtol  = 1e-08\n"));
  std::string windows = model_start + "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\n";
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2)
    windows.replace(at, 1, "\r\n");
  const std::string out = edited(windows);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(out.begin(), out.end(), '\r'));
}

TEST(EditAnalysis, TheLastOfSeveralBlocks) {
  const std::string text = model_start +
                           "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\nrtol = 1e-3\n"
                           "[[analysis]]\ntype = \"dynamic\"\nuntil = 2\nrtol = 1e-4\n";
  const std::string out = edited(text);
  EXPECT_NE(out.find("rtol = 1e-3\n[[analysis]]"), std::string::npos) << out;
  EXPECT_EQ(out.find("1e-4"), std::string::npos);
}

TEST(EditAnalysis, RefusesWhatItCannotChangeSafely) {
  const std::string text = model_start.substr(10);
  const std::string inline_block = "analysis = [{type = \"dynamic\", until = 1}]\n" + text;
  const auto out = edit_analysis(inline_block, where_of(inline_block), edits);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.why().front().id, "model.not-editable");
  EXPECT_NE(out.why().front().hint.find("rtol = 1e-08"), std::string::npos);
}

}  // namespace
}  // namespace cardan
