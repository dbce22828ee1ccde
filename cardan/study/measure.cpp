#include "cardan/study/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/math/expression.h"
#include "cardan/study/measure_text.h"
#include "cardan/study/row_functions.h"

namespace cardan {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

struct Quantity {
  std::vector<int> columns;
  bool size = false;  // the length of a vector with these components
  std::string unit;
  Dimension dimension;
};

struct Call {
  CourseFunction function;
  Expression formula;  // of t, then the quantities
  double argument = 0;
  long number = 1;
};

struct Taken {
  std::vector<Call> calls;
  Expression outer;
  std::vector<std::string> channels;  // names as they were written
  std::vector<Quantity> quantities;
};

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

int place_of(const std::string& name, const std::vector<Channel>& channels) {
  const auto at = std::find_if(
      channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

// A channel, or the size of a reaction from its components.
std::optional<Quantity> find_quantity(const std::string& name,
                                      const std::vector<Channel>& channels) {
  Quantity out;
  if (const int at = place_of(name, channels); at >= 0) {
    out.columns = {at};
  } else {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return {};
    const std::string joint = name.substr(0, dot + 1) + "first.", last = name.substr(dot + 1);
    std::vector<const char*> parts;
    if (last == "force") parts = {"fx", "fy", "fz"};
    if (last == "torque") parts = {"torque", "tx", "ty", "tz"};
    for (const char* part : parts)
      if (const int column = place_of(joint + part, channels); column >= 0)
        out.columns.push_back(column);
    if (out.columns.empty()) return {};
    out.size = true;
  }
  out.unit = channels[static_cast<std::size_t>(out.columns.front())].unit;
  out.dimension = dimension_of(out.unit);
  return out;
}

Dimension over_time(Dimension d) {
  ++d.power[2];
  return d;
}

Dimension result_dimension(const Call& call) {
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

double number_of(const Call& call, const Course& course) {
  if (course.t.empty()) return not_known;
  switch (call.function) {
    case CourseFunction::max:
      return largest(course).value;
    case CourseFunction::min:
      return smallest(course).value;
    case CourseFunction::time_of_max:
      return largest(course).t;
    case CourseFunction::time_of_min:
      return smallest(course).t;
    case CourseFunction::mean:
      return mean(course);
    case CourseFunction::rms:
      return root_mean_square(course);
    case CourseFunction::integral:
      return integral(course);
    case CourseFunction::initial:
      return course.y.front();
    case CourseFunction::final:
      return course.y.back();
    case CourseFunction::at:
      return value_at(course, call.argument);
    case CourseFunction::crossing:
      return crossing(course, call.argument, call.number);
  }
  return not_known;
}

class TakenReader {
 public:
  TakenReader(const std::string& text, const std::vector<Channel>& channels)
      : text_(text), channels_(channels) {}

  Result<Taken> read(const MeasureText& parts) {
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
    inside_ = scope_of(std::move(variables));
    std::vector<Scope::Variable> around;
    for (std::size_t k = 0; k < parts.calls.size(); ++k) {
      auto call = read_call(parts.calls[k]);
      if (!call) return call.why();
      around.push_back({fmt::format("course_{}", k), result_dimension(call.value())});
      out_.calls.push_back(std::move(call).value());
    }
    auto outer = Expression::parse(parts.outer, scope_of(std::move(around)), {});
    if (!outer) return measure_fault(text_, outer.why().front().found);
    out_.outer = std::move(outer).value();
    return std::move(out_);
  }

 private:
  Result<Call> read_call(const CourseCall& given) {
    auto formula = Expression::parse(given.formula, inside_, {});
    if (!formula) return measure_fault(text_, "a formula; " + formula.why().front().found);
    Call call{given.function, std::move(formula).value()};
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
    std::vector<std::string> names;
    for (const Channel& c : channels_) names.push_back(c.name);
    const std::string near = nearest_name(name, names);
    Diagnostic d;
    d.id = "usage.unknown-channel";
    d.found = fmt::format("--measure '{}': no channel \"{}\"", text_, name);
    d.hint = near.empty() ? "" : fmt::format("did you mean \"{}\"?", near);
    return d;
  }

  const std::string& text_;
  const std::vector<Channel>& channels_;
  Scope inside_;
  Taken out_;
};

// The unit of the channel where the measure has its dimension, otherwise in SI base units.
std::string unit_of(const Taken& taken) {
  for (const Quantity& q : taken.quantities)
    if (q.dimension == taken.outer.dimension()) return q.unit;
  return si_unit(taken.outer.dimension());
}

}  // namespace

struct Measures::Parts {
  std::vector<Info> infos;
  std::vector<Taken> taken;
};

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

// One course for each call of each measure.
struct Measures::Taking::Courses {
  std::vector<std::vector<Course>> of;
  std::vector<std::vector<Quantity>> quantities;  // where they are in this run
  std::vector<double> arguments;
  bool known = true;  // all channels are there
};

Measures::Taking::Taking(const Measures& of) : of_(of), courses_(std::make_unique<Courses>()) {}

Measures::Taking::~Taking() = default;

Sink::Fault Measures::Taking::open(std::span<const Channel> channels) {
  const std::vector<Channel> all(channels.begin(), channels.end());
  *courses_ = {};
  for (const Taken& taken : of_.parts_->taken) {
    courses_->of.emplace_back(taken.calls.size());
    auto& quantities = courses_->quantities.emplace_back();
    for (const std::string& name : taken.channels) {
      auto quantity = find_quantity(name, all);
      courses_->known = courses_->known && quantity.has_value();
      quantities.push_back(quantity ? std::move(*quantity) : Quantity());
    }
  }
  return {};
}

Sink::Fault Measures::Taking::sample(double t, std::span<const double> row) {
  if (!courses_->known) return {};
  for (std::size_t k = 0; k < courses_->of.size(); ++k) {
    auto& arguments = courses_->arguments;
    arguments.assign(1, t);
    for (const Quantity& q : courses_->quantities[k]) {
      double value = row[static_cast<std::size_t>(q.columns.front())];
      if (q.size) value = std::abs(value);
      for (std::size_t c = 1; c < q.columns.size(); ++c)
        value = elementary::hypot(value, row[static_cast<std::size_t>(q.columns[c])]);
      arguments.push_back(value);
    }
    const auto& calls = of_.parts_->taken[k].calls;
    for (std::size_t c = 0; c < calls.size(); ++c) {
      courses_->of[k][c].t.push_back(t);
      courses_->of[k][c].y.push_back(calls[c].formula.value(arguments));
    }
  }
  return {};
}

std::vector<double> Measures::Taking::values() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < of_.parts_->taken.size(); ++k) {
    const Taken& taken = of_.parts_->taken[k];
    std::vector<double> numbers(taken.calls.size(), not_known);
    if (k < courses_->of.size())
      for (std::size_t c = 0; c < numbers.size(); ++c)
        numbers[c] = number_of(taken.calls[c], courses_->of[k][c]);
    out.push_back(taken.outer.value(numbers));
  }
  return out;
}

}  // namespace cardan
