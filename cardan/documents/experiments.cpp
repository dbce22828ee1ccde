#include "cardan/documents/experiments.h"

#include <algorithm>
#include <complex>
#include <stdexcept>

#include "cardan/ode/stability.h"
#include "cardan/session/model_request.h"
#include "cardan/session/published.h"

namespace cardan {

namespace {

// The items use nothing but what the program has; a name that is not there is a fault of ours.
template <class T> T sure(Result<T> made) {
  if (!made) throw std::logic_error(to_text(made.why().front()));
  return std::move(made).value();
}

void must(Eval evaluated) {
  if (evaluated != Eval::ok) throw std::logic_error("an example of a document cannot be evaluated");
}

struct NamedMethod {
  const MethodEntry* entry;
  MethodOptions options;
};

NamedMethod choice_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  NamedMethod out{find_method(word.substr(0, colon)), {}};
  if (out.entry == nullptr) throw std::logic_error("no method " + word);
  if (colon != std::string::npos) out.options.order = std::stoi(word.substr(colon + 1));
  return out;
}

Model embedded_model(const std::string& name, std::vector<std::string> set) {
  const std::string file = "models/" + name + "/model.toml";
  for (const PublishedFile& f : published_files())
    if (f.name == file) {
      ModelRequest request;
      request.path = file;
      request.set = std::move(set);
      return sure(read_stored(request, f.text));
    }
  throw std::logic_error(file + " is not part of the program");
}

}  // namespace

std::unique_ptr<FormulaSystem> formulas(const std::vector<std::string>& equations) {
  std::vector<NamedText> texts;
  for (const std::string& equation : equations) texts.push_back({"", equation, {}});
  return sure(FormulaSystem::make(texts, {}));
}

MethodOptions with_order(int k, const std::string& start, const std::string& variant) {
  MethodOptions out;
  out.order = k;
  out.start = start;
  out.variant = variant;
  return out;
}

GrowthRun::GrowthRun(const std::string& name, const MethodOptions& options, double h)
    : system_(formulas({"x' = x"})), method_(sure(make_method(name, options, *system_))), h_(h) {
  const std::vector<double> one{1};
  must(method_->start(0, one, {}));
}

double GrowthRun::step() {
  if (method_->attempt(h_).kind != Attempt::Kind::ok) must(Eval::retry);
  must(method_->accept(false));
  return method_->state()[0];
}

double GrowthRun::after(int steps) {
  double x = 1;
  for (int i = 0; i < steps; ++i) x = step();
  return x;
}

std::vector<std::vector<double>> fixed_steps(OdeProblem& problem,
                                             const std::string& name,
                                             const MethodOptions& options,
                                             std::vector<double> y,
                                             double h,
                                             int steps) {
  const auto method = sure(make_method(name, options, problem));
  must(method->start(0, y, {}));
  std::vector<std::vector<double>> out{y};
  for (int i = 0; i < steps; ++i) {
    if (method->attempt(h).kind != Attempt::Kind::ok || method->accept(false) != Eval::ok) break;
    const CView now = method->state();
    out.emplace_back(now.begin(), now.end());
  }
  return out;
}

ModelRun::ModelRun(const std::string& name, std::vector<std::string> set)
    : model_(embedded_model(name, std::move(set))) {}

DynamicOptions& ModelRun::options() {
  return std::get<DynamicOptions>(model_.analyses.back());
}

void ModelRun::run(const TraceLine& trace) {
  times_.clear();
  rows_.clear();
  Control control;
  control.watch = false;
  control.trace = trace;
  outcome_ = run_model(model_, *this, control);
}

Sink::Fault ModelRun::open(std::span<const Channel> channels) {
  names_.clear();
  for (const Channel& c : channels) names_.push_back(c.name);
  return {};
}

Sink::Fault ModelRun::sample(double t, std::span<const double> row) {
  times_.push_back(t);
  rows_.emplace_back(row.begin(), row.end());
  return {};
}

std::vector<double> ModelRun::channel(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) throw std::logic_error("no channel " + name);
  const auto column = static_cast<std::size_t>(at - names_.begin());
  std::vector<double> out;
  out.reserve(rows_.size());
  for (const auto& row : rows_) out.push_back(row[column]);
  return out;
}

Plot plot_of(std::string title, PlotAxis x, PlotAxis y) {
  Plot plot;
  plot.title = std::move(title);
  plot.x = std::move(x);
  plot.y = std::move(y);
  return plot;
}

PlotCurve curve_of(std::string name, std::vector<double> x, std::vector<double> y) {
  PlotCurve curve;
  curve.name = std::move(name);
  curve.x = std::move(x);
  curve.y = std::move(y);
  return curve;
}

PlotCurve thinned(PlotCurve curve, int most) {
  const std::size_t n = curve.x.size(), keep = static_cast<std::size_t>(most);
  if (n <= keep) return curve;
  PlotCurve out = curve;
  out.x.clear();
  out.y.clear();
  for (std::size_t k = 0; k < keep; ++k) {
    const std::size_t at = k * (n - 1) / (keep - 1);
    out.x.push_back(curve.x[at]);
    out.y.push_back(curve.y[at]);
  }
  return out;
}

Plot region_plot(const std::string& title, const std::vector<std::string>& methods) {
  Plot plot = plot_of(title, {"Re h*lambda", "", false, {}}, {"Im h*lambda", "", false, {}});
  std::vector<Growth> growths;
  for (const std::string& word : methods) {
    const NamedMethod choice = choice_of(word);
    growths.push_back(growth_of(*choice.entry, choice.options));
  }
  const Window window = stability_window(growths, 1.1);
  plot.x.range = {{window.left, window.right}};
  plot.y.range = {{window.bottom, window.top}};
  plot.equal_axes = true;
  plot.height = 640;
  constexpr int cells = 60;         // of the grid on which the outline is looked for
  constexpr double opacity = 0.15;  // of the region, so that others shine through
  for (std::size_t k = 0; k < methods.size(); ++k) {
    Outline outline = stability_outline(growths[k], window, cells);
    PlotCurve curve = curve_of(methods[k], std::move(outline.x), std::move(outline.y));
    curve.fill = opacity;
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

std::array<double, 2> stability_limits(const std::string& word) {
  const NamedMethod choice = choice_of(word);
  const Growth growth = growth_of(*choice.entry, choice.options);
  return {axis_limit(growth, -1), axis_limit(growth, {0, 1})};
}

}  // namespace cardan
