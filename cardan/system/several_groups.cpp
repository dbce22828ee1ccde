#include "cardan/system/several_groups.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/math/sine_cosine.h"

namespace cardan {

namespace {

std::size_t number(int k) {
  return static_cast<std::size_t>(k);
}

template <int W> struct PlanePack { Pack<W> x, y; };

template <int W>
[[gnu::always_inline]] inline PlanePack<W> sum_of(const PlanePack<W>& a, const PlanePack<W>& b) {
  return {a.x + b.x, a.y + b.y};
}

template <int W>
[[gnu::always_inline]] inline PlanePack<W> gap_of(const PlanePack<W>& a, const PlanePack<W>& b) {
  return {a.x - b.x, a.y - b.y};
}

template <int W>
[[gnu::always_inline]] inline PlanePack<W> times(const PlanePack<W>& a, const Pack<W>& c) {
  return {a.x * c, a.y * c};
}

template <int W>
[[gnu::always_inline]] inline Pack<W> dot_of(const PlanePack<W>& a, const PlanePack<W>& b) {
  return a.x * b.x + a.y * b.y;
}

// perp(a) c
template <int W>
[[gnu::always_inline]] inline PlanePack<W> turned_by(const PlanePack<W>& a, const Pack<W>& c) {
  return {-a.y * c, a.x * c};
}

}  // namespace

SeveralGroups::SeveralGroups(const System& system)
    : forces_(system),
      possible_(system.space() == Space::planar && !system.driven() &&
                system.friction().count() == 0 && !forces_.reads_requests()),
      diagonal_(number(system.v_size())),
      ahead_(number(system.body_count())) {
  if (!possible_) return;
  for (int k = 0; k < system.v_size(); ++k)
    diagonal_[number(k)] = system.mass().at(k / 3, k % 3, k % 3);
  for (Numbers* list : {&q_, &v_, &Q_, &beta_}) list->resize(diagonal_.size());
  rotation_.resize(number(2 * system.body_count()));
  time_.resize(1);
}

// ---- lists of a plan

int SeveralGroups::place() {
  present_.resize(present_.size() + 2);
  return static_cast<int>(present_.size()) - 2;
}

SeveralGroups::Outer SeveralGroups::outer(const OuterPin& pin) {
  Outer out{pin.body, pin.known, pin.s, pin.s_known, place(), -1};
  if (pin.known >= 0) out.arm_known = place();
  return out;
}

void SeveralGroups::adopt(const GroupSolver& solver) {
  ready_ = possible_ && solver.closed() && !solver.many();
  if (!ready_) return;
  present_.clear();
  pins_.clear();
  dyads_.clear();
  steps_.clear();
  parts_.clear();
  part_inputs_.clear();
  local_.assign(solver.inputs().size(), 0);
  width_ = noted_ = 0;
  for (const auto& part : solver.parts()) {
    const int count = static_cast<int>(part.inputs.size());
    for (int k = 0; k < count; ++k) local_[number(part.inputs[number(k)])] = k;
    parts_.push_back({static_cast<int>(part_inputs_.size()), count, part.bodies});
    part_inputs_.insert(part_inputs_.end(), part.inputs.begin(), part.inputs.end());
    width_ = std::max(width_, count);
  }
  for (const auto& step : solver.steps()) {
    const Part& part = parts_[number(step.part)];
    const bool dyad = step.kind == GroupSolver::Kind::dyad;
    steps_.push_back(
        {dyad, static_cast<int>(dyad ? dyads_.size() : pins_.size()), part.count, part.first});
    if (!dyad) {
      const PinGroup& pin = solver.pins()[number(step.index)];
      pins_.push_back({outer(pin.pin), pin.input});
      continue;
    }
    const Dyad& of = solver.dyads()[number(step.index)];
    const Outer b = outer(of.b), c = outer(of.c);
    dyads_.push_back({b,
                      c,
                      of.l_b,
                      of.l_c,
                      of.length_b * of.length_b,
                      of.length_c * of.length_c,
                      of.inverse_b,
                      of.inverse_c,
                      1 / (of.length_b * of.length_c),
                      of.offset,
                      place(),
                      place(),
                      place(),
                      place(),
                      of.shows_angle_b,
                      of.shows_angle_c});
  }
  inputs_.resize(2 * local_.size());
  result_.resize(local_.size());
  N_.assign(diagonal_.size() * number(width_), {});
  mass_.assign(number(width_ * width_), {});
  force_.assign(number(width_), {});
}

// ---- the equations, W states at once

template <int W> struct SeveralGroups::Kernel {
  using Number = Pack<W>;
  using Plane = PlanePack<W>;

  [[gnu::always_inline]] static inline Number get(const PackPlace* from, int k) {
    return load_pack<W>(from[k].number);
  }

  [[gnu::always_inline]] static inline void put(PackPlace* to, int k, const Number& x) {
    store_pack<W>(to[k].number, x);
  }

  [[gnu::always_inline]] static inline Plane pair(const PackPlace* from, int k) {
    return {get(from, k), get(from, k + 1)};
  }

  [[gnu::always_inline]] static inline void put_pair(PackPlace* to, int k, const Plane& x) {
    put(to, k, x.x);
    put(to, k + 1, x.y);
  }

  // A s of a body whose cosine and sine are c and n.
  [[gnu::always_inline]] static inline Plane turned(const Number& c,
                                                    const Number& n,
                                                    const PlaneVector& s) {
    return {c * s.x - n * s.y, n * s.x + c * s.y};
  }

  [[gnu::always_inline]] static inline Plane turned_in(const PackPlace* rotation,
                                                       int body,
                                                       const PlaneVector& s) {
    return turned(get(rotation, 2 * body), get(rotation, 2 * body + 1), s);
  }

  [[gnu::always_inline]] static inline Plane known_point(SeveralGroups& g, const Outer& pin) {
    if (pin.known < 0) return {Number{} + pin.s_known.x, Number{} + pin.s_known.y};
    const Plane arm = turned_in(g.rotation_.data(), pin.known, pin.s_known);
    put_pair(g.present_.data(), pin.arm_known, arm);
    return sum_of<W>(pair(g.q_.data(), 3 * pin.known), arm);
  }

  [[gnu::always_inline]] static inline void pin_position(SeveralGroups& g, const PinOf& pin) {
    const Plane at = known_point(g, pin.pin);
    const Plane arm = turned_in(g.rotation_.data(), pin.pin.body, pin.pin.s);
    put_pair(g.present_.data(), pin.pin.arm, arm);
    put_pair(g.q_.data(), 3 * pin.pin.body, gap_of<W>(at, arm));
    put(g.q_.data(), 3 * pin.pin.body + 2, get(g.inputs_.data(), pin.input));
  }

  [[gnu::always_inline]] static inline Number expected_angle(const SeveralGroups& g,
                                                             int body,
                                                             const Number& x) {
    const Ahead& e = g.ahead_[number(body)];
    const Number u = x + 1.0;
    return e.value + x * (e.v + x * (e.a + x * (e.c0 + u * (e.c1 + u * e.c2))));
  }

  // As Dyad::rough_sine.
  [[gnu::always_inline]] static inline Number rough_sine(const Number& angle) {
    constexpr double whole = 6755399441055744.0;  // 1.5 2^52: adding it rounds to integers
    const Number turns = (angle * (1 / Dyad::one_turn) + whole) - whole;
    const Number x = angle - Dyad::one_turn * turns;
    const Number y = x * (1.27323954473516268615 - 0.40528473456935108578 * size_of_pack<W>(x));
    return y * (0.775 + 0.225 * size_of_pack<W>(y));
  }

  [[gnu::always_inline]] static inline void turn_body(
      SeveralGroups& g, int body, const PlaneVector& l, double scale, const Plane& d) {
    put(g.rotation_.data(), 2 * body, (l.x * d.x + l.y * d.y) * scale);
    put(g.rotation_.data(), 2 * body + 1, (l.x * d.y - l.y * d.x) * scale);
  }

  // With the smallest guard so far, and how sure its side is.
  [[gnu::always_inline]] static inline void dyad_position(
      SeveralGroups& g, const DyadOf& dyad, const Number& x, Number& guard, Number& sure) {
    constexpr double most_off = 0.4;  // as in Dyad::position
    Number expected = get(g.present_.data(), dyad.side);
    if (!g.sides_known_) {
      const Number angle_b = expected_angle(g, dyad.b.body, x),
                   angle_c = expected_angle(g, dyad.c.body, x);
      if (dyad.shows_b) put(g.q_.data(), 3 * dyad.b.body + 2, angle_b);
      if (dyad.shows_c) put(g.q_.data(), 3 * dyad.c.body + 2, angle_c);
      expected = rough_sine(angle_c - angle_b + dyad.offset);
    }
    const Plane from = known_point(g, dyad.b), to = known_point(g, dyad.c), d = gap_of<W>(to, from);
    const Number D2 = dot_of<W>(d, d), e = 0.5 * (D2 + dyad.square_b - dyad.square_c);
    const Number h2 = dyad.square_b * D2 - e * e;
    Number root;
    for (int l = 0; l < W; ++l) root[l] = __builtin_sqrt(h2[l]);
    const Number h = expected < 0.0 ? -root : root;
    const Number found = h * dyad.sines, size = size_of_pack<W>(found);
    guard = size < guard ? size : guard;
    // `sure` ends below zero or as NaN where a root is not there or not surely on its side.
    const Number margin = most_off * size - size_of_pack<W>(found - expected);
    sure = margin < sure ? margin : sure + 0.0 * margin;  // keeps a NaN
    const Number inverse = 1.0 / (h * D2), inverse_h = D2 * inverse, inverse_square = h * inverse;
    const Plane d_b{(d.x * e - d.y * h) * inverse_square, (d.y * e + d.x * h) * inverse_square};
    const Plane d_c = gap_of<W>(d_b, d);
    turn_body(g, dyad.b.body, dyad.l_b, dyad.inverse_b, d_b);
    turn_body(g, dyad.c.body, dyad.l_c, dyad.inverse_c, d_c);
    const Plane arm_b = turned_in(g.rotation_.data(), dyad.b.body, dyad.b.s),
                arm_c = turned_in(g.rotation_.data(), dyad.c.body, dyad.c.s);
    put_pair(g.q_.data(), 3 * dyad.b.body, gap_of<W>(from, arm_b));
    put_pair(g.q_.data(), 3 * dyad.c.body, gap_of<W>(to, arm_c));
    PackPlace* present = g.present_.data();
    put_pair(present, dyad.b.arm, arm_b);
    put_pair(present, dyad.c.arm, arm_c);
    put_pair(present, dyad.d_b, d_b);
    put_pair(present, dyad.d_c, d_c);
    put(present, dyad.inverse_h, inverse_h);
    put(present, dyad.side, found);
  }

  // Poses; the guards of all states, negative or NaN where a pose is not sure.
  [[gnu::always_inline]] static inline void positions(SeveralGroups& g, double* guards) {
    const Number x = (get(g.time_.data(), 0) - g.t_last_) / g.H_;
    Number guard = Number{} + 1.0, sure = Number{} + 1.0;
    for (const Step& step : g.steps_) {
      if (step.dyad)
        dyad_position(g, g.dyads_[number(step.index)], x, guard, sure);
      else
        pin_position(g, g.pins_[number(step.index)]);
    }
    store_pack<W>(guards, sure >= 0.0 ? guard : Number{} - 1.0);
  }

  // ---- linear equations: columns of N (k-th of `stride`) or beta (stride 1, with gamma)

  [[gnu::always_inline]] static inline Plane velocity_of(const SeveralGroups& g,
                                                         const Outer& pin,
                                                         const PackPlace* x,
                                                         int stride) {
    if (pin.known < 0) return {Number{}, Number{}};
    const PackPlace* of = x + number(3 * pin.known * stride);
    const Plane arm = pair(g.present_.data(), pin.arm_known);
    return sum_of<W>({get(of, 0), get(of, stride)}, turned_by<W>(arm, get(of, 2 * stride)));
  }

  [[gnu::always_inline]] static inline void set_body(
      PackPlace* x, int stride, int body, const Plane& v, const Number& omega) {
    PackPlace* own = x + number(3 * body * stride);
    put(own, 0, v.x);
    put(own, stride, v.y);
    put(own, 2 * stride, omega);
  }

  // Squares of the rates of turning times the arms, of both sides of an outer pin.
  [[gnu::always_inline]] static inline Plane gamma_of(const SeveralGroups& g, const Outer& pin) {
    const Number w = get(g.v_.data(), 3 * pin.body + 2);
    const Plane own = times<W>(pair(g.present_.data(), pin.arm), w * w);
    if (pin.known < 0) return own;
    const Number w_known = get(g.v_.data(), 3 * pin.known + 2);
    return gap_of<W>(own, times<W>(pair(g.present_.data(), pin.arm_known), w_known * w_known));
  }

  template <bool with_gamma>
  [[gnu::always_inline]] static inline void pin_forward(
      const SeveralGroups& g, const PinOf& pin, double rate, PackPlace* x, int stride) {
    const Number turning = Number{} + rate;
    Plane v = gap_of<W>(velocity_of(g, pin.pin, x, stride),
                        turned_by<W>(pair(g.present_.data(), pin.pin.arm), turning));
    if constexpr (with_gamma) v = sum_of<W>(v, gamma_of(g, pin.pin));
    set_body(x, stride, pin.pin.body, v, turning);
  }

  template <bool with_gamma>
  [[gnu::always_inline]] static inline void dyad_forward(const SeveralGroups& g,
                                                         const DyadOf& dyad,
                                                         PackPlace* x,
                                                         int stride) {
    const PackPlace* present = g.present_.data();
    const Plane arm_b = pair(present, dyad.b.arm), arm_c = pair(present, dyad.c.arm),
                d_b = pair(present, dyad.d_b), d_c = pair(present, dyad.d_c);
    const Number inverse_h = get(present, dyad.inverse_h);
    Plane v_b = velocity_of(g, dyad.b, x, stride), v_c = velocity_of(g, dyad.c, x, stride);
    if constexpr (with_gamma) {
      v_b = sum_of<W>(v_b, gamma_of(g, dyad.b));
      v_c = sum_of<W>(v_c, gamma_of(g, dyad.c));
    }
    Plane w = gap_of<W>(v_c, v_b);
    if constexpr (with_gamma) {
      const Number w_b = get(g.v_.data(), 3 * dyad.b.body + 2),
                   w_c = get(g.v_.data(), 3 * dyad.c.body + 2);
      w = sum_of<W>(w,
                    gap_of<W>(times<W>(sum_of<W>(arm_b, d_b), w_b * w_b),
                              times<W>(sum_of<W>(arm_c, d_c), w_c * w_c)));
    }
    const Number omega_b = dot_of<W>(w, d_c) * inverse_h, omega_c = dot_of<W>(w, d_b) * inverse_h;
    set_body(x, stride, dyad.b.body, gap_of<W>(v_b, turned_by<W>(arm_b, omega_b)), omega_b);
    set_body(x, stride, dyad.c.body, gap_of<W>(v_c, turned_by<W>(arm_c, omega_c)), omega_c);
  }

  [[gnu::always_inline]] static inline void velocities(SeveralGroups& g) {
    const int width = g.width_;
    for (const Step& step : g.steps_)
      for (int k = 0; k < step.inputs; ++k) {
        PackPlace* x = g.N_.data() + k;
        if (step.dyad) {
          dyad_forward<false>(g, g.dyads_[number(step.index)], x, width);
        } else {
          const PinOf& pin = g.pins_[number(step.index)];
          pin_forward<false>(g, pin, g.local_[number(pin.input)] == k ? 1 : 0, x, width);
        }
      }
    const PackPlace* rates = g.inputs_.data() + g.local_.size();
    for (const Part& part : g.parts_)
      for (const int b : part.bodies)
        for (int i = 3 * b; i < 3 * b + 3; ++i) {
          Number sum{};
          for (int k = 0; k < part.count; ++k)
            sum += get(g.N_.data(), i * width + k) *
                   get(rates, g.part_inputs_[number(part.first + k)]);
          put(g.v_.data(), i, sum);
        }
  }

  // N^T M N = L D L^T of one part, its right side and the solution.
  [[gnu::always_inline]] static inline void reduce(SeveralGroups& g, const Part& part) {
    const int n = part.count, width = g.width_;
    PackPlace *M = g.mass_.data(), *f = g.force_.data();
    for (int k = 0; k < n; ++k) {
      Number force{};
      for (const int b : part.bodies)
        for (int i = 3 * b; i < 3 * b + 3; ++i)
          force += get(g.N_.data(), i * width + k) *
                   (get(g.Q_.data(), i) - g.diagonal_[number(i)] * get(g.beta_.data(), i));
      for (int l = 0; l <= k; ++l) {
        Number sum{};
        for (const int b : part.bodies)
          for (int i = 3 * b; i < 3 * b + 3; ++i)
            sum += g.diagonal_[number(i)] * get(g.N_.data(), i * width + k) *
                   get(g.N_.data(), i * width + l);
        put(M, k * width + l, sum);
      }
      // row k of L and D, then the forward solution
      for (int l = 0; l < k; ++l) {
        Number sum = get(M, k * width + l);
        for (int i = 0; i < l; ++i)
          sum -= get(M, k * width + i) * get(M, l * width + i) * get(M, i * width + i);
        put(M, k * width + l, sum / get(M, l * width + l));
      }
      Number pivot = get(M, k * width + k);
      for (int i = 0; i < k; ++i) {
        const Number l = get(M, k * width + i);
        pivot -= l * l * get(M, i * width + i);
        force -= l * get(f, i);
      }
      put(M, k * width + k, pivot);
      put(f, k, force);
    }
    for (int k = n - 1; k >= 0; --k) {
      Number x = get(f, k) / get(M, k * width + k);
      for (int i = k + 1; i < n; ++i) x -= get(M, i * width + k) * get(f, i);
      put(f, k, x);
      put(g.result_.data(), g.part_inputs_[number(part.first + k)], x);
    }
  }

  [[gnu::always_inline]] static inline void accelerations(SeveralGroups& g) {
    for (const Step& step : g.steps_) {
      if (step.dyad)
        dyad_forward<true>(g, g.dyads_[number(step.index)], g.beta_.data(), 1);
      else
        pin_forward<true>(g, g.pins_[number(step.index)], 0, g.beta_.data(), 1);
    }
    for (const Part& part : g.parts_)
      if (part.count > 0) reduce(g, part);
  }
};

struct KernelCalls {
  CARDAN_EVERY_PROCESSOR static void positions_4(SeveralGroups& g, double* guards) {
    SeveralGroups::Kernel<4>::positions(g, guards);
  }

  CARDAN_EVERY_PROCESSOR static void positions_8(SeveralGroups& g, double* guards) {
    SeveralGroups::Kernel<8>::positions(g, guards);
  }

  CARDAN_EVERY_PROCESSOR static void velocities_4(SeveralGroups& g) {
    SeveralGroups::Kernel<4>::velocities(g);
  }

  CARDAN_EVERY_PROCESSOR static void velocities_8(SeveralGroups& g) {
    SeveralGroups::Kernel<8>::velocities(g);
  }

  CARDAN_EVERY_PROCESSOR static void accelerations_4(SeveralGroups& g) {
    SeveralGroups::Kernel<4>::accelerations(g);
  }

  CARDAN_EVERY_PROCESSOR static void accelerations_8(SeveralGroups& g) {
    SeveralGroups::Kernel<8>::accelerations(g);
  }
};

// ---- around them

// Cosines and sines of the bodies on pins.
void SeveralGroups::turn_inputs(int width, CView p) {
  double turned[16];
  for (const PinOf& pin : pins_) {
    const auto w = number(width);
    cosines_and_sines(p.data() + number(pin.input) * w, 1, w, turned);
    PackPlace* to = &rotation_[number(2 * pin.pin.body)];
    for (std::size_t l = 0; l < w; ++l) {
      to[0].number[l] = turned[2 * l];
      to[1].number[l] = turned[2 * l + 1];
    }
  }
}

// Angles of bodies in dyads that forces read: nearest to those expected, which stand there.
void SeveralGroups::show_angles(int width) {
  const auto show = [&](int body) {
    const PackPlace* rotation = &rotation_[number(2 * body)];
    double* shown = q_[number(3 * body + 2)].number;
    for (int l = 0; l < width; ++l) {
      const double angle = elementary::atan2(rotation[1].number[l], rotation[0].number[l]);
      shown[l] = angle + Dyad::one_turn * std::round((shown[l] - angle) / Dyad::one_turn);
    }
  };
  for (const DyadOf& dyad : dyads_) {
    if (dyad.shows_b) show(dyad.b.body);
    if (dyad.shows_c) show(dyad.c.body);
  }
}

bool SeveralGroups::accelerations(
    int width, CView t, CView p, CView rates, Workspace& work, View out) {
  const auto w = number(width);
  std::copy_n(t.begin(), w, time_[0].number);
  for (std::size_t j = 0; j < local_.size(); ++j) {
    std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(j * w), w, inputs_[j].number);
    std::copy_n(
        rates.begin() + static_cast<std::ptrdiff_t>(j * w), w, inputs_[local_.size() + j].number);
  }
  turn_inputs(width, p);
  sides_known_ = noted_ == width && std::equal(t.begin(), t.begin() + width, noted_time_.number);
  noted_ = 0;
  double guards[8];
  const bool eight = width == 8;
  (eight ? KernelCalls::positions_8 : KernelCalls::positions_4)(*this, guards);
  guard_ = 1;
  for (std::size_t l = 0; l < w; ++l)
    if (!(guards[l] >= guard_)) guard_ = guards[l];
  if (!(guard_ > 0)) return false;
  noted_ = width;
  noted_time_ = time_[0];
  show_angles(width);
  (eight ? KernelCalls::velocities_8 : KernelCalls::velocities_4)(*this);
  forces_.evaluate(width, {time_.data(), q_.data(), rotation_.data(), v_.data()}, work, Q_.data());
  (eight ? KernelCalls::accelerations_8 : KernelCalls::accelerations_4)(*this);
  for (std::size_t j = 0; j < local_.size(); ++j)
    std::copy_n(result_[j].number, w, out.begin() + static_cast<std::ptrdiff_t>(j * w));
  return true;
}

void SeveralGroups::note(int state, double t, const GroupSolver& solver, CView q) {
  if (state == 0) noted_ = 0;
  if (noted_ != state) return;
  noted_ = state + 1;
  const auto l = number(state);
  noted_time_.number[l] = t;
  for (std::size_t k = 0; k < dyads_.size(); ++k) {
    const DyadOf& to = dyads_[k];
    present_[number(to.side)].number[l] = solver.dyads()[k].h * to.sines;
    for (const int b : {to.b.body, to.c.body})
      q_[number(3 * b + 2)].number[l] = q[number(3 * b + 2)];
  }
}

int SeveralGroups::nearest(double t) const {
  int best = 0;
  for (int l = 1; l < noted_; ++l)
    if (std::abs(t - time_of(l)) < std::abs(t - time_of(best))) best = l;
  return best;
}

void SeveralGroups::motion(int state, View q, View rotation, View v) const {
  const auto l = number(state);
  for (std::size_t k = 0; k < q.size(); ++k) {
    q[k] = q_[k].number[l];
    v[k] = v_[k].number[l];
  }
  for (std::size_t k = 0; k < rotation.size(); ++k) rotation[k] = rotation_[k].number[l];
}

}  // namespace cardan
