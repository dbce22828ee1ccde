#pragma once
// Area, centroid and radius of gyration of plane shapes: mass properties of plates of even
// thickness.
#include <vector>

#include "cardan/model/model.h"

namespace cardan {

struct Plate {
  double area = 0;
  Triple centroid{};
  double radius_squared = 0;  // of gyration about the centroid: inertia = mass * radius_squared
};

Plate plate_of(const std::vector<Shape>&);  // all solid ones together; hatches and bars without
                                            // width do not count
Plate bar_plate(
    double length,
    double width);  // from the origin along x; a width of 0 leaves a thin bar without area

}  // namespace cardan
