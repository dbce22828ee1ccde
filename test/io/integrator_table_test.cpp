// The table that may stand for the name of an integrator.
#include "test/io/read_text.h"

namespace cardan {
namespace {

const std::string analysis = R"TOML(
[[analysis]]
type = "dynamic"
until = 1
)TOML";

const DynamicOptions& dynamic(const Model& m) {
  return std::get<DynamicOptions>(m.analyses.at(0));
}

TEST(integrator_table, every_key_arrives) {
  const Model m = read_good(two_bodies + analysis +
                            R"(integrator = { name = "newmark", beta = "1/3", gamma = 0.6, )"
                            R"(alpha = -0.2, rho_infinity = 0.5, start = "self", variant = "ndf", )"
                            R"(order = 2, step = "2 ms" })");
  const DynamicOptions& o = dynamic(m);
  EXPECT_EQ(o.integrator, "newmark");
  EXPECT_GT(o.integrator_where.line, 0);
  EXPECT_EQ(o.order, 2);
  EXPECT_EQ(o.step, 0.002);
  EXPECT_EQ(o.integrator_settings.beta, 1.0 / 3);
  EXPECT_EQ(o.integrator_settings.gamma, 0.6);
  EXPECT_EQ(o.integrator_settings.alpha, -0.2);
  EXPECT_EQ(o.integrator_settings.rho_infinity, 0.5);
  EXPECT_EQ(o.integrator_settings.start, "self");
  EXPECT_EQ(o.integrator_settings.variant, "ndf");
}

TEST(integrator_table, unknown_keys_and_words_are_refused) {
  const auto wrong = [](const std::string& line) {
    auto model = read_model_text(two_bodies + analysis + line, "text", {});
    return model ? std::string() : model.why().front().id;
  };
  EXPECT_EQ(wrong(R"(integrator = { name = "hht", alfa = -0.1 })"), "model.unknown-key");
  EXPECT_EQ(wrong(R"(integrator = { alpha = -0.1 })"), "model.missing-key");
  EXPECT_EQ(wrong(R"(integrator = { name = "ab", start = "slowly" })"), "model.unknown-option");
  EXPECT_EQ(wrong(R"(integrator = { name = "hht", alpha = "1 m" })"), "model.wrong-unit");
}

TEST(linearise_lists, have_units_or_none) {
  const auto read = [](const std::string& lines) {
    return read_model_text(
        two_bodies + "\n[[analysis]]\ntype = \"linearise\"\n" + lines, "text", {});
  };
  const auto good = read("frequencies = [5, \"5 Hz\", \"0.2 kHz\"]\ntimes = [0.02, \"30 ms\"]");
  ASSERT_TRUE(good);
  const auto& o = std::get<LineariseOptions>(good.value().analyses.at(0));
  EXPECT_EQ(o.frequencies, (std::vector<double>{5, 5, 200}));
  EXPECT_EQ(o.times, (std::vector<double>{0.02, 0.03}));
  const auto bad = read("frequencies = [\"31 rad/s\"]");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.why().front().id, "model.wrong-unit");
  EXPECT_NE(bad.why().front().hint.find("Hz"), std::string::npos) << bad.why().front().hint;
}

}  // namespace
}  // namespace cardan
