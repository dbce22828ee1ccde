// Rows of a run become the numbers of its measures, and their derivatives.
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/study/measure_parts.h"
#include "cardan/study/row_functions.h"

namespace cardan {

namespace {

constexpr double no_measure = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// One course for each call of each measure.
struct Measures::Taking::Courses {
  struct Place {  // of a quantity in this run
    MeasuredQuantity quantity;
    std::vector<int> slopes;  // columns of the derivatives, parameter by parameter; -1: none
  };

  std::vector<std::vector<Course>> of;
  std::vector<std::vector<std::vector<std::vector<double>>>> slopes;  // of each, by parameter
  std::vector<std::vector<Place>> places;
  std::vector<double> arguments, gradient;
  bool known = true;  // all channels are there
};

namespace {

template <class Y> Y number_of(const MeasureCall& call, const CourseOf<Y>& course) {
  if (course.t.empty()) return no_measure;
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
  return no_measure;
}

double quantity_at(const MeasuredQuantity& q, std::span<const double> row) {
  double value = row[static_cast<std::size_t>(q.columns.front())];
  if (q.size) value = std::abs(value);
  for (std::size_t c = 1; c < q.columns.size(); ++c)
    value = elementary::hypot(value, row[static_cast<std::size_t>(q.columns[c])]);
  return value;
}

// Of the size s of a vector f: f . f_p / s.
double slope_at(const MeasuredQuantity& q,
                std::span<const int> columns,
                double value,
                std::span<const double> row) {
  double sum = 0;
  for (std::size_t c = 0; c < q.columns.size(); ++c) {
    if (columns[c] < 0) return no_measure;
    const double slope = row[static_cast<std::size_t>(columns[c])];
    if (!q.size) return slope;
    sum += row[static_cast<std::size_t>(q.columns[c])] * slope;
  }
  return value > 0 ? sum / value : 0;
}

}  // namespace

Measures::Taking::Taking(const Measures& of, std::vector<std::string> parameters)
    : of_(of), parameters_(std::move(parameters)), courses_(std::make_unique<Courses>()) {}

Measures::Taking::~Taking() = default;

Sink::Fault Measures::Taking::open(std::span<const Channel> channels) {
  const std::vector<Channel> all(channels.begin(), channels.end());
  *courses_ = {};
  for (const MeasureParts& taken : of_.parts_->taken) {
    courses_->of.emplace_back(taken.calls.size());
    courses_->slopes.emplace_back(taken.calls.size(),
                                  std::vector<std::vector<double>>(parameters_.size()));
    auto& places = courses_->places.emplace_back();
    for (const std::string& name : taken.channels) {
      auto quantity = find_quantity(name, all);
      courses_->known = courses_->known && quantity.has_value();
      Courses::Place& place = places.emplace_back();
      if (!quantity) continue;
      place.quantity = std::move(*quantity);
      for (const std::string& parameter : parameters_)
        for (const std::string& channel : place.quantity.names)
          place.slopes.push_back(column_of(fmt::format("d({})/d({})", channel, parameter), all));
    }
  }
  return {};
}

Sink::Fault Measures::Taking::sample(double t, std::span<const double> row) {
  if (!courses_->known) return {};
  for (std::size_t k = 0; k < courses_->of.size(); ++k) {
    const auto& places = courses_->places[k];
    auto& arguments = courses_->arguments;
    arguments.assign(1, t);
    for (const auto& place : places) arguments.push_back(quantity_at(place.quantity, row));
    auto& gradient = courses_->gradient;
    gradient.resize(arguments.size());
    const auto& calls = of_.parts_->taken[k].calls;
    for (std::size_t c = 0; c < calls.size(); ++c) {
      Course& course = courses_->of[k][c];
      course.t.push_back(t);
      if (parameters_.empty()) {
        course.y.push_back(calls[c].formula.value(arguments));
        continue;
      }
      course.y.push_back(calls[c].formula.gradient(arguments, gradient));
      for (std::size_t p = 0; p < parameters_.size(); ++p) {
        double slope = 0;
        for (std::size_t q = 0; q < places.size(); ++q) {
          const std::size_t count = places[q].quantity.columns.size();
          const auto columns = std::span(places[q].slopes).subspan(p * count, count);
          if (gradient[q + 1] != 0)
            slope += gradient[q + 1] * slope_at(places[q].quantity, columns, arguments[q + 1], row);
        }
        courses_->slopes[k][c][p].push_back(slope);
      }
    }
  }
  return {};
}

std::vector<double> Measures::Taking::values() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < of_.parts_->taken.size(); ++k) {
    const MeasureParts& taken = of_.parts_->taken[k];
    std::vector<double> numbers(taken.calls.size(), no_measure);
    if (k < courses_->of.size())
      for (std::size_t c = 0; c < numbers.size(); ++c)
        numbers[c] = number_of(taken.calls[c], courses_->of[k][c]);
    out.push_back(taken.outer.value(numbers));
  }
  return out;
}

std::vector<double> Measures::Taking::slopes() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < of_.parts_->taken.size(); ++k) {
    const MeasureParts& taken = of_.parts_->taken[k];
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      std::vector<double> numbers(taken.calls.size(), no_measure), by_parameter = numbers;
      if (k < courses_->of.size())
        for (std::size_t c = 0; c < numbers.size(); ++c) {
          const Course& course = courses_->of[k][c];
          SlopedCourse sloped{course.t, {}};
          for (std::size_t i = 0; i < course.t.size(); ++i)
            sloped.y.emplace_back(course.y[i], courses_->slopes[k][c][p][i]);
          const Sloped found = number_of(taken.calls[c], sloped);
          numbers[c] = found.value;
          by_parameter[c] = found.slope;
        }
      std::vector<double> gradient(numbers.size());
      taken.outer.gradient(numbers, gradient);
      double slope = 0;
      for (std::size_t c = 0; c < numbers.size(); ++c)
        if (gradient[c] != 0) slope += gradient[c] * by_parameter[c];
      out.push_back(slope);
    }
  }
  return out;
}

}  // namespace cardan
