#pragma once

// Counts the memory allocations of this thread, in builds with CARDAN_CHECKED:
//   AllocationGuard guard;
//   step();
//   EXPECT_EQ(guard.count(), 0);
// A program that uses it also has its fresh memory filled with the bytes of NaN. Elsewhere count()
// is 0.

namespace cardan {

class AllocationGuard {
 public:
  AllocationGuard();
  long count() const;  // since construction

  static bool active();  // whether allocations are counted in this build

 private:
  long before_;
};

}  // namespace cardan
