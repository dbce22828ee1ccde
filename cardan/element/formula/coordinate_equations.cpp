#include "cardan/element/formula/coordinate_equations.h"

#include <algorithm>

#include "cardan/element/formula/formula_of_coordinates.h"

namespace cardan {

namespace {

using Way = FormulaOfCoordinates::Way;

std::size_t number(int k) {
  return static_cast<std::size_t>(k);
}

double& entry(double* values, Slot slot, int row, int column) {
  return values[slot.offset + std::int64_t{column} * slot.stride + row];
}

// Calls f for both mirror images of an entry of the mass matrix.
template <class F> void both(const OwnEquations::Entry& e, F&& f) {
  f(e.row, e.column);
  if (e.row != e.column) f(e.column, e.row);
}

}  // namespace

bool CoordinateEquations::mass_is_constant() const {
  if (of_.kinetic) return !of_.kinetic->uses_positions() && !of_.kinetic->uses_time();
  return std::all_of(of_.mass.begin(), of_.mass.end(), [](const auto& e) {
    return !e.formula.uses_positions() && !e.formula.uses_time();
  });
}

bool CoordinateEquations::moves_with_time() const {
  const auto moves = [](const CoordinateFormula* f) {
    return f->uses_time();
  };
  const auto all = of_.formulas();
  return std::any_of(all.begin(), all.end(), moves);
}

void CoordinateEquations::mass(double t, CView q, View M) const {
  const auto n = number(size());
  std::fill(M.begin(), M.end(), 0.0);
  if (of_.kinetic) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q);
    for (std::size_t i = 0; i < T.count(); ++i) {
      if (!of_.kinetic->uses_rate(i)) continue;
      const Way u = T.unit(T.place_v(i));
      for (std::size_t j = 0; j <= i; ++j) {
        if (!of_.kinetic->uses_rate(j)) continue;
        const double m = T.along(u, T.unit(T.place_v(j)));
        M[number(T.coordinate(j)) * n + number(T.coordinate(i))] = m;
        M[number(T.coordinate(i)) * n + number(T.coordinate(j))] = m;
      }
    }
  }
  for (const auto& e : of_.mass) {
    const double m = FormulaOfCoordinates(e.formula, t, q).value();
    both(e, [&](int r, int c) { M[number(c) * n + number(r)] = m; });
  }
}

void CoordinateEquations::add_M_a_q(
    double t, CView q, CView a, double c, double* values, Slot slot) const {
  if (of_.kinetic) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q);
    const Way w = T.rates(a);
    for (std::size_t k = 0; k < T.count(); ++k) {
      if (!of_.kinetic->uses_position(k)) continue;
      const Way to = T.unit(T.place_q(k));
      for (std::size_t i = 0; i < T.count(); ++i)
        if (of_.kinetic->uses_rate(i))
          entry(values, slot, T.coordinate(i), T.coordinate(k)) +=
              c * T.along(T.unit(T.place_v(i)), w, to);
    }
  }
  for (const auto& e : of_.mass) {
    const FormulaOfCoordinates m(e.formula, t, q);
    for (std::size_t k = 0; k < m.count(); ++k) {
      const double slope = m.along(m.unit(m.place_q(k)));
      both(e, [&](int r, int column) {
        entry(values, slot, r, m.coordinate(k)) += c * slope * a[number(column)];
      });
    }
  }
}

double CoordinateEquations::kinetic(double t, CView q, CView v) const {
  double sum = 0;
  if (of_.kinetic) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
    sum += T.along(T.rates(v)) - T.value();
  }
  for (const auto& e : of_.mass) {
    const double m = FormulaOfCoordinates(e.formula, t, q).value();
    both(e, [&](int r, int c) { sum += 0.5 * m * v[number(r)] * v[number(c)]; });
  }
  return sum;
}

double CoordinateEquations::potential(double t, CView q) const {
  return of_.potential ? FormulaOfCoordinates(*of_.potential, t, q).value() : 0;
}

void CoordinateEquations::add_Q(double t, CView q, CView v, View out) const {
  if (of_.kinetic) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
    const Way w = T.flow(v);
    for (std::size_t k = 0; k < T.count(); ++k) {
      double& Q = out[number(T.coordinate(k))];
      if (of_.kinetic->uses_position(k)) Q += T.along(T.unit(T.place_q(k)));
      if (of_.kinetic->uses_rate(k)) Q -= T.along(T.unit(T.place_v(k)), w);
    }
  }
  if (!of_.potential) return;
  const FormulaOfCoordinates V(*of_.potential, t, q);
  for (std::size_t k = 0; k < V.count(); ++k)
    out[number(V.coordinate(k))] -= V.along(V.unit(V.place_q(k)));
}

void CoordinateEquations::add_Q_q(
    double t, CView q, CView v, double c, double* values, Slot slot) const {
  if (of_.kinetic) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
    const Way w = T.flow(v);
    for (std::size_t k = 0; k < T.count(); ++k) {
      if (!of_.kinetic->uses_position(k)) continue;
      const Way to = T.unit(T.place_q(k));
      for (std::size_t i = 0; i < T.count(); ++i) {
        double& Q = entry(values, slot, T.coordinate(i), T.coordinate(k));
        Q += c * T.along(T.unit(T.place_q(i)), to);
        Q -= c * T.along(T.unit(T.place_v(i)), w, to);
      }
    }
  }
  if (!of_.potential) return;
  const FormulaOfCoordinates V(*of_.potential, t, q);
  for (std::size_t k = 0; k < V.count(); ++k)
    for (std::size_t i = 0; i < V.count(); ++i)
      entry(values, slot, V.coordinate(i), V.coordinate(k)) -=
          c * V.along(V.unit(V.place_q(i)), V.unit(V.place_q(k)));
}

// (T_v)_w follows v through T_v and through w.
void CoordinateEquations::add_Q_v(
    double t, CView q, CView v, double c, double* values, Slot slot) const {
  if (!of_.kinetic) return;
  const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
  const Way w = T.flow(v);
  for (std::size_t k = 0; k < T.count(); ++k) {
    const Way to = T.unit(T.place_v(k)), moved = T.unit(T.place_q(k));
    for (std::size_t i = 0; i < T.count(); ++i) {
      const Way of = T.unit(T.place_v(i));
      entry(values, slot, T.coordinate(i), T.coordinate(k)) +=
          c * (T.along(T.unit(T.place_q(i)), to) - T.along(of, w, to) - T.along(of, moved));
    }
  }
}

double CoordinateEquations::power(double t, CView q, CView v) const {
  double sum = 0;
  if (of_.kinetic && of_.kinetic->uses_time()) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
    sum -= T.along(T.time());
  }
  if (of_.potential && of_.potential->uses_time()) {
    const FormulaOfCoordinates V(*of_.potential, t, q);
    sum += V.along(V.time());
  }
  for (const auto& e : of_.mass) {
    const FormulaOfCoordinates m(e.formula, t, q);
    const double rate = m.along(m.flow(v));
    both(e, [&](int r, int c) { sum += 0.5 * rate * v[number(r)] * v[number(c)]; });
  }
  return sum;
}

void CoordinateEquations::add_power_slopes(double t, CView q, CView v, View to_q, View to_v) const {
  if (of_.kinetic && of_.kinetic->uses_time()) {
    const FormulaOfCoordinates T(*of_.kinetic, t, q, v);
    for (std::size_t k = 0; k < T.count(); ++k) {
      to_q[number(T.coordinate(k))] -= T.along(T.time(), T.unit(T.place_q(k)));
      to_v[number(T.coordinate(k))] -= T.along(T.time(), T.unit(T.place_v(k)));
    }
  }
  if (of_.potential && of_.potential->uses_time()) {
    const FormulaOfCoordinates V(*of_.potential, t, q);
    for (std::size_t k = 0; k < V.count(); ++k)
      to_q[number(V.coordinate(k))] += V.along(V.time(), V.unit(V.place_q(k)));
  }
  for (const auto& e : of_.mass) {
    const FormulaOfCoordinates m(e.formula, t, q);
    const Way w = m.flow(v);
    const double rate = m.along(w);
    both(e, [&](int r, int c) {
      const double product = v[number(r)] * v[number(c)];
      to_v[number(r)] += 0.5 * rate * v[number(c)];
      to_v[number(c)] += 0.5 * rate * v[number(r)];
      for (std::size_t k = 0; k < m.count(); ++k) {
        const Way to = m.unit(m.place_q(k));
        to_q[number(m.coordinate(k))] += 0.5 * product * m.along(w, to);
        to_v[number(m.coordinate(k))] += 0.5 * product * m.along(to);
      }
    });
  }
}

}  // namespace cardan
