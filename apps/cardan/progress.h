#pragma once
// How far a run is: a bar on the standard error when that is a terminal, JSON lines with --json,
// else nothing.
#include <chrono>

#include "console.h"

namespace cardan::app {

class Progress {
 public:
  explicit Progress(const Console&);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  ~Progress() { clear(); }

  // Cheap enough for every step: it looks at the clock and shows something ten times a second at
  // most.
  void update(double t, double t_start, double t_end);
  void clear();  // before other text is written

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double part, double t);

  const Console& console_;
  bool bar_ = false;  // the standard error is a terminal
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace cardan::app
