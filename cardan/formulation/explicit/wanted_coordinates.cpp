#include "cardan/formulation/explicit/wanted_coordinates.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double solvable = 1e-8;  // smallest pivot of the dependent part, of its largest

std::string channel_name(const System& system, int k) {
  if (system.own() != nullptr) return system.requests()[static_cast<std::size_t>(k)].name;
  static constexpr const char* plane[] = {"x", "y", "angle"};
  static constexpr const char* space[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
  const int n = system.body_size();
  const auto body = static_cast<std::size_t>(k / n);
  return system.bodies()[body].name + "." + (n == 3 ? plane : space)[k % n];
}

}  // namespace

Result<std::vector<int>> wanted_coordinates(const FormulationSetting& setting) {
  auto found = named_coordinates(setting.system, setting.active, setting.options.independent);
  if (found) return found;
  Diagnostic d = found.why().front();
  d.where = setting.options.where;
  return d;
}

Result<std::vector<int>> named_coordinates(const System& system,
                                           const std::vector<char>& active,
                                           const std::vector<std::string>& names) {
  std::vector<int> wanted;
  Diagnostic d;
  d.id = "model.unknown-option";
  for (const std::string& name : names) {
    int found = -1;
    for (int k = 0; k < system.v_size() && found < 0; ++k)
      if (channel_name(system, k) == name) found = k;
    if (found < 0 || std::find(wanted.begin(), wanted.end(), found) != wanted.end()) {
      d.found = fmt::format(
          "independent = [..., \"{}\", ...], {}", name, found < 0 ? "which is unknown" : "twice");
      d.expected = fmt::format("names such as \"{}\"",
                               channel_name(system, std::max(0, system.v_size() - 1)));
      return d;
    }
    wanted.push_back(found);
  }
  const auto freedoms =
      system.v_size() - static_cast<int>(std::count(active.begin(), active.end(), char{1}));
  if (!wanted.empty() && static_cast<int>(wanted.size()) != freedoms) {
    d.found = fmt::format("{} independent coordinates", wanted.size());
    d.expected = fmt::format("{}, one for each degree of freedom", freedoms);
    return d;
  }
  std::sort(wanted.begin(), wanted.end());
  return wanted;
}

bool wanted_first(const std::vector<int>& wanted, const Eigen::MatrixXd& phi_q) {
  if (wanted.empty() || static_cast<Eigen::Index>(wanted.size()) != phi_q.cols() - phi_q.rows())
    return false;
  Eigen::MatrixXd dependent(phi_q.rows(), phi_q.rows());
  Eigen::Index column = 0;
  for (int k = 0; k < static_cast<int>(phi_q.cols()); ++k)
    if (!std::binary_search(wanted.begin(), wanted.end(), k))
      dependent.col(column++) = phi_q.col(k);
  if (dependent.rows() == 0) return true;
  Eigen::FullPivLU<Eigen::MatrixXd> lu(dependent);
  lu.setThreshold(solvable);
  return lu.isInvertible();
}

}  // namespace cardan
