#pragma once
// Which of the rows that a run offers are stored: those without which straight lines through the
// stored ones would leave some channel by more than a share of its range (ChannelWatch::scale).
//
// Rows come in order of time; some must be kept (a grid, events, the ends). Between two kept rows the
// one with the largest deviation
//   max_k |y_k - line_k| / R_k
// is kept where it exceeds the share, and both sides are looked at again, the largest deviation of all
// first (after Ramer). It ends early where the rows would come faster than time passes: at most so many
// in the whole run. The largest deviation left is the error of the stored rows.
//
// Ranges are those of the motion so far, so the first part of a run waits until some of the motion is
// known. Rows wait in memory, never more than a fixed number.
//
// U. Ramer: An iterative procedure for the polygonal approximation of plane curves. Computer Graphics
// and Image Processing 1 (1972) 244-256.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cardan/analysis/record/channel_watch.h"

namespace cardan {

class RowThinner {
 public:
  struct Setting {
    double from = 0, until = 0;  // of the run
    long most = 0;               // rows
  };

  using Store = std::function<Sink::Fault(double t, std::span<const double> row)>;

  RowThinner(const ChannelWatch&, const Setting&, Store);

  enum class Keep { if_needed, always };

  Sink::Fault add(double t, std::span<const double> row, Keep);
  Sink::Fault flush();  // all that waits, at the end

  double error() const { return error_; }  // largest deviation of a row that was left out

  void serialize(Archive&);

 private:
  std::span<const double> row(std::size_t k) const { return {&rows_[k * width_], width_}; }

  struct Gap {  // between two kept rows
    std::size_t from, to, worst;
    double deviation;

    bool operator<(const Gap& other) const { return deviation < other.deviation; }
  };

  Sink::Fault settle();  // the last row waits on as the first of what comes
  void choose();
  Gap gap(std::size_t from, std::size_t to) const;
  long budget() const;  // rows that may be stored until the last one waiting

  const ChannelWatch& watch_;
  Setting setting_;
  Store store_;
  std::size_t width_, capacity_;
  std::vector<double> rows_, times_;
  std::vector<char> kept_;
  std::vector<double> weight_;  // 1 / R
  bool first_stored_ = false;   // the first waiting row is stored already
  long stored_ = 0;
  double error_ = 0;
};

}  // namespace cardan
