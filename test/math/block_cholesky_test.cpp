#include "cardan/math/block_cholesky.h"

#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cardan {
namespace {

struct Sample {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> couplings;
  Eigen::MatrixXd S;
  std::vector<int> start{0};
};

// S = J J^T + shift I for a random sparse block Jacobian: the pattern the mechanisms have.
Sample random_sample(unsigned seed, double shift) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> size(1, 3), body(0, 7);
  std::uniform_real_distribution<double> number(-1, 1);
  Sample s;
  std::vector<std::pair<int, int>> ends;
  for (int k = 0; k < 9; ++k) {
    s.sizes.push_back(size(random));
    s.start.push_back(s.start.back() + s.sizes.back());
    ends.emplace_back(body(random), body(random));
  }
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(s.start.back(), 8 * 6);
  for (int k = 0; k < 9; ++k)
    for (const int b : {ends[k].first, ends[k].second})
      for (int r = 0; r < s.sizes[k]; ++r)
        for (int c = 0; c < 6; ++c) J(s.start[k] + r, 6 * b + c) = number(random);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < i; ++j)
      if (ends[i].first == ends[j].first || ends[i].first == ends[j].second ||
          ends[i].second == ends[j].first || ends[i].second == ends[j].second)
        s.couplings.emplace_back(i, j);
  s.S = J * J.transpose() + shift * Eigen::MatrixXd::Identity(J.rows(), J.rows());
  return s;
}

void fill(BlockCholesky& cholesky, const Sample& s) {
  cholesky.clear();
  const auto put = [&](int i, int j) {
    const auto place = cholesky.place(i, j);
    for (int r = 0; r < s.sizes[i]; ++r)
      for (int c = 0; c < s.sizes[j]; ++c)
        cholesky.values()[place.offset +
                          (place.transposed ? r * place.stride + c : c * place.stride + r)] =
            s.S(s.start[i] + r, s.start[j] + c);
  };
  for (int i = 0; i < 9; ++i) put(i, i);
  for (const auto& [i, j] : s.couplings) put(i, j);
}

TEST(BlockCholesky, SolvesLikeADenseMatrix) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Sample s = random_sample(seed, 0.5);
    BlockCholesky cholesky;
    cholesky.analyze(s.sizes, s.couplings);
    fill(cholesky, s);
    EXPECT_EQ(cholesky.factor(1e-12).skipped, 0);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(s.S.rows(), -1, 2);
    Eigen::VectorXd x = b;
    cholesky.solve({x.data(), static_cast<std::size_t>(x.size())});
    EXPECT_LT((s.S * x - b).norm(), 1e-12 * s.S.norm() * x.norm());
  }
}

TEST(BlockCholesky, SkipsAndNamesADependentEquation) {
  Sample s = random_sample(3, 0.5);
  const int a = s.start[2], b = s.start[5];  // the same equation twice
  s.S.row(b) = s.S.row(a);
  s.S.col(b) = s.S.col(a);
  s.S(b, b) = s.S(a, a);
  s.couplings.clear();
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < i; ++j) s.couplings.emplace_back(i, j);
  BlockCholesky cholesky;
  cholesky.analyze(s.sizes, s.couplings);
  fill(cholesky, s);
  const auto pivots = cholesky.factor(1e-11);
  EXPECT_EQ(pivots.skipped, 1);
  EXPECT_TRUE(pivots.worst == a || pivots.worst == b);
  EXPECT_NE(cholesky.skipped(a), cholesky.skipped(b));
  Eigen::VectorXd x = s.S * Eigen::VectorXd::Ones(s.S.rows());  // a consistent right side
  const Eigen::VectorXd right = x;
  cholesky.solve({x.data(), static_cast<std::size_t>(x.size())});
  EXPECT_LT((s.S * x - right).norm(), 1e-10 * right.norm());
}

TEST(BlockCholesky, RefusesABlockThatWasNotDeclared) {
  BlockCholesky cholesky;
  cholesky.analyze({1, 2, 3}, {{0, 1}});
  EXPECT_THROW(cholesky.place(0, 2), std::logic_error);
}

}  // namespace
}  // namespace cardan
