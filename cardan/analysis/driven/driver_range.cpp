#include "cardan/analysis/driven/driver_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/driven/driven_motion.h"
#include "cardan/analysis/driven/transmission.h"
#include "cardan/analysis/start/joint_meter.h"
#include "cardan/math/curve.h"
#include "cardan/math/root_finding.h"

namespace cardan {

namespace {

constexpr int samples_a_turn = 720;
constexpr double full_turn = 2 * std::numbers::pi;
constexpr double slide_sample = 1.0 / 200;  // of the mechanism's size
constexpr int most_slide_samples = 4000;    // 20 times the mechanism's size
constexpr double root_width = 1e-12;        // rad or m
constexpr double does_not_move = 1e-9;      // slope, angles times the mechanism's size

double motion_of(const Element& driver, double t, double& rate, bool& steady) {
  const Setting* setting = driver.find("motion");
  const auto* motion = setting != nullptr ? std::get_if<FunctionPtr>(setting) : nullptr;
  if (motion == nullptr || *motion == nullptr) return 0;
  const Jet now = (*motion)->at(t);
  rate = now.d;
  steady = now.d != 0;
  for (const double later : {0.1, 0.37, 1.3, 4.1}) {
    const Jet then = (*motion)->at(t + later);
    steady = steady && std::abs(then.d - now.d) <= 1e-9 * std::abs(now.d);
  }
  return now.f;
}

void set_motion(Element& driver, FunctionPtr motion) {
  for (auto& [key, value] : driver.settings)
    if (key == "motion") value = std::move(motion);
}

class RangeSweep {
 public:
  RangeSweep(const Model& model, const Assembly& start, std::size_t driver)
      : start_(start), driver_(model.drivers[driver].name), joint_(model.drivers[driver].joint) {
    for (const Element& request : model.requests) request_joints_.push_back(request.joint);
    Model swept = model;
    swept.analyses.clear();
    for (std::size_t k = 0; k < swept.drivers.size(); ++k) {
      double rate = 0;
      bool steady = false;
      const double value = motion_of(model.drivers[k], start.state.t, rate, steady);
      // the time of the sweep is the driver's value
      set_motion(swept.drivers[k], k == driver ? polynomial({0, 1}) : constant_curve(value));
      if (k != driver) continue;
      from_ = value;
      rate_ = rate;
      steady_ = steady;
    }
    if (auto compiled = compile(swept))
      system_ = std::make_unique<System>(std::move(compiled).value());
    for (const auto& info :
         system_ == nullptr ? std::vector<System::ConstraintInfo>{} : system_->constraints())
      if (info.kind == Kind::driver && info.name == driver_)
        turns_ = unit_kind_of(*info.description->measure) == UnitKind::angle;
  }

  Result<SweptRange> go(const std::function<bool()>& cancelled) {
    if (system_ == nullptr || system_->given_state().q.size() != start_.state.q.size())
      return fault_at("defect.internal", "a driver whose motion cannot be replaced by a sweep");
    meter_ = std::make_unique<JointMeter>(*system_);
    transmission_ = std::make_unique<Transmission>(*system_, driver_);
    DriverRange& range = out_.range;
    range.driver = driver_;
    range.unit = turns_ ? "rad" : "m";
    range.start = from_;
    out_.rate = rate_;
    out_.steady = steady_;
    std::vector<State> forward, backward;
    if (auto fault = follow(1, forward, range.to, range.to_end, range.to_joint, cancelled))
      return *fault;
    const bool full = range.to_end == "full turn";
    if (full) {
      range.from = from_;
      range.from_end = "full turn";
    } else if (auto fault =
                   follow(-1, backward, range.from, range.from_end, range.from_joint, cancelled)) {
      return *fault;
    }
    range.kind = full ? "crank" : turns_ ? "rocker" : "slider";
    for (std::size_t k = backward.size(); k-- > 1;) out_.states.push_back(std::move(backward[k]));
    for (State& state : forward) out_.states.push_back(std::move(state));
    find_regular();
    describe_outputs();
    describe_transmission();
    return std::move(out_);
  }

 private:
  // Samples in a lock-up, or next to a pose in which the motion is not determined, say nothing of slopes.
  void find_regular() {
    const DriverRange& range = out_.range;
    const double near = 2 * sample();
    for (std::size_t k = 0; k < out_.states.size(); ++k) {
      const double s = out_.states[k].t;
      const bool end = (k == 0 && range.from_end == "lock-up") ||
                       (k + 1 == out_.states.size() && range.to_end == "lock-up");
      const bool close = std::any_of(
          range.singular_poses.begin(), range.singular_poses.end(), [&](const SingularPose& p) {
            return std::abs(p.t - s) < near;
          });
      regular_.push_back(!end && !close);
    }
  }

  double sample() const {
    return turns_ ? full_turn / samples_a_turn : slide_sample * system_->length();
  }

  State start_state() const {
    State state = start_.state;
    state.t = from_;
    return state;
  }

  // One way, from the start on; states: at every sample, and where it ends.
  std::optional<Diagnostic> follow(double direction,
                                   std::vector<State>& states,
                                   double& end,
                                   std::string& how,
                                   std::string& joint,
                                   const std::function<bool()>& cancelled) {
    DrivenMotion motion(*system_, start_.mobility, start_state());
    if (auto fault = motion.start()) return fault;
    states.push_back(motion.state());
    const int count = turns_ ? samples_a_turn : most_slide_samples;
    const double step = sample();
    how = turns_ ? "full turn" : "not found";
    for (int k = 1; k <= count; ++k) {
      const double target = from_ + direction * step * k;
      const auto lost = motion.go_to(target);
      State at = motion.state();
      if (!lost) motion.within(target, at);
      states.push_back(std::move(at));
      end = states.back().t;
      if (lost) {
        const bool locked = lost->id == "numeric.lock-up";
        how = locked ? "lock-up" : "lost";
        if (locked) end = lost->t;
        if (!motion.singular_poses().empty()) joint = motion.singular_poses().back().joint;
        break;
      }
      if (cancelled && cancelled()) {
        how = "interrupted";
        break;
      }
    }
    for (const SingularPose& pose : motion.singular_poses())
      if (pose.kind != "lock-up") out_.range.singular_poses.push_back(pose);
    return {};
  }

  // ---- between samples

  // The state at a value of the driver between sample k and the next.
  const State& probe(std::size_t k, double s) {
    if (probe_ == nullptr || probe_at_ != k) {
      probe_ = std::make_unique<DrivenMotion>(*system_, start_.mobility, out_.states[k]);
      probe_at_ = k;
      if (probe_->start()) {
        probe_state_ = out_.states[k];
        return probe_state_;
      }
    }
    probe_->go_to(s);
    probe_state_ = probe_->state();
    if (probe_state_.t != s) probe_->within(s, probe_state_);
    return probe_state_;
  }

  using Measured = std::function<double(const State&)>;

  // Samples around the least value of sample numbers, refined; sign -1: the largest.
  RangePlace extreme(const Measured& g, double sign) {
    std::size_t best = out_.states.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < out_.states.size(); ++k) {
      if (!regular_[k]) continue;
      const double x = sign * g(out_.states[k]);
      if (x < least) {
        least = x;
        best = k;
      }
    }
    if (best == out_.states.size()) return {};
    RangePlace place{sign * least, out_.states[best].t};
    for (const std::size_t from : {best - 1, best}) {  // an interval on either side
      if (from + 1 >= out_.states.size() || !regular_[from] || !regular_[from + 1]) continue;
      const double a = out_.states[from].t, b = out_.states[from + 1].t;
      const Minimum m = find_minimum([&](double s) { return sign * g(probe(from, s)); },
                                     a,
                                     b,
                                     -std::numeric_limits<double>::infinity());
      if (m.value < sign * place.value) place = {sign * m.value, m.x};
    }
    return place;
  }

  struct Output {
    std::string name, unit, kind;
    bool angle = false;
    std::string joint;  // that it belongs to; empty: none
    Measured value, rate;
  };

  std::vector<Output> joint_outputs(bool on_ground) {
    std::vector<Output> list;
    for (std::size_t k = 0; k < meter_->coordinates().size(); ++k) {
      const auto& c = meter_->coordinates()[k];
      if (c.on_ground != on_ground) continue;
      const std::string& joint =
          system_->constraints()[static_cast<std::size_t>(c.constraint)].name;
      Output o{c.name, c.unit, c.angle ? "rocker" : "slider", c.angle, joint, {}, {}};
      o.value = [this, k](const State& s) {
        meter_->measure(s);
        return meter_->values()[k];
      };
      o.rate = [this, k](const State& s) {
        meter_->measure(s);
        return meter_->rates()[k];
      };
      list.push_back(std::move(o));
    }
    return list;
  }

  std::vector<Output> request_outputs() {
    std::vector<Output> list;
    work_ = system_->workspace();
    for (std::size_t k = 0; k < system_->requests().size(); ++k) {
      const auto& request = system_->requests()[k];
      if (request.source != System::RequestInfo::Source::computed) continue;
      const std::string joint = k < request_joints_.size() ? request_joints_[k] : "";
      Output o{request.name, request.unit, "value", request.unit == "rad", joint, {}, {}};
      o.value = [this, k](const State& s) {
        request_at(s);
        return work_.request_value[k];
      };
      o.rate = [this, k](const State& s) {
        request_at(s);
        return work_.request_rate[k];
      };
      list.push_back(std::move(o));
    }
    return list;
  }

  void request_at(const State& s) {
    system_->use(s, work_);
    system_->rotations(s.q, work_);
    system_->evaluate_requests(s.t, s.q, s.v, work_);
  }

  // Joints on the ground; where none of them moves, the others.
  void describe_outputs() {
    for (const bool on_ground : {true, false})
      if (out_.range.outputs.empty()) take_moving(joint_outputs(on_ground));
    take_moving(request_outputs());
  }

  // Not what stands still, and not what is the driver's own value.
  void take_moving(const std::vector<Output>& list) {
    for (const Output& o : list) {
      const double size =
          (o.unit == "m" ? system_->length() : 1) / (turns_ ? 1 : system_->length());
      double fastest = 0, other = 0;
      for (std::size_t k = 0; k < out_.states.size(); ++k) {
        if (!regular_[k]) continue;
        const double rate = o.rate(out_.states[k]);
        fastest = std::max(fastest, std::abs(rate));
        other = std::max(other, std::abs(rate - 1));
      }
      const bool own = o.joint == joint_ && !joint_.empty() && other <= does_not_move;
      if (fastest > does_not_move * size && !own) out_.range.outputs.push_back(described(o));
    }
  }

  RangeOutput described(const Output& o) {
    RangeOutput out{o.name, o.unit, o.kind, {}, {}, {}, {}, {}, {}};
    std::vector<double> rates;
    for (const State& state : out_.states) rates.push_back(o.rate(state));
    for (const State& state : out_.states) out.course.push_back({state.t, o.value(state)});
    for (std::size_t k = 0; k + 1 < rates.size(); ++k) {
      if (!regular_[k] || !regular_[k + 1] || (rates[k] > 0) == (rates[k + 1] > 0)) continue;
      const Root root = find_root([&](double s) { return o.rate(probe(k, s)); },
                                  out_.states[k].t,
                                  rates[k],
                                  out_.states[k + 1].t,
                                  rates[k + 1],
                                  root_width);
      const double s = (root.before + root.after) / 2;
      out.dead_centres.push_back({o.value(probe(k, s)), s});
    }
    const State &first = out_.states.front(), &last = out_.states.back();
    out.least = out.most = {o.value(first), first.t};
    const auto take = [&](const RangePlace& place) {
      if (place.value < out.least.value) out.least = place;
      if (place.value > out.most.value) out.most = place;
    };
    take({o.value(last), last.t});
    for (const RangePlace& place : out.dead_centres) take(place);
    const bool full = out_.range.kind == "crank";
    const double gone = std::abs(o.value(last) - o.value(first));
    if (full && o.angle && o.kind == "rocker" && gone > full_turn - 1e-3)
      out.kind = "crank";
    else
      out.stroke = out.most.value - out.least.value;
    out.least_ratio = ratio(o, 1);
    out.most_ratio = ratio(o, -1);
    if (full && steady_ && out.dead_centres.size() == 2) {
      const double one = out.dead_centres[1].driver - out.dead_centres[0].driver;
      out.time_ratio = std::max(one, full_turn - one) / std::min(one, full_turn - one);
    }
    return out;
  }

  // At a lock-up slopes are without bound.
  RangePlace ratio(const Output& o, double sign) {
    RangePlace place = extreme(o.rate, sign);
    for (const std::size_t k : {std::size_t{0}, out_.states.size() - 1})
      if (!regular_[k] && sign * o.rate(out_.states[k]) < 1e3 * std::min(-1e-9, sign * place.value))
        place = {std::numeric_limits<double>::quiet_NaN(), out_.states[k].t};
    return place;
  }

  void describe_transmission() {
    for (const auto& pair : transmission_->pairs()) {
      const bool pinned = std::all_of(out_.states.begin(), out_.states.end(), [&](const State& s) {
        return transmission_->pinned(pair, s.q);
      });
      if (!pinned) continue;
      const Measured angle = [&](const State& s) {
        return transmission_->angle(pair, s.q);
      };
      const Measured folded = [&](const State& s) {
        const double mu = transmission_->angle(pair, s.q);
        return std::min(mu, std::numbers::pi - mu);
      };
      out_.range.transmission.push_back({pair.coupler,
                                         pair.output,
                                         with_ends(angle, 1),
                                         with_ends(angle, -1),
                                         with_ends(folded, 1)});
      for (const State& s : out_.states)
        out_.range.transmission.back().course.push_back({s.t, angle(s)});
    }
  }

  // Angles are known in lock-ups too, where slopes are not.
  RangePlace with_ends(const Measured& g, double sign) {
    RangePlace place = extreme(g, sign);
    for (const State* state : {&out_.states.front(), &out_.states.back()})
      if (const double x = g(*state); sign * x < sign * place.value) place = {x, state->t};
    return place;
  }

  const Assembly& start_;
  std::string driver_, joint_;               // and the joint it is on
  std::vector<std::string> request_joints_;  // that requests are on, in the order of the model
  std::unique_ptr<System> system_;
  std::unique_ptr<JointMeter> meter_;
  std::unique_ptr<Transmission> transmission_;
  std::unique_ptr<DrivenMotion> probe_;
  std::size_t probe_at_ = 0;
  State probe_state_;
  Workspace work_;
  double from_ = 0, rate_ = 0;
  bool turns_ = true, steady_ = false;
  std::vector<char> regular_;  // by sample: not in a lock-up
  SweptRange out_;
};

}  // namespace

Result<SweptRange> sweep_driver(const Model& model,
                                const Assembly& start,
                                std::size_t driver,
                                const std::function<bool()>& cancelled) {
  return RangeSweep(model, start, driver).go(cancelled);
}

}  // namespace cardan
