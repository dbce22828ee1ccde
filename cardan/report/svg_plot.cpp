#include "cardan/report/svg_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/report/svg_plot_scale.h"

namespace cardan {
namespace {

constexpr std::array palette{
    "#2563c9", "#d4582a", "#1f9d76", "#a13fb5", "#c99a06", "#0ea5c6", "#c72f55", "#5b6472"};
constexpr double letter = 6.3;  // mean width of a letter at 12 px

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32)
      out += c;
  }
  return out;
}

std::string words(const PlotAxis& axis, int factor) {
  std::string unit = axis.unit;
  if (factor != 0) {
    const std::string power =
        fmt::format("10<tspan dy='-4' font-size='9'>{}</tspan><tspan dy='4'> </tspan>", factor);
    return escape(axis.label) + " [" + power + escape(unit) + "]";
  }
  return unit.empty() ? escape(axis.label) : escape(axis.label + " [" + unit + "]");
}

struct Frame {
  PlotScale x, y;
  double left = 0, right = 0, top = 0, bottom = 0;
};

class Writer {
 public:
  Writer(const Plot& plot, int origin) : plot_(plot), origin_(origin) {}

  std::string text() {
    lay_out();
    heading();
    axes();
    out_ += fmt::format("<g clip-path='url(#c{})'>\n", origin_);
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) curve(plot_.curves[i], colour(i));
    out_ += "</g>\n";
    for (const PlotNote& note : plot_.notes) put_note(note);
    unseen();
    return std::move(out_);
  }

 private:
  std::string colour(std::size_t i) const {
    const std::string& own = plot_.curves[i].colour;
    return own.empty() ? plot_colour(static_cast<int>(i)) : escape(own);
  }

  void lay_out() {
    std::vector<const std::vector<double>*> xs, ys;
    for (const PlotCurve& c : plot_.curves) xs.push_back(&c.x), ys.push_back(&c.y);
    const int about_y = std::max(2, plot_.height / 60);
    frame_.x = make_scale(plot_.x, xs, std::max(2, plot_.width / 90));
    frame_.y = make_scale(plot_.y, ys, about_y);
    if (!plot_.y.range) pad(frame_.y, about_y);
    place_legend();
    std::size_t widest = 1;
    for (const PlotTick& t : frame_.y.ticks)
      widest = std::max(widest, t.text.size() + (t.power ? 2 : 0));
    frame_.left = 46 + letter * static_cast<double>(widest);
    frame_.right = plot_.width - 24 - legend_width_;
    frame_.top = origin_ + (plot_.title.empty() ? 14 : 36) + (plot_.subtitle.empty() ? 0 : 18) +
                 legend_height_;
    frame_.bottom = origin_ + plot_.height - 52;
    frame_.x.from = frame_.left, frame_.x.to = frame_.right;
    frame_.y.from = frame_.bottom, frame_.y.to = frame_.top;
    if (plot_.equal_axes && !frame_.x.log && !frame_.y.log) make_equal();
  }

  static void pad(PlotScale& s, int about) {
    if (s.log) {
      const double grow = std::pow(s.high / s.low, 0.04);
      s.low /= grow, s.high *= grow;
    } else {
      const double grow = 0.05 * (s.high - s.low);
      s.low -= grow, s.high += grow;
    }
    set_ticks(s, about);
  }

  void make_equal() {
    PlotScale &x = frame_.x, &y = frame_.y;
    const double per_x = (x.high - x.low) / (frame_.right - frame_.left);
    const double per_y = (y.high - y.low) / (frame_.bottom - frame_.top);
    PlotScale& wide = per_x < per_y ? x : y;
    const double grow =
        0.5 * (wide.high - wide.low) * (std::max(per_x, per_y) / std::min(per_x, per_y) - 1);
    wide.low -= grow, wide.high += grow;
    set_ticks(x, std::max(2, plot_.width / 90));
    set_ticks(y, std::max(2, plot_.height / 60));
  }

  void place_legend() {
    if (plot_.legend_right) return stack_legend();
    double at = 0, line = 0;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      if (plot_.curves[i].name.empty()) continue;
      const double width = 44 + letter * static_cast<double>(plot_.curves[i].name.size());
      if (at > 0 && at + width > plot_.width - 80) at = 0, line += 18;
      legend_.push_back({i, at, line});
      at += width;
    }
    legend_height_ = legend_.empty() ? 0 : line + 22;
  }

  void stack_legend() {
    double line = 0;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      if (plot_.curves[i].name.empty()) continue;
      legend_.push_back({i, 0, line});
      line += 19;
      legend_width_ =
          std::max(legend_width_, 52 + letter * static_cast<double>(plot_.curves[i].name.size()));
    }
  }

  void heading() {
    out_ += fmt::format(
        "<clipPath id='c{}'><rect x='{:.1f}' y='{:.1f}' width='{:.1f}' "
        "height='{:.1f}'/></clipPath>\n",
        origin_,
        frame_.left,
        frame_.top,
        frame_.right - frame_.left,
        frame_.bottom - frame_.top);
    double y = origin_ + 24;
    if (!plot_.title.empty())
      out_ +=
          fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='15' font-weight='600'>{}</text>\n",
                      frame_.left,
                      y,
                      escape(plot_.title));
    if (!plot_.subtitle.empty())
      out_ += fmt::format("<text x='{:.1f}' y='{:.1f}' fill='#667'>{}</text>\n",
                          frame_.left,
                          y + 18,
                          escape(plot_.subtitle));
    for (const auto& [i, x, line] : legend_) {
      const double at = plot_.legend_right ? frame_.right + 16 : frame_.left + x;
      const double level = frame_.top - legend_height_ + line + 6;
      const PlotCurve& c = plot_.curves[i];
      if (c.fill > 0)
        out_ += fmt::format(
            "<rect x='{:.1f}' y='{:.1f}' width='22' height='10' fill='{}' fill-opacity='{:g}'/>",
            at,
            level - 5,
            colour(i),
            c.fill);
      if (c.width > 0)
        out_ += fmt::format(
            "<path d='M{:.1f} {:.1f}h22' stroke='{}' stroke-width='2.2' fill='none'{}/>",
            at,
            level,
            colour(i),
            c.dashed ? " stroke-dasharray='6 4'" : "");
      mark(c.mark, at + 11, level, colour(i));
      out_ += fmt::format(
          "<text x='{:.1f}' y='{:.1f}'>{}</text>\n", at + 28, level + 4, escape(c.name));
    }
  }

  void axes() {
    const Frame& f = frame_;
    for (const PlotTick& t : f.x.ticks) {
      const double x = f.x.pixel(t.value);
      out_ += fmt::format("<path d='M{:.2f} {:.2f}V{:.2f}' class='{}'/>",
                          x,
                          f.bottom,
                          f.top,
                          t.text.empty() ? "m" : "g");
      if (!t.text.empty()) label(t, x, f.bottom + 17, "middle");
    }
    for (const PlotTick& t : f.y.ticks) {
      const double y = f.y.pixel(t.value);
      out_ += fmt::format("<path d='M{:.2f} {:.2f}H{:.2f}' class='{}'/>",
                          f.left,
                          y,
                          f.right,
                          t.text.empty() ? "m" : "g");
      if (!t.text.empty()) label(t, f.left - 8, y + 4, "end");
    }
    out_ += fmt::format(
        "\n<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' "
        "stroke='#99a'/>\n",
        f.left,
        f.top,
        f.right - f.left,
        f.bottom - f.top);
    out_ += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n",
                        0.5 * (f.left + f.right),
                        f.bottom + 38,
                        words(plot_.x, f.x.factor));
    const double middle = 0.5 * (f.top + f.bottom);
    out_ += fmt::format(
        "<text transform='translate(18 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
        middle,
        words(plot_.y, f.y.factor));
  }

  void label(const PlotTick& t, double x, double y, const char* anchor) {
    const std::string power =
        t.power ? fmt::format("<tspan dy='-4' font-size='9'>{}</tspan>", t.exponent) : "";
    out_ += fmt::format(
        "<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}{}</text>", x, y, anchor, t.text, power);
  }

  void curve(const PlotCurve& c, const std::string& paint) {
    const std::size_t n = std::min(c.x.size(), c.y.size());
    std::string path;
    bool pen_down = false;
    std::string last;
    for (std::size_t i = 0; i < n; ++i) {
      if (!frame_.x.shows(c.x[i]) || !frame_.y.shows(c.y[i])) {
        if (std::isfinite(c.x[i]) && std::isfinite(c.y[i])) ++unseen_;
        pen_down = false;
        continue;
      }
      std::string here = fmt::format(
          "{:.2f} {:.2f}", limited(frame_.x.pixel(c.x[i])), limited(frame_.y.pixel(c.y[i])));
      if (pen_down && here == last) continue;  // the same hundredth of a pixel
      path += (pen_down ? "L" : "M") + here;
      pen_down = true;
      last = std::move(here);
    }
    if (c.fill > 0)
      out_ += fmt::format("<path d='{}Z' fill='{}' fill-opacity='{:g}' fill-rule='evenodd'/>\n",
                          path,
                          paint,
                          c.fill);
    if (c.width > 0)
      out_ += fmt::format(
          "<path d='{}' fill='none' stroke='{}' stroke-width='{:g}' stroke-linejoin='round'{}/>\n",
          path,
          paint,
          c.width,
          c.dashed ? " stroke-dasharray='6 4'" : "");
    if (c.mark == PlotMark::none) return;
    for (std::size_t i = 0; i < n; ++i)
      if (frame_.x.shows(c.x[i]) && frame_.y.shows(c.y[i]))
        mark(c.mark, limited(frame_.x.pixel(c.x[i])), limited(frame_.y.pixel(c.y[i])), paint);
    out_ += '\n';
  }

  static double limited(double pixel) { return std::clamp(pixel, -1e5, 1e5); }

  void mark(PlotMark kind, double x, double y, const std::string& paint) {
    if (kind == PlotMark::dot || kind == PlotMark::ring)
      out_ += fmt::format(
          "<circle cx='{:.2f}' cy='{:.2f}' r='3.2' fill='{}' stroke='{}' stroke-width='1.4'/>",
          x,
          y,
          kind == PlotMark::dot ? paint : "#fff",
          paint);
    if (kind == PlotMark::square)
      out_ += fmt::format(
          "<rect x='{:.2f}' y='{:.2f}' width='6' height='6' fill='{}'/>", x - 3, y - 3, paint);
    if (kind == PlotMark::cross)
      out_ += fmt::format("<path d='M{:.2f} {:.2f}l6 6m0 -6l-6 6' stroke='{}' stroke-width='1.5'/>",
                          x - 3,
                          y - 3,
                          paint);
  }

  void put_note(const PlotNote& note) {
    if (!frame_.x.shows(note.x) || !frame_.y.shows(note.y)) return;
    out_ += fmt::format("<text x='{:.1f}' y='{:.1f}' fill='#445' class='n'>{}</text>\n",
                        frame_.x.pixel(note.x) + 6,
                        frame_.y.pixel(note.y) - 6,
                        escape(note.text));
  }

  void unseen() {
    if (unseen_ == 0) return;
    out_ += fmt::format(
        "<text x='{:.1f}' y='{:.1f}' font-size='10' fill='#889' text-anchor='end'>{} value{} not "
        "above 0 not shown</text>\n",
        frame_.right,
        frame_.bottom + 38,
        unseen_,
        unseen_ == 1 ? "" : "s");
  }

  struct Entry {
    std::size_t curve;
    double x, line;
  };

  const Plot& plot_;
  int origin_;
  Frame frame_;
  std::vector<Entry> legend_;
  double legend_height_ = 0, legend_width_ = 0;
  std::size_t unseen_ = 0;
  std::string out_;
};

}  // namespace

std::string plot_colour(int n) {
  return palette[static_cast<std::size_t>(n) % palette.size()];
}

std::string svg(const Plot& plot) {
  return svg(std::span(&plot, 1));
}

std::string svg(std::span<const Plot> plots) {
  int width = 0, height = 0;
  std::string body;
  for (const Plot& plot : plots) {
    body += Writer(plot, height).text();
    width = std::max(width, plot.width);
    height += plot.height;
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='Inter,Helvetica,Arial,sans-serif' font-size='12' fill='#223'>\n"
      "<style>.g{{stroke:#dde1e8;fill:none}}.m{{stroke:#eef0f4;fill:none}}.n{{paint-order:stroke;"
      "stroke:#fff;stroke-width:3px}}</style>\n"
      "<rect width='{0}' height='{1}' fill='#fff'/>\n{2}</svg>\n",
      width,
      height,
      body);
}

}  // namespace cardan
