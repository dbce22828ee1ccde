#pragma once
// A comparison for people and programs: tables, JSON, and its two plots.
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/report/svg_plot.h"
#include "cardan/study/comparison.h"

namespace cardan {

// One line a method, the best first; then the failures with their reasons.
std::string comparison_text(const Comparison&);
std::string comparison_csv(const Comparison&);  // one line a trial
std::string comparison_markdown(const Comparison&, const std::string& title);
nlohmann::ordered_json comparison_json(const Comparison&);

// Error over processor time, a curve a method; only the best methods have a colour.
Plot work_precision_plot(const Comparison&, const std::string& title);
// Largest constraint violation over time: each method at its place in the ranking or, for few
// trials, every trial.
Plot drift_plot(const Comparison&, const std::string& title);

}  // namespace cardan
