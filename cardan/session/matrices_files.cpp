#include "cardan/session/matrices_files.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "cardan/session/matrix_text.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_columns_shown = 18;

}  // namespace

bool is_small(const MechanismMatrices& x) {
  return x.coordinates.size() <= most_columns_shown && x.equations.size() <= 2 * most_columns_shown;
}

Json to_json(const MechanismMatrices& x) {
  Json json{{"t", x.t},
            {"coordinates", x.coordinates},
            {"positions", x.positions},
            {"equations", x.equations},
            {"active", Json::array()},
            {"rank", x.rank},
            {"condition", x.condition},
            {"independent_coordinates", x.independent}};
  for (const char c : x.active) json["active"].push_back(c != 0);
  for (const NamedMatrix& m : x.list) {
    Json rows = Json::array();
    const bool vector = m.columns == &x.one;
    for (Eigen::Index r = 0; r < m.values.rows(); ++r) {
      Json row = Json::array();
      for (Eigen::Index c = 0; c < m.values.cols(); ++c) row.push_back(m.values(r, c));
      rows.push_back(vector ? row[0] : std::move(row));
    }
    json[m.name] = std::move(rows);
  }
  return json;
}

std::string to_matlab(const MechanismMatrices& x) {
  std::string text =
      fmt::format("% Matrices of a mechanism at t = {} s, written by Cardan.\n", x.t);
  text += fmt::format("t = {};\n", matlab_number(x.t));
  text += "coordinates = " + matlab_names(x.coordinates) + ";\n";
  text += "equations = " + matlab_names(x.equations) + ";\n";
  for (const NamedMatrix& m : x.list) {
    text += fmt::format("% {}\n{} = [", m.meaning, m.name);
    for (Eigen::Index r = 0; r < m.values.rows(); ++r) {
      if (r > 0) text += ";\n";
      for (Eigen::Index c = 0; c < m.values.cols(); ++c)
        text += (c > 0 ? " " : "") + matlab_number(m.values(r, c));
    }
    text += "];\n";
  }
  return text;
}

std::string to_csv(const NamedMatrix& m) {
  std::string text = csv_quoted(m.name);
  for (const auto& name : *m.columns) text += ',' + csv_quoted(name);
  text += '\n';
  for (Eigen::Index r = 0; r < m.values.rows(); ++r) {
    text += csv_quoted((*m.rows)[static_cast<std::size_t>(r)]);
    for (Eigen::Index c = 0; c < m.values.cols(); ++c)
      text += fmt::format(",{:.17g}", m.values(r, c));
    text += '\n';
  }
  return text;
}

std::string to_table(const NamedMatrix& m) {
  std::size_t width = 0;
  for (const auto& name : *m.rows) width = std::max(width, name.size());
  std::string text = fmt::format("{}: {}\n", m.name, m.meaning);
  if (m.columns->size() > 1) {
    for (std::size_t c = 0; c < m.columns->size(); ++c)
      text += fmt::format("  [{}] {}\n", c + 1, (*m.columns)[c]);
    text += fmt::format("  {:<{}}", "", width);
    for (std::size_t c = 0; c < m.columns->size(); ++c)
      text += fmt::format(" {:>11}", fmt::format("[{}]", c + 1));
    text += '\n';
  }
  const double largest = m.values.size() > 0 ? m.values.cwiseAbs().maxCoeff() : 0;
  for (Eigen::Index r = 0; r < m.values.rows(); ++r) {
    text += fmt::format("  {:<{}}", (*m.rows)[static_cast<std::size_t>(r)], width);
    for (Eigen::Index c = 0; c < m.values.cols(); ++c) {
      const double x = m.values(r, c);  // round-off is shown as nothing
      text += std::abs(x) <= 1e-15 * largest ? fmt::format(" {:>11}", x == 0 ? "." : "0")
                                             : fmt::format(" {:>11.5g}", x);
    }
    text += '\n';
  }
  return text;
}

Sink::Fault write_matrices(const MechanismMatrices& x, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return write_fault(folder, error.message());
  auto fault = write_file(folder / "matrices.json", to_json(x).dump(1) + "\n");
  if (!fault) fault = write_file(folder / "matrices.m", to_matlab(x));
  for (const NamedMatrix& m : x.list)
    if (!fault) fault = write_file(folder / (m.name + ".csv"), to_csv(m));
  return fault;
}

}  // namespace cardan
