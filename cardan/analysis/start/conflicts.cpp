#include "cardan/analysis/start/conflicts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/analysis/start/rank.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double differs = 1e-6;        // relative: velocities that do not fit together
constexpr std::size_t most_owners = 8;  // named in a message

std::size_t row_of(int k) {
  return static_cast<std::size_t>(k);
}

// The combination of the set's rows of phi_q that vanishes, applied to nu: how far their velocities are
// from fitting together, relative to their size.
double mismatch(const System& system, const State& state, const std::vector<int>& set) {
  const Equations& equations = system.equations();
  Workspace work = system.workspace();
  system.rotations(state.q, work);
  const Config here = system.config(state.t, state.q, work);
  equations.phi_q(here, work.packed);
  equations.nu(here, work.nu);
  const auto rows = static_cast<Eigen::Index>(set.size());
  Eigen::MatrixXd J(rows, system.v_size());
  std::vector<double> unit(row_of(system.v_size()), 0.0), column(row_of(equations.rows()));
  for (int k = 0; k < system.v_size(); ++k) {
    unit[row_of(k)] = 1;
    equations.multiply(work.packed, unit, column);
    unit[row_of(k)] = 0;
    for (Eigen::Index r = 0; r < rows; ++r) J(r, k) = column[row_of(set[row_of(int(r))])];
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU);
  const Eigen::VectorXd y = svd.matrixU().col(rows - 1);
  double sum = 0, size = 0;
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double part = y[r] * work.nu[row_of(set[row_of(int(r))])];
    sum += part;
    size += std::abs(part);
  }
  return size > 0 ? std::abs(sum) / size : 0;
}

bool is_driver(const System& system, int row) {
  return row < system.joint_rows() &&
         system.constraints()[row_of(system.constraint_of(row))].kind == Kind::driver;
}

std::string joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

struct Parties {
  std::vector<std::string> drivers, others;
  const System::ConstraintInfo* last_driver = nullptr;
};

Parties parties(const System& system, const std::vector<int>& rows) {
  Parties out;
  std::vector<int> drivers, others;
  for (const int r : rows) (is_driver(system, r) ? drivers : others).push_back(r);
  out.drivers = owners_with_lines(system, drivers);
  out.others = owners_with_lines(system, others);
  if (!drivers.empty()) {
    const int last = *std::max_element(drivers.begin(), drivers.end());
    out.last_driver = &system.constraints()[row_of(system.constraint_of(last))];
  }
  if (out.others.size() > most_owners) {
    const std::size_t more = out.others.size() - most_owners;
    out.others.resize(most_owners);
    out.others.push_back(fmt::format("{} more", more));
  }
  return out;
}

void tell(const Parties& p, const char* what, Diagnostic& d) {
  if (p.last_driver != nullptr) {
    d.element = p.last_driver->words();
    d.where = p.last_driver->where;
  }
  if (p.drivers.size() > 1) {
    d.found = fmt::format("{} ask for different {}", joined(p.drivers), what);
    if (!p.others.empty()) d.found += fmt::format("; they are coupled by {}", joined(p.others));
    d.expected = "one driver for each degree of freedom";
    d.hint = "remove one of these drivers, or let them agree";
  } else if (p.drivers.size() == 1) {
    d.found = fmt::format("{} asks for {} that the joints do not allow: {}",
                          p.drivers.front(),
                          what,
                          joined(p.others));
    d.expected = "joints that leave the driver its motion";
    d.hint = "remove the joint that is too much, or the driver";
  } else {
    d.found = fmt::format("{} ask for different {}", joined(p.others), what);
    d.expected = "constraints that agree with each other";
    d.hint = "remove one of these, or correct its value";
  }
}

}  // namespace

std::string with_line(const std::string& words, const SourcePos& where) {
  return where.line > 0 ? fmt::format("{} (line {})", words, where.line) : words;
}

std::vector<std::string> owners_with_lines(const System& system, const std::vector<int>& rows) {
  std::vector<std::string> list;
  const auto add = [&](const std::string& words, const SourcePos& where) {
    const std::string text = with_line(words, where);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  for (const bool drivers : {true, false})
    for (const int r : rows) {
      if (is_driver(system, r) != drivers) continue;
      if (r < system.joint_rows()) {
        const auto& owner = system.constraints()[row_of(system.constraint_of(r))];
        add(owner.words(), owner.where);
        continue;
      }
      for (const auto& c : system.initial_conditions())
        if (c.row == r) add(c.words, c.where);
    }
  return list;
}

Diagnostic velocity_conflict(const System& system, const Mobility& mobility, const State& state) {
  Diagnostic d;
  d.id = "assembly.conflict";
  d.found =
      "velocities that contradict each other: drivers or conditions ask for what the joints do not "
      "allow";
  d.expected = "drivers that agree with the joints";
  std::vector<int> rows;
  for (const auto& r : mobility.redundant)
    if (rows.empty() && mismatch(system, state, r.set) > differs) rows = r.set;
  if (rows.empty()) return d;
  const Parties found = parties(system, rows);
  tell(found, "velocities", d);
  std::vector<std::string> others;
  for (const auto& c : system.constraints())
    if (c.kind == Kind::driver && found.last_driver != nullptr && &c != found.last_driver)
      others.push_back(with_line(c.words(), c.where));
  if (found.drivers.size() == 1 && !others.empty())
    d.hint = fmt::format(
        "{} {} the mechanism already: remove one of the drivers, or the joint that is too much",
        joined(others),
        others.size() == 1 ? "moves" : "move");
  return d;
}

void name_position_conflict(const System& system, const std::vector<int>& rows, Diagnostic& d) {
  tell(parties(system, rows), "positions", d);
}

namespace {

// A value of a condition, whose words end in what it is of.
std::string with_unit(double x, std::string_view words) {
  if (words.ends_with("angle")) return fmt::format("{:.6g} deg", x * 57.29577951308232);
  for (const std::string_view length : {", x", ", y", ", z", "displacement"})
    if (words.ends_with(length)) return fmt::format("{:.6g} m", x);
  return fmt::format("{:.6g} (SI units)", x);
}

}  // namespace

Diagnostic condition_conflict(
    const System& system, double t, CView q, int row, bool rates, bool fits) {
  Diagnostic d;
  d.id = "model.overdetermined-initial";
  d.severity = fits ? Severity::warning : Severity::error;
  std::vector<char> wanted(row_of(system.assembly_equations().rows()), 0);
  for (int r = 0; r < system.joint_rows(); ++r)
    wanted[row_of(r)] = rates || !system.equations().at_velocity_level(r) ? 1 : 0;
  const System::InitialInfo* own = nullptr;
  for (const auto& c : system.initial_conditions()) {
    if (c.row == row) own = &c;
    if (own == nullptr && (rates ? c.has_rate : c.has_value)) wanted[row_of(c.row)] = 1;
  }
  wanted[row_of(row)] = 1;
  const RankAnalysis rank = analyse_rank(system, system.assembly_equations(), t, q, wanted, true);
  std::vector<int> others;
  for (const auto& set : rank.sets)
    if (others.empty() && std::find(set.begin(), set.end(), row) != set.end()) others = set;
  std::erase(others, row);
  if (own != nullptr) {
    d.where = own->where;
    d.element = own->words;
  }
  const char* what = rates ? "velocity" : "position";
  std::vector<int> drivers;
  for (const int r : others)
    if (is_driver(system, r)) drivers.push_back(r);
  std::vector<std::string> names = owners_with_lines(system, drivers.empty() ? others : drivers);
  if (names.size() > most_owners) names.resize(most_owners);
  if (names.empty()) names.emplace_back("the joints");
  const bool one = names.size() == 1 && names.front() != "the joints";
  d.found = fits ? fmt::format("this initial {} follows already from {}", what, joined(names))
                 : fmt::format("{} {} this {} already, and another value",
                               joined(names),
                               one ? "gives" : "give",
                               what);
  d.expected = "no more initial conditions than degrees of freedom";
  d.hint = drivers.empty() && !others.empty() && others.front() >= system.joint_rows()
               ? fmt::format("remove this condition or {}", names.back())
               : "remove this condition: the mechanism has no freedom left for it";
  if (own != nullptr && !fits && !rates) {
    Workspace work = system.workspace();
    system.rotations(q, work);
    std::vector<double> value(row_of(system.assembly_equations().rows()));
    system.assembly_equations().phi(system.config(t, q, work), value);
    d.found += fmt::format(": {} at t = {:g} s, where {} is asked for",
                           with_unit(value[row_of(row)], own->words),
                           t,
                           with_unit(own->value, own->words));
  }
  return d;
}

}  // namespace cardan
