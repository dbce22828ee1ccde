#pragma once

// Elementary functions whose results are the same bits on every processor and with every compiler.
//
// A C library chooses its sine by the processor: with fused multiply-add another last bit comes out
// than without, and a run on one machine is not that of another. These use nothing but sums,
// products, quotients and square roots, which IEEE 754 fixes, in an order that the source fixes
// (-ffp-contract=off keeps it). Errors are below 0.55 units in the last place for log, exp, pow,
// atan, asin, acos, sinh, cosh, tanh and hypot, below 0.8 for sin and cos, below 0.9 for tan.
// Arguments at the edge (infinite, zero, not a number) give what ISO C says.
//
// Everything that a run follows from calls these; bin/check refuses those of the C library there.
namespace cardan::elementary {

struct SineCosine {
  double sine, cosine;
};

SineCosine sine_cosine(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);

double exp(double x);
double exp2(double x);
double log(double x);
double log2(double x);
double log10(double x);
double pow(double x, double y);

double sinh(double x);
double cosh(double x);
double tanh(double x);

double hypot(double x, double y);
double hypot(double x, double y, double z);

}  // namespace cardan::elementary
