// Walks all element types from end to end, with a small model made from each description alone. What
// a description promises must be there: equations in the unit they say, channels, drivers, stops,
// events, friction, a form in space, a drawing. A type that lacks one says why, or the test fails.
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/record/recorder.h"
#include "cardan/element/embed.h"
#include "cardan/io/scene.h"
#include "test/analysis/model_of_type.h"
#include "test/verify/space_runs.h"

namespace cardan::test {
namespace {

std::optional<System> compiled(const Model& model, const std::string& what) {
  auto system = compile(model);
  if (system) return std::move(system).value();
  for (const auto& d : system.why()) ADD_FAILURE() << what << ": " << to_text(d);
  return {};
}

// Gives a stop or contact what it needs beyond required keys.
Model whole(const ElementType& type) {
  Model model = ModelOfType{type}.model();
  if (type.kind == Kind::stop) model.stops[0].settings.emplace_back("upper", 3.0);
  if (type.contact && type.contact->hollow)
    model.contacts[0].settings = {{"radii", std::vector<double>{2, 0.1}}};
  return model;
}

TEST(AllElementTypes, are_made_from_their_descriptions) {
  for (const ElementType& type : element_types()) {
    const auto system = compiled(whole(type), title(type));
    if (!system) continue;
    EXPECT_EQ(system->forces().size(), type.kind == Kind::force ? 1u : 0u) << title(type);
    if (type.kind == Kind::joint) {
      EXPECT_FALSE(system->constraints().back().rows.empty()) << title(type);
      EXPECT_EQ(system->constraints().back().description, &type) << title(type);
    }
  }
}

// Derivatives are exact but for the types named here.
TEST(AllElementTypes, few_are_differenced) {
  std::set<std::string> differenced;
  for (const ElementType& type : element_types()) {
    const auto system = compiled(whole(type), title(type));
    if (!system) continue;
    for (const ConstraintPool* pool : system->equations().pools())
      if (pool->differenced()) differenced.insert(title(type));
  }
  EXPECT_EQ(differenced,
            (std::set<std::string>{"joint cam-cam in space",
                                   "joint cam-cam in the plane",
                                   "joint cam-flat in space",
                                   "joint rolling-disc in space",
                                   "joint rolling-sphere in space"}));
}

// Coordinates a little away from the given pose, so that no equation is satisfied by chance.
std::vector<double> moved(const System& system, double scale) {
  State state = system.given_state();
  std::vector<double> d(static_cast<std::size_t>(system.v_size()));
  for (std::size_t k = 0; k < d.size(); ++k) {
    const bool turn = static_cast<int>(k) % system.body_size() >= system.dimension();
    d[k] = 0.05 * std::sin(1.0 + 2.3 * static_cast<double>(k)) * (turn ? 1 : scale);
  }
  system.advance(state.q, d, state.q);
  return state.q;
}

std::vector<double> residuals(const System& system, CView q) {
  Workspace work = system.workspace();
  system.rotations(q, work);
  std::vector<double> phi(static_cast<std::size_t>(system.equations().rows()));
  system.equations().phi(system.config(0, q, work), phi);
  return phi;
}

// A residual in metres grows with the mechanism, one in radians does not; and shifting bodies
// changes a length and no angle.
TEST(AllElementTypes, equations_are_in_the_unit_they_say) {
  int angles = 0, lengths = 0;
  for (const ElementType& type : element_types()) {
    const bool relation = type.geometry.sides == 0;  // the unit is that of the user's factors
    if (type.kind != Kind::joint && type.kind != Kind::driver && type.kind != Kind::stop) continue;
    Model small = whole(type), large = ModelOfType{type, 2}.model();
    if (type.kind == Kind::stop) {
      const bool angle = unit_kind_of(*type.measure) == UnitKind::angle;
      large.stops[0].settings.emplace_back("upper", angle ? 3.0 : 6.0);
    }
    for (Model* m : {&small, &large})
      if (type.kind == Kind::driver)
        m->drivers[0].settings = {{"motion", as_function(formula("0"))}};
    const auto one = compiled(small, title(type)), two = compiled(large, title(type));
    if (!one || !two) continue;
    const auto q_one = moved(*one, 1), q_two = moved(*two, 2);
    const auto phi_one = residuals(*one, q_one), phi_two = residuals(*two, q_two);
    Workspace work = one->workspace();
    one->rotations(q_one, work);
    one->equations().phi_q(one->config(0, q_one, work), work.packed);
    for (const auto& b : one->equations().blocks())
      for (int r = 0; r < b.rows; ++r) {
        const int row = b.first_row + r;
        const auto k = static_cast<std::size_t>(row);
        double shift = 0;
        for (const auto& term : one->equations().terms(b))
          for (int c = 0; c < one->dimension(); ++c)
            shift += std::abs(work.packed[static_cast<std::size_t>(term.offset + c * b.rows + r)]);
        const bool angle = one->unit_kind(row) == UnitKind::angle;
        ++(angle ? angles : lengths);
        EXPECT_EQ(angle, shift == 0) << title(type) << ", " << one->row_label(row);
        if (relation) continue;
        EXPECT_NEAR(phi_two[k], (angle ? 1 : 2) * phi_one[k], 1e-12 * (1 + std::abs(phi_two[k])))
            << title(type) << ", " << one->row_label(row);
      }
  }
  EXPECT_GT(angles, 20);
  EXPECT_GT(lengths, 40);
}

bool has_channel(const System& system, const std::string& name) {
  const Recorder recorder(system, {}, false);
  const auto& channels = recorder.channels();
  return std::any_of(
      channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
}

// A coordinate of a joint can be driven, stopped, asked for and prescribed, and is recorded.
TEST(AllElementTypes, coordinates_of_joints_are_usable) {
  for (const ElementType& type : element_types()) {
    if (type.kind != Kind::joint) continue;
    for (const JointCoordinate& c : type.coordinates) {
      const std::string what = title(type) + ", " + std::string(name_of(c.measure));
      Model model = ModelOfType{type}.model();
      for (const Kind kind : {Kind::driver, Kind::request, Kind::initial, Kind::stop}) {
        const ElementType& use = *find_type(kind, name_of(c.measure), type.space);
        Element e = ModelOfType{use}.element();
        e.sides = model.joints[0].sides;
        e.joint = model.joints[0].name;
        e.settings.insert(e.settings.end(), c.settings.begin(), c.settings.end());
        if (kind == Kind::initial) e.settings.emplace_back("value", 0.1);
        if (kind == Kind::stop) e.settings.emplace_back("upper", 3.0);
        ModelOfType::list(model, kind).push_back(e);
      }
      const auto system = compiled(model, what);
      if (!system) continue;
      EXPECT_EQ(system->constraints().size(), 3u) << what;
      EXPECT_EQ(system->requests().size(), 1u) << what;
      if (!c.channel.empty()) {
        const std::string name = "it." + std::string(c.channel);
        EXPECT_TRUE(has_channel(*system, name)) << what;
        EXPECT_TRUE(has_channel(*system, name + "_rate")) << what;
      }
    }
  }
}

TEST(AllElementTypes, friction_acts_where_there_is_a_rule_and_is_refused_elsewhere) {
  for (const ElementType& type : element_types()) {
    if (type.kind != Kind::joint) continue;
    Model model = ModelOfType{type}.model();
    Element& e = model.joints.back();
    if (std::holds_alternative<FrictionRule>(type.friction)) {
      e.settings.clear();
      for (const KeySpec& key : type.keys) ModelOfType{type}.set(e, key);
      const auto system = compiled(model, title(type));
      EXPECT_TRUE(system && system->friction().count() > 0) << title(type);
    } else {
      e.settings.emplace_back("friction", 0.3);
      const auto system = compile(model);
      ASSERT_FALSE(system) << title(type);
      EXPECT_EQ(system.why()[0].id, "model.unknown-key") << title(type);
    }
  }
}

TEST(AllElementTypes, planar_ones_run_in_space_or_say_why_not) {
  for (const ElementType& type : element_types()) {
    if (type.space != Space::planar) continue;
    if (const auto* refused = std::get_if<NotInSpace>(&type.embedding)) {
      EXPECT_FALSE(refused->reason.empty()) << title(type);
      continue;
    }
    const Embedded embedded = embed_in_space(whole(type));
    EXPECT_TRUE(embedded.faults.empty()) << title(type);
    compiled(embedded.model, title(type) + ", embedded");
  }
}

Events run_of(Model model) {
  DynamicOptions options;
  options.until = 0.1;
  options.integrator = "rk4";
  options.step = 0.007;
  options.output_step = 0.1;
  model.analyses = {options};
  Events run;
  complete(model, run);
  return run;
}

void set(Element& e, std::string_view name, Setting value) {
  std::erase_if(e.settings, [&](const auto& setting) { return setting.first == name; });
  e.settings.emplace_back(std::string(name), std::move(value));
}

// Every formula of a force or a request: a condition in it is an event.
TEST(AllElementTypes, conditions_in_formulas_are_events) {
  int formulas = 0;
  for (const ElementType& type : element_types())
    for (const KeySpec& key : type.keys) {
      if (key.kind != ValueKind::formula && key.kind != ValueKind::formulas) continue;
      if (std::holds_alternative<FormulaRelation>(type.make)) continue;  // must be smooth
      std::vector<std::string_view> names = key.parts;
      if (key.kind == ValueKind::formula) names = {key.name};
      for (const auto name : names) {
        Model model = ModelOfType{type}.model();
        set(ModelOfType::list(model, type.kind).back(), name, formula("if(t > 0.05, 0.1, 0)"));
        const auto times = run_of(model).times_of("switch");
        ASSERT_EQ(times.size(), 1u) << title(type) << ", " << name;
        EXPECT_NEAR(times[0], 0.05, 1e-9) << title(type) << ", " << name;
        ++formulas;
      }
    }
  EXPECT_GE(formulas, 20);
}

// And so is one in a law of a force, at a value that its variable passes on its way.
// (The motion of a driver has no conditions: it must be smooth to its second derivative.)
TEST(AllElementTypes, conditions_in_laws_are_events) {
  int laws = 0;
  for (const ElementType& type : element_types())
    for (const KeySpec& key : type.keys) {
      if (type.kind != Kind::force || key.kind != ValueKind::motion) continue;
      const std::string what = title(type) + ", " + std::string(key.name),
                        channel = "it." + std::string(key.variable);
      Model model = ModelOfType{type}.model();
      set(model.forces[0], "stiffness", 5.0);  // so that the rate changes too
      const Events plain = run_of(model);
      const double half = 0.5 * (plain.value(channel, 0) + plain.last(channel));
      ASSERT_NE(half, plain.last(channel)) << what;
      const std::string law = fmt::format("if(t > {}, 1e-9, 0)", half);  // of its own variable
      set(model.forces[0], key.name, as_function(formula(law)));
      const Events run = run_of(model);
      ASSERT_EQ(run.times_of("switch").size(), 1u) << what;
      EXPECT_GT(run.times_of("switch")[0], 0.01) << what;
      EXPECT_LT(run.times_of("switch")[0], 0.099) << what;
      ++laws;
    }
  EXPECT_GE(laws, 8);
}

// The scene names a drawing of each joint, force and contact, and the viewer knows it.
TEST(AllElementTypes, are_drawn) {
  std::ifstream file(std::string(source_dir) + "/viewer/src/data/drawings.ts");
  std::stringstream text;
  text << file.rdbuf();
  for (const ElementType& type : element_types()) {
    if (type.drawing == Drawing::unstated) continue;
    const auto scene = scene_of(ModelOfType{type}.model());
    const char* lists[] = {"joints", "springs", "forces", "contacts"};
    bool drawn = false;
    for (const char* list : lists)
      for (const auto& link : scene[list])
        drawn = drawn || link["drawing"] == std::string(name_of(type.drawing));
    EXPECT_TRUE(drawn) << title(type);
    EXPECT_NE(text.str().find("\"" + std::string(name_of(type.drawing)) + "\""), std::string::npos)
        << title(type) << " is drawn as " << name_of(type.drawing);
  }
}

}  // namespace
}  // namespace cardan::test
