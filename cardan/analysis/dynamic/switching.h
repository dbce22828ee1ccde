#pragma once
// What happens at the zero crossings of a motion: hard limits close in an impact, hold while they
// push and open when they would pull; compliant ones are told; conditions in formulas change their
// side. Between events all of this is constant (State::mode), so that the integrator sees smooth
// equations; at an event the state is changed here and the integration starts afresh.
//
//   limit open      g = gap, falling: impact, then hold() decides which limits stay closed
//   limit kept      g = normal force, falling: it opens, and the other closed ones are asked again
//   condition       g = difference of its operands: the other side
//   friction slides g = speed along the sliding, falling: it stops, or turns back
//   friction sticks g = what is left of its limit, falling: it begins to slide
//   cam             g = what it pushes with, falling: told, since a joint holds on all the same
//   pressed in      g = push of a compliant limit before it is cut off at zero (limit_push.h): its force,
//                   and the work of it, have a corner where it stops and begins to push
//   driver          its velocity jumps at a known time: an impulse (driver_impulse.h), and an impact
//                   of what is closed
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cardan/analysis/dynamic/driver_impulse.h"
#include "cardan/base/diagnostic.h"
#include "cardan/formulation/formulation.h"
#include "cardan/ode/events.h"
#include "cardan/results/sink.h"
#include "cardan/system/cam_rows.h"
#include "cardan/system/contact_solver.h"
#include "cardan/system/stick_solver.h"

namespace cardan {

class Switching final : public Events {
 public:
  Switching(const System&, const std::vector<char>& joints);  // equations of joints that hold

  bool any() const { return limits_ + conditions_ + rubs_ > 0; }

  bool has_hard_limits() const { return hard_; }

  // Modes of a state where nothing is known yet; it may be changed by an impact. A limit that is
  // violated is a fault.
  std::optional<Diagnostic> begin(State&);

  Diagnostics violated(const State&);  // hard limits that do not hold

  void resume(const State& state) {
    mode_ = state.mode;
    slide_ = state.slide;
  }

  const std::vector<int>& mode() const { return mode_; }

  const std::vector<double>& slide() const { return slide_; }

  // Of each limit, the sum of the impulses of its impacts so far, N*s or N*m*s.
  const std::vector<double>& impulses() const { return impulse_; }

  bool has_sticking() const { return rubs_ > 0; }  // friction that may stick

  bool rubs_changed() const { return rubs_changed_; }  // at the last reaction

  void keep(
      const std::vector<char>& joints);  // other equations of joints, where some are redundant

  std::vector<char> active() const;  // equations that hold in these modes

  // The formulation whose variables are watched from here on, and a state to recover them into.
  void watch(Formulation&, const State& like);

  // ---- for the integrator
  int count() const override {
    return static_cast<int>(limits_ + conditions_ + rubs_ + cams_.size() + pushes_.size());
  }

  Crossing direction(int i) const override;
  std::string name(int i) const override;
  Eval values(double t, CView y, View g) override;

  std::optional<Reach> reach(int i) const override;
  double longest_step() const override;

  // A condition is on its side, or changes it at once; friction has some way to go.
  int side_after(int i) const override {
    const auto k = static_cast<std::size_t>(i);
    if (k < limits_ || is_cam(k) || is_push(k)) return 0;
    return k < limits_ + conditions_ ? mode_[k] : 1;
  }

  EventAction happened(double t, int i, View y) override;

  // A compliant limit closed, opened, or began or stopped to push at this time.
  bool at_corner(double t) const { return t == corner_; }

  // An answer was to stop, or velocities of drivers jump here.
  bool stopped() const { return !pending_.empty() || at_kink_; }

  void expect(DriverImpulses impulses) { impulses_.emplace(std::move(impulses)); }

  // Forces may jump at these times; `aside` behind them they have.
  void expect_breaks(std::vector<double> times, double aside) {
    breaks_ = std::move(times);
    aside_ = aside;
  }

  // At an accepted step that ends where velocities of drivers jump, or forces that friction may
  // not hold: the place to stop.
  bool kink_at(double t) {
    return at_kink_ = (rubs_ > 0 && is_break(t)) || (impulses_ && impulses_->at(t));
  }

  // At an accepted step: conditions that lay on their boundary find their side; a limit or
  // condition violated without an event (it began on its boundary) becomes one, and the step is the
  // place to stop.
  bool check(const State&);

  // After the integrator has stopped, at that state (with accelerations and multipliers).
  std::optional<Diagnostic> react(State&);

  // What happened since it was last asked.
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

  void serialize(Archive&);

 private:
  struct Pending {
    int event;
    bool release;
  };

  bool is_hard(std::size_t limit) const;

  bool is_cam(std::size_t event) const {
    return event >= limits_ + conditions_ + rubs_ && !is_push(event);
  }

  bool is_push(std::size_t event) const {
    return event >= limits_ + conditions_ + rubs_ + cams_.size();
  }

  void push_values(const State&, View g);
  double time_to_part(std::size_t push) const;

  // How fast the two sides of a limit move relative to each other, as velocities or accelerations.
  double relative_speed(std::size_t limit, CView v) const;
  double turning(std::size_t limit, CView v) const;
  double apart(std::size_t limit) const;
  std::optional<Reach> endless_reach(std::size_t limit) const;
  double size_of(std::size_t limit) const;  // between the centres when they touch; 0: endless
  int limit_without_normal(const std::vector<ContactSolver::Gap>&) const;  // -1: none
  std::optional<Diagnostic> without_normal(double t, int limit) const;
  const std::string& unit(std::size_t limit) const;
  void read_conditions(const State&);  // values_
  void check_conditions(const State&);
  void report(double t, std::string kind, int i, std::string text);
  void report_impact(const State&, const ContactSolver::Impact&);
  void report_modes(const State&, const std::vector<int>& before);
  void use_modes();
  std::optional<Diagnostic> collide(State&, const std::vector<int>& released);
  std::optional<Diagnostic> settle_friction(State&,
                                            const std::vector<int>& closed,
                                            const std::vector<int>& opening);
  std::optional<Diagnostic> contradiction(double t, const StickSolver::Answer&) const;
  void stop_sliding(State&);
  void take_modes(const State&);
  bool is_break(double t) const;
  double behind_break(double t) const;
  bool under_way(std::size_t friction) const;  // its sliding is more than a beginning
  void friction_values(const State&, View g);
  void check_friction(const State&);
  std::optional<Diagnostic> undetermined(double t, const std::vector<int>& closed) const;
  std::optional<Diagnostic> count_chatter(double t, int i);
  void turn_condition(const State&, std::size_t k);

  const System& system_;
  std::vector<char> joints_;
  ContactSolver solver_;
  StickSolver sticking_;
  std::size_t limits_, conditions_, rubs_;
  std::vector<CamRow> cams_;
  std::vector<int> pushes_;   // contacts that are compliant and lose energy
  std::vector<double> push_;  // of these, at the state of the last values()
  double corner_ = std::numeric_limits<double>::quiet_NaN();
  bool hard_ = false, compliant_rubs_ = false, rubs_changed_ = false;
  std::vector<int> mode_;
  std::vector<double> slide_, margins_, impulse_;
  Formulation* formulation_ = nullptr;
  State at_;
  std::vector<Event> events_;
  std::vector<double> values_;  // of conditions
  std::vector<ContactSolver::Gap> gaps_;
  std::vector<Pending> pending_;
  std::optional<DriverImpulses> impulses_;
  bool at_kink_ = false;
  std::vector<double> breaks_;
  double aside_ = 0;
  double last_t_ = 0;  // of the last reaction
  long close_together_ = 0;
};

}  // namespace cardan
