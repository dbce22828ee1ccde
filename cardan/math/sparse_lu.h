#pragma once
// LU factorization of sparse matrices with one pattern and many values, real or complex, by KLU:
// analysed once; pivots chosen by factor(), kept by refactor() while they stay good (the growth is
// watched), and chosen anew for one matrix where they do not. What refactor() does depends on the
// last factor() alone and not on matrices in between, so that a run continued from a checkpoint
// gets the same bits. Reference: Davis & Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010).
#include <complex>
#include <memory>
#include <vector>

namespace cardan {

// The order of elimination of a pattern in compressed columns, shared by its factorizations.
class SparseOrder {
 public:
  SparseOrder(int size, std::vector<int> columns, std::vector<int> rows);
  ~SparseOrder();
  SparseOrder(const SparseOrder&) = delete;
  SparseOrder& operator=(const SparseOrder&) = delete;

  int size() const;
  int entries() const;

  struct Symbolic;

  Symbolic& symbolic() const { return *symbolic_; }

 private:
  std::unique_ptr<Symbolic> symbolic_;
};

template <class T> class SparseLu {  // T: double or std::complex<double>
 public:
  explicit SparseLu(const SparseOrder&);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  // False: the matrix is singular or has values that are not finite.
  [[nodiscard]] bool factor(const T* values);    // pivots are chosen
  [[nodiscard]] bool refactor(const T* values);  // with those of the last factor()

  void solve(T* x) const;             // x <- A^-1 x
  void solve_transposed(T* x) const;  // x <- A^-T x

 private:
  struct Numeric;
  std::unique_ptr<Numeric> numeric_;
};

extern template class SparseLu<double>;
extern template class SparseLu<std::complex<double>>;

}  // namespace cardan
