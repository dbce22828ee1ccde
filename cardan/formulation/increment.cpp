#include "cardan/formulation/increment.h"

#include <algorithm>

#include "cardan/math/dense.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

template <class F> void turn_by_turn(const System& system, CView in, View out, F&& f) {
  std::copy(in.begin(), in.end(), out.begin());
  if (system.space() == Space::planar) return;
  for (int b = 0; b < system.body_count(); ++b) {
    const Vec<3> w = system.layout().rotation(in, b);
    system.layout().rotation(out, b) = f(b, w);
  }
}

Vec<3> turn(const System& system, CView d, int b) {
  return system.layout().rotation(d, b);
}

}  // namespace

void increment_rate(const System& system, CView d, CView v, View out) {
  turn_by_turn(system, v, out, [&](int b, const Vec<3>& w) -> Vec<3> {
    return rotation_vector_rate(turn(system, d, b)) * w;
  });
}

void increment_velocity(const System& system, CView d, CView d_dot, View v) {
  turn_by_turn(system, d_dot, v, [&](int b, const Vec<3>& w) -> Vec<3> {
    return rotation_vector_rate(turn(system, d, b)).inverse() * w;
  });
}

void increment_rate_transposed(const System& system, CView d, CView x, View out) {
  turn_by_turn(system, x, out, [&](int b, const Vec<3>& w) -> Vec<3> {
    return rotation_vector_rate(turn(system, d, b)).transpose() * w;
  });
}

void increment_bend(const System& system, CView d, CView v, View out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (system.space() == Space::planar) return;
  for (int b = 0; b < system.body_count(); ++b) {
    const Vec<3> w = turn(system, v, b), t = turn(system, d, b);
    system.layout().rotation(out, b) = rotation_vector_bend(t, rotation_vector_rate(t) * w, w);
  }
}

double largest_rotation(const System& system, CView d) {
  double largest = 0;
  if (system.space() == Space::spatial)
    for (int b = 0; b < system.body_count(); ++b)
      largest = std::max(largest, turn(system, d, b).norm());
  return largest;
}

}  // namespace cardan
