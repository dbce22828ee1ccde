#include "test/verify/random_loops.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace cardan::test {

namespace {

using Point = PlanarReference::Point;

std::string point(const Point& p) {
  return fmt::format("[{}, {}]", p.x(), p.y());
}

std::string body_name(int k) {
  return k < 0 ? "ground" : fmt::format("b{}", k);
}

class PlanarMaker {
 public:
  explicit PlanarMaker(std::uint64_t seed) : random_(seed) {}

  RandomMechanism make() {
    static constexpr const char* kinds[] = {"loop4", "loop5", "two loops", "slider-crank"};
    const int kind = random_.below(4);
    out_.kind = kinds[kind];
    out_.text = "gravity = [0, -9.81]\n";
    if (kind == 3)
      slider_crank();
    else
      loops(kind == 1 ? 4 : 3, kind == 2);
    if (random_.below(2) == 1) forces();
    return std::move(out_);
  }

 private:
  struct Bar {
    int body;
    Point from, to;
  };

  Point away(const Point& from, double shortest, double longest) {
    const double angle = random_.uniform(0, 2 * std::numbers::pi);
    const double length = random_.uniform(shortest, longest);
    return from + length * Point(std::cos(angle), std::sin(angle));
  }

  double mass() { return std::exp(random_.uniform(std::log(0.1), std::log(10.0))); }

  Bar bar(const Point& from, const Point& to) {
    const double m = mass();
    const int k = out_.reference.bar(from, to, m);
    out_.text += fmt::format(
        "[[body]]\nname = \"b{}\"\nfrom = {}\nto = {}\nmass = {}\n", k, point(from), point(to), m);
    bars_.push_back({k, from, to});
    return bars_.back();
  }

  void revolute(int i, int j, const Point& at) {
    out_.reference.revolute(i, j, at);
    out_.text += fmt::format(
        "[[joint]]\ntype = \"revolute\"\nname = \"j{}\"\nbetween = [\"{}\", \"{}\"]\nat = {}\n",
        joints_++,
        body_name(i),
        body_name(j),
        point(at));
  }

  // Bars from a point of a body to a point of the ground, all on pins.
  void loop(int body, Point from, int bars) {
    for (int k = 0; k < bars; ++k) {
      const Bar next = bar(from, away(from, 0.6, 1.2));
      revolute(body, next.body, next.from);
      body = next.body;
      from = next.to;
    }
    revolute(body, -1, from);
  }

  void loops(int bars, bool two) {
    loop(-1, {0, 0}, bars);
    if (two) loop(1, bars_[1].to, 2);
  }

  void slider_crank() {
    const Bar crank = bar({0, 0}, away({0, 0}, 0.4, 0.6));
    revolute(-1, crank.body, crank.from);
    const Bar rod =
        bar(crank.to, crank.to + Point(random_.uniform(1.2, 1.6), random_.uniform(-0.2, 0.2)));
    revolute(crank.body, rod.body, rod.from);
    const Bar slider = bar(rod.to, rod.to + Point(0.3, 0));
    revolute(rod.body, slider.body, rod.to);
    const Point axis(1, 0.1);
    out_.reference.slide(-1, slider.body, rod.to, axis);
    out_.text += fmt::format(
        "[[joint]]\ntype = \"translational\"\nname = \"slide\"\nbetween = [\"ground\", \"{}\"]\n"
        "at = {}\naxis = {}\n",
        body_name(slider.body),
        point(rod.to),
        point(axis));
  }

  void forces() {
    for (int k = random_.below(3); k > 0; --k) {
      const Bar& b = bars_[static_cast<std::size_t>(random_.below(static_cast<int>(bars_.size())))];
      const Point ground = away({0, 0}, 1.5, 2.5);
      const double stiffness = random_.uniform(5, 200), length = random_.uniform(0.2, 1.5);
      const double damping = random_.below(2) * random_.uniform(0.1, 5);
      out_.reference.spring(-1, b.body, ground, b.to, stiffness, damping, length);
      out_.text += fmt::format(
          "[[force]]\ntype = \"spring\"\nbetween = [\"ground\", \"{}\"]\nat = [{}, {}]\n"
          "stiffness = {}\ndamping = {}\nfree_length = {}\n",
          body_name(b.body),
          point(ground),
          point(b.to),
          stiffness,
          damping,
          length);
    }
    if (random_.below(2) == 0) return;
    const double size = random_.uniform(-5, 5), rate = random_.uniform(1, 8);
    out_.reference.torque(0, [=](double t) { return size * std::sin(rate * t); });
    out_.text += fmt::format(
        "[[force]]\ntype = \"torque\"\nbody = \"b0\"\nvalue = \"{}*sin({}*t)\"\n", size, rate);
  }

  Random random_;
  RandomMechanism out_;
  std::vector<Bar> bars_;
  int joints_ = 0;
};

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

int Random::below(int n) {
  return static_cast<int>(next() % static_cast<std::uint64_t>(n));
}

RandomMechanism random_planar_loop(std::uint64_t seed) {
  return PlanarMaker(seed).make();
}

// Two to four bars on hinges of random directions; the end of the last one is held by a link of
// fixed length to the ground, or by a rod on two ball joints.
RandomMechanism random_spatial_loop(std::uint64_t seed) {
  Random random(seed);
  RandomMechanism out;
  out.text = "space = \"spatial\"\ngravity = [0, 0, -9.81]\n";
  const auto direction = [&] {
    Eigen::Vector3d d;
    do d = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    while (d.norm() < 0.2 || d.norm() > 1);
    return Eigen::Vector3d(d.normalized());
  };
  const auto list = [](const Eigen::Vector3d& p) {
    return fmt::format("[{}, {}, {}]", p.x(), p.y(), p.z());
  };
  const auto bar =
      [&](const std::string& name, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
        const double m = std::exp(random.uniform(std::log(0.1), std::log(10.0)));
        const double J = m * (to - from).squaredNorm() / 12;
        out.text += fmt::format(
            "[[body]]\nname = \"{}\"\nfrom = {}\nto = {}\nmass = {}\ninertia = [{}, {}, {}]\n",
            name,
            list(from),
            list(to),
            m,
            m * 0.01,
            J,
            J);
      };
  Eigen::Vector3d at(0, 0, 0);
  std::string before = "ground";
  const int bars = 2 + random.below(3);
  for (int k = 0; k < bars; ++k) {
    const Eigen::Vector3d to = at + random.uniform(0.6, 1.2) * direction();
    bar(body_name(k), at, to);
    out.text += fmt::format(
        "[[joint]]\ntype = \"revolute\"\nname = \"j{}\"\nbetween = [\"{}\", \"{}\"]\nat = {}\n"
        "axis = {}\n",
        k,
        before,
        body_name(k),
        list(at),
        list(direction()));
    before = body_name(k);
    at = to;
  }
  const Eigen::Vector3d ground = at + random.uniform(0.6, 1.2) * direction();
  if (random.below(2) == 0) {
    out.kind = "link";
    out.text += fmt::format(
        "[[joint]]\ntype = \"spherical-spherical\"\nname = \"link\"\nbetween = [\"{}\", "
        "\"ground\"]\n"
        "at = [{}, {}]\n",
        before,
        list(at),
        list(ground));
  } else {
    out.kind = "rod";
    bar("rod", at, ground);
    out.text += fmt::format(
        "[[joint]]\ntype = \"spherical\"\nname = \"ball\"\nbetween = [\"{}\", \"rod\"]\nat = {}\n"
        "[[joint]]\ntype = \"spherical\"\nname = \"foot\"\nbetween = [\"rod\", \"ground\"]\n"
        "at = {}\n",
        before,
        list(at),
        list(ground));
  }
  return out;
}

}  // namespace cardan::test
