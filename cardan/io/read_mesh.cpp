// A mesh of a closed surface from a file below the model's folder.
#include <fmt/format.h>

#include "cardan/io/mesh_file.h"
#include "cardan/io/model_reader.h"
#include "cardan/math/rotation.h"
#include "cardan/model/solids.h"

namespace cardan {

void ModelReader::read_mesh(TableReader& keys, const Field& f, Shape& shape) {
  const Field scale_field = keys.take("scale"), at = keys.take("at"),
              turn = keys.take("orientation");
  const double scale =
      scale_field ? environment_.number(scale_field, dimension::none, Range::positive).value_or(1)
                  : 1;
  const Vec<3> shift(at ? environment_.point(at).value_or(Triple{}).data() : Triple{}.data());
  const Mat<3, 3> A = matrix_of_quaternion(
      turn ? Quaternion(orientations_.read(turn).value_or(Quad{1, 0, 0, 0}).data())
           : no_rotation());
  const auto name = environment_.text(f);
  if (!name) return;
  const TextFile* file = named_file(f, *name);
  if (file == nullptr) return;
  const bool obj = name->ends_with(".obj") || name->ends_with(".OBJ");
  MeshFile mesh = obj ? parse_obj(file->text) : parse_stl(file->text);
  if (mesh.fault.empty())
    if (const int open = open_edges(mesh.triangles); open > 0)
      mesh.fault = fmt::format("a surface that is not closed: {} edges without a neighbour", open);
  shape.points = std::move(mesh.points);
  shape.triangles = std::move(mesh.triangles);
  for (Triple& p : shape.points) {
    const Vec<3> moved = A * (scale * Vec<3>(p.data())) + shift;
    p = {moved.x(), moved.y(), moved.z()};
  }
  if (mesh.fault.empty() && !(solid_of(shape).volume > 0))
    mesh.fault = "a surface turned inside out";
  if (!mesh.fault.empty())
    faults_.error(
        "model.bad-mesh",
        f.where(),
        fmt::format("\"{}\" with {}", *name, mesh.fault),
        "an STL or OBJ file of a closed surface, its triangles anticlockwise from outside");
}

}  // namespace cardan
