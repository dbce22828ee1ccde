#pragma once
// What the items of the documents run: methods step by step on formulas, models of the library with
// other settings, and plots of what comes out.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cardan/analysis/run.h"
#include "cardan/model/options.h"
#include "cardan/ode/formula_system.h"
#include "cardan/ode/registry.h"
#include "cardan/report/svg_plot.h"
#include "cardan/results/sink.h"

namespace cardan {

std::unique_ptr<FormulaSystem> formulas(const std::vector<std::string>& equations);

// A method on x' = x, x(0) = 1, the example of the Adams tables.
class GrowthRun {
 public:
  GrowthRun(const std::string& method, const MethodOptions&, double h);
  double step();  // the next value of x
  double after(int steps);

  const Method& method() const { return *method_; }

 private:
  std::unique_ptr<FormulaSystem> system_;
  std::unique_ptr<Method> method_;
  double h_;
};

MethodOptions with_order(int k, const std::string& start = "self", const std::string& variant = "");

// All components at t = 0, h, 2 h, ..., steps h; it ends earlier where a step cannot be made.
std::vector<std::vector<double>> fixed_steps(OdeProblem&,
                                             const std::string& method,
                                             const MethodOptions&,
                                             std::vector<double> y,
                                             double h,
                                             int steps);

// A model of models/ that is part of the program, with parameters set and its last analysis changed.
class ModelRun : private Sink {
 public:
  explicit ModelRun(const std::string& name, std::vector<std::string> set = {});

  DynamicOptions& options();

  void run(const TraceLine& trace = {});

  const Model& model() const { return model_; }

  const Outcome& outcome() const { return outcome_; }

  const std::vector<double>& times() const { return times_; }

  std::vector<double> channel(const std::string& name) const;

  double last(const std::string& name) const { return channel(name).back(); }

 private:
  Fault open(std::span<const Channel>) override;
  Fault sample(double t, std::span<const double> row) override;

  Model model_;
  Outcome outcome_;
  std::vector<std::string> names_;
  std::vector<double> times_;
  std::vector<std::vector<double>> rows_;
};

// ---------------------------------------------------------------- plots

Plot plot_of(std::string title, PlotAxis x, PlotAxis y);
PlotCurve curve_of(std::string name, std::vector<double> x, std::vector<double> y);

// At most `most` of the points, the first and the last among them.
PlotCurve thinned(PlotCurve, int most = 400);

// Stability regions of methods "rk4", "ab:3" in one plot.
Plot region_plot(const std::string& title, const std::vector<std::string>& methods);

// Limits on the negative real and on the imaginary axis.
std::array<double, 2> stability_limits(const std::string& method);

}  // namespace cardan
