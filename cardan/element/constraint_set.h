#pragma once
// Joints, drivers and measures of a mechanism, gathered in pools by the kind of their equations. A
// joint is a list of parts: "revolute" is one coincidence, "translational" a distance from the axis
// and an angle.
//
//   ConstraintSet set(2);
//   auto made = set.add_joint("revolute", spec, q);   // parts, or why not
//
// Constants that are not given are taken from the pose q. Types: element_type.h; settings:
// docs/theory/elements.md.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/element/pool.h"
#include "cardan/element/spec.h"

namespace cardan {

struct Part {  // one element of a pool
  int pool = 0, element = 0;
};

using Made = Result<std::vector<Part>, ElementFault>;

class WindingTable;

class ConstraintSet {
 public:
  // In space, angles whose turns must be counted are entered in the table; without one they are
  // those nearest to zero.
  explicit ConstraintSet(int dimension, WindingTable* turns = nullptr)
      : dimension_(dimension), turns_(turns) {}

  int dimension() const { return dimension_; }

  WindingTable* turns() { return turns_; }

  // By the name of a type of this dimension (element_type.h); any other throws.
  Made add_joint(std::string_view type, const ElementSpec&, CView q);
  Made add_driver(std::string_view type, const ElementSpec&);   // phi = f(x) - c(t), one equation
  Made add_measure(std::string_view type, const ElementSpec&);  // phi = f(x), rate phi_q v
  // phi = f(x) - c of a stop (x, y, angle, distance, displacement, ...) or a contact (disc-line,
  // sphere-plane: distance from it; disc-disc, disc-in-ring, sphere-sphere, ...: of the centres;
  // sphere-cylinder, ...: of the centre from the axis), one equation.
  Part add_limit(std::string_view type, const ElementSpec&, double c);

  int pool_count() const { return static_cast<int>(pools_.size()); }

  const ConstraintPool& pool(int k) const { return *pools_[static_cast<std::size_t>(k)]; }

  int adopt(std::unique_ptr<ConstraintPool>);  // a pool made elsewhere; its number

  // For makers: the pool of elements E called `type`, driven or not; made when it is asked for
  // first.
  template <class E>
  Part add(std::string_view type,
           const std::array<EquationLabel, E::rows>& labels,
           E element,
           FunctionPtr drive = {});

 private:
  int dimension_;
  WindingTable* turns_;  // of the system that is being compiled
  std::vector<std::unique_ptr<ConstraintPool>> pools_;
  std::vector<bool> driven_;
};

}  // namespace cardan
