// The rows are read at pictures evenly spread over the run, between rows in a straight line (the four parameters of an
// orientation are scaled to unit length again). Everything is projected onto the paper once, so that all pictures have one
// scale; with a body to follow, its place is taken off first.
#include "cardan/report/animation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;
using Point = std::array<double, 3>;

constexpr double picture_width = 900, picture_height = 600, border = 60;  // px
constexpr double longest_arrow = 120;         // px, of the largest reaction
constexpr double pictures_a_second = 25;      // of the film, so far as they are not too many
constexpr int most_pictures = 250;            // of one film
constexpr std::size_t most_points = 400'000;  // of all pictures together
constexpr double shortest = 1, longest = 30,
                 usual = 8;  // s: a film lasts as the motion does between the first two
constexpr std::array<const char*, 6> film_colours{
    "#1f5fa8", "#c2571a", "#2d7d46", "#8a3d8f", "#a88a1f", "#5a5a5a"};

struct OnPaper {  // y up
  double x = 0, y = 0;
};

struct Pose {  // rows of the matrix, and the place
  std::array<double, 9> turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Point at{};

  Point of(const Point& p) const {
    Point out;
    for (std::size_t k = 0; k < 3; ++k)
      out[k] = at[k] + turn[3 * k] * p[0] + turn[3 * k + 1] * p[1] + turn[3 * k + 2] * p[2];
    return out;
  }
};

Pose pose_of(const std::vector<double>& q) {
  Pose pose;
  if (q.size() == 3) {
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    pose.turn = {c, -s, 0, s, c, 0, 0, 0, 1};
    pose.at = {q[0], q[1], 0};
  } else if (q.size() == 7) {
    const double norm = std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    const double w = q[3] / norm, x = q[4] / norm, y = q[5] / norm, z = q[6] / norm;
    pose.turn = {1 - 2 * (y * y + z * z),
                 2 * (x * y - w * z),
                 2 * (x * z + w * y),
                 2 * (x * y + w * z),
                 1 - 2 * (x * x + z * z),
                 2 * (y * z - w * x),
                 2 * (x * z - w * y),
                 2 * (y * z + w * x),
                 1 - 2 * (x * x + y * y)};
    pose.at = {q[0], q[1], q[2]};
  }
  return pose;
}

// What moves together: points of one body, or of several (a spring).
struct Figure {
  enum class Look { line, closed, circle, pin, spring, path, arrow, name };
  Look look = Look::line;
  std::vector<std::pair<int, Point>> points;  // body (-1: ground) and point in its frame
  double radius = 0;                          // m
  int body = 0;                               // for the colour
  std::string text;
  std::vector<std::vector<OnPaper>> pictures;
};

std::string escaped_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

class Film {
 public:
  Film(const RunReader& run, int segment, const Json& scene, const AskedAnimation& asked)
      : run_(run),
        segment_(segment),
        asked_(asked),
        scene_(scene),
        spatial_(scene.value("space", "") == "spatial") {
    for (const Json& body : scene.at("bodies")) names_.push_back(body.at("name"));
  }

  Result<std::string> make() {
    add_bodies();
    add_links();
    if (auto fault = place()) return *fault;
    if (asked_.traces) add_paths();
    if (asked_.arrows)
      if (auto fault = add_arrows()) return *fault;
    fit();
    return drawn();
  }

 private:
  using Look = Figure::Look;

  int find_body(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
  }

  void add(Figure figure) {
    if (!figure.points.empty()) figures_.push_back(std::move(figure));
  }

  void add_shapes(int body, const Json& shapes) {
    for (const Json& shape : shapes) {
      const auto points = shape.value("points", std::vector<Point>{});
      const auto sizes = shape.value("sizes", std::vector<double>{});
      const std::string kind = shape.value("kind", "");
      if (shape.contains("triangles")) continue;  // too much for a drawing of lines
      Figure f;
      f.body = body;
      if ((kind == "box" || kind == "slider") && sizes.size() >= 2) {
        const Point p = points.empty() ? Point{} : points.front();
        const double w = sizes[0] / 2, h = sizes[1] / 2;
        const double turn = sizes.size() > 2 && !spatial_ ? sizes[2] : 0;
        const double c = std::cos(turn), s = std::sin(turn);
        for (const auto& [x, y] : {std::pair{-w, -h}, {w, -h}, {w, h}, {-w, h}})
          f.points.push_back({body, {p[0] + c * x - s * y, p[1] + s * x + c * y, p[2]}});
        f.look = Look::closed;
      } else if ((kind == "disc" || kind == "sphere") && !sizes.empty()) {
        f.points.push_back({body, points.empty() ? Point{} : points.front()});
        f.radius = sizes[0];
        f.look = Look::circle;
      } else {
        for (const Point& p : points) f.points.push_back({body, p});
        f.look = kind == "polygon" ? Look::closed : Look::line;
      }
      add(std::move(f));
    }
  }

  void add_bodies() {
    add_shapes(-1, scene_.value("ground", Json::array()));
    for (std::size_t b = 0; b < names_.size(); ++b) {
      const Json& body = scene_.at("bodies")[b];
      const int index = static_cast<int>(b);
      add_shapes(index, body.value("shapes", Json::array()));
      if (body.value("shapes", Json::array()).empty()) {  // a line between its joints
        Figure f;
        f.body = index;
        for (const Json& joint : scene_.at("joints"))
          for (const Json& side : joint.at("sides"))
            if (side.at("body") == names_[b]) f.points.push_back({index, side.at("point")});
        add(std::move(f));
      }
      if (asked_.names) {
        Figure f;
        f.look = Look::name;
        f.text = names_[b];
        f.points.push_back({index, body.value("centre", Point{})});
        add(std::move(f));
      }
    }
  }

  // Joints at their second side, springs and links from side to side.
  void add_links() {
    const auto ends = [&](const Json& link) {
      std::vector<std::pair<int, Point>> out;
      for (const Json& side : link.at("sides"))
        out.emplace_back(find_body(side.at("body")), side.at("point").get<Point>());
      return out;
    };
    for (const Json& spring : scene_.value("springs", Json::array())) {
      Figure f;
      f.look = Look::spring;
      f.points = ends(spring);
      if (f.points.size() == 2) add(std::move(f));
    }
    for (const Json& joint : scene_.at("joints")) {
      auto sides = ends(joint);
      if (sides.empty()) continue;
      if (sides.size() == 2 && joint.value("drawing", "").ends_with("-link")) {
        Figure f;
        f.look = Look::spring;
        f.points = sides;
        add(std::move(f));
      }
      Figure f;
      f.look = Look::pin;
      f.points.push_back(sides.back());
      if (asked_.names) f.text = joint.at("name");
      add(std::move(f));
    }
  }

  // Row and part of the way to the next, for every picture.
  void choose_times(const std::vector<double>& t) {
    const double span = t.back() - t.front(), moved = std::abs(span);
    seconds_ = asked_.seconds > 0                      ? asked_.seconds
               : moved >= shortest && moved <= longest ? moved
                                                       : usual;
    std::size_t points = 1;
    for (const Figure& f : figures_) points += f.points.size();
    const double wanted = std::min<double>(pictures_a_second * seconds_, most_pictures);
    const auto count = std::max<std::size_t>(
        2, std::min(static_cast<std::size_t>(wanted) + 1, most_points / points));
    std::size_t row = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double at = t.front() + span * static_cast<double>(k) / static_cast<double>(count - 1);
      while (row + 2 < t.size() && (t[row + 1] - at) * span < 0) ++row;
      const double gap = row + 1 < t.size() ? t[row + 1] - t[row] : 0;
      const double part = gap == 0 ? 0 : std::clamp((at - t[row]) / gap, 0.0, 1.0);
      looks_.push_back({row, part});
    }
    from_ = t.front(), until_ = t.back();
  }

  double between(const std::vector<double>& values, std::size_t picture) const {
    const auto& [row, part] = looks_[picture];
    if (values.empty()) return 0;
    const double here = values[std::min(row, values.size() - 1)];
    return part == 0 ? here : here + part * (values[std::min(row + 1, values.size() - 1)] - here);
  }

  Result<std::vector<std::vector<double>>> read(const std::vector<std::string>& names,
                                                std::vector<double>* t = nullptr) const {
    const auto& channels = run_.segments()[static_cast<std::size_t>(segment_)].channels;
    std::vector<int> chosen;
    for (const std::string& name : names)
      for (std::size_t k = 0; k < channels.size(); ++k)
        if (channels[k].name == name) chosen.push_back(static_cast<int>(k));
    if (chosen.size() != names.size()) chosen.clear();
    auto columns = run_.read(segment_, chosen);
    if (!columns) return columns.why();
    if (t != nullptr) *t = std::move(columns.value().t);
    return std::move(columns.value().values);
  }

  Sink::Fault place() {
    std::vector<double> t;
    if (auto times = read({}, &t); !times) return times.why().front();
    if (t.size() < 2) return {};
    choose_times(t);
    poses_.resize(names_.size());
    for (std::size_t b = 0; b < names_.size(); ++b) {
      const Json& body = scene_.at("bodies")[b];
      auto columns = read(body.at("pose").get<std::vector<std::string>>());
      if (!columns) return columns.why().front();
      const auto start = body.at("start").get<std::vector<double>>();
      for (std::size_t k = 0; k < looks_.size(); ++k) {
        std::vector<double> q = start;  // where its motion was not stored
        for (std::size_t c = 0; c < columns.value().size() && c < q.size(); ++c)
          q[c] = between(columns.value()[c], k);
        poses_[b].push_back(pose_of(q));
      }
    }
    for (Figure& f : figures_) {
      f.pictures.resize(looks_.size());
      for (std::size_t k = 0; k < looks_.size(); ++k)
        for (const auto& [body, point] : f.points) f.pictures[k].push_back(seen(body, point, k));
    }
    return {};
  }

  OnPaper flat(const Point& p) const {
    if (!spatial_ || asked_.view == "top") return {p[0], p[1]};
    if (asked_.view == "front") return {p[0], p[2]};
    if (asked_.view == "side") return {p[1], p[2]};
    return {(p[1] - p[0]) * std::sqrt(0.5), (2 * p[2] - p[0] - p[1]) / std::sqrt(6.0)};
  }

  OnPaper seen(int body, const Point& point, std::size_t picture) const {
    Point p = body < 0 ? point : poses_[static_cast<std::size_t>(body)][picture].of(point);
    if (const int centre = find_body(asked_.follow); centre >= 0)
      for (std::size_t k = 0; k < 3; ++k)
        p[k] -= poses_[static_cast<std::size_t>(centre)][picture].at[k];
    return flat(p);
  }

  // Of the points that requests name; without any, of the joints.
  void add_paths() {
    const auto path = [&](int body, const Point& point) {
      Figure f;
      f.look = Look::path;
      f.body = std::max(body, 0);
      f.points.push_back({body, point});
      f.pictures.resize(1);
      for (std::size_t k = 0; k < looks_.size(); ++k) f.pictures[0].push_back(seen(body, point, k));
      const auto& all = f.pictures[0];
      const bool moves = std::any_of(all.begin(), all.end(), [&](const OnPaper& p) {
        return std::hypot(p.x - all.front().x, p.y - all.front().y) > 1e-9;
      });
      if (moves) figures_.push_back(std::move(f));
    };
    const Json points = scene_.value("points", Json::array());
    for (const Json& p : points) path(find_body(p.at("body")), p.at("point").get<Point>());
    if (!points.empty()) return;
    for (const Json& joint : scene_.at("joints"))
      for (const Json& side : joint.at("sides"))
        if (const int body = find_body(side.at("body")); body >= 0)
          path(body, side.at("point").get<Point>());
  }

  // Reactions on the second sides of joints, from the joint on.
  Sink::Fault add_arrows() {
    double largest = 0;
    std::vector<std::pair<std::size_t, std::vector<OnPaper>>> all;
    for (const Json& joint : scene_.at("joints")) {
      if (joint.at("sides").empty()) continue;
      const std::string name = joint.at("name");
      std::vector<std::string> parts{name + ".second.fx", name + ".second.fy"};
      if (spatial_) parts.push_back(name + ".second.fz");
      auto columns = read(parts);
      if (!columns) return columns.why().front();
      if (columns.value().empty()) continue;
      const Json& side = joint.at("sides").back();
      Figure f;
      f.look = Look::arrow;
      f.points.push_back({find_body(side.at("body")), side.at("point")});
      std::vector<OnPaper> forces;
      for (std::size_t k = 0; k < looks_.size(); ++k) {
        Point force{};
        for (std::size_t c = 0; c < columns.value().size(); ++c)
          force[c] = between(columns.value()[c], k);
        forces.push_back(flat(force));
        f.pictures.push_back({seen(f.points[0].first, f.points[0].second, k)});
        largest = std::max(largest, std::hypot(forces.back().x, forces.back().y));
      }
      all.emplace_back(figures_.size(), std::move(forces));
      figures_.push_back(std::move(f));
    }
    arrows_ = std::move(all);
    largest_force_ = largest;
    return {};
  }

  void fit() {
    OnPaper low{1e300, 1e300}, high{-1e300, -1e300};
    for (const Figure& f : figures_)
      for (const auto& picture : f.pictures)
        for (const OnPaper& p : picture) {
          if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
          low = {std::min(low.x, p.x - f.radius), std::min(low.y, p.y - f.radius)};
          high = {std::max(high.x, p.x + f.radius), std::max(high.y, p.y + f.radius)};
        }
    if (!(low.x <= high.x)) low = {0, 0}, high = {1, 1};
    centre_ = {(low.x + high.x) / 2, (low.y + high.y) / 2};
    scale_ = std::min((picture_width - 2 * border) / std::max(high.x - low.x, 1e-12),
                      (picture_height - 2 * border) / std::max(high.y - low.y, 1e-12));
    for (const auto& [figure, forces] : arrows_)
      for (std::size_t k = 0; k < forces.size(); ++k) {
        const double factor = largest_force_ > 0 ? longest_arrow / scale_ / largest_force_ : 0;
        const OnPaper foot = figures_[figure].pictures[k].front();
        figures_[figure].pictures[k].push_back(
            {foot.x + factor * forces[k].x, foot.y + factor * forces[k].y});
      }
  }

  double across(const OnPaper& p) const { return picture_width / 2 + scale_ * (p.x - centre_.x); }

  double down(const OnPaper& p) const { return picture_height / 2 - scale_ * (p.y - centre_.y); }

  std::string corners(const std::vector<OnPaper>& points) const {
    std::string out;
    for (const OnPaper& p : points)
      out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", across(p), down(p));
    return out;
  }

  // An attribute with its values of all pictures, where they differ.
  template <class Value>
  std::string moving(const Figure& f, const char* name, Value&& value) const {
    const std::string first = value(f.pictures.front());
    std::string list = first;
    bool moves = false;
    for (std::size_t k = 1; k < f.pictures.size(); ++k) {
      const std::string now = value(f.pictures[k]);
      moves = moves || now != first;
      list += ';' + now;
    }
    if (!moves) return {};
    return fmt::format(
        "<animate attributeName=\"{}\" dur=\"{:g}s\" repeatCount=\"indefinite\" values=\"{}\"/>",
        name,
        seconds_,
        list);
  }

  std::string drawn_figure(const Figure& f) const {
    const char* colour =
        f.body < 0 ? "#444" : film_colours[static_cast<std::size_t>(f.body) % film_colours.size()];
    const auto x = [this](const std::vector<OnPaper>& p) {
      return fmt::format("{:.1f}", across(p.front()));
    };
    const auto y = [this](const std::vector<OnPaper>& p) {
      return fmt::format("{:.1f}", down(p.front()));
    };
    const auto all = [this](const std::vector<OnPaper>& p) {
      return corners(p);
    };
    const auto& start = f.pictures.front();
    std::string text;
    if (f.look == Look::circle || f.look == Look::pin) {
      const bool pin = f.look == Look::pin;
      text = fmt::format(
          "<circle cx=\"{}\" cy=\"{}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"{}\" stroke=\"{}\" "
          "stroke-width=\"{}\">{}{}</circle>\n",
          x(start),
          y(start),
          pin ? 5 : scale_ * f.radius,
          pin ? "white" : colour,
          pin ? "1" : "0.15",
          pin ? "black" : colour,
          pin ? "1.5" : "3",
          moving(f, "cx", x),
          moving(f, "cy", y));
    } else if (f.look != Look::name) {
      const bool closed = f.look == Look::closed, thin = f.look == Look::path;
      const char* stroke = f.look == Look::arrow    ? "#b3261e"
                           : f.look == Look::spring ? "#666"
                                                    : colour;
      text = fmt::format(
          "<{0} points=\"{1}\" fill=\"{2}\" fill-opacity=\"{3}\" stroke=\"{4}\" "
          "stroke-width=\"{5}\" stroke-linejoin=\"round\" "
          "stroke-linecap=\"round\"{6}>{7}</{0}>\n",
          closed ? "polygon" : "polyline",
          corners(start),
          closed ? colour : "none",
          closed ? "0.15" : "0",
          stroke,
          thin                             ? "1"
          : f.look == Look::line || closed ? "4"
                                           : "2",
          f.look == Look::spring ? " stroke-dasharray=\"6 3\"" : "",
          moving(f, "points", all));
    }
    if (!f.text.empty())
      text += fmt::format("<text x=\"{}\" y=\"{}\" dx=\"8\" dy=\"-8\">{}{}{}</text>\n",
                          x(start),
                          y(start),
                          escaped_text(f.text),
                          moving(f, "x", x),
                          moving(f, "y", y));
    return text;
  }

  // How far the motion is, along the lower edge.
  std::string clock() const {
    const double y = picture_height - 18, wide = picture_width - 2 * border;
    return fmt::format(
        "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2:.4g} s</text><text x=\"{3}\" "
        "y=\"{1}\">{4:.4g} s</text>\n"
        "<rect x=\"{5}\" y=\"{6}\" width=\"{7}\" height=\"3\" fill=\"#ddd\"/><rect x=\"{5}\" "
        "y=\"{6}\" width=\"0\" height=\"3\" "
        "fill=\"#555\"><animate attributeName=\"width\" dur=\"{8:g}s\" repeatCount=\"indefinite\" "
        "values=\"0;{7}\"/></rect>\n",
        border - 6,
        y + 4,
        from_,
        picture_width - border + 6,
        until_,
        border,
        y - 2,
        wide,
        seconds_);
  }

  std::string drawn() const {
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        picture_width,
        picture_height);
    // Paths below, names above.
    for (const auto look : {Look::path,
                            Look::spring,
                            Look::line,
                            Look::closed,
                            Look::circle,
                            Look::pin,
                            Look::arrow,
                            Look::name})
      for (const Figure& f : figures_)
        if (f.look == look && !f.pictures.empty()) text += drawn_figure(f);
    if (!looks_.empty()) text += clock();
    return text + "</svg>\n";
  }

  const RunReader& run_;
  int segment_;
  const AskedAnimation& asked_;
  const Json& scene_;
  bool spatial_;
  std::vector<std::string> names_;  // of bodies
  std::vector<Figure> figures_;
  std::vector<std::pair<std::size_t, double>> looks_;  // row, and part of the way to the next
  std::vector<std::vector<Pose>> poses_;               // by body and picture
  std::vector<std::pair<std::size_t, std::vector<OnPaper>>> arrows_;  // figure, forces
  double largest_force_ = 0;
  double seconds_ = usual, from_ = 0, until_ = 0;
  OnPaper centre_;
  double scale_ = 1;
};

}  // namespace

Result<std::string> animation_svg(const RunReader& run,
                                  int segment,
                                  const Json& scene,
                                  const AskedAnimation& asked) {
  return Film(run, segment, scene, asked).make();
}

}  // namespace cardan
