#include "cardan/analysis/record/contact_channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

bool turns(const FrictionElement& e) {
  return e.slide == FrictionElement::Slide::turn || e.slide == FrictionElement::Slide::ball;
}

}  // namespace

void ContactChannels::name(std::vector<Channel>& channels) const {
  for (const auto& contact : system_.contacts()) {
    const std::string e = (contact.kind == Kind::stop ? "stop " : "contact ") + contact.name;
    const bool angle = contact.type.starts_with("angle");
    channels.push_back({contact.name + ".gap", angle ? "rad" : "m", e, "contact"});
    channels.push_back({contact.name + ".normal", angle ? "N*m" : "N", e, "contact"});
    if (contact.hard)
      channels.push_back({contact.name + ".impulse", angle ? "N*m*s" : "N*s", e, "contact"});
    channels.push_back({contact.name + ".mode", "", e, "contact"});
  }
  for (int k = 0; k < system_.friction().count(); ++k) {
    if (system_.friction().element(k).beside) continue;
    const std::string& words = system_.friction_label(k);  // joint 'name'
    const std::string name =
        words.substr(words.find('\'') + 1, words.rfind('\'') - words.find('\'') - 1);
    const bool torque = turns(system_.friction().element(k));
    channels.push_back({name + ".friction",
                        torque ? "N*m" : "N",
                        words.substr(0, words.find('\'')) + name,
                        "friction"});
  }
}

double ContactChannels::normal_force(std::size_t k, const State& state, const Workspace& w) const {
  const auto& contact = system_.contacts()[k];
  double sum = 0;
  if (contact.hard) {
    for (int l = 0; l < contact.limits; ++l) {
      const auto& limit = system_.limits()[at(contact.first_limit + l)];
      sum += std::abs(state.lambda[at(limit.row)]);
    }
    return sum;
  }
  std::array<double, 3> shown{};
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  system_.force_set().pool(contact.pool).output(here, system_.inputs(w), contact.element, shown);
  return std::abs(shown[2]);
}

double ContactChannels::impulse(std::size_t k) const {
  const auto& contact = system_.contacts()[k];
  double sum = 0;
  for (int l = 0; l < contact.limits && !impulses_.empty(); ++l)
    sum += impulses_[at(contact.first_limit + l)];
  return sum;
}

// With the sense of the sliding that it resists where that has one component.
double ContactChannels::friction_force(int k,
                                       const Motion& here,
                                       const State& state,
                                       const Workspace& w) const {
  const FrictionSet& set = system_.friction();
  const FrictionElement& e = set.element(k);
  const Sliding sliding = system_.sliding(k, w);
  if (sliding.holds()) {
    double sum = 0;
    for (int c = 0; c < set.ways(k); ++c)
      sum = elementary::hypot(sum, state.lambda[at(e.stick_row + c)]);
    return set.ways(k) == 1 ? state.lambda[at(e.stick_row)] : sum;
  }
  std::array<double, FrictionSet::most_numbers> d{};
  const double speed = set.direction(k, here, sliding, View(d).first(at(2 * system_.body_size())));
  const double N = system_.friction_load(k, here, state.lambda, w);
  if (!e.law.sticks()) return e.law.coefficient(speed) * N;
  const bool known = sliding.u.squaredNorm() > 0;
  if (sliding.mode == Sliding::open || (!known && std::abs(speed) <= e.law.still)) return 0;
  const double sense = set.ways(k) > 1 ? 1 : known ? sliding.u[0] : speed > 0 ? 1 : -1;
  return sense * e.law.sliding(speed) * N;
}

double* ContactChannels::put(const State& state, const Workspace& w, double* out) const {
  for (std::size_t k = 0; k < system_.contacts().size(); ++k) {
    const auto& contact = system_.contacts()[k];
    double gap = std::numeric_limits<double>::infinity();
    int mode = 0;
    for (int l = 0; l < contact.limits; ++l) {
      const auto i = at(contact.first_limit + l);
      const auto& limit = system_.limits()[i];
      gap = std::min(gap, limit.sign * w.phi[at(limit.row)]);
      if (i < state.mode.size()) mode = std::max(mode, state.mode[i]);
    }
    *out++ = gap;
    *out++ = normal_force(k, state, w);
    if (contact.hard) *out++ = impulse(k);
    *out++ = contact.hard ? mode : gap < 0 ? 1 : 0;
  }
  const Motion here = system_.motion(state.t, state.q, state.v, w);
  for (int k = 0; k < system_.friction().count(); ++k) {
    const FrictionElement& e = system_.friction().element(k);
    const double force = friction_force(k, here, state, w);
    const double shown = force * (turns(e) ? e.radius : 1);
    if (e.beside)
      out[-1] += shown;
    else
      *out++ = shown;
  }
  return out;
}

}  // namespace cardan
