#pragma once

// L U of small square matrices, row by row in one array, with partial pivoting and without
// allocation: rows are interchanged, L is below the diagonal with ones on it.
namespace cardan {

// In place. pivot[k]: the row that took place k. The smallest pivot; 0: singular, or not finite.
double factor_small(int n, double* a, int* pivot);

void solve_small(int n, const double* lu, const int* pivot, double* b);             // A x = b
void solve_small_transposed(int n, const double* lu, const int* pivot, double* b);  // A^T x = b

}  // namespace cardan
