#pragma once
// Results that stay in memory: what a program takes that runs a model and stores nothing.
//
//   RowsInMemory rows;
//   run_model(model, rows, {});
//   rows.segments().back().column("crank.angle");
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "cardan/results/sink.h"

namespace cardan {

struct MemorySegment {  // of one analysis
  std::vector<Channel> channels;
  std::vector<double> t;
  std::vector<double> values;     // row by row, one number a channel
  std::vector<double> estimates;  // of their errors, likewise; empty: none
  std::vector<Event> events;

  // One number a row; empty: there is no such channel.
  std::vector<double> column(std::string_view channel) const {
    const std::size_t width = channels.size();
    std::size_t at = 0;
    while (at < width && channels[at].name != channel) ++at;
    std::vector<double> out;
    if (at == width) return out;
    for (; at < values.size(); at += width) out.push_back(values[at]);
    return out;
  }
};

class RowsInMemory final : public Sink {
 public:
  Fault open(std::span<const Channel> channels) override {
    segments_.emplace_back().channels.assign(channels.begin(), channels.end());
    return {};
  }

  Fault sample(double t, std::span<const double> row) override {
    MemorySegment& last = segments_.back();
    last.t.push_back(t);
    last.values.insert(last.values.end(), row.begin(), row.end());
    return {};
  }

  Fault event(const Event& event) override {
    if (!segments_.empty()) segments_.back().events.push_back(event);
    return {};
  }

  const std::vector<MemorySegment>& segments() const { return segments_; }

  std::vector<MemorySegment>& segments() { return segments_; }

 private:
  std::vector<MemorySegment> segments_;
};

}  // namespace cardan
