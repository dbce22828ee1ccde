#include "cardan/model/model.h"

#include <algorithm>

namespace cardan {

std::string_view kind_name(Kind kind) {
  static constexpr std::array<std::string_view, 7> names{
      "joint", "driver", "force", "request", "initial", "stop", "contact"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Element::words() const {
  const std::string word =
      kind == Kind::initial ? "initial condition" : std::string(kind_name(kind));
  return word + (name.empty() ? " of type " + type : " '" + name + "'");
}

int Model::find_body(std::string_view name) const {
  if (name == "ground") return ground;
  const auto found =
      std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
  return found == bodies.end() ? -2 : static_cast<int>(found - bodies.begin());
}

}  // namespace cardan
