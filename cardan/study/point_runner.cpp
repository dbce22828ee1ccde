#include "cardan/study/point_runner.h"

#include <utility>

#include "cardan/analysis/analysis_table.h"
#include "cardan/analysis/run.h"
#include "cardan/system/system.h"

namespace cardan {

PointRunner::PointRunner(const ModelVariants& variants,
                         std::vector<std::string> parameters,
                         std::unique_ptr<const System> nominal,
                         Measures measures)
    : variants_(&variants),
      parameters_(std::move(parameters)),
      nominal_(std::move(nominal)),
      measures_(std::move(measures)) {}

PointRunner::PointRunner(PointRunner&&) noexcept = default;
PointRunner& PointRunner::operator=(PointRunner&&) noexcept = default;
PointRunner::~PointRunner() = default;

Result<PointRunner> PointRunner::make(const ModelVariants& variants,
                                      const Model& nominal,
                                      std::vector<std::string> parameters,
                                      const std::vector<std::string>& measures) {
  Checked checked = check_model(nominal);
  if (checked.system == nullptr) return checked.diagnostics;
  const Recorder recorder(*checked.system,
                          nominal.output_channels,
                          !checked.assembly.mobility.indeterminate.empty(),
                          analysis_runner(nominal.analyses.back()).extent);
  auto read = Measures::read(measures, recorder.channels());
  if (!read) return read.why();
  return PointRunner(
      variants, std::move(parameters), std::move(checked.system), std::move(read).value());
}

PointResult PointRunner::run(const std::vector<double>& values, const Control& control) const {
  std::vector<ParameterValue> changed;
  for (std::size_t k = 0; k < values.size(); ++k) changed.emplace_back(parameters_[k], values[k]);
  Measures::Taking taking(measures_);
  PointResult out;
  const auto model = variants_->with(changed);
  if (model) {
    Control following = control;
    following.rows_follow = true;
    Outcome outcome = run_model(model.value(), taking, following, {}, variants_, nominal_.get());
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
  out.measures =
      ended ? taking.values() : std::vector<double>(measures_.list().size(), Summary::unknown);
  return out;
}

}  // namespace cardan
