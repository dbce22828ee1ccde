#pragma once
// Where the coordinates of each body stand in q and v. Asked, never computed from the body's
// number, so that bodies may have different numbers of them.
//
//   planar body    q: x, y, phi                      v: their rates
//   spatial body   q: r, unit quaternion (w first)   v: r', omega in body axes
//   equations of one's own: one block of all coordinates and their rates
#include <cstddef>
#include <vector>

#include "cardan/math/types.h"

namespace cardan {

class Layout {
 public:
  enum class Rotation { angle, quaternion };

  struct Place {  // of one coordinate
    int body = 0, local = 0;
  };

  void add_planar() { add({q_size_, v_size_, 2, Rotation::angle}, 3, 3); }

  void add_spatial() { add({q_size_, v_size_, 3, Rotation::quaternion}, 7, 6); }

  void add_coordinates(int n) { add({q_size_, v_size_, n, Rotation::angle}, n, n); }

  int bodies() const { return static_cast<int>(blocks_.size()); }

  int q_size() const { return q_size_; }  // of all bodies

  int v_size() const { return v_size_; }

  // First coordinate of a body, and of its rotation.
  int q(int body) const { return block(body).q; }

  int v(int body) const { return block(body).v; }

  int q_rotation(int body) const { return block(body).q + block(body).lengths; }

  int v_rotation(int body) const { return block(body).v + block(body).lengths; }

  // The first three numbers of a rotation in space: omega of v, a rotation vector of an increment.
  Eigen::Map<const Vec<3>> rotation(CView v, int body) const {
    return Eigen::Map<const Vec<3>>(v.data() + v_rotation(body));
  }

  Eigen::Map<Vec<3>> rotation(View v, int body) const {
    return Eigen::Map<Vec<3>>(v.data() + v_rotation(body));
  }

  Place place_of_q(int k) const { return position_places_[static_cast<std::size_t>(k)]; }

  Place place_of_v(int k) const { return velocity_places_[static_cast<std::size_t>(k)]; }

  bool turns(int k) const {  // velocity coordinate k is one of a rotation
    const Place place = place_of_v(k);
    return place.local >= block(place.body).lengths;
  }

  // The position coordinates that velocity coordinate k moves: one, or all of a quaternion.
  struct Positions {
    int first = 0, count = 1;
  };

  Positions moved_by(int k) const {
    const Place place = place_of_v(k);
    const Block& b = block(place.body);
    if (b.rotation == Rotation::quaternion && place.local >= b.lengths) return {b.q + b.lengths, 4};
    return {b.q + place.local, 1};
  }

 private:
  struct Block {
    int q, v, lengths;  // first coordinates; how many before the rotation
    Rotation rotation;
  };

  const Block& block(int body) const { return blocks_[static_cast<std::size_t>(body)]; }

  void add(const Block& b, int q, int v) {
    const int body = bodies();
    blocks_.push_back(b);
    for (int k = 0; k < q; ++k) position_places_.push_back({body, k});
    for (int k = 0; k < v; ++k) velocity_places_.push_back({body, k});
    q_size_ += q;
    v_size_ += v;
  }

  std::vector<Block> blocks_;
  std::vector<Place> position_places_, velocity_places_;
  int q_size_ = 0, v_size_ = 0;
};

}  // namespace cardan
