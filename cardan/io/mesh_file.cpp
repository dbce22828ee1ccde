// STL: "facet normal ... vertex x y z" three times a facet, or 80 bytes, a count, and 50 bytes a
// facet. OBJ: "v x y z" and "f a b c ...", corners as a, a/b, a//c or a/b/c, negative from the end.
#include "cardan/io/mesh_file.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr std::size_t most_triangles = 2'000'000;

class Corners {  // equal points once
 public:
  explicit Corners(MeshFile& mesh) : mesh_(mesh) {}

  int add(const Triple& p) {
    const auto [found, fresh] = index_.emplace(p, static_cast<int>(mesh_.points.size()));
    if (fresh) mesh_.points.push_back(p);
    return found->second;
  }

 private:
  MeshFile& mesh_;
  std::map<Triple, int> index_;
};

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t from = text.find_first_not_of(blank);
  if (from == std::string_view::npos) return text = {};
  const std::size_t to = text.find_first_of(blank, from);
  const std::string_view word = text.substr(from, to - from);
  text = to == std::string_view::npos ? std::string_view() : text.substr(to);
  return word;
}

bool read_number(std::string_view word, double& out) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(out);
}

bool read_point(std::string_view& text, Triple& p) {
  for (double& x : p)
    if (!read_number(next_word(text), x)) return false;
  return true;
}

void add_triangle(MeshFile& mesh, const std::array<int, 3>& t) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return;  // of no area
  mesh.triangles.push_back(t);
}

MeshFile parse_text_stl(std::string_view text) {
  MeshFile mesh;
  Corners corners(mesh);
  std::array<int, 3> triangle{};
  std::size_t count = 0;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    if (word != "vertex") continue;
    Triple p;
    if (!read_point(text, p)) {
      mesh.fault = "a vertex that is not three numbers";
      return mesh;
    }
    triangle[count++ % 3] = corners.add(p);
    if (count % 3 == 0) add_triangle(mesh, triangle);
    if (mesh.triangles.size() > most_triangles) {
      mesh.fault = "more than two million triangles";
      return mesh;
    }
  }
  if (count % 3 != 0) mesh.fault = "a triangle without three corners";
  return mesh;
}

MeshFile parse_binary_stl(std::string_view bytes, std::size_t count) {
  MeshFile mesh;
  Corners corners(mesh);
  for (std::size_t k = 0; k < count; ++k) {
    std::array<int, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + 84 + 50 * k + 12 * (corner + 1), sizeof xyz);
      for (const float x : xyz)
        if (!std::isfinite(x)) {
          mesh.fault = fmt::format("a corner of triangle {} that is not finite", k + 1);
          return mesh;
        }
      triangle[corner] = corners.add({xyz[0], xyz[1], xyz[2]});
    }
    add_triangle(mesh, triangle);
  }
  return mesh;
}

}  // namespace

MeshFile parse_stl(std::string_view bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const bool binary = bytes.size() >= 84 && bytes.size() == 84 + std::size_t{50} * count;
  if (binary && count > most_triangles) return {{}, {}, "more than two million triangles"};
  MeshFile mesh = binary ? parse_binary_stl(bytes, count) : parse_text_stl(bytes);
  if (mesh.fault.empty() && mesh.triangles.empty()) mesh.fault = "no triangles";
  return mesh;
}

MeshFile parse_obj(std::string_view text) {
  MeshFile mesh;
  Corners corners(mesh);
  std::vector<int> number;  // of a vertex of the file
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::string_view word = next_word(line);
    if (word == "v") {
      Triple p;
      if (!read_point(line, p)) return {{}, {}, "a vertex that is not three numbers"};
      number.push_back(corners.add(p));
    } else if (word == "f") {
      std::vector<int> face;
      for (std::string_view c = next_word(line); !c.empty(); c = next_word(line)) {
        double index = 0;
        if (!read_number(c.substr(0, c.find('/')), index))
          return {{}, {}, "a face with a corner that is no number"};
        const double k = index < 0 ? static_cast<double>(number.size()) + index : index - 1;
        if (!(k >= 0 && k < static_cast<double>(number.size())))
          return {{}, {}, fmt::format("a face with corner {}, which there is not", index)};
        face.push_back(number[static_cast<std::size_t>(k)]);
      }
      for (std::size_t k = 2; k < face.size(); ++k)
        add_triangle(mesh, {face[0], face[k - 1], face[k]});
      if (mesh.triangles.size() > most_triangles)
        return {{}, {}, "more than two million triangles"};
    }
  }
  if (mesh.triangles.empty()) mesh.fault = "no triangles";
  return mesh;
}

}  // namespace cardan
