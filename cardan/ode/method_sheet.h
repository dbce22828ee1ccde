#pragma once
// What a method is made of, to be shown: its formula in words of its coefficients, the coefficients
// as fractions where they are such, its error constant and where it was published. Made from the
// same data that the method computes with.
#include <string>
#include <vector>

#include "cardan/ode/registry.h"
#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

struct CoefficientTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as many cells as the head has
};

struct MethodSheet {
  std::string formula;  // one line or more
  std::string reference;
  std::vector<CoefficientTable> tables;
  // The leading error of one step is error_constant h^(order+1) y^(order+1), of one-step methods
  // on y' = lambda y; NaN: not known.
  double error_constant = std::numeric_limits<double>::quiet_NaN();
};

// Of every registered method; the options choose its order and parameters.
MethodSheet method_sheet(const MethodEntry&, const MethodOptions&);

// Of an explicit Runge-Kutta method by its array.
MethodSheet tableau_sheet(const Tableau&);

// "p/q" with the smallest denominator that gives x to a few units of round-off, up to a million;
// otherwise x with all its digits.
std::string as_fraction(double x);

}  // namespace cardan
