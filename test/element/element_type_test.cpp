// The descriptions of element types are complete and consistent with themselves. What follows from
// them in a model is tested by test/analysis/element_types_test.cpp.
#include "cardan/element/element_type.h"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace cardan {
namespace {

std::string title(const ElementType& type) {
  return std::string(kind_name(type.kind)) + " " + std::string(type.type) +
         (type.space == Space::spatial ? " in space" : " in the plane");
}

TEST(ElementTypes, keys_are_unique_and_documented) {
  std::set<std::tuple<Kind, std::string_view, Space>> seen;
  for (const ElementType& type : element_types()) {
    EXPECT_TRUE(seen.emplace(type.kind, type.type, type.space).second) << title(type);
    EXPECT_FALSE(type.doc.empty()) << title(type);
    EXPECT_EQ(find_type(type.kind, type.type, type.space), &type) << title(type);
    std::set<std::string_view> names;
    for (const KeySpec& key : type.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << title(type) << ": " << key.name << " twice";
      EXPECT_FALSE(key.doc.empty()) << title(type) << ": " << key.name;
      EXPECT_EQ(key.kind == ValueKind::choice, !key.choices.empty())
          << title(type) << ": " << key.name;
      EXPECT_TRUE(key.kind != ValueKind::formulas || key.parts.size() == key.dimensions.size())
          << title(type) << ": " << key.name;
      for (const auto& common : common_keys(type.kind))
        EXPECT_NE(key.name, common.name) << title(type);
    }
  }
  EXPECT_EQ(find_type(Kind::joint, "spring"), nullptr);
}

// Each kind has the parts that its uses need, and none that nobody would read.
TEST(ElementTypes, nothing_is_left_open) {
  for (const ElementType& type : element_types()) {
    SCOPED_TRACE(title(type));
    const bool joint = type.kind == Kind::joint, force = type.kind == Kind::force,
               contact = type.kind == Kind::contact;
    EXPECT_FALSE(std::holds_alternative<Unstated>(type.make));
    EXPECT_EQ(joint,
              std::holds_alternative<JointMaker>(type.make) ||
                  (joint && std::holds_alternative<FormulaRelation>(type.make)));
    EXPECT_EQ(force, std::holds_alternative<ForceMaker>(type.make));
    EXPECT_EQ(contact || type.kind == Kind::stop, std::holds_alternative<LimitMaker>(type.make));
    EXPECT_EQ(joint || force || contact, type.drawing != Drawing::unstated);
    EXPECT_EQ(joint, !std::holds_alternative<Unstated>(type.friction));
    EXPECT_EQ(type.space == Space::planar, !std::holds_alternative<Unstated>(type.embedding));
    EXPECT_EQ(contact, type.contact.has_value());
    EXPECT_EQ(joint, type.coordinates.empty() != type.no_coordinate.empty());
    for (const JointCoordinate& c : type.coordinates)
      EXPECT_NE(c.channel.empty(), c.no_channel.empty()) << name_of(c.measure);
    EXPECT_TRUE(!type.measure || type.type == name_of(*type.measure));
    EXPECT_TRUE(!type.own || force);
  }
}

TEST(ElementTypes, friction_has_keys_where_it_has_a_rule) {
  for (const ElementType& type : element_types()) {
    const bool keys = std::any_of(type.keys.begin(), type.keys.end(), [](const KeySpec& key) {
      return key.name == "friction";
    });
    const bool rubs = type.contact || std::holds_alternative<FrictionRule>(type.friction);
    EXPECT_EQ(keys, rubs) << title(type);
    const auto* none = std::get_if<NoFriction>(&type.friction);
    EXPECT_TRUE(none == nullptr || !none->reason.empty()) << title(type);
  }
}

// Whatever a joint can be measured by exists as driver, request, stop and initial condition.
TEST(ElementTypes, coordinates_of_joints_can_be_used) {
  for (const ElementType& type : element_types())
    for (const JointCoordinate& c : type.coordinates)
      for (const Kind kind : {Kind::driver, Kind::request, Kind::initial, Kind::stop}) {
        const ElementType* use = find_type(kind, name_of(c.measure), type.space);
        ASSERT_NE(use, nullptr) << title(type) << ": " << name_of(c.measure);
        for (const auto& [key, value] : c.settings)
          EXPECT_TRUE(std::any_of(use->keys.begin(),
                                  use->keys.end(),
                                  [&](const KeySpec& known) { return known.name == key; }))
              << title(type) << ": " << key;
      }
}

TEST(ElementTypes, drawings_have_names_of_their_own) {
  std::set<std::string_view> names;
  for (int k = 0; k <= static_cast<int>(Drawing::arrow); ++k)
    EXPECT_TRUE(names.insert(name_of(static_cast<Drawing>(k))).second) << k;
}

}  // namespace
}  // namespace cardan
