#pragma once
// Forces of a mechanism, gathered in pools by type.
//
//   ForceSet set(2);
//   set.add_gravity(g, masses);
//   auto made = set.add("spring", spec, q);   // the element's place, or why not
//
// A force or torque acts on end 1 and its opposite on end 0. A spring's tension is positive when it
// pulls its ends together. Types, settings and formulas: docs/theory/elements.md.
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cardan/element/pool.h"
#include "cardan/element/spec.h"

namespace cardan {

struct ForcePart {  // one element of a pool
  int pool = 0, element = 0;
};

using MadeForce = Result<ForcePart, ElementFault>;

class WindingTable;
template <class P> struct Pair;

class ForceSet {
 public:
  explicit ForceSet(int dimension, WindingTable* turns = nullptr)  // as of a ConstraintSet
      : dimension_(dimension), turns_(turns) {}

  int dimension() const { return dimension_; }

  // Weight of bodies 0 .. masses.size()-1; one element per body, even a massless one. Returns the
  // pool's number.
  int add_gravity(const Vec<3>& acceleration, CView masses);

  // -omega x J omega of all bodies, in space; J about the mass centre in body axes.
  int add_gyroscopic(std::vector<Mat<3, 3>> inertias);

  // By the name of a type of this dimension (element_type.h); any other throws.
  MadeForce add(std::string_view type, const ElementSpec&, CView q);

  // The force of a compliant stop or contact, see ConstraintSet::add_limit. Limits may be infinite.
  struct Limit {
    double lower, upper, stiffness, damping, onset;
  };

  ForcePart add_limit(std::string_view type, const ElementSpec&, const Limit&);

  int pool_count() const { return static_cast<int>(pools_.size()); }

  const ForcePool& pool(int k) const { return *pools_[static_cast<std::size_t>(k)]; }

  int adopt(std::unique_ptr<ForcePool>);  // a pool made elsewhere; its number

  // For makers: the pool called `type`, made from the further arguments when it is asked for first.
  template <class Pool, class... Arguments>
  ForcePart place(std::string_view type,
                  typename Pool::Element element,
                  const Arguments&... arguments);
  template <class P> ForcePart place_limit(std::string_view pool, const Pair<P>&, const Limit&);

  WindingTable* turns() { return turns_; }

 private:
  int dimension_;
  WindingTable* turns_;
  std::vector<std::unique_ptr<ForcePool>> pools_;
};

}  // namespace cardan
