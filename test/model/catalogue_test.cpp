// The keys of sections and curves are documented, each once.
#include "cardan/model/catalogue.h"

#include <set>

#include <gtest/gtest.h>

#include "cardan/model/block_types.h"
#include "cardan/model/mass_properties.h"

namespace cardan {
namespace {

void expect_sound(const std::vector<KeySpec>& keys, std::string_view owner) {
  std::set<std::string_view> names;
  for (const auto& key : keys) {
    EXPECT_TRUE(names.insert(key.name).second) << owner << ": " << key.name << " twice";
    EXPECT_FALSE(key.doc.empty()) << owner << ": " << key.name;
    EXPECT_EQ(key.kind == ValueKind::choice, !key.choices.empty() && key.kind != ValueKind::names)
        << owner << ": " << key.name;
    EXPECT_TRUE(key.kind != ValueKind::formulas || key.parts.size() == key.dimensions.size())
        << key.name;
  }
}

TEST(catalogue, sections_and_curves_are_documented) {
  for (const auto& section : sections()) {
    EXPECT_FALSE(section.doc.empty()) << section.name;
    expect_sound(section.keys, section.name);
  }
  for (const auto& curve : curve_types()) expect_sound(curve.keys, curve.type);
  for (const auto& block : block_types()) {
    expect_sound(block.keys, block.type);
    EXPECT_EQ(find_block_type(block.type), &block);
  }
}

TEST(mass_properties, plate_with_parts) {
  const Plate none = plate_of({});
  EXPECT_EQ(none.area, 0);
  const Plate bar = plate_of({Shape{"bar", {0.1}, {{0, 0, 0}, {0, 2, 0}}, ""}});
  EXPECT_NEAR(bar.area, 0.2, 1e-15);
  EXPECT_NEAR(bar.centroid[1], 1, 1e-15);
  EXPECT_NEAR(bar.radius_squared, (4 + 0.01) / 12, 1e-15);
  const Plate thin = plate_of({Shape{"bar", {0}, {{0, 0, 0}, {0, 2, 0}}, ""},
                               Shape{"hatch", {}, {{0, 0, 0}, {1, 0, 0}}, ""}});
  EXPECT_EQ(thin.area, 0);
  EXPECT_EQ(thin.radius_squared, 0);
}

}  // namespace
}  // namespace cardan
