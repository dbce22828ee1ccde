#include "cardan/study/measure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cardan/math/expression.h"
#include "cardan/results/channels_there.h"
#include "cardan/results/run_reader.h"
#include "cardan/study/measure_parts.h"

namespace cardan {

namespace {

Scope scope_of(std::vector<Scope::Variable> variables) {
  Scope scope;
  scope.constant = [](std::string_view) {
    return std::optional<Scope::Constant>();
  };
  scope.curve = [](std::string_view) {
    return FunctionPtr();
  };
  scope.names = [] {
    return std::vector<std::string>();
  };
  scope.variables = std::move(variables);
  return scope;
}

// Of a channel's unit, which may be one that formulas do not have.
Dimension dimension_of(const std::string& unit) {
  const auto one = unit.empty() ? Result<Expression>(Expression(1))
                                : Expression::parse("1 " + unit, scope_of({}), {});
  return one ? one.value().dimension() : dimension::none;
}

}  // namespace

int column_of(const std::string& name, const std::vector<Channel>& channels) {
  const auto at = std::find_if(
      channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

std::optional<MeasuredQuantity> find_quantity(const std::string& name,
                                              const std::vector<Channel>& channels) {
  MeasuredQuantity out;
  if (const int at = column_of(name, channels); at >= 0) {
    out.columns = {at};
  } else {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return {};
    const std::string joint = name.substr(0, dot + 1) + "first.", last = name.substr(dot + 1);
    std::vector<const char*> parts;
    if (last == "force") parts = {"fx", "fy", "fz"};
    if (last == "torque") parts = {"torque", "tx", "ty", "tz"};
    for (const char* part : parts)
      if (const int column = column_of(joint + part, channels); column >= 0)
        out.columns.push_back(column);
    if (out.columns.empty()) return {};
    out.size = true;
  }
  for (const int column : out.columns)
    out.names.push_back(channels[static_cast<std::size_t>(column)].name);
  out.unit = channels[static_cast<std::size_t>(out.columns.front())].unit;
  out.dimension = dimension_of(out.unit);
  return out;
}

namespace {

Dimension over_time(Dimension d) {
  ++d.power[2];
  return d;
}

Dimension result_dimension(const MeasureCall& call) {
  const Dimension of = call.formula.dimension();
  switch (call.function) {
    case CourseFunction::time_of_max:
    case CourseFunction::time_of_min:
    case CourseFunction::crossing:
      return dimension::time;
    case CourseFunction::integral:
      return over_time(of);
    default:
      return of;
  }
}

class TakenReader {
 public:
  TakenReader(const std::string& text, const std::vector<Channel>& channels)
      : text_(text), channels_(channels) {}

  Result<MeasureParts> read(const MeasureText& parts) {
    std::vector<Scope::Variable> variables{{"t", dimension::time}};
    Diagnostics faults;
    for (std::size_t k = 0; k < parts.channels.size(); ++k) {
      auto quantity = find_quantity(parts.channels[k], channels_);
      if (!quantity) {
        faults.push_back(unknown(parts.channels[k]));
        continue;
      }
      variables.push_back({fmt::format("channel_{}", k), quantity->dimension});
      out_.quantities.push_back(std::move(*quantity));
    }
    if (!faults.empty()) return faults;
    out_.channels = parts.channels;
    // Channels without a dot, such as requests, stand as they are.
    for (const CourseCall& call : parts.calls)
      for (const std::string& name : names_in(call.formula)) {
        const bool there = std::any_of(
            variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
        if (there || name == "e") continue;
        auto quantity = find_quantity(name, channels_);
        if (!quantity) return unknown(name);
        variables.push_back({name, quantity->dimension});
        out_.quantities.push_back(std::move(*quantity));
        out_.channels.push_back(name);
      }
    inside_ = scope_of(std::move(variables));
    std::vector<Scope::Variable> around;
    for (std::size_t k = 0; k < parts.calls.size(); ++k) {
      auto call = read_call(parts.calls[k], parts);
      if (!call) return call.why();
      around.push_back({fmt::format("course_{}", k), result_dimension(call.value())});
      out_.calls.push_back(std::move(call).value());
    }
    auto outer = Expression::parse(parts.outer, scope_of(std::move(around)), {});
    if (!outer) return measure_fault(text_, as_written(outer.why().front().found, parts));
    out_.outer = std::move(outer).value();
    return std::move(out_);
  }

 private:
  Result<MeasureCall> read_call(const CourseCall& given, const MeasureText& parts) {
    auto formula = Expression::parse(given.formula, inside_, {});
    if (!formula)
      return measure_fault(text_, "a formula; " + as_written(formula.why().front().found, parts));
    MeasureCall call{given.function, std::move(formula).value()};
    if (!given.arguments.empty()) {
      const bool is_time = given.function == CourseFunction::at;
      const auto argument =
          number(given.arguments[0], is_time ? dimension::time : call.formula.dimension());
      if (!argument) return argument.why();
      call.argument = argument.value();
    }
    if (given.arguments.size() > 1) {
      const auto count = number(given.arguments[1], dimension::none);
      if (!count) return count.why();
      if (!(count.value() >= 1 && count.value() <= 1e9) ||
          count.value() != std::floor(count.value()))
        return measure_fault(text_, "the number of the crossing: 1, 2, ...");
      call.number = static_cast<long>(count.value());
    }
    return call;
  }

  Result<double> number(const std::string& said, Dimension wanted) const {
    const auto parsed = Expression::parse(said, scope_of({}), {});
    if (!parsed || !parsed.value().constant())
      return measure_fault(text_, fmt::format("'{}' to be a number", said));
    if (!parsed.value().plain() && parsed.value().dimension() != wanted)
      return measure_fault(text_, fmt::format("'{}' to be {}", said, to_text(wanted)));
    return parsed.value().value({});
  }

  Diagnostic unknown(const std::string& name) const {
    const std::string near = nearest_channel(channels_, name);
    Diagnostic d;
    d.id = "usage.unknown-channel";
    d.found = fmt::format("--measure '{}': no channel \"{}\"", text_, name);
    d.hint = near.empty() || near.ends_with('*') ? channels_there(channels_, name)
                                                 : fmt::format("did you mean \"{}\"?", near);
    return d;
  }

  const std::string& text_;
  const std::vector<Channel>& channels_;
  Scope inside_;
  MeasureParts out_;
};

// The unit of the channel where the measure has its dimension, otherwise in SI base units.
std::string unit_of(const MeasureParts& taken) {
  for (const MeasuredQuantity& q : taken.quantities)
    if (q.dimension == taken.outer.dimension()) return q.unit;
  return si_unit(taken.outer.dimension());
}

}  // namespace

Measures::Measures(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Measures::Measures(Measures&&) noexcept = default;
Measures& Measures::operator=(Measures&&) noexcept = default;
Measures::~Measures() = default;

const std::vector<Measures::Info>& Measures::list() const {
  return parts_->infos;
}

Result<Measures> Measures::read(const std::vector<std::string>& texts,
                                const std::vector<Channel>& channels) {
  Diagnostics faults;
  auto parts = std::make_unique<Parts>();
  for (const std::string& text : texts) {
    const auto apart = take_apart(text);
    if (!apart) {
      faults.push_back(apart.why().front());
      continue;
    }
    const std::string& name = apart.value().name;
    if (std::any_of(parts->infos.begin(), parts->infos.end(), [&](const Info& i) {
          return i.name == name;
        }))
      faults.push_back(measure_fault(text, "another name: there is a measure of this one"));
    auto taken = TakenReader(text, channels).read(apart.value());
    if (!taken) {
      faults.insert(faults.end(), taken.why().begin(), taken.why().end());
      continue;
    }
    parts->infos.push_back({name, text, unit_of(taken.value())});
    parts->taken.push_back(std::move(taken).value());
  }
  if (!faults.empty()) return faults;
  return Measures(std::move(parts));
}

std::vector<std::string> Measures::channels() const {
  std::vector<std::string> out;
  for (const MeasureParts& taken : parts_->taken)
    for (const MeasuredQuantity& q : taken.quantities)
      for (const std::string& name : q.names)
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

bool Measures::of_ends() const {
  return std::all_of(parts_->taken.begin(), parts_->taken.end(), [](const MeasureParts& taken) {
    return std::all_of(taken.calls.begin(), taken.calls.end(), [](const MeasureCall& call) {
      return call.function == CourseFunction::initial || call.function == CourseFunction::final;
    });
  });
}

}  // namespace cardan
