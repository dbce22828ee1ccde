#include "cardan/session/model_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

constexpr double picture_width = 900, picture_height = 600, border = 60;  // px
constexpr double letter_width = 7, letter_height = 15;                    // px, of names
constexpr std::array<const char*, 6> body_colours{
    "#1f5fa8", "#c2571a", "#2d7d46", "#8a3d8f", "#a88a1f", "#5a5a5a"};

struct Flat {  // on the paper, y up, in m; then in px, y down
  double x = 0, y = 0;
};

struct Outline {
  std::vector<Flat> points;
  double radius = 0;  // of a circle about the first point, in m
  bool closed = false, ground = false;
  std::size_t body = 0;
};

struct Label {
  Flat at;
  std::string text;
  bool joint = false, ground = false;  // a joint, one to the ground
};

struct Link {  // between two points: a spring, or a length that a joint keeps
  Flat from, to;
  bool spring = false;
};

constexpr std::size_t of_ground = 5;  // colour of what belongs to the ground

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

class ModelPicture {
 public:
  ModelPicture(const Model& model, const std::vector<BodyState>& bodies)
      : model_(model), bodies_(bodies) {
    for (std::size_t b = 0; b < model.bodies.size() && b < bodies.size(); ++b) add_body(b);
    for (const Shape& shape : model.ground_shapes) add_shape(shape, -1, of_ground);
    for (const Element& joint : model.joints)
      if (!joint.sides.empty()) add_joint(joint);
    for (const Element& force : model.forces)
      if (force.type == "spring" && force.sides.size() == 2) add_link(force, true);
  }

  std::string make() {
    fit();
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        picture_width,
        picture_height);
    for (const Outline& o : outlines_) text += drawn(o);
    for (const Link& link : links_) text += drawn(link);
    for (const Label& label : labels_)
      if (label.ground) text += support(label.at);
    for (const Label& label : labels_)
      if (label.joint)
        text += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"white\" stroke=\"black\" "
            "stroke-width=\"1.5\"/>\n",
            px(label.at).x,
            px(label.at).y);
    for (const Label& label : labels_) text += named(label);
    text += scale_bar();
    return text + "</svg>\n";
  }

 private:
  Flat place(int body, const Triple& local) const {
    Vec<3> p(local.data());
    if (body >= 0) {
      const auto& q = bodies_[static_cast<std::size_t>(body)].q;
      if (model_.space == Space::planar) {
        const double c = elementary::cos(q[2]), s = elementary::sin(q[2]);
        p = {q[0] + c * local[0] - s * local[1], q[1] + s * local[0] + c * local[1], 0};
      } else {
        p = Vec<3>(q.data()) + matrix_of_quaternion(Quaternion(q.data() + 3)) * p;
      }
    }
    if (model_.space == Space::planar) return {p[0], p[1]};
    return {(p[1] - p[0]) * std::sqrt(0.5), (2 * p[2] - p[0] - p[1]) / std::sqrt(6.0)};
  }

  // body: its number; -1: the ground.
  void add_shape(const Shape& shape, int index, std::size_t colour) {
    if (shape.points.empty()) return;
    Outline o;
    o.body = colour;
    o.ground = index < 0;
    const Triple& p = shape.points.front();
    if ((shape.kind == "box" || shape.kind == "slider") && shape.sizes.size() >= 2) {
      const double w = shape.sizes[0] / 2, h = shape.sizes[1] / 2;
      const double turn =
          shape.sizes.size() > 2 && model_.space == Space::planar ? shape.sizes[2] : 0;
      const double c = elementary::cos(turn), s = elementary::sin(turn);
      for (const auto& [x, y] : {std::pair{-w, -h}, {w, -h}, {w, h}, {-w, h}})
        o.points.push_back(place(index, {p[0] + c * x - s * y, p[1] + s * x + c * y, p[2]}));
      o.closed = true;
    } else if ((shape.kind == "disc" || shape.kind == "sphere") && !shape.sizes.empty()) {
      o.points.push_back(place(index, p));
      o.radius = shape.sizes[0];
    } else {
      for (const Triple& corner : shape.points) o.points.push_back(place(index, corner));
      o.closed = shape.kind == "polygon";
    }
    outlines_.push_back(std::move(o));
  }

  void add_body(std::size_t b) {
    const Body& body = model_.bodies[b];
    const int index = static_cast<int>(b);
    for (const Shape& shape : body.shapes) add_shape(shape, index, b);
    Outline joints;  // a body without shapes is a line between its joints
    joints.body = b;
    for (const Element& joint : model_.joints)
      for (const Side& side : joint.sides)
        if (side.body == index) joints.points.push_back(place(index, side.point));
    if (body.shapes.empty() && joints.points.size() > 1) outlines_.push_back(std::move(joints));
    labels_.push_back({place(index, body.centre), body.name});
  }

  void add_joint(const Element& joint) {
    const Side& side = joint.sides.back();
    const bool ground = std::any_of(
        joint.sides.begin(), joint.sides.end(), [](const Side& one) { return one.body < 0; });
    const bool point = joint.type == "revolute" || joint.type == "spherical" ||
                       joint.type == "universal" || joint.type == "fixed";
    labels_.push_back({place(side.body, side.point), joint.name, true, ground && point});
    const bool keeps_length = joint.type == "distance" || joint.type.ends_with("-revolute") ||
                              joint.type.ends_with("-spherical");
    if (keeps_length && joint.sides.size() == 2) add_link(joint, false);
  }

  void add_link(const Element& e, bool spring) {
    links_.push_back({place(e.sides[0].body, e.sides[0].point),
                      place(e.sides[1].body, e.sides[1].point),
                      spring});
  }

  void fit() {
    Flat low{1e300, 1e300}, high{-1e300, -1e300};
    const auto extend = [&](const Flat& p, double r) {
      low = {std::min(low.x, p.x - r), std::min(low.y, p.y - r)};
      high = {std::max(high.x, p.x + r), std::max(high.y, p.y + r)};
    };
    for (const Outline& o : outlines_)
      for (const Flat& p : o.points)
        if (!o.ground) extend(p, o.radius);
    for (const Label& label : labels_) extend(label.at, 0);
    for (const Link& link : links_) extend(link.from, 0), extend(link.to, 0);
    if (!(low.x <= high.x)) low = {0, 0}, high = {1, 1};
    // Of the ground what is near; it goes on beyond the picture.
    constexpr double near_line = 1.0, near_plane = 0.3;  // of the mechanism's size
    const double size = std::max(high.x - low.x, high.y - low.y);
    const Flat least = low, most = high;
    for (const Outline& o : outlines_)
      for (const Flat& p : o.points) {
        const double reach = (o.closed ? near_plane : near_line) * size;
        if (o.ground)
          extend({std::clamp(p.x, least.x - reach, most.x + reach),
                  std::clamp(p.y, least.y - reach, most.y + reach)},
                 0);
      }
    centre_ = {(low.x + high.x) / 2, (low.y + high.y) / 2};
    const double wide = std::max(high.x - low.x, 1e-12), tall = std::max(high.y - low.y, 1e-12);
    scale_ = std::min((picture_width - 2 * border) / wide, (picture_height - 2 * border) / tall);
  }

  Flat px(const Flat& p) const {
    return {picture_width / 2 + scale_ * (p.x - centre_.x),
            picture_height / 2 - scale_ * (p.y - centre_.y)};
  }

  std::string drawn(const Outline& o) const {
    const char* colour = body_colours[o.body % body_colours.size()];
    if (o.radius > 0)
      return fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.15\" "
          "stroke=\"{}\" stroke-width=\"3\"/>\n",
          px(o.points.front()).x,
          px(o.points.front()).y,
          scale_ * o.radius,
          colour,
          colour);
    std::string line;
    for (const Flat& p : o.points) line += fmt::format("{:.1f},{:.1f} ", px(p).x, px(p).y);
    return fmt::format(
        "<{} points=\"{}\" fill=\"{}\" fill-opacity=\"{}\" stroke=\"{}\" stroke-width=\"4\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
        o.closed ? "polygon" : "polyline",
        line,
        o.closed ? colour : "none",
        o.closed ? "0.15" : "0",
        colour);
  }

  // A spring as a zigzag between straight ends.
  std::string drawn(const Link& link) const {
    constexpr int teeth = 12;
    constexpr double wide = 8, end = 0.15;  // px; part of the length
    const Flat from = px(link.from), to = px(link.to);
    const double dx = to.x - from.x, dy = to.y - from.y, length = elementary::hypot(dx, dy);
    if (!(length > 1)) return "";
    std::string line = fmt::format("{:.1f},{:.1f} ", from.x, from.y);
    for (int k = 0; link.spring && k <= teeth; ++k) {
      const double part = end + (1 - 2 * end) * k / teeth;
      const double side = k == 0 || k == teeth ? 0 : (k % 2 == 0 ? wide : -wide) / length;
      line += fmt::format(
          "{:.1f},{:.1f} ", from.x + part * dx - side * dy, from.y + part * dy + side * dx);
    }
    line += fmt::format("{:.1f},{:.1f}", to.x, to.y);
    return fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#444\" stroke-width=\"1.5\"/>\n", line);
  }

  // What holds a joint to the ground.
  std::string support(const Flat& at) const {
    const Flat p = px(at);
    return fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}l-9 15h18zM{2:.1f} {3:.1f}h28\" fill=\"none\" stroke=\"#444\" "
        "stroke-width=\"1.5\"/>\n",
        p.x,
        p.y,
        p.x - 14,
        p.y + 15);
  }

  // Beside its point, where no other name stands; else it is left out.
  std::string named(const Label& label) {
    const Flat p = px(label.at);
    const double wide = letter_width * static_cast<double>(label.text.size());
    const std::array<Flat, 6> tries{{{p.x + 8, p.y - 8},
                                     {p.x + 8, p.y + 18},
                                     {p.x - 8 - wide, p.y - 8},
                                     {p.x - 8 - wide, p.y + 18},
                                     {p.x - wide / 2, p.y - 24},
                                     {p.x - wide / 2, p.y + 36}}};
    const auto free = [&](const Flat& at) {
      return std::none_of(taken_.begin(), taken_.end(), [&](const std::pair<Flat, double>& other) {
        return at.x < other.first.x + other.second && other.first.x < at.x + wide &&
               std::abs(at.y - other.first.y) < letter_height;
      });
    };
    const auto* spot = std::find_if(tries.begin(), tries.end(), free);
    if (spot == tries.end()) return "";
    const Flat at = *spot;
    taken_.emplace_back(at, wide);
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n",
                       at.x,
                       at.y,
                       label.joint ? "#444" : "black",
                       escaped(label.text));
  }

  // A round length of about a fifth of the picture.
  std::string scale_bar() const {
    const double about = picture_width / 5 / scale_;
    double length = 1e-9;
    while (length * 10 <= about) length *= 10;
    for (const double factor : {5.0, 2.0})
      if (length * factor <= about) {
        length *= factor;
        break;
      }
    const double y = picture_height - 20;
    return fmt::format(
        "<line x1=\"20\" y1=\"{0}\" x2=\"{1:.1f}\" y2=\"{0}\" stroke=\"black\" stroke-width=\"2\"/>"
        "<text x=\"20\" y=\"{2}\">{3:g} m</text>\n",
        y,
        20 + scale_ * length,
        y - 6,
        length);
  }

  const Model& model_;
  const std::vector<BodyState>& bodies_;
  std::vector<Outline> outlines_;
  std::vector<Label> labels_;
  std::vector<Link> links_;
  std::vector<std::pair<Flat, double>> taken_;  // names that stand, with their widths
  Flat centre_;
  double scale_ = 1;
};

}  // namespace

std::string model_picture(const Model& model, const std::vector<BodyState>& bodies) {
  return ModelPicture(model, bodies).make();
}

}  // namespace cardan
