#pragma once
// Newton systems of the implicit formulations: a sparse matrix in groups of unknowns and equations,
// put together from the matrices of a linearisation,
//   block (i, j) = sum of factors times matrices or their transposes,
// with one pattern for all factors. The pattern is made once, then values are put in and factored
// (math/sparse_lu.h) without allocation.
//
// Equations that are left out (redundant ones, limits that do not act) have a 1 on their diagonal
// and nothing else in their row and column.
#include <memory>
#include <vector>

#include <Eigen/SparseCore>

#include "cardan/math/sparse_lu.h"

namespace cardan {

class BlockMatrix {
 public:
  using Matrix = Eigen::SparseMatrix<double>;
  enum class As { given, transposed };

  explicit BlockMatrix(const std::vector<int>& sizes);  // of the groups

  void leave_out(int group, const std::vector<char>& kept);  // before the terms; one flag each

  // A term, known by the number returned; the matrix gives its pattern.
  int add(int row, int column, const Matrix&, As = As::given);
  int add_identity(int row, int column);
  // Single entries of a block, at (rows[k], columns[k]).
  int add_entries(int row, int column, std::vector<int> rows, std::vector<int> columns);

  void finish();

  int size() const { return start_.back(); }

  int start(int group) const { return start_[static_cast<std::size_t>(group)]; }

  const SparseOrder& order() const { return *order_; }

  int entries() const { return static_cast<int>(rows_.size()); }

  const std::vector<int>& columns() const { return columns_; }

  const std::vector<int>& rows() const { return rows_; }

  const std::vector<int>& term(int k) const { return terms_[static_cast<std::size_t>(k)]; }

  const std::vector<int>& ones() const { return ones_; }  // where equations are left out

 private:
  struct Entry {
    int column, row;

    bool operator==(const Entry& other) const { return column == other.column && row == other.row; }

    bool operator<(const Entry& other) const {
      return column != other.column ? column < other.column : row < other.row;
    }
  };

  int note(std::vector<Entry>);
  Entry entry(int row_group, int row, int column_group, int column) const;

  std::vector<int> start_{0};
  std::vector<std::vector<char>> kept_;       // of each group; empty: all
  std::vector<std::vector<Entry>> declared_;  // of each term, until finish()
  std::vector<std::vector<int>> terms_;       // where the values of each term go; -1: nowhere
  std::vector<int> columns_, rows_, ones_;
  std::unique_ptr<SparseOrder> order_;
};

// Values, factor and one right side.
template <class T> class BlockFactor {
 public:
  explicit BlockFactor(const BlockMatrix& matrix)
      : matrix_(matrix),
        lu_(matrix.order()),
        values_(static_cast<std::size_t>(matrix.entries())),
        x_(static_cast<std::size_t>(matrix.size())) {}

  void clear();
  void put(int term, T factor, const BlockMatrix::Matrix&);
  void put(int term, T factor, const std::vector<double>& values);
  void put(int term, T value);  // the same everywhere

  // Pivots are chosen, or those of the last choice are kept while they serve. False: singular.
  [[nodiscard]] bool factor(bool choose) {
    return choose ? lu_.factor(values_.data()) : lu_.refactor(values_.data());
  }

  T* x(int group) { return x_.data() + matrix_.start(group); }

  void solve() { lu_.solve(x_.data()); }  // x <- A^-1 x

  const std::vector<T>& values() const { return values_; }

 private:
  template <class Value> void add(int term, Value&& value);

  const BlockMatrix& matrix_;
  SparseLu<T> lu_;
  std::vector<T> values_, x_;
};

extern template class BlockFactor<double>;
extern template class BlockFactor<std::complex<double>>;

// y += factor A x.
template <class T, class X>
void add_product(const BlockMatrix::Matrix& A, T factor, const X* x, T* y) {
  for (int c = 0; c < A.cols(); ++c)
    for (int k = A.outerIndexPtr()[c]; k < A.outerIndexPtr()[c + 1]; ++k)
      y[A.innerIndexPtr()[k]] += factor * A.valuePtr()[k] * x[c];
}

}  // namespace cardan
