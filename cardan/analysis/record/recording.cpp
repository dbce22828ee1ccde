#include "cardan/analysis/record/recording.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr long fewest_grid_rows = 4;  // fewer are not meant to show a motion
constexpr double most_missed = 0.05;  // of a channel's range, between rows
constexpr double seen_well = 0.01;    // of it: then even few rows show the motion
constexpr double no_range = 1e-9;     // of the values: a channel that does not change
constexpr double same_time = 1e-12;   // relative: times that are the same
constexpr double looks_per_row = 8;   // three rows in a period

}  // namespace

Recording::Recording(const Setting& setting)
    : setting_(setting),
      recorder_(
          setting.system, setting.channels, setting.redundant, setting.extent, setting.wishes) {
  if (recorder_.redundant()) open_.resize(recorder_.all_channels().size(), 0);
  std::vector<Channel> all = recorder_.channels();
  if (setting.slopes != nullptr)
    all.insert(all.end(), setting.slopes->channels().begin(), setting.slopes->channels().end());
  row_.resize(all.size());
  row_least_.assign(all.size(), std::numeric_limits<double>::infinity());
  row_largest_.assign(all.size(), -std::numeric_limits<double>::infinity());
  std::map<std::string_view, std::size_t> places;
  for (std::size_t k = 0; k < recorder_.channels().size(); ++k)
    places.emplace(recorder_.channels()[k].name, k);
  std::vector<ChannelWatch::Derivative> derivatives;
  if (setting.slopes != nullptr)
    for (const auto& origin : setting.slopes->origins())
      derivatives.push_back({places.at(origin.channel), origin.size});
  watch_ = ChannelWatch(std::move(all), setting.system.length(), derivatives);
}

void Recording::follow_motion(double from, double until, long most_rows) {
  thinner_.emplace(watch_, RowThinner::Setting{from, until, most_rows}, [this](double t, auto row) {
    return store(t, row);
  });
}

Sink::Fault Recording::open() {
  return setting_.sink.open(watch_.channels());
}

Sink::Fault Recording::take(double t, const State& state, const StepInfo& step) {
  const std::size_t own = recorder_.channels().size();
  recorder_.record(state, step, View(row_).first(own));
  if (setting_.slopes != nullptr) {
    if (auto fault = slopes_of_(state, slopes_)) return fault;
    setting_.slopes->record(state, slopes_, View(row_).subspan(own));
  }
  extremes_.take(recorder_, setting_.system.quaternion_drift(state.q));
  if (peaks_) peaks_->take(t, recorder_);
  look_for_open(state);
  if (watches() && !step.undetermined) watch_.take(t, row_);
  jumped_ = false;
  return {};
}

Sink::Fault Recording::store(double t, std::span<const double> row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    row_least_[k] = std::min(row_least_[k], row[k]);
    row_largest_[k] = std::max(row_largest_[k], row[k]);
  }
  ++rows_;
  return setting_.sink.sample(t, row);
}

Sink::Fault Recording::row(double t, const State& state, const StepInfo& step) {
  if (auto fault = take(t, state, step)) return fault;
  positions_.take(recorder_.position_residuals());
  velocities_.take(recorder_.velocity_residuals());
  if (setting_.wishes.residuals)
    joints_.take(setting_.system, recorder_.position_residuals(), recorder_.velocity_residuals());
  last_ = t;
  return thinner_ ? thinner_->add(t, row_, RowThinner::Keep::always) : store(t, row_);
}

Sink::Fault Recording::look(double t, const State& state, const StepInfo& step, Look kind) {
  if (any() && !jumped_ && std::abs(t - last_) <= same_time * std::abs(t))
    return {};  // a row is there
  if (auto fault = take(t, state, step)) return fault;
  if (!thinner_) return {};
  last_ = t;
  return thinner_->add(
      t, row_, kind == Look::event ? RowThinner::Keep::always : RowThinner::Keep::if_needed);
}

Sink::Fault Recording::end_rows() {
  return thinner_ ? thinner_->flush() : Sink::Fault();
}

std::optional<Diagnostic> Recording::too_coarse() const {
  if (thinner_ || !watches() || rows_ < fewest_grid_rows) return {};
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < row_.size(); ++k) {
    const double range = watch_.scale(k);
    const double size = std::max(std::abs(watch_.least(k)), std::abs(watch_.largest(k)));
    if (!(range > no_range * size)) continue;
    const double missed =
        std::max(watch_.largest(k) - row_largest_[k], row_least_[k] - watch_.least(k)) / range;
    if (missed > worst) worst = missed, at = k;
  }
  const bool few =
      worst > seen_well && static_cast<double>(rows_) < watch_.needed() / looks_per_row;
  if (!(worst > most_missed) && !few) return {};
  Diagnostic d;
  d.id = "numeric.coarse-rows";
  d.severity = Severity::warning;
  const Channel& c = watch_.channels()[at];
  d.found = worst > most_missed
                ? fmt::format(
                      "the rows are too far apart for this motion: '{}' goes from {:.4g} to "
                      "{:.4g} {}, and the {} rows show {:.4g} to {:.4g} {}",
                      c.name,
                      watch_.least(at),
                      watch_.largest(at),
                      c.unit,
                      rows_,
                      row_least_[at],
                      row_largest_[at],
                      c.unit)
                : fmt::format("the rows are too far apart for this motion: {} rows", rows_);
  const double digit =
      elementary::pow(10, std::floor(elementary::log10(std::max(watch_.needed(), 1.0))));
  d.expected = fmt::format("about {:.0f} rows", digit * std::ceil(watch_.needed() / digit));
  d.hint =
      "leave `output_step` out, so that rows follow the motion; least and largest values in the "
      "summary are right in any case, plots and spectra of these rows are not";
  return d;
}

// Which reactions are not unique depends on the structure, hardly on the pose: looks 1, 2, 4, 8, ...
// tell. A singular pose alone would show more of them.
void Recording::look_for_open(const State& state) {
  ++looks_;
  if (!recorder_.redundant() || (looks_ & (looks_ - 1)) != 0) return;
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
  summary.constraint.rows_position = positions_.measure();
  summary.constraint.rows_velocity = velocities_.measure();
  if (setting_.wishes.residuals) joints_.write(setting_.system, summary);
  summary.rows.stored = rows_;
  if (thinner_) summary.rows.error = thinner_->error();
  if (watches() && watch_.looks() > 2) {
    ChannelWatch all = watch_;
    all.finish();
    summary.channels = all.statistics();
    summary.watched_until = watch_.last();
  }
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
  archive.mark("recording 4");
  extremes_.serialize(archive);
  positions_.serialize(archive);
  velocities_.serialize(archive);
  if (setting_.wishes.residuals) joints_.serialize(archive, setting_.system.constraints().size());
  if (peaks_) peaks_->serialize(archive);
  archive.io(looks_);
  archive.io(open_);
  watch_.serialize(archive);
  if (thinner_) thinner_->serialize(archive);
  archive.io(row_least_);
  archive.io(row_largest_);
  archive.io(last_);
  archive.io(rows_);
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
