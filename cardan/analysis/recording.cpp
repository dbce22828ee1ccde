#include "cardan/analysis/recording.h"

namespace cardan {

Recording::Recording(const Setting& setting)
    : setting_(setting),
      recorder_(setting.system, setting.channels, setting.redundant, setting.extent),
      row_(recorder_.channels().size()) {
  if (recorder_.redundant()) open_.resize(recorder_.all_channels().size(), 0);
  if (setting.slopes != nullptr) row_.resize(row_.size() + setting.slopes->channels().size());
}

Sink::Fault Recording::open() {
  if (setting_.slopes == nullptr) return setting_.sink.open(recorder_.channels());
  std::vector<Channel> all = recorder_.channels();
  all.insert(all.end(), setting_.slopes->channels().begin(), setting_.slopes->channels().end());
  return setting_.sink.open(all);
}

Sink::Fault Recording::row(double t, const State& state, const StepInfo& step) {
  const std::size_t own = recorder_.channels().size();
  recorder_.record(state, step, View(row_).first(own));
  if (setting_.slopes != nullptr) {
    if (auto fault = slopes_of_(state, slopes_)) return fault;
    setting_.slopes->record(state, slopes_, View(row_).subspan(own));
  }
  extremes_.take(t, recorder_, setting_.system.quaternion_drift(state.q));
  if (peaks_) peaks_->take(t, recorder_);
  look_for_open(state);
  return setting_.sink.sample(t, row_);
}

// Which reactions are not unique depends on the structure, hardly on the pose: rows 1, 2, 4, 8, ...
// tell. A singular pose alone would show more of them.
void Recording::look_for_open(const State& state) {
  ++rows_;
  if (!recorder_.redundant() || (rows_ & (rows_ - 1)) != 0) return;
  const std::vector<char> here = recorder_.not_unique(state);
  for (std::size_t k = 0; k < here.size(); ++k)
    if (here[k] != 0) open_[k] = 1;
}

Sink::Fault Recording::checkpoint(double t, const std::vector<std::byte>& bytes) {
  return setting_.sink.checkpoint(t, setting_.wrap ? setting_.wrap(bytes) : bytes);
}

bool Recording::cancelled() {
  cancelled_ = cancelled_ || (setting_.control.cancelled && setting_.control.cancelled());
  return cancelled_;
}

void Recording::progress(double t, double from, double until) const {
  if (setting_.control.progress) setting_.control.progress(t, from, until);
}

void Recording::write(Summary& summary, const State& final, double drift) const {
  if (!extremes_.any()) return;
  extremes_.write(summary, setting_.system.space(), drift);
  if (setting_.extent == Recorder::Extent::motion) summary.energy = {};
  summary.final = recorder_.body_states(final);
  if (setting_.extent == Recorder::Extent::motion) return;
  const auto& all = recorder_.all_channels();
  for (std::size_t k = 0; k < open_.size(); ++k)
    if (open_[k] != 0) summary.not_unique.push_back(all[k].name);
  if (peaks_)
    summary.reaction_peaks = peaks_->peaks({open_.begin(), open_.end()}, setting_.system.length());
}

void Recording::write_times(Summary& summary) const {
  summary.stats.wall_seconds = wall_seconds();
  summary.stats.cpu_seconds = cpu_seconds();
}

void Recording::serialize(Archive& archive) {
  archive.mark("recording 2");
  extremes_.serialize(archive);
  if (peaks_) peaks_->serialize(archive);
  archive.io(rows_);
  archive.io(open_);
  double wall = wall_seconds(), cpu = cpu_seconds();
  archive.io(wall);
  archive.io(cpu);
  if (!archive.loading()) return;
  wall_before_ = wall;
  cpu_before_ = cpu;
}

double Recording::wall_seconds() const {
  return wall_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

double Recording::cpu_seconds() const {
  return cpu_before_ + static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
}

}  // namespace cardan
