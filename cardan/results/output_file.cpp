#include "cardan/results/output_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <streambuf>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardan/results/faults.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view part_ending = ".part";
constexpr std::size_t part_digits = 8;

struct Part {
  fs::path path;
  int file = -1;
};

// O_EXCL: a link of that name, which may lead anywhere, is refused like any other file.
Result<Part> make_part(const fs::path& beside) {
  std::random_device random;
  for (;;) {
    Part part{beside, -1};
    part.path += fmt::format(".{:08x}{}", static_cast<std::uint32_t>(random()), part_ending);
    part.file =
        ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (part.file >= 0) return part;
    if (errno != EEXIST) return write_fault(beside, std::strerror(errno));
  }
}

}  // namespace

// Bytes to a file descriptor; remembers the first error.
class OutputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(int file) : file_(file) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  ~Buffer() override { close(); }

  int error() const { return error_; }

  int file() const { return file_; }

  void note_error() {
    if (error_ == 0) error_ = errno;
  }

  void close() {
    if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) note_error();
  }

 protected:
  int sync() override {
    const char* at = pbase();
    while (error_ == 0 && at < pptr()) {
      const ssize_t written = ::write(file_, at, static_cast<std::size_t>(pptr() - at));
      if (written < 0 && errno != EINTR) note_error();
      if (written > 0) at += written;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return error_ == 0 ? 0 : -1;
  }

  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
  }

 private:
  int file_;
  int error_ = 0;
  std::array<char, 1u << 16> bytes_;
};

OutputFile::OutputFile(fs::path path, fs::path part, int file)
    : path_(std::move(path)),
      part_(std::move(part)),
      buffer_(std::make_unique<Buffer>(file)),
      stream_(std::make_unique<std::ostream>(buffer_.get())) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::exchange(other.part_, {})),
      buffer_(std::move(other.buffer_)),
      stream_(std::move(other.stream_)) {}

OutputFile::~OutputFile() {
  std::error_code error;
  if (!part_.empty()) fs::remove(part_, error);
}

Result<OutputFile> OutputFile::open(const fs::path& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) return write_fault(path, "this is a folder");
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
      return write_fault(path, errno == ENXIO ? "nobody reads this pipe" : std::strerror(errno));
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    return OutputFile(path, {}, file);
  }
  auto part = make_part(path);
  if (!part) return part.why();
  return OutputFile(path, part.value().path, part.value().file);
}

std::ostream& OutputFile::stream() {
  return *stream_;
}

Sink::Fault OutputFile::keep() {
  stream_->flush();
  // On the disk before it has its name, so that a power cut leaves the old file or the new one.
  if (!part_.empty() && buffer_->error() == 0 && fsync(buffer_->file()) != 0) buffer_->note_error();
  buffer_->close();
  if (buffer_->error() != 0) return write_fault(path_, std::strerror(buffer_->error()));
  if (!*stream_) return write_fault(path_, "the file was not written whole");
  if (part_.empty()) return {};
  if (rename(part_.c_str(), path_.c_str()) != 0) return write_fault(path_, std::strerror(errno));
  part_.clear();
  return {};
}

Result<fs::path> new_part(const fs::path& beside) {
  auto part = make_part(beside);
  if (!part) return part.why();
  close(part.value().file);
  return part.value().path;
}

void remove_parts(const fs::path& beside) {
  const std::string start = beside.filename().string() + ".";
  std::error_code error;
  const fs::path folder = beside.has_parent_path() ? beside.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() != start.size() + part_digits + part_ending.size() ||
        !name.starts_with(start) || !name.ends_with(part_ending))
      continue;
    std::error_code ignored;
    fs::remove(entry->path(), ignored);
  }
}

Sink::Fault write_file(const fs::path& path, std::string_view content) {
  auto file = OutputFile::open(path);
  if (!file) return file.why().front();
  file.value().stream().write(content.data(), static_cast<std::streamsize>(content.size()));
  return file.value().keep();
}

}  // namespace cardan
