#include "cardan/results/run_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

struct CommonChannel {
  std::size_t first = 0, second = 0;  // columns
  ChannelDifference found;
};

void compare_numbers(CommonChannel& c, std::int64_t row, double t, double x, double y) {
  if (same_number(x, y)) return;
  ChannelDifference& d = c.found;
  const double size = std::abs(x - y);
  if (d.rows++ == 0) {
    d.row = row;
    d.t = t;
    d.first = x;
    d.second = y;
    d.largest = size;
    d.t_largest = t;
  } else if (size > d.largest || (std::isnan(size) && !std::isnan(d.largest))) {
    d.largest = size;
    d.t_largest = t;
  }
}

class Comparison {
 public:
  Comparison(const RunReader& first, const RunReader& second, bool whole)
      : a_(first), b_(second), whole_(whole) {}

  Result<RunDifference> go() {
    const std::size_t in_a = a_.segments().size(), in_b = b_.segments().size();
    if (whole_ ? in_a != in_b : in_a > in_b) say("analyses", "number", in_a, in_b);
    for (std::size_t k = 0; k < std::min(in_a, in_b); ++k) {
      if (auto fault = rows(static_cast<int>(k))) return *fault;
      if (auto fault = estimates(static_cast<int>(k))) return *fault;
    }
    if (auto fault = logs()) return *fault;
    if (whole_)
      if (auto fault = summaries()) return *fault;
    std::stable_sort(out_.channels.begin(), out_.channels.end(), [](const auto& x, const auto& y) {
      return std::pair(x.analysis, x.row) < std::pair(y.analysis, y.row);
    });
    return std::move(out_);
  }

 private:
  template <class X, class Y>
  void say(const std::string& where, const std::string& what, const X& x, const Y& y) {
    out_.other.push_back(fmt::format("{}: {} {} and {}", where, what, x, y));
  }

  std::string analysis_text(int k) const { return fmt::format("analysis {}", k + 1); }

  // Channels by name: another method may have more of them.
  std::vector<CommonChannel> common(int segment) {
    const auto& x = a_.segments()[static_cast<std::size_t>(segment)].channels;
    const auto& y = b_.segments()[static_cast<std::size_t>(segment)].channels;
    std::map<std::string, std::size_t> place;
    for (std::size_t k = 0; k < y.size(); ++k) place[y[k].name] = k;
    std::vector<CommonChannel> out;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto at = place.find(x[k].name);
      if (at == place.end() || y[at->second].unit != x[k].unit) {
        out_.other.push_back(fmt::format(
            "{}: channel '{}' is only in the first run", analysis_text(segment), x[k].name));
        continue;
      }
      CommonChannel c{k, at->second, {}};
      c.found.analysis = segment;
      c.found.channel = x[k].name;
      c.found.unit = x[k].unit;
      out.push_back(std::move(c));
      place.erase(at);
    }
    for (const auto& [name, k] : place)
      out_.other.push_back(
          fmt::format("{}: channel '{}' is only in the second run", analysis_text(segment), name));
    return out;
  }

  Sink::Fault rows(int segment) {
    std::vector<CommonChannel> channels = common(segment);
    CommonChannel times;
    times.found.analysis = segment;
    times.found.channel = "t";
    times.found.unit = "s";
    const Segment& x = a_.segments()[static_cast<std::size_t>(segment)];
    const Segment& y = b_.segments()[static_cast<std::size_t>(segment)];
    RowCursor in_a(a_, segment), in_b(b_, segment);
    std::vector<double> row_a(x.channels.size()), row_b(y.channels.size());
    double t_a = 0, t_b = 0;
    std::int64_t row = 0;
    for (; row < std::min(x.rows, y.rows); ++row) {
      if (!in_a.next(t_a, row_a)) return fault_of(in_a, a_);
      if (!in_b.next(t_b, row_b)) return fault_of(in_b, b_);
      compare_numbers(times, row, t_a, t_a, t_b);
      for (CommonChannel& c : channels)
        compare_numbers(c, row, t_a, row_a[c.first], row_b[c.second]);
    }
    if (whole_ ? x.rows != y.rows : x.rows > y.rows)
      say(analysis_text(segment), "rows", x.rows, y.rows);
    if (times.found.rows > 0) out_.channels.push_back(times.found);
    for (CommonChannel& c : channels)
      if (c.found.rows > 0) out_.channels.push_back(std::move(c.found));
    ++out_.analyses;
    out_.rows += row;
    out_.numbers += row * static_cast<std::int64_t>(channels.size() + 1);
    return {};
  }

  static Sink::Fault fault_of(const RowCursor& cursor, const RunReader& run) {
    return cursor.fault() ? *cursor.fault() : corrupt_store(run.path(), "rows are missing");
  }

  Sink::Fault estimates(int segment) {
    if (!whole_) return {};
    const bool in_a = a_.has_estimate(segment), in_b = b_.has_estimate(segment);
    if (in_a != in_b)
      out_.other.push_back(fmt::format("{}: only the {} run has estimated errors",
                                       analysis_text(segment),
                                       in_a ? "first" : "second"));
    if (!in_a || !in_b) return {};
    std::uint64_t sums[2] = {};
    std::int64_t counts[2] = {};
    for (const int k : {0, 1})
      if (auto fault = (k == 0 ? a_ : b_).each_estimate(segment, [&](std::span<const double> row) {
            for (const double x : row)
              sums[k] = (sums[k] ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
            ++counts[k];
            return true;
          }))
        return fault;
    if (sums[0] != sums[1] || counts[0] != counts[1])
      out_.other.push_back(fmt::format("{}: other estimated errors", analysis_text(segment)));
    return {};
  }

  Sink::Fault logs() {
    const auto x = a_.log(), y = b_.log();
    if (!x) return x.why().front();
    if (!y) return y.why().front();
    const auto& p = x.value().events;
    const auto& q = y.value().events;
    out_.events = static_cast<std::int64_t>(std::min(p.size(), q.size()));
    for (std::size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
      if (p[k].analysis == q[k].analysis && same_number(p[k].t, q[k].t) && p[k].kind == q[k].kind &&
          p[k].element == q[k].element && p[k].text == q[k].text)
        continue;
      const auto words = [](const StoredEvent& e) {
        return fmt::format("{} at t = {} s ({}{}{})",
                           e.kind,
                           e.t,
                           e.element,
                           e.element.empty() || e.text.empty() ? "" : ": ",
                           e.text);
      };
      say(fmt::format("event {}", k + 1), "", words(p[k]), words(q[k]));
      break;
    }
    if (whole_ ? p.size() != q.size() : p.size() > q.size())
      say("events", "number", p.size(), q.size());
    return {};
  }

  // Every number, text and truth value below the two, first those of the first run.
  void walk(const Json& x, const Json& y, const std::string& at) {
    static const std::set<std::string> not_compared{"cpu_seconds", "wall_seconds", "file"};
    if (x.is_object() && y.is_object()) {
      for (const auto& [key, value] : x.items()) {
        if (not_compared.contains(key)) continue;
        walk(value, y.contains(key) ? y[key] : Json(), at.empty() ? key : at + "." + key);
      }
      for (const auto& [key, value] : y.items())
        if (!x.contains(key) && !not_compared.contains(key))
          walk(Json(), value, at.empty() ? key : at + "." + key);
      return;
    }
    if (x.is_array() && y.is_array() && x.size() == y.size()) {
      for (std::size_t k = 0; k < x.size(); ++k) walk(x[k], y[k], fmt::format("{}[{}]", at, k));
      return;
    }
    // As they are written: to the bit, and NaN, which is null, equals itself.
    const std::string p = x.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string q = y.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (p != q) say("summary", at, shortened(p), shortened(q));
  }

  static std::string shortened(const std::string& text) {
    constexpr std::size_t most = 80;
    return text.size() <= most ? text : text.substr(0, most) + "...";
  }

  Sink::Fault summaries() {
    const auto x = a_.summary(), y = b_.summary();
    if (!x) return x.why().front();
    if (!y) return y.why().front();
    walk(x.value(), y.value(), "");
    return {};
  }

  const RunReader &a_, &b_;
  bool whole_;
  RunDifference out_;
};

}  // namespace

Result<RunDifference> difference_of(const RunReader& first, const RunReader& second, bool whole) {
  return Comparison(first, second, whole).go();
}

}  // namespace cardan
