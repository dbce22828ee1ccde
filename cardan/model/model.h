#pragma once
// What the user said, in plain structures: units resolved, names turned into indices, positions in
// the file kept. It may still be wrong mechanically; system/compile.h finds that out. No numerics
// here.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/expression.h"
#include "cardan/math/function.h"
#include "cardan/math/planar_curve.h"
#include "cardan/math/space_curve.h"
#include "cardan/model/options.h"

namespace cardan {

enum class Space { planar, spatial };

using Triple = std::array<double, 3>;  // planar models leave the third number 0

using Quad = std::array<double, 4>;  // a unit quaternion, w first

inline constexpr int ground = -1;

struct Shape {       // for drawing only
  std::string kind;  // bar, disc, box, polygon, slider, hatch
                     // spatial: bar, box, cylinder, tube, sphere, cone, mesh
  // box, slider: width, height, angle; disc: radius; bar: width
  // spatial: box: three widths; cylinder, cone, sphere: radius; tube: outer and inner radius
  std::vector<double> sizes;
  // Body frame; box, slider, disc: the centre; bar, hatch: both ends; polygon: corners.
  std::vector<Triple> points;
  std::string colour;
  Quad orientation{1, 0, 0, 0};                 // spatial: of a box, in the body's frame
  std::vector<std::array<int, 3>> triangles{};  // of a mesh: corners as numbers of points
};

struct Body {
  std::string name;
  SourcePos where;
  double mass = 0;                 // 0: massless
  double inertia = 0;              // planar, about the mass centre; 0: point mass
  std::array<double, 9> tensor{};  // spatial: about the mass centre in body axes, row by row
  Triple centre{};                 // mass centre in the body's frame
  Triple at{};                     // guess: origin of the body's frame
  double angle = 0;                // guess
  Quad orientation{1, 0, 0, 0};    // guess, spatial
  Triple velocity{};               // guess: velocity of the origin
  double rate = 0;                 // guess: angular velocity
  Triple omega{};                  // guess: angular velocity in body axes, spatial
  bool velocity_given = false;     // the user wrote a velocity or rate
  std::vector<Shape> shapes;
};

struct Marker {
  std::string name;
  SourcePos where;
  int body = ground;
  Triple point{};  // body frame
  double angle = 0;
  Quad orientation{1, 0, 0, 0};  // in the body's frame, spatial
};

// One end of an element: a point and a direction fixed in a body, in that body's frame. In space
// the direction is the joint's axis, and a second one across it is where angles about it start.
struct Side {
  int body = ground;
  Triple point{};
  Triple axis{1, 0, 0};
  Triple across{0, 1, 0};
};

using Setting = std::variant<double,
                             bool,
                             std::string,
                             std::vector<double>,
                             FunctionPtr,
                             Expression,
                             PlanarCurvePtr,
                             SpaceCurvePtr>;

enum class Kind { joint, driver, force, request, initial, stop, contact };

std::string_view kind_name(Kind);  // "joint", "driver", ...

// Joints, drivers, forces, requests, initial conditions, stops and contacts. Which types there are
// and which settings each has is written down once, in element/element_type.h; reader, schema,
// reference manual and compile all use that table.
struct Element {
  Kind kind = Kind::joint;
  std::string type, name;
  SourcePos where;
  std::vector<Side> sides;
  std::vector<std::pair<std::string, Setting>> settings;
  // Force expressions are functions of [t, length, rate, in0, in0', in1, in1', ...]: length and
  // rate of the force's own spring (0 elsewhere), then value and rate of each request named in the
  // formula. These are their indices: requests, states, inputs of the model, then the y coordinates
  // of all point requests and in space their z (x counts as the request itself). Each list goes on
  // where the one before it ends.
  std::vector<int> inputs;
  std::string joint;  // drivers, requests and initial conditions on a joint: its name
  // Of an angle in space: which of those that differ by whole turns is meant at the start, the one
  // nearest to this.
  std::optional<double> start_angle{};

  struct Coupled {  // one of the joints a coupler relates
    int joint = 0;
    bool angle = true;  // its angle, or else its displacement
    double factor = 1;
  };

  std::vector<Coupled> coupled{};

  struct FormulaText {  // a setting that is a formula or a curve, as written
    std::string setting, text;
    SourcePos where;
  };

  std::vector<FormulaText> formulas{};  // for messages

  const Setting* find(std::string_view key) const {
    for (const auto& [name_, value] : settings)
      if (name_ == key) return &value;
    return nullptr;
  }

  double number(std::string_view key, double otherwise = 0) const {
    const Setting* s = find(key);
    const double* x = s != nullptr ? std::get_if<double>(s) : nullptr;
    return x != nullptr ? *x : otherwise;
  }

  std::string words() const;  // "joint 'crank pin'", "initial condition 'main bearing'"
};

// A first-order state beside the mechanics: z' = rate, a formula of the same arguments.
struct ModelState {
  std::string name, unit;
  SourcePos where;
  double initial = 0;
  bool error_control = true;
  Expression rate;
  std::vector<int> inputs;  // as of an element
  std::string text{};       // of the rate, for messages
};

// A request whose formula reads results of the run: reactions, drives, any channel. It is evaluated
// when a row is recorded, so that nothing of the motion can depend on it.
struct ResultFormula {
  int request = 0;
  std::string text;
  SourcePos where;
  bool unit_given = false;

  struct Constant {  // a parameter that it names
    std::string name;
    Scope::Constant value;
  };

  std::vector<Constant> constants;
  std::vector<std::pair<std::string, FunctionPtr>> curves;  // that it calls
};

// A value from outside: constant until it is set, or a function of time.
struct ModelInput {
  std::string name, unit;
  SourcePos where;
  double value = 0;
  FunctionPtr motion;  // null: `value`
};

// Which of several assembled positions is meant: one by its number in the list of branches, or the
// one in which a condition over requests holds.
struct BranchChoice {
  SourcePos where;
  int number = 0;           // 0: by condition
  std::string text;         // the condition as written
  Expression condition;     // above zero where it holds
  std::vector<int> inputs;  // as of an element
};

// One numeric setting that follows from parameters.
struct ParameterUse {
  std::string element, key;  // "joint 'crank pin'", "at"
  SourcePos where;
  std::string formula;
  std::vector<std::string> parameters;  // named in it, directly or through other parameters
};

struct OwnEquations;  // own_equations.h

struct Model {
  std::string title;
  std::string text, path;  // the file as read, and where it was
  Space space = Space::planar;
  Triple gravity{};
  std::vector<std::pair<std::string, double>> parameters;  // resolved, SI
  std::vector<ParameterUse> parameter_uses;
  std::optional<BranchChoice> branch;
  double start_time = 0;  // s: when it is put together, where the first analysis begins
  std::vector<Body> bodies;
  std::vector<Shape> ground_shapes;
  std::vector<Marker> markers;
  std::vector<Element> joints, drivers, forces, requests, initial, stops, contacts;
  std::vector<ModelState> states;
  std::vector<ModelInput> inputs;
  std::vector<ResultFormula> results;       // of requests
  std::shared_ptr<const OwnEquations> own;  // equations instead of bodies; null: a mechanism
  std::vector<Analysis> analyses;
  std::vector<std::string> output_channels;  // patterns of what to store; empty: everything
  bool output_multipliers = false;           // those of all equations are channels
  bool output_residuals = false;             // by joint
  // Name and text of the files it includes.
  std::vector<std::pair<std::string, std::string>> included;
  Diagnostics notes;  // warnings of the reader

  int find_body(std::string_view name) const;  // ground: -1, unknown: -2
};

}  // namespace cardan
