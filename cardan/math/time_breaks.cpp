#include "cardan/math/time_breaks.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace cardan {

namespace {

constexpr double most_change = 0.25;  // of a part's range within a step
constexpr int first_cells = 64;
constexpr std::size_t most_cells = 20'000, most_breaks = 100'000;
constexpr long most_looks = 8'000'000;               // of the search for breaks
constexpr double least_cell = 1.0 / (1L << 26U);     // of the run, for bounds
constexpr double most_round_off = 1e-9;              // of a value, before it is said to jump
constexpr double least_bracket = 1.0 / (1L << 40U);  // of the run, before pieces are compared

double grain_of(double t0, double t1) {  // times closer than this are the same
  return 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t0), std::abs(t1));
}

class BreakSearch {
 public:
  BreakSearch(const TimeFormula& formula, double t0, double t1, std::vector<double>& found)
      : formula_(formula),
        least_((t1 - t0) * least_bracket),
        grain_(grain_of(t0, t1)),
        found_(found) {}

  // False: there are too many.
  bool look(double a, double b) {
    if (found_.size() > most_breaks || ++looks_ > most_looks) return false;
    const double middle = a + 0.5 * (b - a);
    if (formula_.reach({a, b}, seen_).one_piece) {
      compare_around(a);
      return true;
    }
    if (b - a <= least_ || !(a < middle && middle < b)) return narrow(a, b);
    return look(a, middle) && look(middle, b);
  }

 private:
  // Pieces may meet exactly where two intervals do, and both be smooth up to there.
  void compare_around(double t) {
    if (formula_.piece(t - grain_) != formula_.piece(t + grain_)) found_.push_back(t);
  }

  bool narrow(double a, double b) {
    const std::uint64_t last = formula_.piece(b);
    std::uint64_t here = formula_.piece(a);
    if (here == last) found_.push_back(a + 0.5 * (b - a));  // there and back
    while (here != last) {
      double left = a, right = b;
      for (double m = left + 0.5 * (right - left); left < m && m < right;
           m = left + 0.5 * (right - left))
        (formula_.piece(m) == here ? left : right) = m;
      found_.push_back(right);
      if (found_.size() > most_breaks) return false;
      a = right;
      here = formula_.piece(a);
    }
    return true;
  }

  const TimeFormula& formula_;
  double least_, grain_;
  std::vector<double>& found_;
  TimeFormula::Seen seen_;
  long looks_ = 0;
};

struct Cell {
  double a = 0, b = 0, change = 0;
  double bound = std::numeric_limits<double>::infinity();  // beside its width

  bool operator<(const Cell& other) const {  // the fastest first, then the widest and the earliest
    if (change != other.change) return change < other.change;
    return b - a != other.b - other.a ? b - a < other.b - other.a : a > other.a;
  }
};

// The run in intervals of small change, by halving the worst. Ranges grow while it is looked at, so
// that a change is judged again before it is acted upon.
bool divide(const TimeFormula& formula, double t0, double t1, std::vector<StepBound>& bounds) {
  TimeFormula::Seen seen;
  std::priority_queue<Cell> open;
  bool known = true;
  const auto change = [&](double a, double b) {
    const auto r = formula.reach({a, b}, seen);
    known = known && r.known;
    return r.change;
  };
  const auto place = [&](double a, double b) {
    const double middle = a + 0.5 * (b - a);
    for (const double t : {a, middle, b}) (void)formula.reach({t, t}, seen);
    open.push({a, b, change(a, b)});
  };
  for (int k = 0; k <= first_cells; ++k) {
    const double t = t0 + (t1 - t0) * k / first_cells;
    (void)formula.reach({t, t}, seen);
  }
  place(t0, t1);
  const double least = (t1 - t0) * least_cell;
  std::vector<Cell> done;
  while (!open.empty() && open.size() + done.size() < most_cells) {
    Cell cell = open.top();
    open.pop();
    const double now = change(cell.a, cell.b);
    if (now < cell.change && !open.empty() && now < open.top().change) {
      cell.change = now;
      open.push(cell);
      continue;
    }
    if (now <= most_change || cell.b - cell.a <= least) {
      done.push_back(cell);
      continue;
    }
    const double middle = cell.a + 0.5 * (cell.b - cell.a);
    place(cell.a, middle);
    place(middle, cell.b);
  }
  bool resolved = known;
  const double shortest = (t1 - t0) / static_cast<double>(most_cells);
  for (; !open.empty(); open.pop()) {  // too many: the same bound for all that are left
    done.push_back(open.top());
    if (open.top().change <= most_change) continue;
    done.back().bound = shortest;
    resolved = false;
  }
  std::sort(done.begin(), done.end(), [](const Cell& x, const Cell& y) { return x.a < y.a; });
  if (done.size() == 1) return resolved;
  for (const Cell& cell : done) {
    const double largest = std::min(cell.b - cell.a, cell.bound);
    if (bounds.empty() || bounds.back().largest != largest) bounds.push_back({cell.a, largest});
  }
  return resolved;
}

}  // namespace

TimeBreaks time_breaks(const TimeFormula& formula, double t0, double t1) {
  TimeBreaks out;
  if (t1 < t0) std::swap(t0, t1);
  if (!formula.uses_time() || !(t0 < t1)) return out;
  BreakSearch search(formula, t0, t1, out.times);
  bool few = true;
  for (int k = 0; k < first_cells && few; ++k)
    few = search.look(t0 + (t1 - t0) * k / first_cells, t0 + (t1 - t0) * (k + 1) / first_cells);
  if (!few) {  // too many to end a step on each
    out.times.clear();
    out.bounds = {{t0, (t1 - t0) / static_cast<double>(most_cells)}};
    out.complete = false;
    return out;
  }
  std::sort(out.times.begin(), out.times.end());
  const double grain = grain_of(t0, t1);
  out.times.erase(std::unique(out.times.begin(),
                              out.times.end(),
                              [&](double a, double b) { return b - a <= 2 * grain; }),
                  out.times.end());
  out.complete = divide(formula, t0, t1, out.bounds);
  return out;
}

void add(TimeBreaks& all, const TimeBreaks& more) {
  std::vector<double> times;
  std::merge(all.times.begin(),
             all.times.end(),
             more.times.begin(),
             more.times.end(),
             std::back_inserter(times));
  times.erase(std::unique(times.begin(), times.end()), times.end());
  all.times = std::move(times);
  all.complete = all.complete && more.complete;
  if (all.bounds.empty()) {
    all.bounds = more.bounds;
    return;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<StepBound> bounds;
  double a = infinity, b = infinity;
  for (std::size_t i = 0, k = 0; i < all.bounds.size() || k < more.bounds.size();) {
    const double next_a = i < all.bounds.size() ? all.bounds[i].from : infinity,
                 next_b = k < more.bounds.size() ? more.bounds[k].from : infinity;
    const double from = std::min(next_a, next_b);
    if (next_a == from) a = all.bounds[i++].largest;
    if (next_b == from) b = more.bounds[k++].largest;
    const double largest = std::min(a, b);
    if (bounds.empty() || bounds.back().largest != largest) bounds.push_back({from, largest});
  }
  all.bounds = std::move(bounds);
}

Jump largest_jump(const TimeFormula& formula, const TimeBreaks& breaks, double t0, double t1) {
  double size = 0;
  for (int k = 0; k <= first_cells; ++k) {
    const double f = formula.value(t0 + (t1 - t0) * k / first_cells);
    if (std::isfinite(f)) size = std::max(size, std::abs(f));
  }
  Jump largest;
  const double near = 8 * std::numeric_limits<double>::epsilon() *
                      std::max({std::abs(t0), std::abs(t1), std::abs(t1 - t0)});
  for (const double t : breaks.times) {
    const Sides sides = sides_of([&](double at) { return formula.value(at); }, t, near);
    const double jump = std::abs(sides.after - sides.before);
    size = std::max({size, std::abs(sides.before), std::abs(sides.after)});
    if (jump > most_round_off * size && jump > largest.size) largest = {t, jump};
  }
  return largest;
}

double beside(const std::vector<double>& times) {
  if (times.empty()) return 0;
  const double latest = std::max(std::abs(times.front()), std::abs(times.back()));
  return 16 * std::numeric_limits<double>::epsilon() * (latest > 0 ? latest : 1);
}

// What it moves by over the same distance on either side is its slope, not a jump.
Sides sides_of(const std::function<double(double)>& f, double t, double distance) {
  const double left = f(t - distance), right = f(t + distance);
  const double slope =
      std::max(std::abs(left - f(t - 2 * distance)), std::abs(f(t + 2 * distance) - right));
  const double size = std::max(std::abs(left), std::abs(right));
  if (std::abs(right - left) > 4 * slope + most_round_off * size) return {left, right};
  return {left, left};
}

}  // namespace cardan
