#pragma once
// Where every analysis puts its results: channels are opened once, states become rows, events and
// checkpoints go to the sink, the outside is asked whether to stop. It watches all channels at rows and
// at looks between them (channel_watch.h), thins rows that are not on a grid (row_thinner.h), keeps the
// largest residuals and imbalance of energy and the time spent, and writes them into the summary.
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/analysis/driven/reaction_peaks.h"
#include "cardan/analysis/record/channel_watch.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/record/row_thinner.h"
#include "cardan/analysis/record/tally.h"
#include "cardan/analysis/sensitivity/slope_channels.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

class Recording {
 public:
  // Makes a checkpoint of the whole run from that of an analysis.
  using Wrap = std::function<std::vector<std::byte>(const std::vector<std::byte>&)>;

  struct Setting {
    const System& system;
    const std::vector<std::string>& channels;  // patterns; empty: all
    bool redundant = false;                    // some reactions are not unique
    Recorder::Extent extent = Recorder::Extent::all;
    Sink& sink;
    const Control& control;
    Wrap wrap{};                      // none: as it is
    SlopeChannels* slopes = nullptr;  // derivatives of the channels; none
    Recorder::Wishes wishes{};
  };

  // The derivatives of a state by the parameters; a diagnostic where there are none.
  using SlopesOf = std::function<Sink::Fault(const State&, std::vector<StateSlope>&)>;

  void keep_peaks() { peaks_.emplace(recorder_); }  // of reactions; before rows

  void slopes_by(SlopesOf slopes_of) { slopes_of_ = std::move(slopes_of); }  // before rows

  explicit Recording(const Setting&);

  // Before open(): looks become rows too where the motion needs them.
  void follow_motion(double from, double until, long most_rows);

  Sink::Fault open();
  // The state has a and lambda; where something jumps at t, it lies just before it.
  Sink::Fault row(double t, const State&, const StepInfo& = {});

  // Between rows. At an event the state just before it and just behind it are looked at, with a jump
  // between them.
  enum class Look { passing, event };
  Sink::Fault look(double t, const State&, const StepInfo&, Look);

  void jump() {
    watch_.jump();
    jumped_ = true;
  }

  bool watches() const { return setting_.control.watch; }

  bool rows_follow() const { return watches() && setting_.control.rows_follow; }

  double look_distance() const { return watch_.wanted(); }

  Sink::Fault end_rows();  // after the last one

  Sink::Fault event(const Event& event) { return setting_.sink.event(event); }

  bool checkpoint_due() const { return setting_.sink.checkpoint_due(); }

  Sink::Fault checkpoint(double t, const std::vector<std::byte>&);

  bool cancelled();  // asks the outside; once true it stays so
  void progress(double t, double from, double until) const;

  const Recorder& recorder() const { return recorder_; }

  bool any() const { return extremes_.any(); }  // rows

  double last() const { return last_; }  // time of the last row

  // A fixed grid that does not show what the channels do between its rows; nothing: it does.
  std::optional<Diagnostic> too_coarse() const;

  // Residuals, energies and final state; of the rows, so nothing where there are none.
  // drift: of quaternions between rows.
  void write(Summary&, const State& final, double drift = 0) const;
  void write_times(Summary&) const;

  void serialize(Archive&);  // extremes, and the time spent so far

 private:
  void look_for_open(const State&);

  using Clock = std::chrono::steady_clock;
  double wall_seconds() const;
  double cpu_seconds() const;
  Sink::Fault take(double t, const State&, const StepInfo&);
  Sink::Fault store(double t, std::span<const double> row);

  Setting setting_;
  Recorder recorder_;
  std::vector<double> row_;
  SlopesOf slopes_of_;
  std::vector<StateSlope> slopes_;
  Extremes extremes_;
  ViolationTally positions_, velocities_;  // at rows
  JointTally joints_;
  std::optional<ReactionPeaks> peaks_;
  long looks_ = 0;
  std::vector<int> open_;  // of all channels: 1 where a reaction is not unique
  ChannelWatch watch_;
  std::optional<RowThinner> thinner_;
  std::vector<double> row_least_, row_largest_;  // of each channel at the stored rows
  double last_ = 0;
  long rows_ = 0;
  bool jumped_ = false;  // since the last look or row
  bool cancelled_ = false;
  double wall_before_ = 0, cpu_before_ = 0;  // s, of the run before it was resumed
  Clock::time_point start_ = Clock::now();
  std::clock_t cpu_ = std::clock();
};

}  // namespace cardan
