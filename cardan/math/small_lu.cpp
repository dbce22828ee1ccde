#include "cardan/math/small_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardan {

double factor_small(int n, double* a, int* pivot) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < n; ++k) {
    int p = k;
    double largest = std::abs(a[k * n + k]);
    for (int i = k + 1; i < n; ++i)
      if (const double size = std::abs(a[i * n + k]); size > largest) {
        largest = size;
        p = i;
      }
    pivot[k] = p;
    if (!(largest > 0)) return 0;
    least = std::min(least, largest);
    if (p != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + p * n);
    const double inverse = 1 / a[k * n + k];
    const double* row = a + k * n;
    for (int i = k + 1; i < n; ++i) {
      double* below = a + i * n;
      if (below[k] == 0) continue;
      const double factor = below[k] *= inverse;
      for (int j = k + 1; j < n; ++j) below[j] -= factor * row[j];
    }
  }
  return least;
}

void solve_small(int n, const double* lu, const int* pivot, double* b) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap(b[k], b[pivot[k]]);
  for (int i = 1; i < n; ++i) {
    double sum = b[i];
    for (int j = 0; j < i; ++j) sum -= lu[i * n + j] * b[j];
    b[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = b[i];
    for (int j = i + 1; j < n; ++j) sum -= lu[i * n + j] * b[j];
    b[i] = sum / lu[i * n + i];
  }
}

void solve_small_transposed(int n, const double* lu, const int* pivot, double* b) {
  for (int i = 0; i < n; ++i) {
    const double x = b[i] /= lu[i * n + i];
    for (int j = i + 1; j < n; ++j) b[j] -= lu[i * n + j] * x;
  }
  for (int i = n - 1; i > 0; --i) {
    const double x = b[i];
    for (int j = 0; j < i; ++j) b[j] -= lu[i * n + j] * x;
  }
  for (int k = n - 1; k >= 0; --k)
    if (pivot[k] != k) std::swap(b[k], b[pivot[k]]);
}

}  // namespace cardan
