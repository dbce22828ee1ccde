// The boundary of the stable set by marching squares: nodes of a grid are in or out, edges between
// an in and an out node carry a boundary point found by bisection, and the pieces of all cells are
// joined to closed curves. A ring of out nodes around the window closes what leaves it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cardan/ode/stability.h"

namespace cardan {

namespace {

class Marching {
 public:
  Marching(const Growth& growth, const Window& w, int cells)
      : growth_(growth),
        window_(w),
        n_(cells + 2),
        in_(static_cast<std::size_t>((n_ + 1) * (n_ + 1))) {
    for (int j = 0; j <= n_; ++j) {
      for (int i = 0; i <= n_; ++i) in_[node(i, j)] = !ring(i, j) && stable(x(i), y(j));
    }
  }

  Outline trace() {
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) join_cell(i, j);
    }
    Outline out;
    while (!next_.empty()) {
      const int start = next_.begin()->first;
      int edge = start;
      do {
        const auto [px, py] = point(edge);
        out.x.push_back(px);
        out.y.push_back(py);
        const auto found = next_.find(edge);
        if (found == next_.end()) break;
        edge = found->second;
        next_.erase(found);
      } while (edge != start);
      const auto [px, py] = point(start);
      const double gap = std::numeric_limits<double>::quiet_NaN();
      out.x.insert(out.x.end(), {px, gap});
      out.y.insert(out.y.end(), {py, gap});
    }
    return out;
  }

 private:
  std::size_t node(int i, int j) const { return static_cast<std::size_t>(j * (n_ + 1) + i); }

  bool ring(int i, int j) const { return i == 0 || j == 0 || i == n_ || j == n_; }

  // Nodes 1 .. n - 1 span the window; the ring lies on its edge.
  double x(int i) const {
    return window_.left +
           (window_.right - window_.left) * (std::clamp(i, 1, n_ - 1) - 1) / (n_ - 2);
  }

  double y(int j) const {
    return window_.bottom +
           (window_.top - window_.bottom) * (std::clamp(j, 1, n_ - 1) - 1) / (n_ - 2);
  }

  bool stable(double re, double im) const { return growth_({re, im}) <= 1 + 1e-9; }

  // Edges: 2 node for the one to the right, 2 node + 1 for the one upwards.
  int edge(int i, int j, bool up) const { return 2 * static_cast<int>(node(i, j)) + (up ? 1 : 0); }

  std::pair<double, double> point(int e) const {
    const int k = e / 2, i = k % (n_ + 1), j = k / (n_ + 1);
    const int i2 = e % 2 == 0 ? i + 1 : i, j2 = e % 2 == 0 ? j : j + 1;
    double ax = x(i), ay = y(j), bx = x(i2), by = y(j2);
    if (ring(i, j) || ring(i2, j2)) return ring(i, j) ? std::pair{bx, by} : std::pair{ax, ay};
    const bool a_in = in_[node(i, j)];
    for (int step = 0; step < 14; ++step) {
      const double mx = 0.5 * (ax + bx), my = 0.5 * (ay + by);
      if (stable(mx, my) == a_in) {
        ax = mx, ay = my;
      } else {
        bx = mx, by = my;
      }
    }
    return {0.5 * (ax + bx), 0.5 * (ay + by)};
  }

  // Boundary pieces of a cell, each from one crossed edge to the next with the stable side to the
  // left, so that every edge has one successor.
  void join_cell(int i, int j) {
    const bool corner[] = {
        in_[node(i, j)], in_[node(i + 1, j)], in_[node(i + 1, j + 1)], in_[node(i, j + 1)]};
    const int side[] = {edge(i, j, false),
                        edge(i + 1, j, true),
                        edge(i, j + 1, false),
                        edge(i, j, true)};  // side k lies between corners k and k + 1
    for (int k = 0; k < 4; ++k) {
      if (!corner[k] || corner[(k + 1) % 4]) continue;  // going round, the stable part ends here
      int back = k;  // and began at the side before its first corner
      while (corner[back]) back = (back + 3) % 4;
      next_[side[k]] = side[back];
    }
  }

  const Growth& growth_;
  Window window_;
  int n_;
  std::vector<bool> in_;
  std::unordered_map<int, int> next_;
};

}  // namespace

Outline stability_outline(const Growth& growth, const Window& window, int cells) {
  return Marching(growth, window, cells).trace();
}

}  // namespace cardan
