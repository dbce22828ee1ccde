#pragma once
// Finds the zero crossings of a step on the method's interpolant.
#include <limits>
#include <optional>
#include <vector>

#include "cardan/ode/events.h"
#include "cardan/ode/method.h"

namespace cardan {

class EventLocator {
 public:
  explicit EventLocator(Events& events) : events_(events) {}

  Eval start(double t, CView y);  // allocates on the first call; takes the signs at t
  // The first crossings in (from, to], all at one time; empty: none. Signs move on to that time or
  // to `to`.
  Eval scan(Method&, double from, double to);

  const std::vector<int>& found() const { return found_; }

  double time() const { return time_; }

  // Events::longest_step() where the last scan or restart ended.
  double longest_step() const { return longest_; }

  CView state() const { return {y_.data(), static_cast<std::size_t>(y_.size())}; }  // just past it

  // After the state was changed at t: signs anew; those just found are what events say, or unknown
  // until they move.
  Eval restart(double t, CView y);
  void serialize(Archive&);

 private:
  struct Hit {
    double t = 0;
    int sign_after = 0;
    bool happens = false;
  };

  Eval sample(Method&, int row, double t);
  double value(Method&, int i, double t);  // g_i on the interpolant; NaN and status_ on failure
  Hit first_crossing(Method&, int i, bool first_is_near);

  struct Point {  // g_i, of one sign with the other, and what bounds it
    double t = 0, g = 0, speed = 0, rate = 0, size = 0;
  };

  // Between two points of `sign` with bounds: where g_i reaches zero or beyond; nothing: nowhere.
  std::optional<double> lowest(Method&, int i, int sign, const Point& a, const Point& b);
  std::optional<double> sampled_lowest(Method&, int i, int row, int sign);
  std::optional<double> bounded_lowest(Method&, int i, int row, int sign);
  Point point(int i, int sign, double t, double g) const;
  bool dips(int i, int row, int sign, double& slope_left, double& slope_right) const;
  bool wanted(int i, int sign_before) const;

  Events& events_;
  std::vector<int> sign_;  // of g_i where the last scan ended; 0: not known
  Eigen::VectorXd y_, g_;
  std::vector<double> times_;
  Eigen::MatrixXd samples_;             // a row of g for each of times_
  std::vector<Events::Reach> reaches_;  // of each row and event; speed 0: not known
  std::vector<Point> stretches_;        // pairs still to be looked at
  std::vector<Hit> hits_;
  std::vector<int> found_;
  double time_ = 0, longest_ = std::numeric_limits<double>::infinity();
  int rows_ = 0;
  Eval status_ = Eval::ok;
};

}  // namespace cardan
