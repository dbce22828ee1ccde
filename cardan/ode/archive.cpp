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

// The size of a list, which loading never changes: one from a damaged file must not be believed, nor
// one that somebody made up.
std::size_t Archive::io_size(std::size_t size, std::size_t bytes_each) {
  auto stored = static_cast<std::uint64_t>(size);
  raw(&stored, sizeof stored);
  if (loading_ && (stored != size || size > (bytes_.size() - at_) / bytes_each)) good_ = false;
  return good_ ? size : 0;
}

void Archive::mark(std::string_view word) {
  std::string found(word);
  io(found);
  if (loading_ && found != word) good_ = false;
}

void Archive::io(bool& x) {
  char c = x ? 1 : 0;
  raw(&c, 1);
  if (loading_ && c != 0 && c != 1) good_ = false;
  if (loading_ && good_) x = c != 0;
}

// A text is as long as it is stored, but no longer than the bytes that are there.
void Archive::io(std::string& x) {
  auto stored = static_cast<std::uint64_t>(x.size());
  raw(&stored, sizeof stored);
  if (loading_) {
    if (!good_ || stored > bytes_.size() - at_) {
      good_ = false;
      return;
    }
    x.resize(static_cast<std::size_t>(stored));
  }
  raw(x.data(), x.size());
}

void Archive::io(std::vector<double>& x) {
  raw(x.data(), io_size(x.size(), sizeof(double)) * sizeof(double));
}

void Archive::io(std::vector<int>& x) {
  raw(x.data(), io_size(x.size(), sizeof(int)) * sizeof(int));
}

void Archive::io(Eigen::VectorXd& x) {
  raw(x.data(), io_size(static_cast<std::size_t>(x.size()), sizeof(double)) * sizeof(double));
}

void Archive::io(Eigen::MatrixXd& x) {
  auto rows = static_cast<std::int64_t>(x.rows());
  raw(&rows, sizeof rows);
  if (rows != x.rows()) good_ = false;
  raw(x.data(), io_size(static_cast<std::size_t>(x.size()), sizeof(double)) * sizeof(double));
}

}  // namespace cardan
