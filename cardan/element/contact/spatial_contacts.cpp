// What contacts in space measure. Ends are frames (f, g, h) at x, d = x_j - x_i:
//   sphere-plane                        h_i.d
//   sphere-sphere, sphere-in-sphere     |d|
//   sphere-cylinder, sphere-in-cylinder sqrt((f_i.d)^2 + (g_i.d)^2), the distance from the axis
#include "cardan/element/contact/limit_maker.h"
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

struct OffPlane {
  static constexpr std::string_view limit_pool = "limit from a plane";
  static constexpr EquationLabel label = in_length("gap");

  static auto pair(const ElementSpec& spec) { return along(spec, EndFrame(spec.ends[0]).h, 0); }
};

struct Centres {
  static constexpr std::string_view limit_pool = "limit of a distance";
  static constexpr EquationLabel label = in_length("distance");

  static auto pair(const ElementSpec& spec) { return points<Length<3>>(spec); }
};

struct FromAxis {
  static constexpr std::string_view limit_pool = "limit from an axis";
  static constexpr EquationLabel label = in_length("distance from the axis");

  static auto pair(const ElementSpec& spec) {
    const EndFrame i(spec.ends[0]);
    AxisDistance p;
    p.s = {i.f, i.g, i.x, spec.ends[1].point};
    return pair_of(p, spec);
  }
};

ElementType contact(std::string_view type,
                    std::string_view doc,
                    const Geometry& geometry,
                    KeySpec size,
                    ContactShape shape,
                    LimitMaker make) {
  std::vector<KeySpec> keys{std::move(size)};
  for (auto& list : {limit_keys(UnitKind::length), friction_keys({})})
    keys.insert(keys.end(), list.begin(), list.end());
  return {.kind = Kind::contact,
          .type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = std::move(keys),
          .space = Space::spatial,
          .contact = shape,
          .drawing = Drawing::none,
          .make = make};
}

}  // namespace

std::vector<ElementType> spatial_contact_types() {
  const auto on = [](std::string_view feature) -> Geometry {
    return {.role = {feature, "sphere"},
            .point = {PointRule::required, PointRule::origin},
            .axis = first_axis,
            .at = At::first};
  };
  Geometry spheres = two_origins(), inside = two_origins();
  spheres.role = {"first sphere", "second sphere"};
  inside.role = {"hollow", "sphere"};
  const KeySpec radii{.name = "radii",
                      .kind = ValueKind::numbers,
                      .dimensions = {dim::length, dim::length},
                      .doc = "of the first and the second",
                      .range = Range::not_negative};
  using Slide = FrictionElement::Slide;
  return {
      contact("sphere-plane",
              "A sphere of the second body, or a point, stays on the side of a plane of the first "
              "to which its axis, the normal, points. The plane has no end.",
              on("plane"),
              number_key("radius", dim::length, "0: a point", "of the sphere", Range::not_negative),
              {.flat = true, .slide = Slide::line},
              limit_maker<OffPlane>),
      contact("sphere-sphere",
              "Two spheres, one on each body, stay outside of each other.",
              spheres,
              radii,
              {.slide = Slide::circle},
              limit_maker<Centres>),
      contact("sphere-in-sphere",
              "A sphere of the second body, or a point, stays inside a hollow sphere of the first.",
              inside,
              radii,
              {.hollow = true, .slide = Slide::circle},
              limit_maker<Centres>),
      contact("sphere-cylinder",
              "A sphere of the second body, or a point, stays outside of a cylinder of the first "
              "about its axis. The cylinder has no ends.",
              on("cylinder"),
              radii,
              {.slide = Slide::barrel},
              limit_maker<FromAxis>),
      contact("sphere-in-cylinder",
              "A sphere of the second body, or a point, stays inside a tube of the first about "
              "its axis. The tube has no ends.",
              on("tube"),
              radii,
              {.hollow = true, .slide = Slide::barrel},
              limit_maker<FromAxis>)};
}

}  // namespace cardan
