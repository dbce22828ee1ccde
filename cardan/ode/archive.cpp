#include "cardan/ode/archive.h"

#include <cstdint>
#include <cstring>

namespace cardan {

Archive::Archive(std::span<const std::byte> from)
    : bytes_(from.begin(), from.end()), loading_(true) {}

void Archive::raw(void* p, std::size_t size) {
  if (!loading_) {
    const auto* begin = static_cast<const std::byte*>(p);
    bytes_.insert(bytes_.end(), begin, begin + size);
    return;
  }
  if (!good_ || size > bytes_.size() - at_) {
    good_ = false;
    return;
  }
  if (size > 0) std::memcpy(p, bytes_.data() + at_, size);
  at_ += size;
}

// A size from a damaged file must not be believed before the bytes are there.
std::size_t Archive::io_size(std::size_t size, std::size_t bytes_each) {
  auto stored = static_cast<std::uint64_t>(size);
  raw(&stored, sizeof stored);
  if (!loading_) return size;
  if (!good_ || stored > (bytes_.size() - at_) / bytes_each) {
    good_ = false;
    return 0;
  }
  return static_cast<std::size_t>(stored);
}

void Archive::mark(std::string_view word) {
  std::string found(word);
  io(found);
  if (loading_ && found != word) good_ = false;
}

void Archive::io(bool& x) {
  char c = x ? 1 : 0;
  raw(&c, 1);
  if (loading_) x = c != 0;
}

void Archive::io(std::string& x) {
  x.resize(io_size(x.size(), 1));
  raw(x.data(), x.size());
}

void Archive::io(std::vector<double>& x) {
  x.resize(io_size(x.size(), sizeof(double)));
  raw(x.data(), x.size() * sizeof(double));
}

void Archive::io(std::vector<int>& x) {
  x.resize(io_size(x.size(), sizeof(int)));
  raw(x.data(), x.size() * sizeof(int));
}

void Archive::io(Eigen::VectorXd& x) {
  const auto n = io_size(static_cast<std::size_t>(x.size()), sizeof(double));
  x.resize(static_cast<Eigen::Index>(n));
  raw(x.data(), n * sizeof(double));
}

void Archive::io(Eigen::MatrixXd& x) {
  auto rows = static_cast<std::int64_t>(x.rows());
  raw(&rows, sizeof rows);
  const auto n = io_size(static_cast<std::size_t>(x.size()), sizeof(double));
  if (loading_) {
    const auto count = static_cast<std::int64_t>(n);
    if (!good_ || rows < 0 || (rows == 0) != (count == 0) || (rows > 0 && count % rows != 0)) {
      good_ = false;
      return;
    }
    x.resize(rows, rows == 0 ? 0 : count / rows);
  }
  raw(x.data(), n * sizeof(double));
}

}  // namespace cardan
