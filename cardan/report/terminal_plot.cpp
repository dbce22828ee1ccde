#include "cardan/report/terminal_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "cardan/base/visible_text.h"
#include "cardan/report/svg_plot_scale.h"

namespace cardan {
namespace {

constexpr std::array colours{34, 31, 32, 35, 33, 36};

class Dots {
 public:
  Dots(int columns, int rows)
      : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns * rows)) {}

  int width() const { return 2 * columns_; }

  int height() const { return 4 * rows_; }

  void set(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell& cell = cells_[static_cast<std::size_t>(y / 4 * columns_ + x / 2)];
    cell.bits |= bits[y % 4][x % 2];
    cell.curve = curve;
  }

  void line(double x1, double y1, double x2, double y2, int curve) {
    const double n =
        std::min(4000.0, std::ceil(std::max({std::abs(x2 - x1), std::abs(y2 - y1), 1.0})));
    for (double k = 0; k <= n; ++k)
      set(static_cast<int>(std::lround(x1 + (x2 - x1) * k / n)),
          static_cast<int>(std::lround(y1 + (y2 - y1) * k / n)),
          curve);
  }

  std::string row(int r, bool colour) const {
    std::string out;
    for (int c = 0; c < columns_; ++c) {
      const Cell& cell = cells_[static_cast<std::size_t>(r * columns_ + c)];
      if (cell.bits == 0) {
        out += ' ';
        continue;
      }
      const unsigned letter = 0x2800U + cell.bits;
      const std::string text{static_cast<char>(0xE0U | letter >> 12U),
                             static_cast<char>(0x80U | (letter >> 6U & 0x3FU)),
                             static_cast<char>(0x80U | (letter & 0x3FU))};
      out += colour ? fmt::format("\x1b[{}m{}\x1b[0m",
                                  colours[static_cast<std::size_t>(cell.curve) % colours.size()],
                                  text)
                    : text;
    }
    return out;
  }

 private:
  struct Cell {
    unsigned bits = 0;
    int curve = 0;
  };

  int columns_, rows_;
  std::vector<Cell> cells_;
};

std::string tick_words(const PlotTick& t) {
  return t.power ? fmt::format("1e{}", t.exponent) : t.text;
}

void draw(Dots& dots, const PlotCurve& curve, const PlotScale& x, const PlotScale& y, int number) {
  const std::size_t n = std::min(curve.x.size(), curve.y.size());
  bool down = false;
  double px = 0, py = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!x.shows(curve.x[i]) || !y.shows(curve.y[i])) {
      down = false;
      continue;
    }
    const double qx = x.pixel(curve.x[i]), qy = y.pixel(curve.y[i]);
    dots.line(down ? px : qx, down ? py : qy, qx, qy, number);
    px = qx, py = qy, down = true;
  }
}

std::string legend(const Plot& plot, bool colour) {
  std::string out;
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    if (plot.curves[k].name.empty()) continue;
    const std::string mark = colour ? fmt::format("\x1b[{}m--\x1b[0m ", colours[k % colours.size()])
                             : plot.curves.size() > 1 ? "-- "
                                                      : "";
    out += (out.empty() ? "" : "   ") + mark + visible_text(plot.curves[k].name, Lines::show);
  }
  return out;
}

std::string unit_label(const PlotAxis& axis, int factor) {
  const std::string unit = visible_text(axis.unit, Lines::show);
  if (factor == 0) return unit.empty() ? "" : fmt::format("[{}]", unit);
  return fmt::format("[1e{}{}{}]", factor, unit.empty() ? "" : " ", unit);
}

}  // namespace

std::string terminal_plot(const Plot& plot, const TerminalSize& size) {
  const int rows = std::max(5, size.rows - 6);
  std::vector<const std::vector<double>*> xs, ys;
  for (const PlotCurve& c : plot.curves) xs.push_back(&c.x), ys.push_back(&c.y);
  PlotScale y = make_scale(plot.y, ys, std::max(2, rows / 4));
  std::size_t margin = 4;
  for (const PlotTick& t : y.ticks) margin = std::max(margin, tick_words(t).size());
  const int columns = std::max(20, size.columns - static_cast<int>(margin) - 3);
  PlotScale x = make_scale(plot.x, xs, std::max(2, columns / 14));
  Dots dots(columns, rows);
  x.from = 0, x.to = dots.width() - 1;
  y.from = dots.height() - 1, y.to = 0;
  for (std::size_t k = 0; k < plot.curves.size(); ++k)
    draw(dots, plot.curves[k], x, y, static_cast<int>(k));

  std::string out = visible_text(plot.title, Lines::show) + "\n" + legend(plot, size.colour) +
                    "  " + unit_label(plot.y, y.factor) + "\n";
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const PlotTick& t : y.ticks) {
    const auto r =
        static_cast<std::size_t>(std::clamp(static_cast<int>(y.pixel(t.value)) / 4, 0, rows - 1));
    if (!t.text.empty()) labels[r] = tick_words(t);
  }
  for (int r = 0; r < rows; ++r) {
    const std::string& label = labels[static_cast<std::size_t>(r)];
    const std::string row = dots.row(r, size.colour);
    out += fmt::format("{:>{}} {}{}\n",
                       label,
                       margin,
                       label.empty() ? "│" : "┤",
                       row.substr(0, row.find_last_not_of(' ') + 1));
  }
  std::string rule = fmt::format("{:>{}} └", "", margin),
              below(static_cast<std::size_t>(columns) + margin + 8, ' ');
  std::vector<bool> tick(static_cast<std::size_t>(columns), false);
  std::size_t free_from = 0;
  for (const PlotTick& t : x.ticks) {
    const auto c = static_cast<std::size_t>(
        std::clamp(static_cast<int>(x.pixel(t.value)) / 2, 0, columns - 1));
    const std::string words = tick_words(t);
    const std::size_t at = c + margin + 2 - std::min(words.size() / 2, c + margin);
    if (words.empty() || at < free_from) continue;
    tick[c] = true;
    below.replace(at, words.size(), words);
    free_from = at + words.size() + 1;
  }
  for (const bool on : tick) rule += on ? "┬" : "─";
  return out + rule + "\n" + below.substr(0, below.find_last_not_of(' ') + 1) +
         fmt::format("\n{:>{}}\n",
                     visible_text(plot.x.label, Lines::show) + " " + unit_label(plot.x, x.factor),
                     static_cast<int>(margin) + 2 + columns);
}

}  // namespace cardan
