#include "cardan/math/pattern.h"

#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace cardan {
namespace {

struct Coupling {
  int row, column;
};

// Blocks of sizes 1 to 3, each on the diagonal, with some couplings beside it.
struct Case {
  std::vector<int> sizes;
  std::vector<Coupling> couplings;
};

Case random_case(unsigned seed) {
  std::mt19937 random(seed);
  Case c;
  const int n = 12;
  for (int i = 0; i < n; ++i) {
    c.sizes.push_back(1 + static_cast<int>(random() % 3));
    c.couplings.push_back({i, i});
  }
  for (int i = 0; i < 30; ++i) {
    c.couplings.push_back({static_cast<int>(random() % n), static_cast<int>(random() % n)});
    c.couplings.push_back(c.couplings.back());  // declared twice
  }
  return c;
}

Pattern build(const Case& c, Storage storage) {
  Pattern p;
  for (const int size : c.sizes) p.add_block(size);
  for (const auto& k : c.couplings) p.couple(k.row, k.column);
  p.finish(storage);
  return p;
}

// Each coupling's block gets random numbers, added through its slot.
std::vector<double> filled(const Case& c, const Pattern& p) {
  std::vector<double> values(static_cast<std::size_t>(p.value_count()), 0.0);
  std::mt19937 random(7);
  for (const auto& k : c.couplings) {
    const Slot slot = p.slot(k.row, k.column);
    for (int j = 0; j < c.sizes[static_cast<std::size_t>(k.column)]; ++j)
      for (int i = 0; i < c.sizes[static_cast<std::size_t>(k.row)]; ++i)
        values[static_cast<std::size_t>(slot.offset + i + j * slot.stride)] +=
            static_cast<double>(random() % 1000);
  }
  return values;
}

TEST(Pattern, SparseHoldsTheSameMatrixAsDense) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Case c = random_case(seed);
    const Pattern dense = build(c, Storage::dense), sparse = build(c, Storage::sparse);
    const auto a = filled(c, dense), b = filled(c, sparse);
    ASSERT_EQ(dense.size(), sparse.size());
    const auto n = static_cast<std::size_t>(dense.size());
    std::vector<double> unpacked(n * n, 0.0);
    ASSERT_EQ(sparse.columns().size(), n + 1);
    ASSERT_EQ(sparse.rows().size(), b.size());
    for (std::size_t j = 0; j < n; ++j)
      for (auto k = static_cast<std::size_t>(sparse.columns()[j]);
           k < static_cast<std::size_t>(sparse.columns()[j + 1]);
           ++k)
        unpacked[static_cast<std::size_t>(sparse.rows()[k]) + j * n] += b[k];
    EXPECT_EQ(a, unpacked);
    EXPECT_LT(b.size(), a.size());
  }
}

TEST(Pattern, RowsAscendInEveryColumn) {
  const Pattern p = build(random_case(4), Storage::sparse);
  for (std::size_t j = 0; j + 1 < p.columns().size(); ++j)
    for (auto k = p.columns()[j] + 1; k < p.columns()[j + 1]; ++k)
      EXPECT_LT(p.rows()[static_cast<std::size_t>(k - 1)], p.rows()[static_cast<std::size_t>(k)]);
}

TEST(Pattern, BlockViewsWriteWhereTheSlotSays) {
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    Pattern p;
    const int a = p.add_block(2), b = p.add_block(1);
    for (int i : {a, b})
      for (int j : {a, b}) p.couple(i, j);
    p.finish(storage);
    std::vector<double> values(static_cast<std::size_t>(p.value_count()), 0.0);
    block_at<2, 2>(values.data(), p.slot(a, a)) << 1, 2, 3, 4;
    block_at<2, 1>(values.data(), p.slot(a, b)) << 5, 6;
    block_at<1, 2>(values.data(), p.slot(b, a)) << 7, 8;
    block_at<1, 1>(values.data(), p.slot(b, b)) << 9;
    EXPECT_EQ(values,
              (std::vector<double>{1, 3, 7, 2, 4, 8, 5, 6, 9}));  // full: both storages agree
  }
}

TEST(Pattern, TheGroundHasNoSlot) {
  Pattern p;
  const int a = p.add_block(3);
  p.couple(a, -1);
  p.couple(a, a);
  p.finish(Storage::sparse);
  EXPECT_FALSE(p.slot(a, -1));
  EXPECT_FALSE(p.slot(-1, a));
  EXPECT_TRUE(p.slot(a, a));
}

TEST(Pattern, MisuseThrows) {
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    Pattern p;
    const int a = p.add_block(3), b = p.add_block(2);
    EXPECT_THROW(p.add_block(0), std::invalid_argument);
    EXPECT_THROW(p.couple(a, 2), std::invalid_argument);
    EXPECT_THROW((void)p.slot(a, a), std::logic_error);
    p.couple(a, a);
    p.finish(storage);
    EXPECT_THROW((void)p.slot(a, b), std::logic_error);
    EXPECT_THROW((void)p.slot(b, a), std::logic_error);
  }
}

}  // namespace
}  // namespace cardan
