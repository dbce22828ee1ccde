#pragma once
// The two groups of planar linkages that have solutions in closed form.
//
// Pin: a body turns by its input about a point of a known body, P = r_o + A_o s_o:
//   r = P - A s,   v = v_P - omega perp(A s),   omega given
//
// Dyad: bodies b and c are pinned to known points P_0 and P_2 and to each other at P_1. With
// d = P_2 - P_0, D = |d| and the lengths L_b, L_c between the pins of b and c
//   e = (D^2 + L_b^2 - L_c^2) / 2,  h = +-sqrt(L_b^2 D^2 - e^2)
//   d_b = P_1 - P_0 = (e d + h perp(d)) / D^2,   d_c = P_1 - P_2 = d_b - d
// h = L_b L_c sin(delta) with the angle delta from d_b to d_c. Its sign, the side on which the dyad is
// assembled, is that of the pose expected; where that is not much nearer to the pose found than to
// its mirror image, there is no answer. A body's rotation is that of the line between its pins. Rates: omega_b perp(d_b) - omega_c perp(d_c) = w has the determinant d_b x d_c = h,
//   omega_b = w . d_c / h,   omega_c = w . d_b / h
// and |h| / (L_b L_c), the sine of the transmission angle, is the group's guard. Forces F_1 from b
// to c: perp(d_b) . F_1 = m_b, perp(d_c) . F_1 = -m_c with the moments of b and c about P_0 and P_2.
#include <array>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

struct PlaneVector {
  double x = 0, y = 0;

  PlaneVector operator+(PlaneVector o) const { return {x + o.x, y + o.y}; }

  PlaneVector operator-(PlaneVector o) const { return {x - o.x, y - o.y}; }

  PlaneVector operator*(double c) const { return {c * x, c * y}; }

  double dot(PlaneVector o) const { return x * o.x + y * o.y; }

  double cross(PlaneVector o) const { return x * o.y - y * o.x; }

  PlaneVector perp() const { return {-y, x}; }
};

// Poses and rotations of all bodies: q has three numbers a body, `rotation` cosine and sine.
struct PlanePoses {
  double *q, *rotation;

  PlaneVector turned(int body, PlaneVector s) const {
    const double c = rotation[2 * body], n = rotation[2 * body + 1];
    return {c * s.x - n * s.y, n * s.x + c * s.y};
  }

  void put(int body, PlaneVector centre, double angle) const {
    q[3 * body] = centre.x;
    q[3 * body + 1] = centre.y;
    q[3 * body + 2] = angle;
  }
};

// A pin between a body of a group and a known one.
struct OuterPin {
  int body = 0, known = -1;    // -1: the ground
  PlaneVector s, s_known;      // in the frames of the bodies; of the ground the place itself
  int row = 0;                 // first of its two equations
  double sign = 1;             // of this body's side in them
  PlaneVector arm, arm_known;  // A s in the present pose

  PlaneVector place(const PlanePoses& at) {
    if (known < 0) return s_known;
    arm_known = at.turned(known, s_known);
    return PlaneVector{at.q[3 * known], at.q[3 * known + 1]} + arm_known;
  }

  // Velocity of the known point in a list of three numbers a body, `stride` apart.
  PlaneVector velocity(const double* x, int stride) const {
    if (known < 0) return {};
    const double* of = x + 3 * known * stride;
    return PlaneVector{of[0], of[stride]} + arm_known.perp() * of[2 * stride];
  }

  // A force on the known point, added to a list of forces.
  void press(PlaneVector force, double* r) const {
    if (known < 0) return;
    r[3 * known] += force.x;
    r[3 * known + 1] += force.y;
    r[3 * known + 2] += arm_known.perp().dot(force);
  }

  // What makes the points' accelerations equal: rate of turning times arm, of both.
  PlaneVector gamma(const double* v) const {
    const double w = v[3 * body + 2], w_known = known < 0 ? 0 : v[3 * known + 2];
    return arm * (w * w) - arm_known * (w_known * w_known);
  }
};

inline PlaneVector pair_at(const double* g, int row, double sign) {
  return {sign * g[row], sign * g[row + 1]};
}

struct PinGroup {
  OuterPin pin;
  int input = 0;  // number of its angle among the inputs

  void position(double angle, const PlanePoses& at) {
    const int b = pin.body;
    const auto [sine, cosine] = elementary::sine_cosine(angle);
    at.rotation[2 * b] = cosine;
    at.rotation[2 * b + 1] = sine;
    pin.arm = at.turned(b, pin.s);
    at.put(b, pin.place(at) - pin.arm, angle);
  }

  // x of the body from those before it; g: right sides of the equations, null: zero.
  void forward(const double* g, double rate, double* x, int stride) const {
    PlaneVector v = pin.velocity(x, stride) - pin.arm.perp() * rate;
    if (g != nullptr) v = v + pair_at(g, pin.row, pin.sign);
    double* own = x + 3 * pin.body * stride;
    own[0] = v.x;
    own[stride] = v.y;
    own[2 * stride] = rate;
  }

  // Multipliers that carry the forces r of the body, which go over to the known one.
  void reverse(double* r, double* lambda) const {
    const PlaneVector f{r[3 * pin.body], r[3 * pin.body + 1]};
    lambda[pin.row] = pin.sign * f.x;
    lambda[pin.row + 1] = pin.sign * f.y;
    pin.press(f, r);
  }

  void gamma(const double* v, double* out) const {
    const PlaneVector g = pin.gamma(v) * pin.sign;
    out[pin.row] = g.x;
    out[pin.row + 1] = g.y;
  }
};

struct Dyad {
  static constexpr double one_turn = 6.283185307179586476925;  // rad

  OuterPin b, c;
  PlaneVector s_b, s_c;  // of the pin between them
  int row = 0;
  double sign = 1;       // of b's side there
  PlaneVector l_b, l_c;  // from the outer pin to it, in the frames of the bodies
  double length_b = 0, length_c = 0, inverse_b = 0, inverse_c = 0;  // 1 / length^2
  double offset = 0;                                                // of the angles of l_c and l_b
  PlaneVector d_b, d_c, arm_b, arm_c;  // in the present pose; arms of the pin between them
  double h = 0, inverse_h = 0;
  bool shows_angle_b = true, shows_angle_c = true;  // position() writes them into q

  double guard() const { return std::abs(h) / (length_b * length_c); }

  // From the angles expected, which stand in q. False: no pose, or not surely on their side.
  bool position(const PlanePoses& at) {
    constexpr double sure = 0.4;  // relative deviation of the root from the predicted one
    const double expected = rough_sine(at.q[3 * c.body + 2] - at.q[3 * b.body + 2] + offset);
    const PlaneVector from = b.place(at), to = c.place(at), d = to - from;
    const double D2 = d.dot(d), e = 0.5 * (D2 + length_b * length_b - length_c * length_c);
    const double h2 = length_b * length_b * D2 - e * e;
    if (!(h2 > 0)) return false;
    h = std::copysign(std::sqrt(h2), expected);
    const double found = h / (length_b * length_c);
    if (!(std::abs(found - expected) <= sure * std::abs(found))) return false;
    inverse_h = 1 / h;
    d_b = (d * e + d.perp() * h) * (1 / D2);
    d_c = d_b - d;
    turn(b.body, l_b, inverse_b, d_b, at);
    turn(c.body, l_c, inverse_c, d_c, at);
    b.arm = at.turned(b.body, b.s);
    c.arm = at.turned(c.body, c.s);
    arm_b = b.arm + d_b;
    arm_c = c.arm + d_c;
    place(b.body, from - b.arm, at);
    place(c.body, to - c.arm, at);
    if (shows_angle_b) show_angle(b.body, at);
    if (shows_angle_c) show_angle(c.body, at);
    return true;
  }

  // The angles of both bodies, after position() without them.
  void show_angles(const PlanePoses& at) const {
    if (!shows_angle_b) show_angle(b.body, at);
    if (!shows_angle_c) show_angle(c.body, at);
  }

  void forward(const double* g, double* x, int stride) const {
    PlaneVector v_b = b.velocity(x, stride), v_c = c.velocity(x, stride), w = v_c - v_b;
    if (g != nullptr) {
      const PlaneVector g_b = pair_at(g, b.row, b.sign), g_c = pair_at(g, c.row, c.sign);
      v_b = v_b + g_b;
      v_c = v_c + g_c;
      w = w + g_c - g_b + pair_at(g, row, sign);
    }
    const double omega_b = w.dot(d_c) * inverse_h, omega_c = w.dot(d_b) * inverse_h;
    set(x + 3 * b.body * stride, stride, v_b - b.arm.perp() * omega_b, omega_b);
    set(x + 3 * c.body * stride, stride, v_c - c.arm.perp() * omega_c, omega_c);
  }

  void reverse(double* r, double* lambda) const {
    const double *r_b = r + 3 * b.body, *r_c = r + 3 * c.body;
    const PlaneVector f_b{r_b[0], r_b[1]}, f_c{r_c[0], r_c[1]};
    const double m_b = r_b[2] - b.arm.perp().dot(f_b), m_c = r_c[2] - c.arm.perp().dot(f_c);
    // a . F = m_b, k . F = -m_c with a = perp(d_b), k = perp(d_c), a x k = h
    const PlaneVector a = d_b.perp(), k = d_c.perp();
    const PlaneVector f = (k.perp() * (-m_b) - a.perp() * m_c) * inverse_h;
    const PlaneVector f_0 = f_b - f, f_2 = f_c + f;
    write(lambda, b.row, f_0 * b.sign);
    write(lambda, row, f * sign);
    write(lambda, c.row, f_2 * c.sign);
    b.press(f_0, r);
    c.press(f_2, r);
  }

  void gamma(const double* v, double* out) const {
    const double w_b = v[3 * b.body + 2], w_c = v[3 * c.body + 2];
    write(out, b.row, b.gamma(v) * b.sign);
    write(out, c.row, c.gamma(v) * c.sign);
    write(out, row, (arm_b * (w_b * w_b) - arm_c * (w_c * w_c)) * sign);
  }

 private:
  static void turn(int body, PlaneVector l, double scale, PlaneVector d, const PlanePoses& at) {
    at.rotation[2 * body] = l.dot(d) * scale;
    at.rotation[2 * body + 1] = l.cross(d) * scale;
  }

  static void place(int body, PlaneVector centre, const PlanePoses& at) {
    at.q[3 * body] = centre.x;
    at.q[3 * body + 1] = centre.y;
  }

  // With the turns of the angle that stands in q.
  static void show_angle(int body, const PlanePoses& at) {
    const double angle = elementary::atan2(at.rotation[2 * body + 1], at.rotation[2 * body]);
    double& shown = at.q[3 * body + 2];
    shown = angle + one_turn * std::round((shown - angle) / one_turn);
  }

  // To 0.002, which tells the side.
  static double rough_sine(double angle) {
    const double x = angle - one_turn * std::nearbyint(angle / one_turn);  // -pi to pi
    const double y = x * (1.27323954473516268615 - 0.40528473456935108578 * std::abs(x));
    return y * (0.775 + 0.225 * std::abs(y));  // 4/pi, 4/pi^2; a parabola, then its square
  }

  static void set(double* own, int stride, PlaneVector v, double omega) {
    own[0] = v.x;
    own[stride] = v.y;
    own[2 * stride] = omega;
  }

  static void write(double* out, int at_row, PlaneVector value) {
    out[at_row] = value.x;
    out[at_row + 1] = value.y;
  }
};

}  // namespace cardan
