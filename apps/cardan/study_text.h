#pragma once
// Step halving as text, CSV, JSON and a plot: of systems of ordinary differential equations and of
// mechanisms alike.
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/ode/study.h"
#include "cardan/report/svg_plot.h"
#include "console.h"

namespace cardan::app {

// component: of the results that is shown.
void print_halving(const Console&, const std::string& label, const Halving&, int component);
std::string halving_csv(const Halving&);
nlohmann::ordered_json halving_json(const Halving&, int component);
Plot halving_plot(const std::vector<std::pair<std::string, Halving>>&);

}  // namespace cardan::app
