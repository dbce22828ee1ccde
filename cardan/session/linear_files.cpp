#include "cardan/session/linear_files.h"

#include <fmt/format.h>

#include "cardan/results/run_folder.h"
#include "cardan/session/matrix_text.h"

namespace cardan {

namespace {

using Names = std::vector<std::string>;

struct LinearMatrix {
  const char* name;
  const NumberMatrix* values;
  Names rows, columns;
};

Names names_of(const std::vector<SignalName>& list, std::size_t from, std::size_t to) {
  Names out;
  for (std::size_t k = from; k < to && k < list.size(); ++k) out.push_back(list[k].name);
  return out;
}

Names names_of(const std::vector<SignalName>& list) {
  return names_of(list, 0, list.size());
}

std::vector<LinearMatrix> linear_matrices(const LinearModel& x) {
  const auto coordinates = static_cast<std::size_t>(x.coordinates),
             rates = static_cast<std::size_t>(x.rates);
  const Names states = names_of(x.states), inputs = names_of(x.inputs),
              outputs = names_of(x.outputs), of_x = names_of(x.states, 0, coordinates),
              of_w = names_of(x.states, coordinates, coordinates + rates);
  std::vector<LinearMatrix> list{{"M", &x.M, of_w, of_w},
                                 {"C_damping", &x.C_damping, of_w, of_w},
                                 {"K", &x.K, of_w, of_x},
                                 {"A", &x.A, states, states},
                                 {"B", &x.B, states, inputs},
                                 {"C", &x.C, outputs, states},
                                 {"D", &x.D, outputs, inputs},
                                 {"D_rate", &x.D_rate, outputs, inputs},
                                 {"D_acceleration", &x.D_acceleration, outputs, inputs}};
  std::erase_if(list, [](const LinearMatrix& m) { return m.values->empty(); });
  return list;
}

std::string matrix_csv(const LinearMatrix& m) {
  std::string text = csv_quoted(m.name);
  for (const auto& name : m.columns) text += ',' + csv_quoted(name);
  text += '\n';
  for (std::size_t r = 0; r < m.values->size(); ++r) {
    text += csv_quoted(m.rows[r]);
    for (const double x : (*m.values)[r]) text += fmt::format(",{:.17g}", x);
    text += '\n';
  }
  return text;
}

std::string eigenvalue_csv(const LinearModel& x) {
  std::string text = "\"re (1/s)\",\"im (1/s)\"\n";
  for (const auto& [re, im] : x.eigenvalues) text += fmt::format("{:.17g},{:.17g}\n", re, im);
  return text;
}

std::string response_csv(const LinearModel& x) {
  std::string text = "\"frequency (Hz)\"";
  for (const auto& output : x.outputs)
    for (const auto& input : x.inputs)
      for (const char* part : {"re", "im"})
        text += ',' + csv_quoted(fmt::format("{} over {}, {}", output.name, input.name, part));
  text += '\n';
  for (const ResponsePoint& point : x.frequency_response) {
    text += fmt::format("{:.17g}", point.frequency);
    for (const auto& row : point.response)
      for (const auto& [re, im] : row) text += fmt::format(",{:.17g},{:.17g}", re, im);
    text += '\n';
  }
  return text;
}

// One line a value; the columns of an eigenvalue belong together.
std::string locus_csv(const RootLocus& x) {
  std::string text = csv_quoted(x.unit.empty() ? x.parameter : x.parameter + " (" + x.unit + ")");
  text += ",\"stability\"";
  const std::size_t n = x.points.empty() ? 0 : x.points.front().eigenvalues.size();
  for (std::size_t k = 1; k <= n; ++k) text += fmt::format(",\"re {0} (1/s)\",\"im {0} (1/s)\"", k);
  text += '\n';
  for (const LocusPoint& point : x.points) {
    text += fmt::format("{:.17g},{}", point.value, csv_quoted(point.stability));
    for (const auto& [re, im] : point.eigenvalues) text += fmt::format(",{:.17g},{:.17g}", re, im);
    text += '\n';
  }
  return text;
}

// One column a value.
std::string locus_matlab(const RootLocus& x) {
  std::string text =
      fmt::format("% Eigenvalues over {}: one column for each value.\n", x.parameter);
  text += "locus_values = [";
  for (std::size_t k = 0; k < x.points.size(); ++k)
    text += (k > 0 ? " " : "") + matlab_number(x.points[k].value);
  text += "];\nlocus_eigenvalues = [";
  const std::size_t n = x.points.empty() ? 0 : x.points.front().eigenvalues.size();
  for (std::size_t e = 0; e < n; ++e) {
    if (e > 0) text += ";\n";
    for (std::size_t k = 0; k < x.points.size(); ++k) {
      const auto& list = x.points[k].eigenvalues;
      text += fmt::format(
          "{}{}",
          k > 0 ? " " : "",
          e < list.size()
              ? fmt::format("complex({}, {})", matlab_number(list[e][0]), matlab_number(list[e][1]))
              : "NaN");
    }
  }
  return text + "];\n";
}

Sink::Fault write_one(const LinearModel& x,
                      const std::filesystem::path& folder,
                      const std::string& name) {
  auto fault = write_file(folder / (name + ".m"), to_matlab(x));
  for (const LinearMatrix& m : linear_matrices(x))
    if (!fault) fault = write_file(folder / fmt::format("{}_{}.csv", name, m.name), matrix_csv(m));
  if (!fault) fault = write_file(folder / (name + "_eigenvalues.csv"), eigenvalue_csv(x));
  if (!fault && !x.frequency_response.empty())
    fault = write_file(folder / (name + "_response.csv"), response_csv(x));
  if (!fault && x.locus) fault = write_file(folder / (name + "_locus.csv"), locus_csv(*x.locus));
  return fault;
}

}  // namespace

std::string to_matlab(const LinearModel& x) {
  std::string text =
      fmt::format("% Small motions about a state ({}), written by Cardan.\n", x.about);
  text += "% x' = A x + B u, y = C x + D u; M w' + C_damping w + K q = 0 with rates w of q.\n";
  text += "states = " + matlab_names(names_of(x.states)) + ";\n";
  text += "inputs = " + matlab_names(names_of(x.inputs)) + ";\n";
  text += "outputs = " + matlab_names(names_of(x.outputs)) + ";\n";
  for (const LinearMatrix& m : linear_matrices(x)) {
    text += fmt::format("{} = [", m.name);
    for (std::size_t r = 0; r < m.values->size(); ++r) {
      if (r > 0) text += ";\n";
      for (std::size_t c = 0; c < (*m.values)[r].size(); ++c)
        text += (c > 0 ? " " : "") + matlab_number((*m.values)[r][c]);
    }
    text += "];\n";
  }
  text += "eigenvalues = [";
  for (std::size_t k = 0; k < x.eigenvalues.size(); ++k)
    text += fmt::format("{}complex({}, {})",
                        k > 0 ? "; " : "",
                        matlab_number(x.eigenvalues[k][0]),
                        matlab_number(x.eigenvalues[k][1]));
  text += "];\n";
  return x.locus ? text + locus_matlab(*x.locus) : text;
}

Sink::Fault write_linear_models(const Summary& summary, const std::filesystem::path& folder) {
  std::vector<const LinearModel*> all;
  for (const Summary& before : summary.earlier)
    if (before.linear) all.push_back(&*before.linear);
  if (summary.linear) all.push_back(&*summary.linear);
  Sink::Fault fault;
  for (std::size_t k = 0; k < all.size() && !fault; ++k)
    fault =
        write_one(*all[k], folder, all.size() == 1 ? "linear" : fmt::format("linear_{}", k + 1));
  return fault;
}

}  // namespace cardan
