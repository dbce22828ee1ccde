#include "cardan/session/branch_picture.h"

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

constexpr double panel = 240, margin = 24;  // px
constexpr int panels_a_row = 4;
constexpr std::size_t most_pictures = 24;
constexpr std::array<const char*, 6> colours{
    "#1f5fa8", "#c2571a", "#2d7d46", "#8a3d8f", "#a88a1f", "#5a5a5a"};

struct Drawn {  // flat, y up
  double x = 0, y = 0;
};

// Where a point of a body is, in ground axes.
Point moved(const std::vector<double>& q, const Point& p) {
  if (q.size() == 3) {
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    return {q[0] + c * p[0] - s * p[1], q[1] + s * p[0] + c * p[1], 0};
  }
  const double w = q[3], x = q[4], y = q[5], z = q[6];
  return {q[0] + (1 - 2 * (y * y + z * z)) * p[0] + 2 * (x * y - w * z) * p[1] +
              2 * (x * z + w * y) * p[2],
          q[1] + 2 * (x * y + w * z) * p[0] + (1 - 2 * (x * x + z * z)) * p[1] +
              2 * (y * z - w * x) * p[2],
          q[2] + 2 * (x * z - w * y) * p[0] + 2 * (y * z + w * x) * p[1] +
              (1 - 2 * (x * x + y * y)) * p[2]};
}

class BranchPicture {
 public:
  BranchPicture(const BranchList& list, const Json& scene)
      : list_(list), spatial_(scene.value("space", "") == "spatial") {
    for (const Json& joint : scene.at("joints"))
      for (const Json& side : joint.at("sides"))
        points_[side.at("body")].push_back(side.at("point").get<Point>());
    for (const Json& joint : scene.at("joints")) {
      const Json& sides = joint.at("sides");
      if (sides.size() != 2) continue;
      const std::string drawing = joint.value("drawing", "");
      if (drawing.ends_with("-link"))
        links_.push_back({{sides[0].at("body"), sides[0].at("point").get<Point>()},
                          {sides[1].at("body"), sides[1].at("point").get<Point>()}});
    }
    for (const auto& [body, own] : points_)
      if (body == "ground") grounded_ = own;
    points_.erase("ground");
  }

  std::string make() {
    const std::size_t count = std::min(list_.branches.size(), most_pictures);
    std::vector<std::map<std::string, std::vector<Drawn>>> all;
    for (std::size_t b = 0; b < count; ++b) all.push_back(placed(list_.branches[b]));
    for (const Point& p : grounded_) extend(flat(p));
    const int columns = std::min<int>(panels_a_row, static_cast<int>(count));
    const int rows = (static_cast<int>(count) + panels_a_row - 1) / panels_a_row;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        columns * panel,
        rows * panel);
    for (std::size_t b = 0; b < count; ++b) {
      const double left = panel * static_cast<double>(b % panels_a_row);
      const std::size_t row = b / panels_a_row;
      const double top = panel * static_cast<double>(row);
      text += one(list_.branches[b], all[b], left, top);
    }
    return text + "</svg>\n";
  }

 private:
  Drawn flat(const Point& p) const {
    if (!spatial_) return {p[0], p[1]};
    return {(p[1] - p[0]) * std::sqrt(0.5), (2 * p[2] - p[0] - p[1]) / std::sqrt(6.0)};
  }

  void extend(const Drawn& p) {
    low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
    high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y)};
  }

  static const std::vector<double>* pose(const AssemblyBranch& branch, const std::string& body) {
    for (const BodyPose& p : branch.coordinates)
      if (p.body == body) return &p.q;
    return nullptr;
  }

  std::map<std::string, std::vector<Drawn>> placed(const AssemblyBranch& branch) {
    std::map<std::string, std::vector<Drawn>> out;
    for (const auto& [body, own] : points_) {
      const std::vector<double>* q = pose(branch, body);
      if (q == nullptr) continue;
      for (const Point& p : own) {
        out[body].push_back(flat(moved(*q, p)));
        extend(out[body].back());
      }
    }
    return out;
  }

  std::string one(const AssemblyBranch& branch,
                  const std::map<std::string, std::vector<Drawn>>& bodies,
                  double left,
                  double top) const {
    const double width = std::max({high_.x - low_.x, high_.y - low_.y, 1e-9});
    const double scale = (panel - 2 * margin) / width;
    const auto at = [&](const Drawn& p) {
      return fmt::format("{:.2f},{:.2f}",
                         left + panel / 2 + scale * (p.x - (low_.x + high_.x) / 2),
                         top + panel / 2 + 8 - scale * (p.y - (low_.y + high_.y) / 2));
    };
    const auto circle = [&](const Drawn& p, double radius, const char* fill) {
      const std::string place = at(p);
      const std::size_t comma = place.find(',');
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"black\"/>\n",
                         place.substr(0, comma),
                         place.substr(comma + 1),
                         radius,
                         fill);
    };
    std::string text = fmt::format("<text x=\"{}\" y=\"{}\">branch {}{}</text>\n",
                                   left + 10,
                                   top + 18,
                                   branch.number,
                                   branch.chosen ? " (start)" : "");
    std::size_t k = 0;
    for (const auto& [body, points] : bodies) {
      const char* colour = colours[k++ % colours.size()];
      std::string line;
      for (const Drawn& p : points) line += (line.empty() ? "" : " ") + at(p);
      text += fmt::format(
          "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.15\" stroke=\"{}\" "
          "stroke-width=\"3\" stroke-linejoin=\"round\"/>\n",
          line,
          colour,
          colour);
    }
    for (const auto& [one_end, other_end] : links_) {
      std::string ends;
      for (const auto* end : {&one_end, &other_end}) {
        const std::vector<double>* q = pose(branch, end->first);
        ends += (ends.empty() ? "" : " ") +
                at(flat(q != nullptr ? moved(*q, end->second) : end->second));
      }
      text += fmt::format("<polyline points=\"{}\" stroke=\"black\" stroke-width=\"2\"/>\n", ends);
    }
    for (const auto& [body, points] : bodies)
      for (const Drawn& p : points) text += circle(p, 3, "white");
    for (const Point& p : grounded_) text += circle(flat(p), 5, "black");
    return text;
  }

  using End = std::pair<std::string, Point>;
  const BranchList& list_;
  bool spatial_;
  std::map<std::string, std::vector<Point>> points_;  // of joints, by body
  std::vector<Point> grounded_;
  std::vector<std::pair<End, End>> links_;
  Drawn low_{1e300, 1e300}, high_{-1e300, -1e300};
};

}  // namespace

std::string branch_picture(const BranchList& list, const Json& scene) {
  return BranchPicture(list, scene).make();
}

}  // namespace cardan
