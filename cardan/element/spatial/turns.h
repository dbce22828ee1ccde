#pragma once
// Angles of space that count turns. The orientation of a body says nothing about whole turns, so
// the coordinates q of a mechanism carry, behind those of the bodies, one number for every angle
// that must be counted (springs, measures, gears without a common pitch): the angle itself. It is
// only used to choose among theta + 2 pi k, so its error does not matter as long as it is below
// half a turn. It moves at the rate theta' and is set to the exact angle wherever a pose is
// settled; checkpoints, interpolation and resumed runs carry it with the rest of q.
#include <array>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "cardan/element/element_pool.h"
#include "cardan/element/spatial/spatial_rolling.h"

namespace cardan {

class WindingTable {
 public:
  explicit WindingTable(int first) : first_(first) {}  // number of the bodies' coordinates

  // Place of the angle in q; equal angles share one. `near` says which of the angles is meant at
  // the start: the one nearest to it, 0 unless told.
  template <class P> int add(const Pair<P>& pair, std::optional<double> near = {});

  // A place of its own, which starts at the angle of this pose between half a turn backwards and
  // forwards: for constants that are those of the pose.
  template <class P> int add_own(const Pair<P>& pair, CView bodies);

  int count() const { return static_cast<int>(entries_.size()); }

  void start(CView bodies, View out) const;      // the angles at the start
  void settle(View q) const;                     // exact angles, turns as they are counted in q
  void rates(CView q, CView v, View out) const;  // of the angles

 private:
  using Angle = std::variant<Pair<Azimuth>, Pair<PointAzimuth>>;

  struct Entry {
    Angle angle;
    double near = 0;
    bool own = false;
  };

  template <class P> int enter(Pair<P> pair, double near, bool own);
  static double value(const Angle&, CView q);

  int first_;
  std::vector<Entry> entries_;
  std::multimap<std::array<int, 2>, std::size_t>
      between_;  // entries that may be shared, by their bodies
};

// Place of a counted angle; -1 without a table: the angle nearest to zero is meant.
template <class P>
int register_winding(WindingTable* table, const Pair<P>& pair, std::optional<double> near = {}) {
  return table != nullptr ? table->add(pair, near) : -1;
}

template <class P> int count_own_turns(WindingTable* table, const Pair<P>& pair, CView bodies) {
  return table != nullptr ? table->add_own(pair, bodies) : -1;
}

}  // namespace cardan
