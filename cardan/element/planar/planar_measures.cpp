// What drivers, requests, initial conditions and stops measure in the plane, and what contacts do.
//   disc-line  n.(x_j - x_i), n left of the axis of side i    disc-disc, disc-in-ring  |x_j - x_i|
#include "cardan/element/contact/limit_maker.h"
#include "cardan/element/planar/planar_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

template <int axis> struct Component {
  static constexpr std::string_view pool = axis == 0 ? "x" : "y",
                                    limit_pool = axis == 0 ? "limit of x" : "limit of y";
  static constexpr EquationLabel label = in_length(axis == 0 ? "x" : "y");

  static auto pair(const ElementSpec& spec) { return between_points<Coordinate<2, axis>>(spec, 0); }
};

struct Turn {
  static constexpr std::string_view pool = "angle", limit_pool = "limit of an angle";
  static constexpr EquationLabel label = in_angle("angle");

  static auto pair(const ElementSpec& spec) { return angle_between_axes(spec, 0); }
};

struct Apart {
  static constexpr std::string_view pool = "length", limit_pool = "limit of a distance";
  static constexpr EquationLabel label = in_length("distance");

  static auto pair(const ElementSpec& spec) { return between_points<Length<2>>(spec, 0); }
};

struct Along {
  static constexpr std::string_view pool = "displacement", limit_pool = "limit along a direction";
  static constexpr EquationLabel label = in_length("displacement");

  static auto pair(const ElementSpec& spec) { return along_axis(spec, 0); }
};

struct FromLine {
  static constexpr std::string_view limit_pool = "limit along a direction";
  static constexpr EquationLabel label = in_length("gap");

  static auto pair(const ElementSpec& spec) { return along_normal(spec, 0); }
};

Part hard_line(ConstraintSet& set, const ElementSpec& spec, double limit) {
  return add_hard_limit(set, "limit from a line", FromLine::label, FromLine::pair(spec), limit);
}

template <class M> MeasureRow row(Measure measure, Geometry geometry) {
  return {measure, geometry, measure_maker<M>, limit_maker<M>};
}

// ---- contacts

ElementType contact(std::string_view type,
                    std::string_view doc,
                    Geometry geometry,
                    KeySpec size,
                    ContactShape shape,
                    EmbeddingRule embedding,
                    LimitMaker make) {
  std::vector<KeySpec> keys{std::move(size)};
  for (auto& list : {limit_keys(UnitKind::length), friction_keys({})})
    keys.insert(keys.end(), list.begin(), list.end());
  return {.kind = Kind::contact,
          .type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = std::move(keys),
          .contact = shape,
          .embedding = embedding,
          .drawing = Drawing::none,
          .make = make};
}

void embed_line(const Model&, Element& e) {
  e.type = "sphere-plane";
  embed_normals(e);
}

void embed_discs(const Model&, Element& e) {
  e.type = "sphere-sphere";
}

void embed_ring(const Model&, Element& e) {
  e.type = "sphere-in-sphere";
}

}  // namespace

std::vector<MeasureRow> planar_measures() {
  Geometry along = one_frame(first_axis);
  along.point = origins;
  along.at = At::each;
  return {row<Component<0>>(Measure::x, two_origins()),
          row<Component<1>>(Measure::y, two_origins()),
          row<Turn>(Measure::angle, bodies_only()),
          row<Apart>(Measure::distance, two_points()),
          row<Along>(Measure::displacement, along)};
}

std::vector<ElementType> planar_contact_types() {
  const Geometry on_line{.role = {"line", "disc"},
                         .point = {PointRule::required, PointRule::origin},
                         .axis = first_axis,
                         .at = At::first};
  Geometry discs = two_origins(), ring = two_origins();
  discs.role = {"first disc", "second disc"};
  ring.role = {"ring", "disc"};
  const KeySpec radii{.name = "radii",
                      .kind = ValueKind::numbers,
                      .dimensions = {dim::length, dim::length},
                      .doc = "of the first and the second",
                      .range = Range::not_negative};
  using Slide = FrictionElement::Slide;
  return {
      contact("disc-line",
              "A disc of the second body, or a point, stays to the left of a straight line of the "
              "first.",
              on_line,
              number_key("radius", dim::length, "0: a point", "of the disc", Range::not_negative),
              {.flat = true, .slide = Slide::line},
              embed_line,
              {hard_line, make_compliant_limit<FromLine>}),
      contact("disc-disc",
              "Two discs, one on each body, stay outside of each other.",
              discs,
              radii,
              {.slide = Slide::circle},
              embed_discs,
              limit_maker<Apart>),
      contact("disc-in-ring",
              "A disc of the second body, or a point, stays inside a ring of the first.",
              ring,
              radii,
              {.hollow = true, .slide = Slide::circle},
              embed_ring,
              limit_maker<Apart>)};
}

}  // namespace cardan
