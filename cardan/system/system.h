#pragma once
// A compiled mechanism: immutable, shareable between threads, indices instead of pointers.
// Everything numerical is a function of (System, state, Workspace). Coordinates refer to mass
// centres; what the user sees is in the user's frames.
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/element/element_type.h"
#include "cardan/math/time_formula.h"
#include "cardan/model/model.h"
#include "cardan/system/equations.h"
#include "cardan/system/layout.h"
#include "cardan/system/mass.h"
#include "cardan/system/state.h"
#include "cardan/system/state_table.h"

namespace cardan {

class CoordinateEquations;
struct KktPlan;
class LoopPlan;
class SchurPlan;
struct Topology;

struct Workspace {  // every scratch array of an evaluation, allocated once by System::workspace()
  std::vector<double> rotation, packed, phi, nu, gamma, Q;
  std::vector<double> request_packed, request_rows, request_row_rates, request_value, request_rate;
  std::vector<double> arguments, slopes;  // of one formula
  std::vector<int> mode;                  // State::mode of what is evaluated
  std::vector<double> slide;              // and its State::slide
  std::vector<double> z, u;               // its State::z and State::u
};

class System {
 public:
  struct BodyInfo {
    std::string name;
    SourcePos where;
    double mass = 0, inertia = 0;
    Triple centre{};                       // mass centre in the user's frame
    Mat<3, 3> tensor = Mat<3, 3>::Zero();  // spatial: `inertia` is its smallest principal value
  };

  struct ConstraintInfo {  // a joint, a driver, a stop or a contact
    Kind kind = Kind::joint;
    std::string type, name;
    SourcePos where;
    const ElementType* description = nullptr;  // null: a formula of one's own
    std::vector<int> rows;                     // of equations()
    std::vector<Side> sides;                   // points relative to the mass centres
    // Of a joint in space: rows of coordinate_equations(), for its coordinates that are channels.
    std::vector<int> coordinate_rows{};
    Dependence dependence{};    // of its equations
    std::string force_unit{};   // of a formula: of the generalized force along its value
    std::string words() const;  // "joint 'crank pin'", "constraint 'rod'" of one's own
  };

  struct ForceInfo {
    std::string type, name;
    int pool = 0, element = 0;
    Dependence dependence{};
  };

  struct ContactInfo {  // a stop or a contact; all its limits are hard, or compliant
    Kind kind = Kind::contact;
    std::string type, name;
    SourcePos where;
    bool hard = true;
    double restitution = 0, rest_speed = 0;  // of a hard one
    int pool = -1, element = -1;             // force of a compliant one
    int friction = -1;                       // of friction(); -1: none
    int first_limit = 0, limits = 0;
    // gap where centres coincide, so that nothing says where a compliant one pushes
    double centre_gap = -std::numeric_limits<double>::infinity();
    Dependence dependence{};  // of the force of a compliant one, and of friction
  };

  // gap = sign phi[row] >= 0. The row is an equation while a hard limit keeps the bodies together.
  struct LimitInfo {
    int contact = 0, row = 0;
    double sign = 1;
    std::string words;  // "stop 'hinge', lower"
  };

  struct InitialInfo {
    std::string words;
    SourcePos where;
    int row = 0;  // of assembly_equations()
    bool has_value = false, has_rate = false;
    double value = 0, rate = 0;
  };

  // What formulas read: measures, formulas of others, states and inputs of the model.
  struct RequestInfo {
    std::string name, type, unit;
    int row = -1;        // of request_equations(); -1: no measure
    Expression formula;  // its value; of a state its rate
    std::vector<int> inputs;
    enum class Source { computed, state, input } source = Source::computed;  // by row or formula
    int place = -1;  // of State::z, of inputs()
    Dependence value{}, rate{};
  };

  // A value from outside, or a function of time.
  struct InputInfo {
    std::string name, unit;
    SourcePos where;
    double value = 0;    // at the start
    FunctionPtr motion;  // null: constant until it is set
  };

  // A formula or curve by which something follows time: that of a driver, a force or the rate of a
  // state, or of a request that they use.
  struct TimePart {
    std::string words{};  // "driver 'motor'"
    SourcePos where{};
    std::shared_ptr<const TimeFormula> formula{};
    FunctionPtr drive{};   // of a driver: its position
    int driver = -1;       // its place in constraints()
    bool complete = true;  // false: it also uses the rate of what follows time
  };

  Space space() const { return space_; }

  int dimension() const { return space_ == Space::planar ? 2 : 3; }

  int body_count() const { return static_cast<int>(bodies_.size()); }

  const Layout& layout() const { return layout_; }

  // Coordinates of the bodies, then the angles that count turns (element/spatial/turns.h).
  int q_size() const { return layout_.q_size() + turn_count_; }

  int turn_count() const { return turn_count_; }

  int v_size() const { return layout_.v_size(); }

  // Velocity coordinates of a body; of equations of one's own, all of them.
  int body_size() const {
    if (own_ != nullptr) return layout_.v_size();
    return space_ == Space::planar ? 3 : 6;
  }

  // Equations of one's own instead of bodies: one block of coordinates, which are the first
  // requests; null: a mechanism.
  const OwnEquations* own() const { return own_said_; }

  const CoordinateEquations* own_mechanics() const { return own_.get(); }

  bool constant_mass() const;  // M is the same in all poses

  const std::vector<BodyInfo>& bodies() const { return bodies_; }

  const std::vector<ConstraintInfo>& constraints() const { return constraints_; }

  const std::vector<ForceInfo>& forces() const { return forces_; }

  const std::vector<ContactInfo>& contacts() const { return contacts_; }

  const std::vector<LimitInfo>& limits() const { return limits_; }

  const std::vector<std::string>& conditions() const { return conditions_; }  // whose they are

  // What the applied forces together may depend on: elements, compliant stops and contacts,
  // friction. Inertia forces are not among them.
  const Dependence& force_dependence() const { return force_dependence_; }

  // Some applied force or some driver is an explicit function of time. Which ones: `dependence` of
  // forces(), contacts() and constraints(), `value` and `rate` of requests().
  bool depends_on_time() const { return force_dependence_.time || moves_with_time_; }

  const std::vector<TimePart>& time_parts() const { return time_parts_; }

  const FrictionSet& friction() const { return *friction_; }

  const std::string& friction_label(int k) const {  // "joint 'crank pin'"
    return friction_words_[static_cast<std::size_t>(k)];
  }

  // Of State::mode: limits, conditions, then friction.
  std::size_t mode_size() const {
    return friction_modes() + static_cast<std::size_t>(friction_->count());
  }

  std::size_t friction_modes() const { return limits_.size() + conditions_.size(); }

  // What element k of friction() does, by the modes of what is evaluated.
  Sliding sliding(int k, const Workspace& w) const { return sliding(k, w.mode, w.slide); }

  Sliding sliding(int k, std::span<const int> mode, CView slide) const;

  const std::vector<InitialInfo>& initial_conditions() const { return initial_info_; }

  const std::vector<RequestInfo>& requests() const { return request_info_; }

  // Requests that read results: 0 here, and what the recorder makes of them in a row.
  const std::vector<ResultFormula>& results() const { return results_; }

  struct Evaluation {  // one formula: the value of a request, its rate, or both
    int request;
    bool value, rate;
  };

  // In the order of evaluation.
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

  const StateTable& states() const { return states_; }

  const std::vector<InputInfo>& model_inputs() const { return inputs_; }

  // Sets an input of a state. Unknown names and inputs that follow a function of time are refused.
  std::optional<Diagnostic> set_input(State&, std::string_view name, double value) const;

  const ForceSet& force_set() const { return *force_set_; }

  const MassMatrix& mass() const { return mass_; }  // of bodies

  double kinetic(double t, CView q, CView v) const;
  void multiply_mass(double t, CView q, CView x, View out) const;  // M x

  const MassMatrix& metric() const {
    return metric_;
  }  // measures poses: lengths, and angles times length()

  double length() const { return length_; }  // size of the mechanism

  // Joints and drivers, then the limits of stops and contacts, which are active only while they
  // keep bodies together (see limits()), then those of friction that sticks
  // (FrictionElement::stick_row), likewise.
  const Equations& equations() const { return equations_; }

  int joint_rows() const { return joint_rows_; }  // equations of joints and drivers

  // Joints and drivers followed by the initial conditions, whose phi is the measured value (nothing
  // subtracted).
  const Equations& assembly_equations() const { return assembly_; }

  // What follows from how elements join the bodies, made once for all who solve: the tree and the
  // loops, the elimination of S for equations() and for assembly_equations(), the closures' matrix.
  const Topology& topology() const { return *topology_; }

  const std::shared_ptr<const SchurPlan>& schur_plan() const { return schur_plan_; }

  const std::shared_ptr<const SchurPlan>& assembly_plan() const { return assembly_plan_; }

  const std::shared_ptr<const LoopPlan>& loop_plan() const { return loop_plan_; }

  // Of the whole saddle-point matrix, for mechanisms that always need it; null for all others.
  const std::shared_ptr<const KktPlan>& kkt_plan() const { return kkt_plan_; }

  const Equations& request_equations() const { return request_equations_; }

  // What joints in space measure of themselves; phi is the value, with the turns that q counts.
  const Equations& coordinate_equations() const { return coordinate_equations_; }

  const std::string& row_label(int row) const {  // "y"
    return row_words_[static_cast<std::size_t>(row)];
  }

  std::string coordinate_label(int k) const;  // of velocity coordinate k: "angle of 'crank'"
  std::string position_label(int k) const;    // of position coordinate k
  std::string equation_label(int row) const;  // "joint 'crank pin', y"
  std::string assembly_text(int row) const;   // the same of assembly_equations()

  UnitKind unit_kind(int row) const {  // what the residual is in
    return row_unit_[static_cast<std::size_t>(row)];
  }

  int constraint_of(int row) const { return constraint_of_row_[static_cast<std::size_t>(row)]; }

  bool driven() const { return driven_; }  // there are drivers

  State given_state() const {
    return given_;
  }  // the pose and velocities of the model file, not yet consistent

  bool velocity_given(int body) const {
    return velocity_given_[static_cast<std::size_t>(body)] != 0;
  }

  // ---- numbers
  Workspace workspace() const;
  void rotations(CView q, Workspace&) const;

  Config config(double t, CView q, const Workspace& w) const { return {t, q, w.rotation.data()}; }

  Motion motion(double t, CView q, CView v, const Workspace& w) const {
    return {t, q, v, w.rotation.data()};
  }

  void rate(CView q, CView v, View q_dot) const;     // q' of v
  void tangent(CView q, CView q_dot, View v) const;  // the v of q', the inverse of rate
  void advance(CView q, CView d, View out) const;    // q (+) d, out may be q
  double largest_move(CView d) const;  // of a tangent increment, angles times length()
  void difference(CView q1, CView q0, View d) const;  // d with q0 (+) d = q1
  void update_windings(View q) const;  // counted angles: exact, with the turns that q counts
  // Quaternions to length one and counted angles to their exact values; the largest deviation of a
  // length there was. Nothing to do in the plane.
  double normalise(View q) const;
  double quaternion_drift(CView q) const;  // largest deviation of a length from one
  void evaluate_forces(double t,
                       CView q,
                       CView v,
                       Workspace&) const;  // fills Q and the requests; rotations done before
  void evaluate_requests(double t, CView q, CView v, Workspace&) const;

  // Modes, first-order states and inputs of what is evaluated next with this workspace.
  void use(const State&, Workspace&) const;

  // z' at a state, with the requests of the last evaluate_forces there; fills w.nu.
  void state_rates(double t, CView q, CView v, CView lambda, Workspace& w, View z_dot) const;

  Inputs inputs(const Workspace& w) const {
    return {w.request_value, w.request_rate, std::span(w.mode).subspan(limits_.size())};
  }

  // Values of the conditions in formulas of requests and forces, whose sides are State::mode behind
  // the limits'. Evaluates the requests.
  void condition_values(double t, CView q, CView v, Workspace&, View out) const;
  double potential(double t, CView q, const Workspace&) const;

  // The load of a friction element, with the requests of this motion in w.
  double friction_load(int k, const Motion&, CView lambda, const Workspace& w) const;

 private:
  friend class Compiler;
  Space space_ = Space::planar;
  std::vector<BodyInfo> bodies_;
  std::vector<ConstraintInfo> constraints_;
  std::vector<ForceInfo> forces_;
  std::vector<ContactInfo> contacts_;
  std::vector<LimitInfo> limits_;
  std::vector<InitialInfo> initial_info_;
  std::vector<RequestInfo> request_info_;
  std::vector<ResultFormula> results_;

  void load_arguments(const RequestInfo&, double t, Workspace&) const;
  void evaluate_formula(const Evaluation&, double t, Workspace&) const;

  std::vector<Evaluation> evaluations_;
  StateTable states_;
  std::vector<InputInfo> inputs_;
  Layout layout_;
  std::shared_ptr<const CoordinateEquations> own_;
  const OwnEquations* own_said_ = nullptr;  // of own_
  std::shared_ptr<const ConstraintSet> constraint_set_, limit_set_, stick_set_, initial_set_,
      request_set_, coordinate_set_;
  std::shared_ptr<ForceSet> force_set_;
  std::shared_ptr<FrictionSet> friction_;
  std::vector<std::string> friction_words_, conditions_;
  int joint_rows_ = 0;
  Dependence force_dependence_;
  bool moves_with_time_ = false;  // some driver does
  std::vector<TimePart> time_parts_;
  // spatial: angles counted behind the bodies' coordinates
  std::shared_ptr<const WindingTable> turns_;
  int turn_count_ = 0;
  Equations equations_, assembly_, request_equations_, coordinate_equations_;
  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<const SchurPlan> schur_plan_, assembly_plan_;
  std::shared_ptr<const LoopPlan> loop_plan_;
  std::shared_ptr<const KktPlan> kkt_plan_;
  MassMatrix mass_, metric_;
  double length_ = 1;
  bool driven_ = false;
  std::vector<int> constraint_of_row_;
  std::vector<std::string> row_words_;
  std::vector<UnitKind> row_unit_;
  std::vector<char> velocity_given_;
  State given_;
};

// All faults of the model, not the first.
Result<System> compile(const Model&);

}  // namespace cardan
