#pragma once
// Triangles of a surface from the text or bytes of an STL or Wavefront OBJ file; equal corners are
// made one.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/model/model.h"

namespace cardan {

struct MeshFile {
  std::vector<Triple> points;
  std::vector<std::array<int, 3>> triangles;
  std::string fault;  // why it cannot be read; empty: it was
};

MeshFile parse_stl(std::string_view bytes);  // text or binary
MeshFile parse_obj(std::string_view text);   // faces of any number of corners, cut into triangles

}  // namespace cardan
