// The catalogue is complete and consistent with itself.
#include "cardan/model/catalogue.h"

#include <set>
#include <tuple>

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

TEST(catalogue, types_are_unique_and_documented) {
  std::set<std::tuple<Kind, std::string_view, Space>> seen;
  for (const auto& type : element_types()) {
    EXPECT_TRUE(seen.emplace(type.kind, type.type, type.space).second) << type.type;
    EXPECT_FALSE(type.doc.empty()) << type.type;
    EXPECT_EQ(find_type(type.kind, type.type, type.space), &type);
    expect_sound(type.keys, type.type);
    for (const auto& key : type.keys)
      for (const auto& common : common_keys(type.kind))
        EXPECT_NE(key.name, common.name) << type.type;
  }
  EXPECT_EQ(type_names(Kind::joint).size(), 16u);
  EXPECT_EQ(find_type(Kind::joint, "spring"), nullptr);
}

TEST(catalogue, sections_and_curves_are_documented) {
  for (const auto& section : sections()) {
    EXPECT_FALSE(section.doc.empty()) << section.name;
    expect_sound(section.keys, section.name);
    EXPECT_FALSE(reference_tables(section.name).empty()) << section.name;
  }
  for (const auto& curve : curve_types()) expect_sound(curve.keys, curve.type);
  for (const auto& block : block_types()) {
    expect_sound(block.keys, block.type);
    EXPECT_NE(reference_tables("block").find("`" + std::string(block.type) + "`"),
              std::string::npos);
    EXPECT_EQ(find_block_type(block.type), &block);
  }
}

TEST(catalogue, measures_of_joints_exist) {
  for (const auto& name : type_names(Kind::joint)) {
    const std::string_view measure = measure_of_joint(name);
    if (measure.empty()) continue;
    for (const Kind kind : {Kind::driver, Kind::request, Kind::initial, Kind::stop})
      EXPECT_NE(find_type(kind, measure), nullptr) << name;
  }
  EXPECT_EQ(measure_of_joint("revolute"), "angle");
  EXPECT_EQ(measure_of_joint("fixed"), "");
}

TEST(catalogue, tables_list_every_key) {
  const std::string springs = reference_tables("force");
  for (const char* key : {"`stiffness`", "`free_length`", "`torque`", "`frame`"})
    EXPECT_NE(springs.find(key), std::string::npos) << key;
  EXPECT_EQ(reference_tables("nothing"), "");
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
