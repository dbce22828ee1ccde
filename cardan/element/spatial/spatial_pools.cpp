#include "cardan/element/spatial/spatial_maker.h"

namespace cardan {

template class ElementPool<Pair<Dot1<3>>>;
template class ElementPool<Pair<Dot2<3>>>;
template class ElementPool<Pair<Parallel1>>;
template class ElementPool<Pair<Parallel2>>;
template class ElementPool<Pair<Azimuth>>;
template class ElementPool<Pair<Inclination>>;
template class ElementPool<Pair<Coordinate<3, 0>>>;
template class ElementPool<Pair<Coordinate<3, 1>>>;
template class ElementPool<Pair<Coordinate<3, 2>>>;

}  // namespace cardan
