#pragma once
// One function saves and loads: `void serialize(Archive& a) { a.io(t_); a.io(y_); }`. Numbers keep
// their bits, so that a run goes on as if it had never been interrupted. A list is loaded only if
// it has the stored size already; archive_lists.h has those that may be empty, and bounds.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

namespace cardan {

class Archive {
 public:
  Archive() = default;                                // saves
  explicit Archive(std::span<const std::byte> from);  // loads; the bytes are copied

  bool loading() const { return loading_; }

  bool good() const { return good_; }  // false: what is stored cannot be of this object

  void fail() { good_ = false; }  // what was loaded makes no sense

  const std::vector<std::byte>& bytes() const { return bytes_; }

  void mark(std::string_view
                word);  // written, and compared when loading: guards against mixed-up layouts

  template <class T>

  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void io(T& x) { raw(&x, sizeof x); }

  template <class T, std::size_t N> void io(T (&x)[N]) {
    for (T& e : x) io(e);
  }

  void io(bool& x);
  void io(std::string& x);
  void io(std::vector<double>& x);
  void io(std::vector<int>& x);
  void io(Eigen::VectorXd& x);
  void io(Eigen::MatrixXd& x);

 private:
  void raw(void* p, std::size_t size);
  std::size_t io_size(std::size_t size, std::size_t bytes_each);

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  bool loading_ = false, good_ = true;
};

}  // namespace cardan
