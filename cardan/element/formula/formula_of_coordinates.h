#pragma once
// A formula of coordinates at one motion, and its exact derivatives along directions. Arguments:
// [t, -, -, q, q', ...] of the coordinates that it names; q(k) and v(k) are the places of the k-th
// of them.
#include <array>
#include <span>

#include "cardan/math/expression_along.h"
#include "cardan/model/own_equations.h"

namespace cardan {

inline constexpr int max_formula_coordinates = 64;

class FormulaOfCoordinates {
 public:
  using Way = std::array<double, 3 + 2 * max_formula_coordinates>;

  // Without velocities: at rest.
  FormulaOfCoordinates(const CoordinateFormula& of, double t, CView q, CView v = {})
      : of_(of), size_(3 + 2 * of.coordinates.size()) {
    x_[0] = t;
    x_[1] = x_[2] = 0;
    for (std::size_t k = 0; k < of.coordinates.size(); ++k) {
      const auto c = static_cast<std::size_t>(of.coordinates[k]);
      x_[place_q(k)] = q[c];
      x_[place_v(k)] = v.empty() ? 0 : v[c];
    }
  }

  std::size_t count() const { return of_.coordinates.size(); }

  int coordinate(std::size_t k) const { return of_.coordinates[k]; }

  static std::size_t place_q(std::size_t k) { return 3 + 2 * k; }

  static std::size_t place_v(std::size_t k) { return 4 + 2 * k; }

  // ---- directions
  Way unit(std::size_t place) const {
    Way w = none();
    w[place] = 1;
    return w;
  }

  Way time() const { return unit(0); }

  Way flow(CView v) const {  // how t and q move
    Way w = positions(v);
    w[0] = 1;
    return w;
  }

  Way positions(CView d) const {
    Way w = none();
    for (std::size_t k = 0; k < count(); ++k)
      w[place_q(k)] = d[static_cast<std::size_t>(of_.coordinates[k])];
    return w;
  }

  Way rates(CView d) const {
    Way w = none();
    for (std::size_t k = 0; k < count(); ++k)
      w[place_v(k)] = d[static_cast<std::size_t>(of_.coordinates[k])];
    return w;
  }

  // ---- values
  double value() const { return of_.formula.value({x_.data(), size_}); }

  double along(const Way& u) const { return cardan::along(of_.formula, at(x_), at(u)); }

  double along(const Way& u, const Way& w) const {
    return cardan::along(of_.formula, at(x_), at(u), at(w));
  }

  double along(const Way& u, const Way& v, const Way& w) const {
    return cardan::along(of_.formula, at(x_), at(u), at(v), at(w));
  }

 private:
  CView at(const Way& w) const { return {w.data(), size_}; }

  Way none() const {
    Way w;
    std::fill_n(w.begin(), size_, 0.0);
    return w;
  }

  const CoordinateFormula& of_;
  std::size_t size_;
  Way x_;
};

}  // namespace cardan
