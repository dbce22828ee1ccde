#pragma once
// What Archive::io() alone cannot judge. It loads a list only where the stored one is as long as the
// list is now, so a list is given its size before it is loaded. Here are lists that may also be
// empty, and integers that count or index something: each with the bound that the model gives.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cardan/ode/archive.h"

namespace cardan {

// A list of `size` elements, or none.
template <class List> void io_or_none(Archive& archive, List& list, std::size_t size) {
  auto stored = static_cast<std::uint64_t>(list.size());
  archive.io(stored);
  if (archive.loading()) {
    if (!archive.good() || (stored != 0 && stored != size)) return archive.fail();
    list.resize(stored == 0 ? 0 : size);
  }
  archive.io(list);
}

// An integer from `least` to `most`.
template <class Integer>
void io_within(Archive& archive, Integer& x, Integer least, std::type_identity_t<Integer> most) {
  Integer stored = x;
  archive.io(stored);
  if (!archive.loading()) return;
  if (!archive.good() || stored < least || stored > most) return archive.fail();
  x = stored;
}

// Every element of a list that was loaded.
inline void require_within(Archive& archive, const std::vector<int>& list, int least, int most) {
  for (const int x : list)
    if (archive.loading() && (x < least || x > most)) archive.fail();
}

}  // namespace cardan
