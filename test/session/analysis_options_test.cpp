// Options given as text beside the model file.
#include "cardan/session/analysis_options.h"

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

TEST(analysis_options, integrator_with_its_settings) {
  Model m = read_good(two_bodies + analysis +
                      R"(integrator = { name = "mampc", variant = "direct", )"
                      R"(order = 3, step = 0.01 })");
  EXPECT_TRUE(apply_options({{"integrator", "hht:alpha=-0.1,step=5 ms"}}, {}, m).empty());
  const DynamicOptions& o = dynamic(m);
  EXPECT_EQ(o.integrator, "hht");
  EXPECT_EQ(o.integrator_settings.alpha, -0.1);
  EXPECT_EQ(o.step, 0.005);
  EXPECT_EQ(o.order, 0);  // the file's order is that of its own method
  EXPECT_EQ(o.integrator_settings.variant, "");
  ASSERT_FALSE(m.notes.empty());
  EXPECT_EQ(m.notes.back().id, "usage.unused-option");
  EXPECT_TRUE(apply_options({{"integrator", "mampc:4"}, {"order", "5"}}, {}, m).empty());
  EXPECT_EQ(dynamic(m).order, 5);
  EXPECT_EQ(apply_options({{"integrator", "hht:alfa=1"}}, {}, m).size(), 1U);
  EXPECT_EQ(apply_options({{"integrator", "hht:alpha=x"}}, {}, m).size(), 1U);
}

TEST(analysis_options, unknown_names_come_with_the_nearest) {
  Model m = read_good(two_bodies + analysis);
  const Diagnostics faults = apply_options({{"untill", "2 s"}}, {}, m);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].hint, "did you mean --until?");
}

}  // namespace
}  // namespace cardan
