#include "cardan/math/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include <klu.h>

namespace cardan {

struct SparseOrder::Symbolic {
  int size = 0;
  std::vector<int> columns, rows;
  klu_common common{};
  klu_symbolic* order = nullptr;
};

SparseOrder::SparseOrder(int size, std::vector<int> columns, std::vector<int> rows)
    : symbolic_(std::make_unique<Symbolic>()) {
  Symbolic& s = *symbolic_;
  s.size = size;
  s.columns = std::move(columns);
  s.rows = std::move(rows);
  klu_defaults(&s.common);
  if (size == 0) return;
  s.order = klu_analyze(size, s.columns.data(), s.rows.data(), &s.common);
  if (s.order == nullptr) throw std::runtime_error("analysis of a sparse matrix failed");
}

SparseOrder::~SparseOrder() {
  if (symbolic_->order != nullptr) klu_free_symbolic(&symbolic_->order, &symbolic_->common);
}

int SparseOrder::size() const {
  return symbolic_->size;
}

int SparseOrder::entries() const {
  return static_cast<int>(symbolic_->rows.size());
}

namespace {

constexpr double least_growth = 1e-6;  // reciprocal pivot growth below which pivots are not kept

// KLU's two sets of functions under one name; it takes complex numbers as pairs of doubles.
template <class T> struct Klu {
  static constexpr bool real = std::is_same_v<T, double>;

  static double* pairs(const T* x) {
    return const_cast<double*>(reinterpret_cast<const double*>(x));  // KLU does not write to them
  }

  static klu_numeric* factor(SparseOrder::Symbolic& s, klu_common& c, const T* values) {
    return real ? klu_factor(s.columns.data(), s.rows.data(), pairs(values), s.order, &c)
                : klu_z_factor(s.columns.data(), s.rows.data(), pairs(values), s.order, &c);
  }

  static bool refactor(SparseOrder::Symbolic& s, klu_common& c, const T* values, klu_numeric* n) {
    int *columns = s.columns.data(), *rows = s.rows.data();
    const bool done = real ? klu_refactor(columns, rows, pairs(values), s.order, n, &c) != 0 &&
                                 klu_rgrowth(columns, rows, pairs(values), s.order, n, &c) != 0
                           : klu_z_refactor(columns, rows, pairs(values), s.order, n, &c) != 0 &&
                                 klu_z_rgrowth(columns, rows, pairs(values), s.order, n, &c) != 0;
    return done && c.rgrowth > least_growth;
  }

  static void solve(SparseOrder::Symbolic& s, klu_common& c, klu_numeric* n, T* x) {
    if constexpr (real)
      klu_solve(s.order, n, s.size, 1, x, &c);
    else
      klu_z_solve(s.order, n, s.size, 1, pairs(x), &c);
  }

  static void solve_transposed(SparseOrder::Symbolic& s, klu_common& c, klu_numeric* n, T* x) {
    if constexpr (real)
      klu_tsolve(s.order, n, s.size, 1, x, &c);
    else
      klu_z_tsolve(s.order, n, s.size, 1, pairs(x), 0, &c);
  }

  static void free(klu_numeric*& n, klu_common& c) {
    if (n == nullptr) return;
    if constexpr (real)
      klu_free_numeric(&n, &c);
    else
      klu_z_free_numeric(&n, &c);
  }
};

}  // namespace

template <class T> struct SparseLu<T>::Numeric {
  SparseOrder::Symbolic* symbolic = nullptr;
  klu_common common{};
  klu_numeric *chosen = nullptr, *again = nullptr;  // by factor(); where its pivots did not serve
  klu_numeric* used = nullptr;

  ~Numeric() {
    Klu<T>::free(chosen, common);
    Klu<T>::free(again, common);
  }

  bool finite(const T* values) const {
    const auto* x = reinterpret_cast<const double*>(values);
    return std::all_of(x, x + symbolic->rows.size() * sizeof(T) / sizeof(double), [](double y) {
      return std::isfinite(y);
    });
  }
};

template <class T>
SparseLu<T>::SparseLu(const SparseOrder& order) : numeric_(std::make_unique<Numeric>()) {
  numeric_->symbolic = &order.symbolic();
  klu_defaults(&numeric_->common);
}

template <class T> SparseLu<T>::~SparseLu() = default;
template <class T> SparseLu<T>::SparseLu(SparseLu&&) noexcept = default;
template <class T> SparseLu<T>& SparseLu<T>::operator=(SparseLu&&) noexcept = default;

template <class T> bool SparseLu<T>::factor(const T* values) {
  Numeric& n = *numeric_;
  n.used = nullptr;
  if (!n.finite(values)) return false;
  if (n.symbolic->size == 0) return true;
  Klu<T>::free(n.chosen, n.common);
  n.chosen = Klu<T>::factor(*n.symbolic, n.common, values);
  n.used = n.chosen;
  return n.used != nullptr;
}

template <class T> bool SparseLu<T>::refactor(const T* values) {
  Numeric& n = *numeric_;
  if (n.chosen == nullptr) return factor(values);
  n.used = nullptr;
  if (!n.finite(values)) return false;
  if (Klu<T>::refactor(*n.symbolic, n.common, values, n.chosen)) {
    n.used = n.chosen;
    return true;
  }
  Klu<T>::free(n.again, n.common);
  n.again = Klu<T>::factor(*n.symbolic, n.common, values);
  n.used = n.again;
  return n.used != nullptr;
}

template <class T> void SparseLu<T>::solve(T* x) const {
  if (numeric_->symbolic->size == 0) return;
  if (numeric_->used == nullptr) throw std::logic_error("solve without a factor");
  Klu<T>::solve(*numeric_->symbolic, numeric_->common, numeric_->used, x);
}

template <class T> void SparseLu<T>::solve_transposed(T* x) const {
  if (numeric_->symbolic->size == 0) return;
  if (numeric_->used == nullptr) throw std::logic_error("solve without a factor");
  Klu<T>::solve_transposed(*numeric_->symbolic, numeric_->common, numeric_->used, x);
}

template class SparseLu<double>;
template class SparseLu<std::complex<double>>;

}  // namespace cardan
