#include "cardan/formulation/explicit/independent_choice.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/partition.h"

namespace cardan {

namespace {

constexpr Eigen::Index small_enough = 200;  // columns, for elimination with full pivoting at once
constexpr double fair_share = 0.5;          // of the largest entry of a row

using RowMajor = Eigen::SparseMatrix<double, Eigen::RowMajor>;

std::vector<int> by_elimination(const RowMajor& phi_q,
                                const std::vector<int>& rows,
                                const std::vector<int>& columns) {
  std::vector<int> column_of(static_cast<std::size_t>(phi_q.cols()), -1);
  for (std::size_t c = 0; c < columns.size(); ++c)
    column_of[static_cast<std::size_t>(columns[c])] = static_cast<int>(c);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                                static_cast<Eigen::Index>(columns.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (RowMajor::InnerIterator it(phi_q, rows[r]); it; ++it)
      if (const int c = column_of[static_cast<std::size_t>(it.col())]; c >= 0)
        dense(static_cast<Eigen::Index>(r), c) = it.value();
  std::vector<int> free;
  for (const int c : independent_coordinates(dense))
    free.push_back(columns[static_cast<std::size_t>(c)]);
  return free;
}

}  // namespace

std::vector<int> independent_velocities(const Eigen::SparseMatrix<double>& phi_q,
                                        const std::vector<int>& active_rows,
                                        const std::vector<double>& weights) {
  const RowMajor by_row = phi_q;
  std::vector<int> columns(static_cast<std::size_t>(phi_q.cols()));
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<int>(c);
  if (phi_q.cols() <= small_enough) return by_elimination(by_row, active_rows, columns);

  std::vector<char> left(static_cast<std::size_t>(phi_q.rows())), taken(columns.size());
  std::vector<int> entries(columns.size());
  for (const int r : active_rows) {
    left[static_cast<std::size_t>(r)] = 1;
    for (RowMajor::InnerIterator it(by_row, r); it; ++it)
      if (it.value() != 0) ++entries[static_cast<std::size_t>(it.col())];
  }
  std::vector<int> singles;
  for (const int c : columns)
    if (entries[static_cast<std::size_t>(c)] == 1) singles.push_back(c);
  while (!singles.empty()) {
    const int c = singles.back();
    singles.pop_back();
    if (entries[static_cast<std::size_t>(c)] != 1) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator it(phi_q, c); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (left[row] == 0 || it.value() == 0) continue;
      double largest = 0;
      for (RowMajor::InnerIterator other(by_row, it.row()); other; ++other)
        largest = std::max(
            largest, weights[static_cast<std::size_t>(other.col())] * std::abs(other.value()));
      if (weights[static_cast<std::size_t>(c)] * std::abs(it.value()) < fair_share * largest) break;
      taken[static_cast<std::size_t>(c)] = 1;
      left[row] = 0;
      for (RowMajor::InnerIterator other(by_row, it.row()); other; ++other)
        if (other.value() != 0 && --entries[static_cast<std::size_t>(other.col())] == 1)
          singles.push_back(static_cast<int>(other.col()));
      break;
    }
  }
  std::vector<int> rows, rest;
  for (const int r : active_rows)
    if (left[static_cast<std::size_t>(r)] != 0) rows.push_back(r);
  for (const int c : columns)
    if (taken[static_cast<std::size_t>(c)] == 0) rest.push_back(c);
  if (rows.empty()) return rest;
  // Columns in none of the rows that are left are independent; elimination has the others.
  std::vector<int> inside, free;
  for (const int c : rest) (entries[static_cast<std::size_t>(c)] > 0 ? inside : free).push_back(c);
  const std::vector<int> chosen = by_elimination(by_row, rows, inside);
  free.insert(free.end(), chosen.begin(), chosen.end());
  std::sort(free.begin(), free.end());
  return free;
}

}  // namespace cardan
