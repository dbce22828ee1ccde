#include "cardan/system/link_lengths.h"

#include <algorithm>
#include <cmath>

#include "cardan/element/element_pool.h"

namespace cardan {

namespace {

// The distances that a pool of links keeps, by element; false: it is no such pool.
template <int D> bool read_links(const ConstraintPool& pool, double* first) {
  const auto* links = dynamic_cast<const ElementPool<Pair<Distance<D>>>*>(&pool);
  if (links == nullptr) return false;
  for (int e = 0; e < links->count(); ++e) first[e] = links->element(e).primitive.c;
  return true;
}

}  // namespace

LinkLengths::LinkLengths(const System& system) {
  const Equations& equations = system.equations();
  link_.assign(static_cast<std::size_t>(equations.rows()), 0.0);
  scale_.assign(link_.size(), 1.0);
  for (std::size_t p = 0; p < equations.pools().size(); ++p) {
    double* first = link_.data() + equations.first_row(p);
    if (!read_links<2>(*equations.pools()[p], first)) read_links<3>(*equations.pools()[p], first);
  }
  for (std::size_t r = 0; r < scale_.size(); ++r)
    if (system.unit_kind(static_cast<int>(r)) == UnitKind::angle) scale_[r] = system.length();
}

double LinkLengths::length(int row, double residual) const {
  const auto r = static_cast<std::size_t>(row);
  const double c = link_[r];
  if (c == 0) return scale_[r] * residual;
  return 2 * c * residual / (std::sqrt(std::max(0.0, c * c + 2 * c * residual)) + c);
}

}  // namespace cardan
