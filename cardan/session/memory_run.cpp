#include "cardan/session/memory_run.h"

#include <algorithm>

#include "cardan/analysis/error_estimate.h"

namespace cardan {

namespace {

class MemoryRows final : public StoredRows {
 public:
  explicit MemoryRows(const std::vector<MemorySegment>& segments) : segments_(segments) {}

  Sink::Fault open(int analysis) override {
    segment_ = &segments_[static_cast<std::size_t>(analysis)];
    at_ = 0;
    return {};
  }

  bool next(double& t, std::span<double> row) override {
    if (at_ == segment_->t.size()) return false;
    t = segment_->t[at_];
    const std::size_t width = segment_->channels.size();
    std::copy_n(
        segment_->values.begin() + static_cast<std::ptrdiff_t>(at_ * width), width, row.begin());
    ++at_;
    return true;
  }

 private:
  const std::vector<MemorySegment>& segments_;
  const MemorySegment* segment_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<StoredRows>> MemoryRun::stored_rows() {
  return std::unique_ptr<StoredRows>(std::make_unique<MemoryRows>(rows_.segments()));
}

Sink::Fault MemoryRun::estimate(int analysis, std::span<const double> row) {
  auto& estimates = rows_.segments()[static_cast<std::size_t>(analysis)].estimates;
  estimates.insert(estimates.end(), row.begin(), row.end());
  return {};
}

void MemoryRun::keep(std::string key, nlohmann::ordered_json value) {
  manifest_[std::move(key)] = std::move(value);
}

Sink::Fault MemoryRun::finish(const Summary& summary) {
  manifest_["status"] = summary.status;
  return {};
}

Result<std::filesystem::path> store_run(const MemoryRun& run,
                                        const Summary& summary,
                                        const std::string& model,
                                        const OutputSetting& setting) {
  RunOutput output(setting, model, run.manifest());
  if (const auto fault = output.check()) return *fault;
  const auto& segments = run.segments();
  for (const MemorySegment& segment : segments) {
    if (const auto fault = output.open(segment.channels)) return *fault;
    const std::span<const double> all(segment.values);
    const std::size_t width = segment.channels.size();
    for (std::size_t k = 0; k < segment.t.size(); ++k)
      if (const auto fault = output.sample(segment.t[k], all.subspan(k * width, width)))
        return *fault;
    for (const Event& event : segment.events)
      if (const auto fault = output.event(event)) return *fault;
  }
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const std::span<const double> all(segments[k].estimates);
    const std::size_t width = segments[k].channels.size();
    if (all.empty()) continue;
    if (const auto fault = output.publish()) return *fault;
    for (std::size_t at = 0; at + width <= all.size(); at += width)
      if (const auto fault = output.estimate(static_cast<int>(k), all.subspan(at, width)))
        return *fault;
  }
  if (const auto fault = output.finish(summary)) return *fault;
  return output.folder();
}

}  // namespace cardan
