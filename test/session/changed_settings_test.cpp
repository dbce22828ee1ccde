// What was said beside the model file is told with what the file says.
#include "cardan/session/changed_settings.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cardan/results/stored_statistics.h"
#include "test/places.h"

namespace cardan {
namespace {

TEST(changed_settings, name_value_and_line_of_the_model) {
  ModelRequest request;
  request.path = std::string(test::source_dir) + "/models/press";
  request.set = {"speed=2400 rpm", "k=10 N/mm"};
  request.give("until", "5");
  request.give("rtol", "1e-8");
  const auto model = read(request);
  ASSERT_TRUE(model);
  const auto changed = changed_settings(request, model.value());
  ASSERT_EQ(changed.size(), 4U);
  EXPECT_EQ(changed[0].name, "speed");
  EXPECT_EQ(changed[0].value, "2400 rpm");
  EXPECT_EQ(changed[0].before, "120 rpm");
  EXPECT_EQ(changed[0].line, 7);
  EXPECT_EQ(changed[2].before, "2 s");
  EXPECT_EQ(changed[3].before, "");
  EXPECT_EQ(changed[3].line, 0);
  EXPECT_EQ(changed_words(changed),
            "speed = 2400 rpm (model: 120 rpm), k = 10 N/mm (model: 20 N/mm), until = 5 (model: 2 "
            "s), rtol = 1e-8");
  EXPECT_TRUE(changed_settings({request.path, {}}, model.value()).empty());
}

TEST(changed_settings, settings_used_have_no_blanks) {
  ModelRequest request;
  request.path = std::string(test::source_dir) + "/models/press";
  const auto model = read(request);
  ASSERT_TRUE(model);
  Summary summary;
  summary.formulation = "projected";
  summary.integrator = "ode45";
  const auto settings = settings_used(model.value(), summary);
  const std::string text = settings.dump();
  EXPECT_EQ(text.find("auto"), std::string::npos) << text;
  EXPECT_EQ(text.find("null"), std::string::npos) << text;
  EXPECT_EQ(settings["analyses"][0]["formulation"], "projected");
}

}  // namespace
}  // namespace cardan
