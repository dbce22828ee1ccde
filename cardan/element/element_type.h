#pragma once
// One description per element type. Reader, schema, manual, compile, channels, drivers on joints,
// the embedding of planar models and the viewer follow from it; nothing else knows a type by its
// name. test/analysis/element_types_test.cpp walks all of them and fails on what a description
// leaves open.
//
// Every element has two sides, i and j (the ground where only `body` is given: side i). What it
// measures is j relative to i: angle phi_j - phi_i, vector P_j - P_i. A force or torque acts on
// side j and its opposite on side i.
#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "cardan/element/constraint_set.h"
#include "cardan/element/contact/friction.h"
#include "cardan/element/force/force_set.h"
#include "cardan/element/measure.h"
#include "cardan/model/catalogue.h"

namespace cardan {

// ---- geometry

enum class PointRule {
  none,      // the element has no point on this side
  required,  // must be given
  origin,    // default: the origin of the body's frame
  meeting    // default: the origin of body j, where it is in the given pose
};

enum class AxisRule {
  none,      // not used beyond measuring angles
  required,  // must be given
  body,      // default: the x axis of the body
  pose       // default: the ground's x axis in the given pose
};

enum class At { none, both, first, second, each };  // which sides a single global point `at` fixes

struct Geometry {
  int sides = 2;  // 0: none at all
  std::array<std::string_view, 2> role{"first body", "second body"};
  std::array<PointRule, 2> point{};
  std::array<AxisRule, 2> axis{};
  At at = At::none;
  bool cross = false;  // axes across each other: angles start where each meets the other
};

// ---- what a description says beyond keys and geometry

struct Unstated {};  // a description that forgot to say; the test fails on it

// A coordinate of a joint: what drivers, requests, stops and initial conditions that name the joint
// measure. The first one is meant where nothing is said.
struct JointCoordinate {
  Measure measure;
  bool free = true;  // false: the joint holds it
  // Channel of its value ("angle" of "hinge.angle"; its rate is "angle_rate"), or why there is
  // none.
  std::string_view channel{}, no_channel{};
  std::vector<std::pair<std::string, Setting>> settings{};  // of what measures it
  // The joint's angle about its axis, whole turns included, where the coordinate has this value;
  // null: the coordinate does not tell.
  std::optional<double> (*angle_at)(const Element& joint, double value) = nullptr;
};

// Friction: how a joint slides and which part of its reaction presses it together.
using FrictionPlan = Result<std::vector<FrictionElement>, ElementFault>;
using FrictionRule = FrictionPlan (*)(const ElementSpec&, FrictionElement);

struct NoFriction {
  std::string_view reason;
};

// A planar element run in space: its sides and settings turned into those of a spatial type.
using EmbeddingRule = void (*)(const Model& planar, Element&);

struct NotInSpace {
  std::string_view reason;
};

// The own variables of an element's formulas beside t and requests: its measure and the rate of it.
struct OwnVariable {
  std::string_view name;
  UnitKind unit;
};

// What a contact keeps apart.
struct ContactShape {
  bool flat = false;    // a line or plane, with one radius; else round, with two
  bool hollow = false;  // the second body is inside
  FrictionElement::Slide slide = FrictionElement::Slide::line;
};

// How an element is drawn; the viewer knows these and no types.
enum class Drawing {
  unstated,
  none,            // nothing: a relation without a place
  pin,             // a hinge
  weld,            // bodies that are one
  slide,           // a block in a guide
  sleeve,          // a pin that slides and turns
  slot,            // a pin in a slot
  ball,            // a ball, or a point that is held
  cross,           // the cross of a universal joint
  plate,           // a plate on a plane
  rail,            // a point on a straight rail
  track,           // a point or a follower on a curve
  line,            // a straight line that something rolls on
  gear,            // two wheels with pitch radii
  rack,            // a pinion and its rack
  stand,           // what holds it to the ground, and nothing else
  wheel,           // a disc that rolls
  globe,           // a sphere that rolls
  rod,             // two points a distance apart
  ball_ball_link,  // massless links by their ends
  pin_ball_link,
  pin_pin_link,
  pin_sleeve_link,
  spring,  // a coil and a dashpot between two points
  torsion_spring,
  bushing,
  arrow  // a force or a torque
};

std::string_view name_of(Drawing);  // as the scene has it: "pin-ball-link"

// ---- makers

using JointMaker = Made (*)(ConstraintSet&, const ElementSpec&, CView q);
using ForceMaker = MadeForce (*)(ForceSet&, const ElementSpec&, CView q);

struct MeasureMaker {  // drivers (with a function of time), requests, initial conditions
  Made (*make)(ConstraintSet&, const ElementSpec&, const FunctionPtr& drive);
};

struct LimitMaker {  // stops and contacts: the equation of a hard one, the force of a compliant one
  Part (*hard)(ConstraintSet&, const ElementSpec&, double limit);
  ForcePart (*compliant)(ForceSet&, const ElementSpec&, const ForceSet::Limit&);
  std::optional<ElementFault> (*fault)(const ElementSpec&) = nullptr;  // null: always possible
};

struct PointRequest {};  // the coordinates of a point, each a measure

struct FormulaRequest {};  // no equation at all

struct FormulaRelation {};  // an equation by a formula of requests (formula_relation.h)

using ElementMaker = std::variant<Unstated,
                                  JointMaker,
                                  ForceMaker,
                                  MeasureMaker,
                                  LimitMaker,
                                  PointRequest,
                                  FormulaRequest,
                                  FormulaRelation>;

// ---- the description

struct ElementType {
  Kind kind = Kind::joint;
  std::string_view type, doc;
  Geometry geometry;
  std::vector<KeySpec> keys{};
  Space space = Space::planar;
  bool written = true;  // false: no model file has it, only what is made from one

  std::optional<Measure> measure{};            // driver, request, initial condition, stop
  std::optional<ContactShape> contact{};       // contact
  std::optional<OwnVariable> own{};            // force
  std::vector<JointCoordinate> coordinates{};  // joint
  std::string_view no_coordinate{};            // or why it has none
  std::variant<Unstated, FrictionRule, NoFriction> friction{};    // joint
  std::variant<Unstated, EmbeddingRule, NotInSpace> embedding{};  // of the plane
  bool holds_plane = false;  // planar joint: in space it keeps its bodies in one plane by itself
  Drawing drawing = Drawing::unstated;  // joint, force, contact
  ElementMaker make{};
};

const std::vector<ElementType>& element_types();  // of both spaces
const ElementType* find_type(Kind, std::string_view type, Space = Space::planar);
// Those a model file may write.
std::vector<std::string> type_names(Kind, Space = Space::planar);

}  // namespace cardan
