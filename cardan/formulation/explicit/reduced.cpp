// The mechanism reduced to its freedoms, group by group (system/group_plan.h): y = (p, p', z) with
// the inputs p of a plan. Every evaluation finds positions, velocities and accelerations of all
// bodies from them, so the constraints hold to round-off:
//   f:  q of p,  v of p',  a = N p'' + beta,  (N^T M N) p'' = N^T (Q - M beta)
// Newton's method starts from the pose expected at this time, and dyads in closed form are on the
// side that they have there: q (+) (h v + h^2 a / 2) of the last accepted step, in the plane with the
// polynomial of degree 5 through the last two.
//
// Errors of p reach into the other coordinates through N. So that all of them keep the tolerance,
// the error of p_j counts with
//   max_k |N_kj| (atol + rtol |p_j|) / (atol + rtol |q_k|),   that of p_j' with v_k instead of q_k.
// It also changes the velocities, by about (a - N p'')_k / |p'| each, which counts against v_k. All of
// it counts three times: the largest error of few components is less than that of many, and with the
// factor random loops are as accurate as with `projected`.
//
// The guard of a group (pivot, or sine of the transmission angle) is small near its dead centre.
// Where another plan has a much larger one, the inputs are chosen anew (parametrize): a dead centre
// of the inputs, not of the mechanism. Where none has, the pose itself is singular. Next to it states
// are solved for with the factor of S and interpolated across, as in other local coordinates
// (chart.h, crossing.h). It is a change point if the motion goes on, and a lock-up where a driver
// has to stop.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/explicit/chart.h"
#include "cardan/formulation/explicit/reduced_slopes.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/singular/crossing.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/math/elementary.h"
#include "cardan/system/applied_forces.h"
#include "cardan/system/group_solver.h"
#include "cardan/system/several_groups.h"

namespace cardan {

namespace {

constexpr double renewed_guard = 0.5;   // below it another plan is looked for
constexpr double early_guard = 0.6;     // the same where steps are given and cannot be made smaller
constexpr double clearly_better = 1.5;  // guard of the other plan, of that in use
constexpr double looked_share = 0.7;    // a guard falls by this before it pays to look again
constexpr double near_guard = 0.1;      // below it states are found as next to singular poses
constexpr double crossing_guard =
    0.02;  // the same where all groups are closed; their poses are exact
constexpr double clear_guard =
    0.025;                         // at the points beside such a pose from which it is interpolated
constexpr double far_guard = 0.5;  // above it no singular pose is looked for
constexpr double reached_guard = 0.2;  // a step from above it to where no pose is found is too long
constexpr double most_reach = 1e3,
                 few_components = 3;  // of one input; factor for few components in the error norm
constexpr int most_unknowns = 240;    // of a group: beyond, small dense factors make no sense

bool has_given_steps(const DynamicOptions& options) {
  const auto traits = integrator_traits(options);
  return traits && !traits->adaptive;
}

class Reduced final : public Formulation {
 public:
  explicit Reduced(const FormulationSetting& setting)
      : system_(setting.system),
        active_(setting.active),
        motion_(setting.system, setting.active),
        forces_(setting.system),
        planner_(setting.system, setting.active),
        solver_(setting.system, setting.active, motion_.work()),
        several_(setting.system),
        n_p_(static_cast<std::size_t>(setting.system.v_size() -
                                      std::count(setting.active.begin(), setting.active.end(), 1))),
        n_z_(static_cast<std::size_t>(setting.system.states().size())),
        watch_(setting),
        there_(setting.system),
        last_(setting.system),
        before_(setting.system),
        across_(setting.system),
        shifted_p_(n_p_),
        turn_rates_(static_cast<std::size_t>(setting.system.q_size())),
        move_(static_cast<std::size_t>(setting.system.v_size())),
        found_y_(2 * n_p_ + n_z_),
        reach_(2 * n_p_ + n_z_, 1.0),
        one_dy_(reach_),
        columns_(n_p_ * static_cast<std::size_t>(setting.system.body_size())),
        rtol_(setting.options.rtol),
        atol_(setting.options.atol),
        shortens_(!has_given_steps(setting.options)),
        renewed_(shortens_ ? renewed_guard : early_guard) {}

  std::string_view name() const override { return "reduced"; }

  int size() const override { return static_cast<int>(2 * n_p_ + n_z_); }

  Eval f(double t, CView y, View dy) override {
    return accelerate_inputs(t, y, dy) ? Eval::ok : accelerate_bodies(t, y, dy);
  }

  Eval accelerate_bodies(double t, CView y, View dy) {
    refuses_ = shortens_ && least_guard_ > reached_guard;
    const Eval e = motion(t, y, needs_multipliers());
    refuses_ = false;
    if (e != Eval::ok) return e;
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_p_), n_p_, dy.begin());
    solver_.accelerations(there_.q, there_.v, there_.a, dy.subspan(n_p_, n_p_));
    system_.state_rates(t, there_.q, there_.v, there_.lambda, motion_.work(), dy.last(n_z_));
    return Eval::ok;
  }

  void reserve(int shifts) override {
    Formulation::reserve(shifts);
    if (slopes_ == nullptr) slopes_ = std::make_unique<ReducedSlopes>(system_, active_);
  }

  // Friction that reads reactions, many inputs, and states next to singular poses are differenced.
  bool jacobian(double t, CView y, View f_y) override {
    if (motion_.friction().any() || solver_.many()) return false;
    ++stats().f;
    if (motion(t, y, true) != Eval::ok || found_near_ || guard_ < near_guard) return false;
    slopes_->find({t, there_.q, there_.v, there_.a, there_.lambda}, solver_, motion_.work(), f_y);
    return true;
  }

  // ---- several states at once: packs where all groups are closed and every pose is sure

  Eval f_of_several(int width, CView t, CView y, View dy) override {
    if (several_found_ && t[0] != several_.time_of(0)) several_.keep();
    found_ = several_found_ = inputs_found_ = powers_known_ = false;
    if (!several_.ready()) return one_by_one(width, t, y, dy);
    const std::size_t n = n_p_ * static_cast<std::size_t>(width);
    const CView rates = y.subspan(n, n);
    if (!several_.accelerations(width, t, y.first(n), rates, motion_.work(), dy.subspan(n, n)) ||
        several_.guard() < near_guard)
      return one_by_one(width, t, y, dy);
    lowest_ = std::min(lowest_, several_.guard());
    std::copy_n(rates.begin(), n, dy.begin());
    several_found_ = true;
    return Eval::ok;
  }

  void reserve_several(int width) override {
    Formulation::reserve_several(width);
    packs_ = true;
    find_rate_components();
    several_y_.resize(2 * n_p_ + n_z_);
    several_dy_.resize(several_y_.size());
    several_powers_.resize(n_z_ * static_cast<std::size_t>(width));
    for (std::vector<Place>* places : {&places_, &fresh_places_})
      places->assign(static_cast<std::size_t>(width), Place(system_));
    known_places_ = 0;
    way_.reserve(static_cast<std::size_t>(width));
  }

  int quadratures() const override { return several_.possible() ? static_cast<int>(n_z_) : 0; }

  Eval quadrature_rates(int width, CView t, CView, View dy) override {
    const auto w = static_cast<std::size_t>(width);
    Workspace& work = motion_.work();
    if (powers_known_) {
      std::copy(several_powers_.begin(),
                several_powers_.end(),
                dy.begin() + static_cast<std::ptrdiff_t>(2 * n_p_ * w));
      return Eval::ok;
    }
    for (std::size_t l = 0; l < w; ++l) {
      if (several_.knows_powers()) {
        take_powers(width, l, dy);
        continue;
      }
      several_.motion(static_cast<int>(l), there_.q, work.rotation, there_.v, {});
      system_.state_rates(
          t[l], there_.q, there_.v, there_.lambda, work, View(several_y_).last(n_z_));
      for (std::size_t k = 0; k < n_z_; ++k) dy[(2 * n_p_ + k) * w + l] = several_y_[2 * n_p_ + k];
    }
    found_ = false;
    return Eval::ok;
  }

  std::span<const int> rate_components() const override { return rate_components_; }

  std::string component_name(int i) const override {
    const auto n = static_cast<int>(n_p_);
    if (i < n) return input_label(i);
    if (i < 2 * n) return "velocity of " + input_label(i - n);
    return system_.states().label(i - 2 * n);
  }

  void parametrize(const State& state, View y) override {
    motion_.use_states(state.z);
    motion_.use_inputs(state.u);
    const std::vector<int> before = solver_.inputs();
    choose(state.t, state.q);
    origin_t_ = state.t;
    solver_.adopt(plan_, state.t, state.q);
    several_.adopt(solver_);
    if (chosen_ && solver_.inputs() != before) tell_inputs();
    origin_ = state.q;
    near_.reset();
    solver_.values(state.q, y.first(n_p_));
    solver_.rates(state.q, state.v, y.subspan(n_p_, n_p_));
    std::copy_n(state.z.begin(), n_z_, y.last(n_z_).begin());
    forget_places();
    before_t_ = last_t_ = state.t;
    last_.q = state.q;
    last_.v = state.v;
    std::fill(last_.a.begin(), last_.a.end(), 0.0);
    prepare_extrapolation();
    if (motion(state.t, y, false) == Eval::ok) last_.a = there_.a;
    (void)change_sides();
    least_guard_ = std::min(least_guard_, solver_.guard());
    prepare_several();
    lowest_ = 1;
    find_reach(y, false);
    chosen_ = true;
    stale_ = false;
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    stale_ = false;
    const bool shown = show_motion(t, y);
    evaluated_ = shown || found_at(t, y) || find_end(t, y);
    if (!evaluated_) {
      forget_places();
      least_guard_ = 0;
      return {};
    }
    if (!shown) show_angles();
    std::swap(before_, last_);
    before_t_ = last_t_;
    last_.q = there_.q;
    last_.v = there_.v;
    last_.a = there_.a;
    last_t_ = t;
    prepare_extrapolation();
    find_reach(y, shown);
    const double guard = shown ? several_.guard() : guard_;
    least_guard_ = std::min(least_guard_, guard);
    if (guard > renewed_) looked_at_ = 1;
    if (guard < std::min(renewed_, looked_share * looked_at_)) look_for_better(t, guard);
    if (solver_.rotation(there_.q) > Chart::widest_rotation) stale_ = true;
    const bool turned_over = change_sides();
    const bool far =
        lowest_ > far_guard || (solver_.closed() && !turned_over && lowest_ > near_guard);
    lowest_ = 1;
    way_.clear();
    if (!far) note_way();
    forget_places();
    return watch_.step(motion_, t, there_.q, there_.v, y.last(n_z_), events_, far, way_);
  }

  bool stale() const override { return stale_; }

  bool accepted_state(CView y, State& state) const override {
    state.q = there_.q;
    state.v = there_.v;
    std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, state.z.begin());
    return evaluated_;
  }

  double kept_violation() const override { return solved_violation * system_.length(); }

  Eval recover(double t, CView y, State& full) override {
    if (const Eval e = motion(t, y, true); e != Eval::ok) return e;
    show_angles();
    full.t = t;
    full.q = there_.q;
    full.v = there_.v;
    full.a = there_.a;
    full.lambda = there_.lambda;
    std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, full.z.begin());
    return Eval::ok;
  }

  Tolerance tolerance(const DynamicOptions& options) const override {
    Tolerance tolerance;
    tolerance.rtol = options.rtol;
    tolerance.atol = options.atol;
    tolerance.norm = Tolerance::Norm::max;
    tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
    if (n_p_ > 0) system_.states().mark_ignored(tolerance.ignored);
    tolerance.reach = &reach_;
    const auto all = static_cast<std::size_t>(size());
    tolerate_each(system_, options, {all, 0, n_p_, n_p_, n_p_, all - n_z_, n_z_, false}, tolerance);
    return tolerance;
  }

  void serialize(Archive& archive) override {
    archive.mark("reduced 2");
    archive.io(planned_t_);
    archive.io(planned_q_);
    archive.io(origin_t_);
    archive.io(origin_);
    archive.io(last_t_);
    archive.io(last_.q);
    archive.io(last_.v);
    archive.io(last_.a);
    archive.io(before_t_);
    archive.io(before_.q);
    archive.io(before_.v);
    archive.io(before_.a);
    archive.io(reach_);
    archive.io(looked_at_);
    archive.io(lowest_);
    archive.io(least_guard_);
    archive.io(chosen_);
    watch_.serialize(archive);
    if (!archive.loading() || !archive.good()) return;
    const auto n_q = static_cast<std::size_t>(system_.q_size());
    if (planned_q_.size() != n_q || origin_.size() != n_q || last_.q.size() != n_q)
      return archive.fail();
    make_plan(planned_t_, planned_q_);
    solver_.adopt(plan_, origin_t_, origin_);
    several_.adopt(solver_);
    near_.reset();
    forget_places();
    prepare_extrapolation();
    (void)change_sides();
  }

  MotionSolver& motion() override { return motion_; }

 private:
  struct NearSingular {  // made when such a pose is approached

    explicit NearSingular(MotionSolver& motion) : chart(motion), crossing(motion) {}

    Chart chart;
    SingularPoseInterpolator crossing;
  };

  std::string input_label(int j) const {
    return system_.coordinate_label(solver_.inputs()[static_cast<std::size_t>(j)]);
  }

  bool needs_multipliers() const { return system_.driven() || motion_.friction().any(); }

  void linearise_joints(double t, CView q) {
    Workspace& work = motion_.work();
    system_.rotations(q, work);
    system_.equations().phi_q(system_.config(t, q, work), work.packed);
  }

  void make_plan(double t, const std::vector<double>& q) {
    linearise_joints(t, q);
    plan_ = planner_.plan(motion_.work().packed);
    planned_t_ = t;
    planned_q_ = q;
  }

  // The plan in use, unless its guards are small here and others are better.
  void choose(double t, const std::vector<double>& q) {
    if (chosen_) {
      linearise_joints(t, q);
      if (planner_.guard(plan_, motion_.work().packed) > renewed_) return;
    }
    make_plan(t, q);
    looked_at_ = std::min(1.0, plan_.guard / looked_share);
  }

  void look_for_better(double t, double guard) {
    linearise_joints(t, there_.q);
    const CView packed = motion_.work().packed;
    double now = planner_.guard(plan_, packed, &weak_group_);
    // In space inputs are increments from the pose of the plan, which have dead centres of their own
    // as they grow: those are gone when the same inputs are counted from here.
    if (system_.space() == Space::spatial) now = std::min(now, guard);
    const GroupPlan other = planner_.plan(packed);
    looked_at_ = guard;
    stale_ = other.guard > clearly_better * now;
    if (stale_) centre_ = planner_.words(plan_.groups[static_cast<std::size_t>(weak_group_)]);
  }

  void tell_inputs() {
    std::string names;
    for (std::size_t j = 0; j < n_p_; ++j)
      names += (j > 0 ? ", " : "") + input_label(static_cast<int>(j));
    std::string text = "inputs: " + names;
    if (!centre_.empty()) text += "; a dead centre of those before came near at " + centre_;
    centre_.clear();
    events_.push_back({"repartition", std::move(text)});
  }

  // shown: N is that of the last show_motion().
  void find_reach(CView y, bool shown) {
    std::fill(reach_.begin(), reach_.end(), 1.0);
    if (solver_.many()) return;
    const bool planar = system_.space() == Space::planar;
    const int n_v = system_.body_size();
    const std::vector<int>& inputs = solver_.inputs();
    const auto scale = [atol = atol_, rtol = rtol_](double x) {
      return atol + rtol * std::abs(x);
    };
    const CView rates = y.subspan(n_p_, n_p_);
    const double speed = n_p_ > 0 ? as_vector(rates).cwiseAbs().maxCoeff() : 0;
    for (const auto& part : solver_.parts()) {
      if (shown && part.inputs.size() == 1) {
        find_reach_of(part.bodies, part.inputs.front(), y, speed);
        continue;
      }
      for (const int body : part.bodies) {
        if (shown) several_.columns(body, 0, columns_);
        for (int i = 0; i < n_v; ++i) {
          const int k = body * n_v + i;
          const auto at = static_cast<std::size_t>(k), count = part.inputs.size();
          const double own_q = 1 / scale(planar ? last_.q[at] : size_of(k)),
                       own_v = 1 / scale(last_.v[at]);
          double* column = columns_.data() + static_cast<std::size_t>(i) * count;
          double bend = last_.a[at];
          for (std::size_t j = 0; j < count; ++j) {
            const int input = part.inputs[j];
            if (!shown) column[j] = solver_.column(k, input);
            const int own = inputs[static_cast<std::size_t>(input)];
            bend -= column[j] * last_.a[static_cast<std::size_t>(own)];
          }
          const double slope = speed > 0 ? own_v * std::abs(bend) / speed : 0;
          for (std::size_t j = 0; j < count; ++j) {
            const double by = std::abs(column[j]);
            if (by == 0) continue;
            const auto p = static_cast<std::size_t>(part.inputs[j]), rate = n_p_ + p;
            reach_[p] = std::max(reach_[p], std::max(by * own_q, slope) * scale(y[p]));
            reach_[rate] = std::max(reach_[rate], by * own_v * scale(rates[p]));
          }
        }
      }
    }
    for (double& x : reach_) x = few_components * std::min(x, most_reach);
  }

  // The same of a part with one input, in the plane.
  void find_reach_of(const std::vector<int>& bodies, int input, CView y, double speed) {
    const auto p = static_cast<std::size_t>(input), rate = n_p_ + p;
    const double atol = atol_, rtol = rtol_;
    const double of_p = atol + rtol * std::abs(y[p]), of_rate = atol + rtol * std::abs(y[rate]);
    const double a_own = last_.a[static_cast<std::size_t>(solver_.inputs()[p])];
    double most_p = reach_[p], most_rate = reach_[rate];
    for (const int body : bodies) {
      several_.columns(body, 0, columns_);
      const auto first = static_cast<std::size_t>(3 * body);
      const double *q = &last_.q[first], *v = &last_.v[first], *a = &last_.a[first];
      for (int i = 0; i < 3; ++i) {
        const double column = columns_[static_cast<std::size_t>(i)], by = std::abs(column);
        if (by == 0) continue;
        const double own_q = 1 / (atol + rtol * std::abs(q[i])),
                     own_v = 1 / (atol + rtol * std::abs(v[i]));
        const double bend = a[i] - column * a_own;
        const double slope = speed > 0 ? own_v * std::abs(bend) / speed : 0;
        most_p = std::max(most_p, std::max(by * own_q, slope) * of_p);
        most_rate = std::max(most_rate, by * own_v * of_rate);
      }
    }
    reach_[p] = most_p;
    reach_[rate] = most_rate;
  }

  double size_of(int k) const {  // of the position coordinate that velocity coordinate k moves
    if (system_.space() == Space::spatial && system_.layout().turns(k)) return 1;
    return last_.q[static_cast<std::size_t>(system_.layout().moved_by(k).first)];
  }

  // The polynomial of degree 5 with values, slopes and curvatures of the last two steps, as the move
  // from the last one: x v + x^2 a + x^3 (c_0 + c_1 (x + 1) + c_2 (x + 1)^2), x = (t - t_last) / H.
  // Closed groups need that of angles only.
  void prepare_extrapolation() {
    const double H = last_t_ - before_t_;
    ahead_.resize(system_.space() == Space::planar && H != 0 ? move_.size() : 0);
    all_ahead_ = !solver_.closed();
    for (std::size_t k = 0; k < ahead_.size(); ++k)
      if (all_ahead_ || k % 3 == 2) extrapolate(k);
    prepare_several();
  }

  void extrapolate_all() {
    if (std::exchange(all_ahead_, true)) return;
    for (std::size_t k = 0; k < ahead_.size(); ++k) extrapolate(k);
  }

  void extrapolate(std::size_t k) {
    const double H = last_t_ - before_t_;
    const double v = H * last_.v[k], a = 0.5 * H * H * last_.a[k];
    // what the Taylor polynomial of the last step misses at the one before: value, slope, curvature
    const double d0 = before_.q[k] - (last_.q[k] - v + a), d1 = H * before_.v[k] - (v - 2 * a),
                 d2 = H * H * before_.a[k] - 2 * a;
    const double c0 = -d0, c1 = 3 * c0 - d1, c2 = -0.5 * (d2 + 6 * c0 - 6 * c1);
    ahead_[k] = {v, a, c0, c1, c2};
  }

  // What is expected of the angles of bodies, for poses of several states at once.
  void prepare_several() {
    if (!several_.ready()) return;
    const bool two = !ahead_.empty();
    for (int b = 0; b < system_.body_count(); ++b) {
      const auto k = static_cast<std::size_t>(3 * b + 2);
      const Ahead c = two ? ahead_[k] : Ahead{last_.v[k], 0.5 * last_.a[k], 0, 0, 0};
      several_.expected(b) = {last_.q[k], c.v, c.a, c.c0, c.c1, c.c2};
    }
    several_.expect(last_t_, two ? last_t_ - before_t_ : 1.0);
  }

  // p_j' is the component of p_j's rate.
  void find_rate_components() {
    rate_components_.assign(2 * n_p_ + n_z_, -1);
    for (std::size_t j = 0; j < n_p_; ++j) rate_components_[j] = static_cast<int>(n_p_ + j);
  }

  // p'' and powers without the motion of bodies, where everything has a form for that.
  bool accelerate_inputs(double t, CView y, View dy) {
    if (!several_.knows_powers()) return false;
    found_ = several_found_ = inputs_found_ = false;
    const CView rates = y.subspan(n_p_, n_p_);
    if (!several_.accelerations(
            1, {&t, 1}, y.first(n_p_), rates, motion_.work(), dy.subspan(n_p_, n_p_)) ||
        several_.guard() < near_guard)
      return false;
    lowest_ = std::min(lowest_, several_.guard());
    std::copy(rates.begin(), rates.end(), dy.begin());
    take_powers(1, 0, dy);
    found_t_ = t;
    std::copy(y.begin(), y.end(), found_y_.begin());
    inputs_found_ = true;
    return true;
  }

  void take_powers(int width, std::size_t state, View dy) const {
    for (const EnergyState k :
         {EnergyState::dissipated, EnergyState::applied, EnergyState::drivers}) {
      const std::size_t row = 2 * n_p_ + static_cast<std::size_t>(StateTable::index(k));
      dy[row * static_cast<std::size_t>(width) + state] =
          several_.power(k, static_cast<int>(state));
    }
  }

  // A motion within a step: what is expected beside it goes on from there.
  struct Place {
    explicit Place(const System& system)
        : q(static_cast<std::size_t>(system.q_size())),
          v(static_cast<std::size_t>(system.v_size())),
          a(v) {}

    double t = 0;
    std::vector<double> q, v, a;
  };

  // States one after the other, in order of time, each expected from the one before it.
  Eval one_by_one(int width, CView t, CView y, View dy) {
    const auto w = static_cast<std::size_t>(width);
    know_places();
    Eval e = Eval::ok;
    for (std::size_t l = 0; l < w && e == Eval::ok; ++l) {
      for (std::size_t i = 0; i < several_y_.size(); ++i) several_y_[i] = y[i * w + l];
      e = accelerate_bodies(t[l], several_y_, several_dy_);
      if (e != Eval::ok) break;
      for (std::size_t i = 0; i < several_dy_.size(); ++i) dy[i * w + l] = several_dy_[i];
      for (std::size_t k = 0; k < n_z_; ++k) several_powers_[k * w + l] = several_dy_[2 * n_p_ + k];
      show_angles();
      if (several_.ready() && !found_near_)
        several_.note(static_cast<int>(l), t[l], solver_, there_.q);
      Place& place = fresh_places_[l];
      place.t = t[l];
      place.q = there_.q;
      place.v = there_.v;
      place.a = there_.a;
      beside_ = &place;
    }
    beside_ = nullptr;
    found_ = false;
    if (e != Eval::ok) return e;
    std::swap(places_, fresh_places_);
    known_places_ = w;
    powers_known_ = true;
    return Eval::ok;
  }

  // The places of several states, of the last call or, if that has none, of the one before.
  void know_places() {
    if (!several_found_ && !several_.has_kept()) return;
    if (!several_found_) several_.use_kept();
    several_found_ = found_ = false;  // what is expected stands in there_
    known_places_ = 0;
    for (int l = 0; l < several_.width(); ++l) know_place(l);
  }

  // One of them, after those known.
  void know_place(int state) {
    Place& place = places_[known_places_];
    place.t = several_.time_of(state);
    only_angles_ = true;
    expect(place.t);
    several_.motion(state, place.q, motion_.work().rotation, place.v, place.a);
    turn_angles(there_.q, place.q);
    ++known_places_;
  }

  // The one next to t, where the step comes near a singular pose.
  void know_nearest(double t) {
    known_places_ = 0;
    if (lowest_ > far_guard) return;
    int best = 0;
    for (int l = 1; l < several_.width(); ++l)
      if (std::abs(t - several_.time_of(l)) < std::abs(t - several_.time_of(best))) best = l;
    know_place(best);
  }

  // The sides of all dyads in the pose of the last accepted step; whether one of them is another than before. No closed
  // group passes a singular pose without that.
  bool change_sides() {
    const auto& dyads = solver_.dyads();
    bool changed = false;
    sides_.resize(dyads.size());
    for (std::size_t k = 0; k < dyads.size(); ++k) {
      const auto angle = [&](int body) {
        return last_.q[static_cast<std::size_t>(3 * body + 2)];
      };
      const double delta = angle(dyads[k].c.body) - angle(dyads[k].b.body) + dyads[k].offset;
      const char side = elementary::sine_cosine(delta).sine < 0 ? -1 : 1;
      changed = changed || side != sides_[k];
      sides_[k] = side;
    }
    return changed;
  }

  // The motion at the end of a step. What it was expected from must not show, because rows add places: closed groups
  // depend on the sides of dyads alone, others are found from the step before where that is enough.
  bool find_end(double t, CView y) {
    if (!solver_.closed()) {
      from_last_ = true;
      const Eval e = motion(t, y, false);
      from_last_ = false;
      if (e == Eval::ok) return true;
    }
    return motion(t, y, false) == Eval::ok;
  }

  // The places that the last step went through, for the watch.
  void note_way() {
    std::swap(there_, across_);  // which what is expected is written to
    know_places();
    std::swap(there_, across_);
    for (std::size_t l = 0; l < known_places_; ++l)
      if ((places_[l].t - before_t_) * (last_t_ - places_[l].t) > 0)
        way_.push_back({places_[l].t, places_[l].q, places_[l].v});
  }

  void forget_places() {
    several_found_ = false;
    several_.forget_kept();
    known_places_ = 0;
  }

  // The place to go on from to time t; none: the last accepted step.
  const Place* place_near(double t) const {
    if (beside_ != nullptr) return beside_;
    if (from_last_) return nullptr;
    const Place* best = nullptr;
    double distance = std::abs(t - last_t_);
    for (std::size_t l = 0; l < known_places_; ++l) {
      if (!(std::abs(t - places_[l].t) < distance)) continue;
      distance = std::abs(t - places_[l].t);
      best = &places_[l];
    }
    return best;
  }

  // Angles of the rotations in the workspace, with the turns of those expected.
  void turn_angles(const std::vector<double>& expected, std::vector<double>& q) {
    const Workspace& work = motion_.work();
    for (int b = 0; b < system_.body_count(); ++b) {
      const auto k = static_cast<std::size_t>(2 * b), angle = static_cast<std::size_t>(3 * b + 2);
      const double found = elementary::atan2(work.rotation[k + 1], work.rotation[k]);
      q[angle] = found + Dyad::one_turn * std::round((expected[angle] - found) / Dyad::one_turn);
    }
  }

  // The motion of all bodies from that of the inputs, whatever was evaluated since; packs leave it to the groups.
  bool show_motion(double t, CView y) {
    if (packs_) return false;
    const bool there =
        inputs_found_ && t == found_t_ && std::equal(y.begin(), y.end(), found_y_.begin());
    if (!there && !accelerate_inputs(t, y, one_dy_)) return false;
    only_angles_ = true;
    expect(t);
    start_ = there_.q;
    several_.motion(0, there_.q, motion_.work().rotation, there_.v, there_.a);
    turn_angles(start_, there_.q);
    return true;
  }

  // The pose expected at time t, angles that count turns with it.
  void expect(double t) {
    if (const Place* place = place_near(t)) return continue_from(*place, place->t, t);
    const double h = t - last_t_;
    if (!ahead_.empty()) {
      const double x = h / (last_t_ - before_t_), u = x + 1;
      const std::size_t first = only_angles_ ? 2 : 0, stride = only_angles_ ? 3 : 1;
      if (!only_angles_) extrapolate_all();
      for (std::size_t k = first; k < ahead_.size(); k += stride) {
        const Ahead& c = ahead_[k];
        there_.q[k] = last_.q[k] + x * (c.v + x * (c.a + x * (c.c0 + u * (c.c1 + u * c.c2))));
      }
      return;
    }
    continue_from(last_, last_t_, t);
  }

  template <class From> void continue_from(const From& from, double t_from, double t) {
    const double h = t - t_from;
    for (std::size_t k = 0; k < move_.size(); ++k) move_[k] = h * (from.v[k] + 0.5 * h * from.a[k]);
    system_.advance(from.q, move_, there_.q);
    const auto turns = static_cast<std::size_t>(system_.turn_count());
    if (turns == 0 || h == 0) return;
    system_.rate(from.q, from.v, turn_rates_);
    for (std::size_t k = there_.q.size() - turns; k < there_.q.size(); ++k)
      there_.q[k] = from.q[k] + h * turn_rates_[k];
    system_.update_windings(there_.q);
  }

  // The last motion that was found is the one at y.
  bool found_at(double t, CView y) const {
    return found_ && t == found_t_ && std::equal(y.begin(), y.end(), found_y_.begin());
  }

  void show_angles() {
    if (!found_near_) solver_.show_angles(there_.q);
  }

  Eval motion(double t, CView y, bool with_multipliers) {
    found_ = found_near_ = inputs_found_ = false;
    const Eval e = find_motion(t, y, with_multipliers);
    found_ = e == Eval::ok;
    found_t_ = t;
    std::copy(y.begin(), y.end(), found_y_.begin());
    return e;
  }

  Eval find_motion(double t, CView y, bool with_multipliers) {
    (void)motion_.work();  // which the groups write from here on
    motion_.use_states(y.last(n_z_));
    if (several_found_ && !from_last_) know_nearest(t);
    only_angles_ = solver_.closed();
    expect(t);
    const CView p = y.first(n_p_), rates = y.subspan(n_p_, n_p_);
    Eval e = solver_.positions(t, p, there_.q);
    if (e == Eval::ok) e = solver_.linearise(t, there_.q);
    guard_ = solver_.guard();
    lowest_ = std::min(lowest_, guard_);
    if (e != Eval::ok && refuses_) return e;
    const bool closed = solver_.closed() && !solver_.many() && !motion_.friction().any();
    if (e != Eval::ok || guard_ < (closed ? crossing_guard : near_guard))
      return closed && motion_across(t, y) ? Eval::ok : motion_near(t, y);
    solver_.velocities(t, there_.q, rates, there_.v);
    return solver_.many() ? accelerate_by_factor(t) : accelerate(t, with_multipliers);
  }

  Eval accelerate(double t, bool with_multipliers) {
    Workspace& work = motion_.work();
    solver_.gamma(t, there_.q, there_.v, work.gamma);
    forces_.evaluate(t, there_.q, there_.v, work);
    FrictionSolver& friction = motion_.friction();
    if (friction.any()) {
      friction.prepare(t, there_.q, there_.v, work);
      if (friction.holds())
        system_.equations().gamma(system_.motion(t, there_.q, there_.v, work), work.gamma);
      return friction.solve(solver_, work.Q, work.gamma, there_.a, there_.lambda) ? Eval::ok
                                                                                  : Eval::retry;
    }
    if (!solver_.accelerations_of(work.Q, work.gamma, there_.a)) return Eval::retry;
    if (with_multipliers) solver_.multipliers(work.Q, there_.a, there_.lambda);
    return Eval::ok;
  }

  Eval accelerate_by_factor(double t) {
    if (const Eval e = motion_.linearise(t, there_.q); e != Eval::ok) return e;
    motion_.load(t, there_.q, there_.v);
    return motion_.finish(t, there_.q, there_.a, there_.lambda);
  }

  NearSingular& near_singular() {
    if (near_ == nullptr) {
      near_ = std::make_unique<NearSingular>(motion_);
      near_->chart.select(solver_.inputs(), origin_);
    }
    return *near_;
  }

  // Interpolated between poses on both sides, all of them in closed form. False: some of them are not sure.
  bool motion_across(double t, CView y) {
    SingularPoseInterpolator& crossing = near_singular().crossing;
    const CView p = y.first(n_p_), rates = y.subspan(n_p_, n_p_);
    const auto state_at = [&](double s, EvaluatedState& out) {
      for (std::size_t j = 0; j < n_p_; ++j) shifted_p_[j] = p[j] + s * rates[j];
      expect(t + s);
      Eval e = solver_.positions(t + s, shifted_p_, there_.q);
      if (e == Eval::ok) e = solver_.linearise(t + s, there_.q);
      if (e != Eval::ok) return e;
      solver_.velocities(t + s, there_.q, rates, there_.v);
      if (e = accelerate(t + s, true); e != Eval::ok) return e;
      solver_.show_angles(there_.q);
      std::swap(out, there_);
      return e;
    };
    const auto guard_at = [&](double s) {
      return state_at(s, across_) == Eval::ok ? solver_.guard() : 0.0;
    };
    const double d =
        SingularPoseInterpolator::clear_shift(crossing.first_shift(last_.v), clear_guard, guard_at);
    if (!(d > 0 && crossing.across(t, d, state_at, across_))) return false;
    std::swap(there_, across_);
    found_near_ = true;
    return true;
  }

  void expect_velocities(double t) {  // into move_
    const Place* from = place_near(t);
    if (from != nullptr) return continue_velocities(*from, t - from->t);
    const double H = last_t_ - before_t_;
    if (ahead_.empty()) return continue_velocities(last_, t - last_t_);
    extrapolate_all();
    const double x = (t - last_t_) / H, u = x + 1;
    for (std::size_t k = 0; k < ahead_.size(); ++k) {
      const Ahead& c = ahead_[k];
      const double third = c.c0 + u * (c.c1 + u * c.c2), slope = c.c1 + 2 * u * c.c2;
      move_[k] = (c.v + x * (2 * c.a + x * (3 * third + x * slope))) / H;
    }
  }

  template <class From> void continue_velocities(const From& from, double h) {
    for (std::size_t k = 0; k < move_.size(); ++k) move_[k] = from.v[k] + h * from.a[k];
  }

  // With the same inputs as local coordinates, next to a singular pose.
  Eval motion_near(double t, CView y) {
    found_near_ = true;
    NearSingular& near = near_singular();
    only_angles_ = false;
    expect(t);
    start_ = there_.q;
    expect_velocities(t);
    const Chart::Place place{t, y.first(n_p_), y.subspan(n_p_, n_p_), start_};
    const Eval e = near.chart.motion(place, move_, near.crossing, there_);
    stats().newton += near.chart.iterations();
    return e;
  }

  const System& system_;
  std::vector<char> active_;
  MotionSolver motion_;
  AppliedForces forces_;
  GroupPlanner planner_;
  GroupSolver solver_;
  SeveralGroups several_;
  GroupPlan plan_;
  std::size_t n_p_, n_z_;
  SingularWatch watch_;
  std::unique_ptr<NearSingular> near_;
  std::unique_ptr<ReducedSlopes> slopes_;  // once an implicit method has asked for derivatives
  EvaluatedState there_, last_, before_;   // now; of the last accepted steps
  EvaluatedState across_;                  // scratch
  double guard_ = 1;                       // of the pose that was looked for last
  double last_t_ = 0, before_t_ = 0, planned_t_ = 0, origin_t_ = 0;
  std::vector<double> planned_q_, origin_, shifted_p_, turn_rates_, move_, start_;
  std::vector<double> found_y_;  // there_ is the motion at it and found_t_
  double found_t_ = 0;
  bool found_ = false, found_near_ = false;  // near: next to a singular pose
  bool inputs_found_ = false;                // several_ has the motion there, of one state

  struct Ahead {
    double v, a, c0, c1, c2;
  };

  std::vector<int> rate_components_;
  std::vector<double> several_y_, several_dy_;
  std::vector<double> several_powers_;        // rates of z of the states asked for last
  bool powers_known_ = false;                 // stand there
  std::vector<Place> places_, fresh_places_;  // in the order of their times
  std::size_t known_places_ = 0;
  std::vector<char> sides_;                // of dyads: 1 or -1
  std::vector<SingularWatch::Place> way_;  // views of places_, until the watch has seen the step
  const Place* beside_ = nullptr;          // the state before, of several
  bool from_last_ = false;                 // places are not looked at
  bool packs_ = false;                     // several states are asked for
  bool several_found_ = false;             // several_ has the states asked for last
  std::vector<Ahead> ahead_;  // of each coordinate; empty: the last step alone is asked
  bool all_ahead_ = false;    // else of the angles only
  bool only_angles_ = false;  // are expected
  std::vector<double> reach_, one_dy_, columns_;
  double rtol_, atol_;
  bool shortens_;         // steps may be made shorter
  bool refuses_ = false;  // a step that reaches where no pose is found, far from any singular one
  double renewed_, looked_at_ = 1, lowest_ = 1;
  double least_guard_ = 1;  // of all accepted steps
  int weak_group_ = 0;
  std::string centre_;
  bool stale_ = false, chosen_ = false, evaluated_ = false;
};

// A group too large for small factors, by the structure alone.
std::optional<Diagnostic> too_large(const FormulationSetting& setting) {
  Workspace work = setting.system.workspace();
  const State given = setting.system.given_state();
  setting.system.rotations(given.q, work);
  setting.system.equations().phi_q(setting.system.config(given.t, given.q, work), work.packed);
  GroupPlanner planner(setting.system, setting.active);
  const GroupPlan plan = planner.plan(work.packed);
  const int largest = plan.largest();
  if (largest <= most_unknowns) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  const DynamicOptions& options = setting.options;
  d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
  d.found = fmt::format(
      "formulation \"reduced\" for a mechanism whose loops do not fall into small groups: one "
      "has {} unknowns",
      largest);
  d.expected = fmt::format("groups of at most {} unknowns", most_unknowns);
  d.hint = "formulation \"projected\" takes any mechanism";
  return d;
}

}  // namespace

Result<std::unique_ptr<Formulation>> make_reduced(const FormulationSetting& setting) {
  if (auto refused = too_large(setting)) return *refused;
  return std::unique_ptr<Formulation>(std::make_unique<Reduced>(setting));
}

}  // namespace cardan
