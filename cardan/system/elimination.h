#pragma once
// The passes of the elimination over all columns (elimination_plan.h), with the kernel that fits each
// column. Compiled for several instruction sets, of which the best is taken at run time; all of them
// give the same bits.
#include "cardan/system/elimination_plan.h"

namespace cardan::elimination {

// The numbers of an elimination: W and k of every incidence, B, D^-1, products of one column; x in
// the order of elimination: first D^-1 r of the columns done, then the solution; y: n_v a body.
// The columns of rotations of all blocks of W stand together, the others, mostly constant, elsewhere.
struct Numbers {
  double *W, *others, *k, *B, *inverse, *product, *x, *y;
  double* all;         // where they stand
  const char* held;    // by equation, in the order of elimination: it is active
  const char* kernel;  // by column, of kernel_of()
  const int *forward, *backward, *residual;  // tapes of the pins (pin_kernel.h), see write_tapes()
};

// Where a block of W begins whose incidence has this weight, rows of n_v numbers: of the columns of rotations, of
// the others.
constexpr int turns_of(int dimension, int weight) {
  return dimension == 2 ? weight / 3 : weight / 2;
}

constexpr int others_of(int dimension, int weight) {
  return weight - turns_of(dimension, weight);
}

struct Tapes {
  std::vector<int> forward, backward, residual;
};

// Of the columns with the kernel of pins.
Tapes write_tapes(const EliminationPlan&, const Numbers&);

// Of a column with this many equations, whose blocks all have as many rows (uniform) and whose blocks
// of W are anchored.
char kernel_of(int size, bool uniform, bool anchored);

// A pivot and its row's own size, kept as a fraction so that little is divided.
struct Fraction {
  double pivot = 1, size = 1;
};

// What the pivots of a factor tell: the weakest relative to its row's own size; whether none of them
// fell below its floor.
struct Weakest {
  double *pivot, *size;  // by equation, where they are put
  const double* floor;   // of pivot / size, or null
  double tolerance;
  Fraction least{};
  int scalar = -1, skipped = 0;
  bool bad = false, fell = false;  // bad: not a number

  [[gnu::always_inline]] void put(double a, double b, int which) {
    pivot[which] = a;
    size[which] = b;
  }
};

// Factors, and solves forwards for r = W y - g: x = D^-1 L^-1 r. Returns the largest number of r and g. Behind g
// stand three numbers that are read and not used.
double factor_forward(
    int dimension, const EliminationPlan&, const Numbers&, const double* g, Weakest&);

// The same with the factor that is there.
double forward(int dimension, const EliminationPlan&, const Numbers&, const double* g);

// x = S^-1 r after one of them, and y -= W^T x.
void backward(int dimension, const EliminationPlan&, const Numbers&);

// The largest number of W y - g; skipped: equations left out, or null.
double largest_residual(
    int dimension, const EliminationPlan&, const Numbers&, const double* g, const char* skipped);

}  // namespace cardan::elimination
