#include "cardan/analysis/record/result_formulas.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cardan/results/channels_there.h"
#include "cardan/results/run_reader.h"
#include "cardan/system/system.h"

namespace cardan {

namespace {

// Dimension of a channel's unit; words that are no unit count as plain numbers.
Dimension dimension_of(const std::string& unit) {
  if (unit.empty()) return dimension::none;
  const auto one = Expression::parse("1 " + unit, {}, {});
  return one ? one.value().dimension() : dimension::none;
}

// "the unknown name 'hook.fx' in ...": the channel that may be meant. Names with blanks stand between backquotes.
std::string hint_of_name(const std::string& found, const std::vector<Channel>& channels) {
  const std::size_t from = found.find('\'') + 1, to = found.find('\'', from);
  if (from == 0 || to == std::string::npos) return {};
  const std::string asked = found.substr(from, to - from);
  const std::string near = nearest_channel(channels, asked);
  if (near.empty() || near.ends_with('*')) return channels_there(channels, asked);
  const char* quote = near.find_first_of(" -+/") == std::string::npos ? "" : "`";
  return fmt::format("did you mean {0}{1}{0}?", quote, near);
}

bool is_force(const Channel& c) {
  static constexpr std::string_view forces[] = {"reaction",
                                                "reaction size",
                                                "drive",
                                                "drive power",
                                                "force",
                                                "friction",
                                                "contact",
                                                "energy",
                                                "state"};
  return std::find(std::begin(forces), std::end(forces), c.quantity) != std::end(forces);
}

}  // namespace

std::optional<Diagnostic> ResultFormulas::prepare(const System& system,
                                                  std::vector<Channel>& channels) {
  if (system.results().empty()) return {};
  Scope scope;
  scope.variables.push_back({"t", dimension::time});
  for (const Channel& c : channels) scope.variables.push_back({c.name, dimension_of(c.unit)});
  scope.names = [] {
    return std::vector<std::string>();
  };
  std::set<std::size_t> forces;  // of channels that are formulas themselves
  for (const ResultFormula& result : system.results()) {
    scope.constant = [&](std::string_view name) -> std::optional<Scope::Constant> {
      for (const auto& c : result.constants)
        if (c.name == name) return c.value;
      return std::nullopt;
    };
    scope.curve = [&](std::string_view name) -> FunctionPtr {
      for (const auto& [own, curve] : result.curves)
        if (own == name) return curve;
      return nullptr;
    };
    const System::RequestInfo& request =
        system.requests()[static_cast<std::size_t>(result.request)];
    auto parsed = Expression::parse(result.text, scope, result.where);
    if (!parsed) {
      Diagnostic d = parsed.why().front();
      d.element = fmt::format("request '{}'", request.name);
      if (d.id == "model.unknown-name") {
        d.expected =
            "a channel of the run (`cardan check MODEL --channels` lists them), a request or "
            "a parameter";
        if (d.hint.empty() || d.hint.starts_with("known here"))
          if (const std::string near = hint_of_name(d.found, channels); !near.empty())
            d.hint = near;
      }
      return d;
    }
    Entry entry;
    const auto own = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) {
      return c.name == request.name && c.quantity == "request";
    });
    if (own == channels.end()) continue;
    entry.channel = static_cast<std::size_t>(own - channels.begin());
    entry.formula = std::move(parsed).value();
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (entry.formula.uses(static_cast<int>(k + 1)) &&
          (is_force(channels[k]) || forces.contains(k)))
        entry.forces = true;
    if (entry.forces) forces.insert(entry.channel);
    if (!result.unit_given && !entry.formula.plain())
      own->unit = si_unit(entry.formula.dimension());
    scope.variables[entry.channel + 1].dimension = entry.formula.dimension();
    entries_.push_back(std::move(entry));
  }
  arguments_.resize(channels.size() + 1);
  return {};
}

void ResultFormulas::put(double t, View row) {
  if (entries_.empty()) return;
  arguments_[0] = t;
  std::copy(row.begin(), row.end(), arguments_.begin() + 1);
  for (const Entry& entry : entries_) {
    row[entry.channel] = entry.formula.value(arguments_);
    arguments_[entry.channel + 1] = row[entry.channel];
  }
}

bool ResultFormulas::reads_forces(int channel) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.forces && e.channel == static_cast<std::size_t>(channel);
  });
}

}  // namespace cardan
