#pragma once
// What the channels do, whatever rows are stored: least and largest value with their times, mean and
// RMS of every channel, from looks at the motion (y_k at t_k) that are as close as the motion asks.
//
// Between two looks a channel is the cubic with their values and the slopes of the parabolas through
// neighbouring looks:
//   d_k = (y_{k+1} - y_k) / h_k,   h_k = t_{k+1} - t_k,   m_k = (d_{k-1} h_k + d_k h_{k-1}) / (h_{k-1} + h_k)
// Its extreme counts where it leaves the looks by little (a cubic through a jump overshoots), and
//   int y dt = h (y_0 + y_1) / 2 + h^2 (m_0 - m_1) / 12          likewise of y^2, with slopes 2 y m
//
// How close: with y'' = 2 (d_k - d_{k-1}) / (h_{k-1} + h_k) and the range R of the channel so far, looks
// at distance w bend by w^2 |y''| / R. The distance with w^2 max |y''| / R = bend is wanted, over all
// channels that follow the motion: some 25 looks in a period of a sine. A channel that is small beside
// others of its unit counts as if its range were `least_share` of theirs; all energies as the largest.
// What is round-off beside the motion, as the position of a pinned point, counts as `least_part` of the
// length L of the mechanism, of its velocities and accelerations (with those of turning: L w, L w^2),
// forces F and torques L F; what is round-off in the derivative of a channel by a parameter of size P,
// that part of what counts of the channel itself, over P.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

// Not a number of the solver, a residual or a mode.
bool follows_motion(const Channel&);

class ChannelWatch {
 public:
  ChannelWatch() = default;

  struct Derivative {    // a channel that is one of another, by a parameter
    std::size_t of = 0;  // channel
    double size = 1;     // of the parameter
  };

  // length: m, of the mechanism. derivatives: what the last channels are.
  ChannelWatch(std::vector<Channel> channels,
               double length,
               std::span<const Derivative> derivatives = {});

  void take(double t, std::span<const double> row);  // a look, in order of time
  void jump();  // the next look may be at the same time, on the other side of an event
  void finish();

  long looks() const { return looks_; }

  double last() const { return t1_; }

  double wanted() const { return wanted_; }  // distance of looks; 0: not known yet

  double needed() const { return needed_; }  // looks that the motion so far asks for

  // The range that deviations of a channel are measured by; 0: it does not follow the motion, or has
  // not moved yet.
  double scale(std::size_t channel) const;

  double least(std::size_t channel) const { return of(lowest, channel); }

  double largest(std::size_t channel) const { return of(highest, channel); }

  const std::vector<Channel>& channels() const { return channels_; }

  std::vector<ChannelStatistics> statistics() const;  // after finish()

  void serialize(Archive&);

 private:
  enum Number {
    y0,
    y1,
    m0,
    w0,
    lowest,
    highest,
    t_least,
    t_largest,
    sum,
    squares,
    duration,
    numbers
  };

  // Each a list over the channels: the last two looks, the slope at the first, and of a size that of its square; extremes; integrals over
  // the finished intervals.
  using Lists = std::array<std::vector<double>, numbers>;

  double& of(Number number, std::size_t channel) { return of_[number][channel]; }

  double of(Number number, std::size_t channel) const { return of_[number][channel]; }

  void integrate(std::size_t channel, double m1);  // over the interval from look 0 to look 1
  void look_for_extreme(std::size_t channel, double m0_there, double m1);  // in it
  void look_for_least_size(std::size_t channel, double w1);
  void offer(std::size_t channel, double t, double y);
  void close_piece();
  void find_floors();

  enum Kind { length, speed, acceleration, turn, rate, angular_acceleration, force, torque, other };

  struct Group {         // channels of one unit, or derivatives of these by parameters of one size
    std::string name{};  // the unit
    Kind kind = other;
    int of = -1;                 // group of the channels that these are derivatives of; -1: none
    double by = 1;               // size of the parameters
    double range = 0, size = 0;  // the largest
    double floor = 0;            // the least range that counts
  };

  int group_of(const Channel&);
  int group_of(const Derivative&);

  std::vector<Channel> channels_;
  std::vector<char> smooth_;  // whether it is interpolated, and what its range is (Follows)
  std::vector<char> size_;    // a size: never below zero
  std::vector<int> group_;
  Lists of_;
  std::vector<double> now_, is_smooth_, slope_, turns_, curvature_;  // of one look, by channel
  std::vector<Group> groups_;
  double length_ = 1;
  int in_piece_ = 0;  // looks since the start or a jump
  long looks_ = 0;
  double t0_ = 0, t1_ = 0;
  double wanted_ = 0, needed_ = 0;
};

}  // namespace cardan
