#include "cardan/study/point_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cardan/analysis/analysis_table.h"
#include "cardan/analysis/run.h"
#include "cardan/system/system.h"

namespace cardan {

namespace {

// Measures, and the rows of some channels.
class PointSink final : public Sink {
 public:
  PointSink(const Measures& measures,
            const std::vector<std::string>& slopes,
            const std::vector<Channel>& kept)
      : taking_(measures, slopes), kept_(kept) {}

  Fault open(std::span<const Channel> channels) override {
    samples_.clear();
    columns_.clear();
    for (const Channel& wanted : kept_) {
      const auto at = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) {
        return c.name == wanted.name;
      });
      if (at != channels.end()) columns_.push_back(static_cast<std::size_t>(at - channels.begin()));
    }
    return taking_.open(channels);
  }

  Fault sample(double t, std::span<const double> row) override {
    if (!kept_.empty() && columns_.size() == kept_.size()) {
      samples_.push_back(t);
      for (const std::size_t column : columns_) samples_.push_back(row[column]);
    }
    return taking_.sample(t, row);
  }

  const Measures::Taking& taking() const { return taking_; }

  std::vector<double> take_samples() { return std::move(samples_); }

 private:
  Measures::Taking taking_;
  const std::vector<Channel>& kept_;
  std::vector<std::size_t> columns_;
  std::vector<double> samples_;
};

// The model around a point: what is derived by parameters, or follows one, starts from the point's values.
class VariantsAround final : public ModelVariants {
 public:
  VariantsAround(const ModelVariants& all, std::vector<ParameterValue> point, const Model& there)
      : all_(all), point_(std::move(point)), parameters_(all.parameters()) {
    for (ParameterInfo& p : parameters_)
      for (const auto& [name, value] : there.parameters)
        if (name == p.name) p.value = value;
  }

  const std::vector<ParameterInfo>& parameters() const override { return parameters_; }

  Result<Model> with(std::span<const ParameterValue> values) const override {
    std::vector<ParameterValue> changed(values.begin(), values.end());
    for (const ParameterValue& p : point_)
      if (std::none_of(values.begin(), values.end(), [&](const ParameterValue& v) {
            return v.first == p.first;
          }))
        changed.push_back(p);
    return all_.with(changed);
  }

 private:
  const ModelVariants& all_;
  std::vector<ParameterValue> point_;
  std::vector<ParameterInfo> parameters_;
};

// Rows between the ends, which nobody reads, are not made. Errors are estimated, and derivatives
// compared, row by row.
void leave_out_rows(Analysis& analysis, Control& control) {
  auto* dynamic = std::get_if<DynamicOptions>(&analysis);
  if (dynamic == nullptr || dynamic->error_estimate || !dynamic->sensitivity.empty()) return;
  dynamic->rows = "steps";
  dynamic->output_step = 0;
  control.watch = false;
}

// Runs with derivatives have rows on a grid, unless more are asked for: measures need those that follow the
// motion, or, of driven motions, many.
void follow_with_slopes(Analysis& analysis) {
  constexpr double driven_rows = 2000;  // of a run with derivatives, for measures
  if (auto* dynamic = std::get_if<DynamicOptions>(&analysis)) {
    if (dynamic->rows == "auto" && dynamic->output_step == 0) dynamic->rows = "both";
  } else if (auto* kinematic = std::get_if<KinematicOptions>(&analysis)) {
    if (kinematic->output_step == 0) kinematic->output_step = kinematic->until / driven_rows;
  } else if (auto* inverse = std::get_if<InverseOptions>(&analysis)) {
    if (inverse->output_step == 0) inverse->output_step = inverse->until / driven_rows;
  }
}

}  // namespace

PointRunner::PointRunner(const ModelVariants& variants,
                         std::vector<std::string> parameters,
                         std::unique_ptr<const System> nominal,
                         Measures measures,
                         std::vector<Channel> samples)
    : variants_(&variants),
      parameters_(std::move(parameters)),
      nominal_(std::move(nominal)),
      measures_(std::move(measures)),
      samples_(std::move(samples)) {}

PointRunner::PointRunner(PointRunner&&) noexcept = default;
PointRunner& PointRunner::operator=(PointRunner&&) noexcept = default;
PointRunner::~PointRunner() = default;

Result<PointRunner> PointRunner::make(const ModelVariants& variants,
                                      const Model& nominal,
                                      std::vector<std::string> parameters,
                                      const PointWishes& wishes) {
  Checked checked = check_model(nominal);
  if (checked.system == nullptr) return checked.diagnostics;
  const bool redundant = !checked.assembly.mobility.indeterminate.empty();
  const Recorder::Extent extent = analysis_runner(nominal.analyses.back()).extent;
  const Recorder recorder(*checked.system, nominal.output_channels, redundant, extent);
  auto read = Measures::read(wishes.measures, recorder.channels());
  if (!read) return read.why();
  std::vector<Channel> samples;
  if (!wishes.samples.empty()) {
    const Recorder kept(*checked.system, wishes.samples, redundant, extent);
    if (kept.fault()) return *kept.fault();
    samples = kept.channels();
  }
  PointRunner out(variants,
                  std::move(parameters),
                  std::move(checked.system),
                  std::move(read).value(),
                  std::move(samples));
  // Only what is measured or kept is recorded and followed. Analyses before the last may have other
  // channels.
  if (nominal.analyses.size() == 1) {
    out.needed_ = out.measures_.channels();
    for (const Channel& c : out.samples_) out.needed_.push_back(c.name);
    out.only_ends_ = out.measures_.of_ends() && out.samples_.empty();
  }
  return out;
}

PointResult PointRunner::run(const std::vector<double>& values, const Control& control) const {
  std::vector<ParameterValue> changed;
  for (std::size_t k = 0; k < values.size(); ++k) changed.emplace_back(parameters_[k], values[k]);
  PointResult out;
  auto model = variants_->with(changed);
  const auto slopes =
      model ? sensitivity_of(model.value().analyses.back()) : std::vector<std::string>();
  PointSink sink(measures_, slopes, samples_);
  if (model) {
    if (!needed_.empty()) model.value().output_channels = needed_;
    Control following = control;
    following.rows_follow = true;
    if (!slopes.empty()) follow_with_slopes(model.value().analyses.back());
    if (only_ends_) leave_out_rows(model.value().analyses.back(), following);
    std::optional<VariantsAround> around;
    if (wants_variants(model.value())) around.emplace(*variants_, changed, model.value());
    Outcome outcome =
        run_model(model.value(), sink, following, {}, around ? &*around : nullptr, nominal_.get());
    out.status = outcome.doubtful() ? "doubtful" : outcome.summary.status;
    out.why = std::move(outcome.summary.diagnostics);
  } else {
    out.status = "failed";
    out.why = model.why();
  }
  std::erase_if(out.why, [](const Diagnostic& d) { return d.severity == Severity::note; });
  for (const Diagnostic& d : out.why)
    if (d.severity == Severity::error && out.cause.empty()) out.cause = d.id;
  const bool ended = out.status == "complete" || out.status == "doubtful";
  out.measures = ended ? sink.taking().values()
                       : std::vector<double>(measures_.list().size(), Summary::unknown);
  if (ended && !slopes.empty()) out.slopes = sink.taking().slopes();
  if (ended) out.samples = sink.take_samples();
  return out;
}

}  // namespace cardan
