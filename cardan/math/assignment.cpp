#include "cardan/math/assignment.h"

#include <limits>

namespace cardan {

namespace {

// Rows and columns count from one; column 0 stands for the row that is being assigned.
class Assigning {
 public:
  explicit Assigning(const Eigen::MatrixXd& cost)
      : cost_(cost),
        n_(static_cast<std::size_t>(cost.rows())),
        u_(n_ + 1),
        v_(n_ + 1),
        row_of_(n_ + 1, 0),
        way_(n_ + 1, 0) {}

  std::vector<int> go() {
    for (std::size_t row = 1; row <= n_; ++row) augment(row);
    std::vector<int> column(n_, 0);
    for (std::size_t j = 1; j <= n_; ++j) column[row_of_[j] - 1] = static_cast<int>(j) - 1;
    return column;
  }

 private:
  // Along the shortest path from the row to a column that is still free.
  void augment(std::size_t row) {
    row_of_[0] = row;
    std::vector<double> least(n_ + 1, std::numeric_limits<double>::infinity());
    std::vector<char> used(n_ + 1, 0);
    std::size_t j0 = 0;
    do {
      used[j0] = 1;
      j0 = nearest(j0, least, used);
    } while (row_of_[j0] != 0);
    while (j0 != 0) {
      const std::size_t before = way_[j0];
      row_of_[j0] = row_of_[before];
      j0 = before;
    }
  }

  std::size_t nearest(std::size_t j0, std::vector<double>& least, const std::vector<char>& used) {
    const std::size_t i = row_of_[j0];
    double delta = std::numeric_limits<double>::infinity();
    std::size_t next = 0;
    for (std::size_t j = 1; j <= n_; ++j) {
      if (used[j] != 0) continue;
      const double reduced =
          cost_(static_cast<Eigen::Index>(i - 1), static_cast<Eigen::Index>(j - 1)) - u_[i] - v_[j];
      if (reduced < least[j]) {
        least[j] = reduced;
        way_[j] = j0;
      }
      if (least[j] < delta) {
        delta = least[j];
        next = j;
      }
    }
    for (std::size_t j = 0; j <= n_; ++j) {
      if (used[j] != 0) {
        u_[row_of_[j]] += delta;
        v_[j] -= delta;
      } else {
        least[j] -= delta;
      }
    }
    return next;
  }

  const Eigen::MatrixXd& cost_;
  std::size_t n_;
  std::vector<double> u_, v_;
  std::vector<std::size_t> row_of_, way_;
};

}  // namespace

std::vector<int> least_assignment(const Eigen::MatrixXd& cost) {
  return Assigning(cost).go();
}

}  // namespace cardan
