#include "cardan/analysis/record/row_thinner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cardan {

namespace {

constexpr double least_deviation = 1e-3;            // of the range: what may be left out
constexpr double known_part = 1.0 / 8;              // of the run, until ranges are believed
constexpr std::size_t waiting_numbers = 1U << 18U;  // 2 MB
constexpr std::size_t fewest_waiting = 32;

}  // namespace

RowThinner::RowThinner(const ChannelWatch& watch, const Setting& setting, Store store)
    : watch_(watch),
      setting_(setting),
      store_(std::move(store)),
      width_(watch.channels().size()),
      capacity_(std::max(fewest_waiting, waiting_numbers / (width_ + 1))),
      weight_(width_) {}

Sink::Fault RowThinner::add(double t, std::span<const double> row, Keep keep) {
  times_.push_back(t);
  rows_.insert(rows_.end(), row.begin(), row.end());
  kept_.push_back(keep == Keep::always ? 1 : 0);
  const bool full = times_.size() >= capacity_;
  const bool known =
      std::abs(t - setting_.from) >= known_part * std::abs(setting_.until - setting_.from);
  return full || (known && keep == Keep::always) ? settle() : Sink::Fault();
}

Sink::Fault RowThinner::flush() {
  if (times_.empty()) return {};
  if (auto fault = settle()) return fault;
  times_.clear();
  rows_.clear();
  kept_.clear();
  first_stored_ = false;
  return {};
}

long RowThinner::budget() const {
  const double span = std::abs(setting_.until - setting_.from);
  const double part = span > 0 ? std::min(1.0, std::abs(times_.back() - setting_.from) / span) : 1;
  return static_cast<long>(part * static_cast<double>(setting_.most)) - stored_ -
         std::count(kept_.begin() + (first_stored_ ? 1 : 0), kept_.end(), 1);
}

// The first and the last row are kept: what lies beyond them is not known, or settled.
Sink::Fault RowThinner::settle() {
  kept_.front() = kept_.back() = 1;
  choose();
  for (std::size_t k = first_stored_ ? 1 : 0; k < times_.size(); ++k) {
    if (kept_[k] == 0) continue;
    if (auto fault = store_(times_[k], row(k))) return fault;
    ++stored_;
  }
  const std::size_t last = times_.size() - 1;
  std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(last * width_), width_, rows_.begin());
  rows_.resize(width_);
  times_.front() = times_.back();
  times_.resize(1);
  kept_.resize(1);
  first_stored_ = true;
  return {};
}

RowThinner::Gap RowThinner::gap(std::size_t from, std::size_t to) const {
  Gap out{from, to, from, 0};
  const double* a = &rows_[from * width_];
  const double* b = &rows_[to * width_];
  for (std::size_t i = from + 1; i < to; ++i) {
    const double* y = &rows_[i * width_];
    const double s = (times_[i] - times_[from]) / (times_[to] - times_[from]);
    double deviation = 0;
    for (std::size_t k = 0; k < width_; ++k)
      deviation = std::max(deviation, std::abs(y[k] - (a[k] * (1 - s) + b[k] * s)) * weight_[k]);
    if (deviation > out.deviation) out.deviation = deviation, out.worst = i;
  }
  return out;
}

void RowThinner::choose() {
  for (std::size_t k = 0; k < width_; ++k) {
    const double range = watch_.scale(k);
    weight_[k] = range > 0 ? 1 / range : 0;
  }
  std::vector<Gap> gaps;  // a heap, the largest deviation first
  const auto add = [&](std::size_t from, std::size_t to) {
    if (to - from < 2) return;
    gaps.push_back(gap(from, to));
    std::push_heap(gaps.begin(), gaps.end());
  };
  for (std::size_t from = 0, to = 1; to < kept_.size(); ++to)
    if (kept_[to] != 0) add(from, to), from = to;
  for (long left = budget(); !gaps.empty(); --left) {
    const Gap largest = gaps.front();
    if (!(largest.deviation > least_deviation) || left <= 0) {
      error_ = std::max(error_, largest.deviation);
      return;
    }
    std::pop_heap(gaps.begin(), gaps.end());
    gaps.pop_back();
    kept_[largest.worst] = 1;
    add(largest.from, largest.worst);
    add(largest.worst, largest.to);
  }
}

void RowThinner::serialize(Archive& archive) {
  archive.mark("thinner 1");
  auto waiting = static_cast<std::uint64_t>(times_.size());
  archive.io(waiting);
  if (archive.loading()) {
    if (!archive.good() || waiting > capacity_) return archive.fail();
    times_.resize(waiting);
    rows_.resize(waiting * width_);
    kept_.resize(waiting);
  }
  archive.io(times_);
  archive.io(rows_);
  for (char& kept : kept_) archive.io(kept);
  archive.io(first_stored_);
  archive.io(stored_);
  archive.io(error_);
}

}  // namespace cardan
