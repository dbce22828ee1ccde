#include "cardan/io/export_vtk.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/math/elementary.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;
using Point = std::array<double, 3>;

struct BodyLines {
  std::vector<int> pose;  // columns; -1: not stored
  std::vector<double> start;
  std::vector<Point> points;  // in the body's frame
};

int column_of(const Segment& segment, const std::string& name) {
  for (std::size_t k = 0; k < segment.channels.size(); ++k)
    if (segment.channels[k].name == name) return static_cast<int>(k);
  return -1;
}

std::vector<Point> attached(const Json& scene, const std::string& body) {
  std::vector<Point> points;
  for (const char* list : {"joints", "springs", "forces"})
    for (const Json& link : scene.value(list, Json::array()))
      for (const Json& side : link.value("sides", Json::array()))
        if (side.value("body", "") == body) points.push_back(side["point"].get<Point>());
  return points;
}

std::vector<BodyLines> bodies_of(const Json& scene, const Segment& segment) {
  std::vector<BodyLines> out;
  for (const Json& body : scene.value("bodies", Json::array())) {
    BodyLines lines;
    for (const Json& channel : body["pose"])
      lines.pose.push_back(column_of(segment, channel.get<std::string>()));
    lines.start = body["start"].get<std::vector<double>>();
    lines.points = attached(scene, body.value("name", ""));
    for (const Json& shape : body.value("shapes", Json::array()))
      for (const Json& p : shape.value("points", Json::array()))
        lines.points.push_back(p.get<Point>());
    if (lines.points.size() < 2) lines.points.push_back(body["centre"].get<Point>());
    out.push_back(std::move(lines));
  }
  return out;
}

Point placed(const BodyLines& body, const Point& p, std::span<const double> row) {
  const auto value = [&](std::size_t k) {
    return body.pose[k] < 0 ? body.start[k] : row[static_cast<std::size_t>(body.pose[k])];
  };
  if (body.pose.size() == 3) {
    const double c = elementary::cos(value(2)), s = elementary::sin(value(2));
    return {value(0) + c * p[0] - s * p[1], value(1) + s * p[0] + c * p[1], p[2]};
  }
  const double w = value(3), x = value(4), y = value(5), z = value(6);
  const Point t{2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])};
  return {value(0) + p[0] + w * t[0] + y * t[2] - z * t[1],
          value(1) + p[1] + w * t[1] + z * t[0] - x * t[2],
          value(2) + p[2] + w * t[2] + x * t[1] - y * t[0]};
}

std::string frame_text(const std::vector<BodyLines>& bodies, std::span<const double> row) {
  std::string points, connectivity, offsets, numbers;
  std::size_t count = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (const Point& p : bodies[b].points) {
      const Point at = placed(bodies[b], p, row);
      points += fmt::format("{} {} {}\n", at[0], at[1], at[2]);
      connectivity += fmt::format("{} ", count++);
    }
    offsets += fmt::format("{} ", count);
    numbers += fmt::format("{} ", b);
  }
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<PolyData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"0\">\n"
      "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
      "format=\"ascii\">\n{}</DataArray></Points>\n"
      "<Lines><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{}</DataArray>\n"
      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{}</DataArray></Lines>\n"
      "<CellData Scalars=\"body\"><DataArray type=\"Int64\" Name=\"body\" "
      "format=\"ascii\">{}</DataArray></CellData>\n"
      "</Piece>\n</PolyData>\n</VTKFile>\n",
      count,
      bodies.size(),
      points,
      connectivity,
      offsets,
      numbers);
}

}  // namespace

Sink::Fault export_vtk(const RunReader& run,
                       int segment,
                       const std::filesystem::path& folder,
                       std::size_t frames) {
  const auto manifest = run.manifest();
  if (!manifest) return manifest.why().front();
  if (!manifest.value().contains("scene"))
    return not_a_run(run.path(), "the run stored nothing to draw");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return write_fault(folder, error.message());
  if (!std::filesystem::is_empty(folder, error)) return already_there(folder);
  const Segment& s = run.segments()[static_cast<std::size_t>(segment)];
  const auto bodies = bodies_of(manifest.value()["scene"], s);
  const auto rows = static_cast<std::size_t>(s.rows);
  const std::size_t wanted = frames == 0 ? rows : std::min(frames, rows);
  std::string index;
  std::size_t row = 0, made = 0;
  Sink::Fault fault;
  const auto reading = run.each_row(segment, [&](double t, std::span<const double> values) {
    const std::size_t next = wanted < 2 ? 0 : made * (rows - 1) / (wanted - 1);
    if (row++ != next || made == wanted) return true;
    const std::string name = fmt::format("frame{:06}.vtp", made++);
    fault = write_file(folder / name, frame_text(bodies, values));
    index += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", t, name);
    return !fault;
  });
  if (reading) return reading;
  if (fault) return fault;
  return write_file(
      folder / "run.pvd",
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n" +
          index + "</Collection>\n</VTKFile>\n");
}

}  // namespace cardan
