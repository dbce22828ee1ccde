// Every key of every analysis reads back what was set, and the types stand in the variant's order.
#include "cardan/model/analysis_type.h"

#include <set>

#include <gtest/gtest.h>

namespace cardan {
namespace {

OptionValue another(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return *number > 0 && *number < 1e300 ? 2 * *number : 0.25;
  if (std::holds_alternative<long>(value)) return 17L;
  if (const auto* flag = std::get_if<bool>(&value)) return !*flag;
  if (std::holds_alternative<std::string>(value)) return std::string("another");
  if (std::holds_alternative<std::vector<double>>(value)) return std::vector<double>{0.5, 2};
  return std::vector<std::string>{"one", "two"};
}

TEST(AnalysisType, OrderIsThatOfTheVariant) {
  EXPECT_EQ(analysis_types().size(), std::variant_size_v<Analysis>);
  for (const AnalysisType& type : analysis_types()) EXPECT_EQ(&analysis_type(type.make()), &type);
}

TEST(AnalysisType, EveryFieldReadsBack) {
  for (const AnalysisType& type : analysis_types()) {
    std::set<std::string_view> names;
    for (const OptionField& field : type.fields) {
      EXPECT_TRUE(names.insert(field.key.name).second) << field.key.name;
      EXPECT_FALSE(field.key.doc.empty()) << field.key.name;
      Analysis analysis = type.make();
      const OptionValue value = another(field.get(analysis));
      field.set(analysis, value, {});
      EXPECT_EQ(field.get(analysis), value) << type.name << ' ' << field.key.name;
      for (const OptionField& other : type.fields)
        if (&other != &field) {
          const OptionValue now = other.get(analysis), usual = other.get(type.make());
          const auto* x = std::get_if<double>(&now);
          if (x == nullptr || *x == *x) {
            EXPECT_EQ(now, usual) << other.key.name;
          }
        }
    }
  }
}

TEST(AnalysisType, TakesTheGridOfADynamicAnalysis) {
  DynamicOptions dynamic;
  dynamic.until = 3;
  dynamic.output_step = 0.5;
  const auto made = analyses_of_type({dynamic}, *find_analysis("kinematic"));
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(std::get<KinematicOptions>(made.front()).until, 3);
  EXPECT_EQ(std::get<KinematicOptions>(made.front()).output_step, 0.5);
}

}  // namespace
}  // namespace cardan
