#pragma once
// The equations of several_groups.h for W states at once.
#include "cardan/system/several_groups.h"

namespace cardan {

template <int W> struct PlanePack {
  Pack<W> x, y;

  [[gnu::always_inline]] PlanePack operator+(const PlanePack& o) const {
    return {x + o.x, y + o.y};
  }

  [[gnu::always_inline]] PlanePack operator-(const PlanePack& o) const {
    return {x - o.x, y - o.y};
  }

  [[gnu::always_inline]] PlanePack operator*(const Pack<W>& c) const { return {x * c, y * c}; }

  [[gnu::always_inline]] Pack<W> dot(const PlanePack& o) const { return x * o.x + y * o.y; }

  [[gnu::always_inline]] PlanePack perp() const { return {-y, x}; }
};

// one: every part of the mechanism has one input.
template <int W, bool one> struct SeveralKernel {
  using Number = Pack<W>;
  using Plane = PlanePack<W>;
  using Groups = SeveralGroups;

  SeveralGroups& g;
  double* s;

  [[gnu::always_inline]] explicit SeveralKernel(SeveralGroups& groups)
      : g(groups), s(groups.numbers()) {}

  [[gnu::always_inline]] Number get(int k) const { return load_pack<W>(s + k * W); }

  [[gnu::always_inline]] void put(int k, const Number& x) const { store_pack<W>(s + k * W, x); }

  [[gnu::always_inline]] Plane pair(int k) const { return {get(k), get(k + 1)}; }

  [[gnu::always_inline]] void put_pair(int k, const Plane& x) const {
    put(k, x.x);
    put(k + 1, x.y);
  }

  [[gnu::always_inline]] static Plane everywhere(PlaneVector x) {
    return {Number{} + x.x, Number{} + x.y};
  }

  [[gnu::always_inline]] static Plane arm(const Plane& d, const Groups::Offset& at) {
    return {at.a * d.x - at.b * d.y, at.a * d.y + at.b * d.x};
  }

  [[gnu::always_inline]] static auto& of(auto& list, int k) {
    return list[static_cast<std::size_t>(k)];
  }

  [[gnu::always_inline]] static int columns(const Groups::Part& part) {
    return one ? 1 : part.count;
  }

  [[gnu::always_inline]] int input(const Groups::Part& part, int k) const {
    return of(g.part_inputs_, part.first + k);
  }

  [[gnu::always_inline]] const Groups::Part& part_of(const Groups::BodyOf& body) const {
    return of(g.parts_, body.part);
  }

  [[gnu::always_inline]] Plane base(const Groups::BodyOf& body) const {
    return body.base < 0 ? everywhere(body.place) : pair(body.at.place);
  }

  // ---- poses, N and beta, in one pass over the steps

  [[gnu::always_inline]] static Number expected(const Groups::Ahead& e, const Number& x) {
    const Number u = x + 1.0;
    return e.value + x * (e.v + x * (e.a + x * (e.c0 + u * (e.c1 + u * e.c2))));
  }

  // As Dyad::rough_sine.
  [[gnu::always_inline]] static Number rough_sine(const Number& angle) {
    constexpr double whole = 6755399441055744.0;  // 1.5 2^52: adding it rounds to integers
    const Number turns = (angle * (1 / Dyad::one_turn) + whole) - whole;
    const Number x = angle - Dyad::one_turn * turns;
    const Number y = x * (1.27323954473516268615 - 0.40528473456935108578 * size_of_pack<W>(x));
    return y * (0.775 + 0.225 * size_of_pack<W>(y));
  }

  // Columns times rates.
  [[gnu::always_inline]] Number turning(const Groups::BodyOf& body) const {
    const Groups::Part& part = part_of(body);
    Number omega = one ? get(body.now.turning) * get(g.rates_ + input(part, 0)) : Number{};
    for (int k = 0; k < part.count && !one; ++k)
      omega += get(body.now.turning + k) * get(g.rates_ + input(part, k));
    return omega;
  }

  [[gnu::always_inline]] void pin(const Groups::BodyOf& body) const {
    const int own = of(g.local_, body.input);
    for (int k = 0; k < columns(part_of(body)); ++k)
      put(body.now.turning + k, Number{} + (k == own ? 1.0 : 0.0));
    put(body.now.omega, get(g.rates_ + body.input));
    put(body.now.alpha, Number{});
  }

  // With the smallest guard so far, and how sure its side is.
  [[gnu::always_inline]] void dyad(int number, const Number& x, Number& guard, Number& sure) const {
    constexpr double most_off = 0.4;  // as in Dyad::position
    const Groups::DyadOf& dyad = of(g.dyads_, number);
    const Groups::BodyOf &b = of(g.bodies_, dyad.b), &c = of(g.bodies_, dyad.c);
    const Number side =
        g.sides_known_ ? get(g.side_ + number) : rough_sine(expected(dyad.ahead, x));
    const Plane d = base(c) - base(b);
    const Number D2 = d.dot(d), e = 0.5 * (D2 + (dyad.square_b - dyad.square_c));
    const Number root = root_of_pack<W>(dyad.square_b * D2 - e * e);
    const Number h = side < 0.0 ? -root : root;
    const Number found = h * dyad.sines, size = size_of_pack<W>(found);
    guard = size < guard ? size : guard;
    // `sure` ends below zero or as NaN where a root is not there or not surely on its side.
    const Number margin = most_off * size - size_of_pack<W>(found - side);
    sure = margin < sure ? margin : sure + 0.0 * margin;  // keeps a NaN
    put(g.side_ + number, found);
    const Number inverse = 1.0 / (h * D2), inverse_h = D2 * inverse, inverse_square = h * inverse;
    const Plane d_b = (d * e + d.perp() * h) * inverse_square, d_c = d_b - d;
    put_pair(b.now.d, d_b);
    put_pair(c.now.d, d_c);
    for (int k = 0; k < columns(part_of(b)); ++k) {
      const Plane w = difference(b, c, b.at.moving + 2 * k, c.at.moving + 2 * k);
      put(b.now.turning + k, w.dot(d_c) * inverse_h);
      put(c.now.turning + k, w.dot(d_b) * inverse_h);
    }
    const Number w_b = turning(b), w_c = turning(c);
    put(b.now.omega, w_b);
    put(c.now.omega, w_c);
    const Plane w =
        difference(b, c, b.at.drift, c.at.drift) + (d_b * (w_b * w_b) - d_c * (w_c * w_c));
    put(b.now.alpha, w.dot(d_c) * inverse_h);
    put(c.now.alpha, w.dot(d_b) * inverse_h);
  }

  // Of the bases of two bodies, in lists that are zero for the ground.
  [[gnu::always_inline]] Plane difference(const Groups::BodyOf& from,
                                          const Groups::BodyOf& to,
                                          int at_from,
                                          int at_to) const {
    if (to.base < 0) return from.base < 0 ? Plane{} : Plane{} - pair(at_from);
    return from.base < 0 ? pair(at_to) : pair(at_to) - pair(at_from);
  }

  [[gnu::always_inline]] void point(const Groups::PointOf& point) const {
    const Groups::BodyOf& body = of(g.bodies_, point.body);
    const Plane e = arm(pair(body.now.d), point.arm), across = e.perp();
    const Number omega = get(body.now.omega);
    Plane drift = across * get(body.now.alpha) - e * (omega * omega);
    if (body.base >= 0) drift = drift + pair(body.at.drift);
    put_pair(point.at.place, base(body) + e);
    put_pair(point.at.drift, drift);
    for (int k = 0; k < columns(part_of(body)); ++k) {
      Plane v = across * get(body.now.turning + k);
      if (body.base >= 0) v = v + pair(body.at.moving + 2 * k);
      put_pair(point.at.moving + 2 * k, v);
    }
  }

  // The guards of all states, negative or NaN where a pose is not sure.
  [[gnu::always_inline]] void march(double* guards) const {
    const Number x = (get(g.time_) - g.t_last_) / g.H_;
    Number guard = Number{} + 1.0, sure = Number{} + 1.0;
    for (const Groups::Step& step : g.steps_) {
      if (step.body >= 0)
        pin(of(g.bodies_, step.body));
      else
        dyad(step.dyad, x, guard, sure);
      for (int n = 0; n < step.points; ++n)
        point(of(g.points_, of(g.order_, step.first_point + n)));
    }
    if (!g.sides_known_)
      for (const int b : g.shown_angles_)
        put(of(g.bodies_, b).now.angle, expected(of(g.ahead_, b), x));
    store_pack<W>(guards, sure >= 0.0 ? guard : Number{} - 1.0);
  }

  // ---- forces: sum of columns times what acts

  [[gnu::always_inline]] void add(int input, const Number& f) const {
    put(g.force_ + input, get(g.force_ + input) + f);
  }

  [[gnu::always_inline]] void press(const Groups::PointOf& point, const Plane& f) const {
    const Groups::Part& part = part_of(of(g.bodies_, point.body));
    for (int k = 0; k < columns(part); ++k)
      add(input(part, k), f.dot(pair(point.at.moving + 2 * k)));
  }

  [[gnu::always_inline]] void twist(const Groups::BodyOf& body, const Number& moment) const {
    const Groups::Part& part = part_of(body);
    for (int k = 0; k < columns(part); ++k) add(input(part, k), moment * get(body.now.turning + k));
  }

  [[gnu::always_inline]] Plane velocity(const Groups::PointOf& point) const {
    const Groups::Part& part = part_of(of(g.bodies_, point.body));
    Plane v{};
    for (int k = 0; k < columns(part); ++k)
      v = v + pair(point.at.moving + 2 * k) * get(g.rates_ + input(part, k));
    return v;
  }

  [[gnu::always_inline]] Number force(const SeveralForces::Law& law,
                                      const Number& measure,
                                      const Number& rate) const {
    Number f = law.stiffness * (measure - law.free);
    if (!law.reads_rate()) return f;
    const Number damped = law.damping * rate;
    take(EnergyState::dissipated, damped * rate);
    f += damped;
    if (law.active < 0) return f;
    const Number active = get(g.active_ + law.active);
    if (!law.stored) take(EnergyState::applied, -active * rate);
    return f + active;
  }

  [[gnu::always_inline]] void take(EnergyState of, const Number& power) const {
    const int at = g.powers_ + StateTable::index(of);
    put(at, get(at) + power);
  }

  [[gnu::always_inline]] void spring(const Groups::SpringOf& spring) const {
    const Groups::PointOf* point[2];
    Plane end[2];
    for (std::size_t i = 0; i < 2; ++i) {
      point[i] = spring.point[i] < 0 ? nullptr : &of(g.points_, spring.point[i]);
      end[i] = point[i] == nullptr ? everywhere(spring.place[i]) : pair(point[i]->at.place);
    }
    const Plane d = end[1] - end[0];
    const Number squares = d.dot(d), length = root_of_pack<W>(squares);
    const Number inverse = squares > 0.0 ? 1.0 / length : Number{};
    const Plane u = d * inverse;
    Number rate{};
    if (spring.law.reads_rate()) {
      if (point[1] != nullptr) rate += u.dot(velocity(*point[1]));
      if (point[0] != nullptr) rate -= u.dot(velocity(*point[0]));
    }
    const Plane f = u * force(spring.law, length - spring.c, rate);
    if (point[0] != nullptr) press(*point[0], f);
    if (point[1] != nullptr) press(*point[1], Plane{} - f);
  }

  [[gnu::always_inline]] void torque(const SeveralForces::Torque& torque) const {
    Number measure = Number{} - torque.c, rate{};
    for (std::size_t i = 0; i < 2; ++i) {
      if (torque.body[i] < 0) continue;
      const Groups::BodyOf& body = of(g.bodies_, torque.body[i]);
      if (torque.law.stiffness != 0) measure += torque.weight[i] * get(body.now.angle);
      rate += torque.weight[i] * get(body.now.omega);
    }
    const Number f = force(torque.law, measure, rate);
    for (std::size_t i = 0; i < 2; ++i)
      if (torque.body[i] >= 0) twist(of(g.bodies_, torque.body[i]), -torque.weight[i] * f);
  }

  [[gnu::always_inline]] void forces() const {
    for (std::size_t j = 0; j < g.local_.size(); ++j) put(g.force_ + static_cast<int>(j), Number{});
    put(g.powers_, Number{});
    put(g.powers_ + 1, Number{});
    for (const Groups::SpringOf& each : g.springs_) spring(each);
    for (const SeveralForces::Torque& each : g.forces_.torques()) torque(each);
  }

  // ---- the motion of centres, for forces that are evaluated state by state, and what they make

  [[gnu::always_inline]] void show() const {
    for (std::size_t k = 0; k < g.bodies_.size(); ++k) {
      const int b = static_cast<int>(k);
      const Groups::BodyOf& body = g.bodies_[k];
      const Plane d = pair(body.now.d), e = arm(d, body.centre);
      const Number omega = get(body.now.omega);
      Plane v = e.perp() * omega;
      if (body.base >= 0) v = v + velocity(of(g.points_, body.base));
      put_pair(g.q_ + 3 * b, base(body) + e);
      put(g.q_ + 3 * b + 2, get(body.now.angle));
      put(g.rotation_ + 2 * b, body.line.x * d.x + body.line.y * d.y);
      put(g.rotation_ + 2 * b + 1, body.line.x * d.y - body.line.y * d.x);
      put_pair(g.v_ + 3 * b, v);
      put(g.v_ + 3 * b + 2, omega);
    }
  }

  [[gnu::always_inline]] void add_others() const {
    for (std::size_t k = 0; k < g.bodies_.size(); ++k) {
      const int b = static_cast<int>(k);
      const Groups::BodyOf& body = g.bodies_[k];
      const Plane f = pair(g.Q_ + 3 * b), e = arm(pair(body.now.d), body.centre);
      twist(body, get(g.Q_ + 3 * b + 2) + e.perp().dot(f));
      if (body.base >= 0) press(of(g.points_, body.base), f);
    }
  }

  // ---- inertia, and p'' of every part

  struct Moved {  // a body with its columns: moment + C . f, and what its inertia is
    Plane across, f;
    Number moment;
  };

  // A body that turns about a point of the ground.
  [[gnu::always_inline]] Number moment_at_base(const Groups::BodyOf& body) const {
    const Plane across = arm(pair(body.now.d), body.centre).perp();
    return across.x * body.weight_x + across.y * body.weight_y -
           body.inertia_at_base * get(body.now.alpha);
  }

  [[gnu::always_inline]] Moved moved(const Groups::BodyOf& body) const {
    const Plane e = arm(pair(body.now.d), body.centre), across = e.perp();
    const Number alpha = get(body.now.alpha), omega = get(body.now.omega);
    const Plane drift = pair(body.at.drift) + (across * alpha - e * (omega * omega));
    return {across,
            {body.weight_x - body.mass * drift.x, body.weight_y - body.mass * drift.y},
            -body.inertia * alpha};
  }

  [[gnu::always_inline]] Plane centre(const Groups::BodyOf& body,
                                      const Plane& across,
                                      int k) const {
    return pair(body.at.moving + 2 * k) + across * get(body.now.turning + k);
  }

  [[gnu::always_inline]] void solve_one(const Groups::Part& part) const {
    const int j = input(part, 0);
    Number M{}, f = get(g.force_ + j);
    for (const int b : part.bodies) {
      const Groups::BodyOf& body = of(g.bodies_, b);
      const Number turning = get(body.now.turning);
      if (body.base < 0) {
        M += body.inertia_at_base * (turning * turning);
        f += turning * moment_at_base(body);
        continue;
      }
      const Moved here = moved(body);
      const Plane c = centre(body, here.across, 0);
      M += body.mass * c.dot(c) + body.inertia * (turning * turning);
      f += c.dot(here.f) + turning * here.moment;
    }
    put(g.found_ + j, f / M);
  }

  [[gnu::always_inline]] void inertia(const Groups::Part& part, const Groups::BodyOf& body) const {
    if (body.base < 0) {
      const Number moment = moment_at_base(body);
      for (int k = 0; k < part.count; ++k) {
        const Number turning = get(body.now.turning + k);
        add(input(part, k), turning * moment);
        for (int l = 0; l <= k; ++l)
          add_mass(k, l, body.inertia_at_base * turning * get(body.now.turning + l));
      }
      return;
    }
    const Moved here = moved(body);
    for (int k = 0; k < part.count; ++k) {
      const Number turning = get(body.now.turning + k);
      const Plane c = centre(body, here.across, k);
      add(input(part, k), c.dot(here.f) + turning * here.moment);
      for (int l = 0; l <= k; ++l)
        add_mass(k,
                 l,
                 body.mass * c.dot(centre(body, here.across, l)) +
                     body.inertia * turning * get(body.now.turning + l));
    }
  }

  [[gnu::always_inline]] void add_mass(int k, int l, const Number& m) const {
    const int at = g.mass_ + k * g.columns_ + l;
    put(at, get(at) + m);
  }

  // L D L^T of the mass matrix, then the solution.
  [[gnu::always_inline]] void solve(const Groups::Part& part) const {
    const int n = part.count, M = g.mass_, width = g.columns_;
    const auto found = [&](int k) __attribute__((always_inline)) {
      return g.found_ + input(part, k);
    };
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < k; ++l) {
        Number sum = get(M + k * width + l);
        for (int i = 0; i < l; ++i)
          sum -= get(M + k * width + i) * get(M + l * width + i) * get(M + i * width + i);
        put(M + k * width + l, sum / get(M + l * width + l));
      }
      Number pivot = get(M + k * width + k), f = get(g.force_ + input(part, k));
      for (int i = 0; i < k; ++i) {
        const Number l = get(M + k * width + i);
        pivot -= l * l * get(M + i * width + i);
        f -= l * get(found(i));
      }
      put(M + k * width + k, pivot);
      put(found(k), f);
    }
    for (int k = n - 1; k >= 0; --k) {
      Number x = get(found(k)) / get(M + k * width + k);
      for (int i = k + 1; i < n; ++i) x -= get(M + i * width + k) * get(found(i));
      put(found(k), x);
    }
  }

  [[gnu::always_inline]] void accelerations() const {
    for (const Groups::Part& part : g.parts_) {
      if constexpr (one) {
        solve_one(part);
        continue;
      }
      for (int k = 0; k < part.count; ++k)
        for (int l = 0; l <= k; ++l) put(g.mass_ + k * g.columns_ + l, Number{});
      for (const int b : part.bodies) inertia(part, of(g.bodies_, b));
      solve(part);
    }
  }
};

}  // namespace cardan
