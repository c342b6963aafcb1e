#include "base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <streambuf>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"

namespace rangefinder {
namespace {

Error FromErrno(const std::filesystem::path& path, std::string_view what) {
  return Error(ErrorCode::kSystem, fmt::format("{}: {}: {}", path.string(),
                                               what, std::strerror(errno)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return FromErrno(path, "cannot open");
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return FromErrno(path, "cannot stat");
  if (S_ISDIR(status.st_mode))
    return Error(ErrorCode::kUsage,
                 path.string() + ": is a folder, not a file");
  MappedFile file;
  if (!S_ISREG(status.st_mode)) {
    char buffer[1 << 16];
    while (true) {
      const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return FromErrno(path, "cannot read");
      if (n == 0) break;
      file.owned_.append(buffer, static_cast<std::size_t>(n));
    }
    file.bytes_ = file.owned_;
    return file;
  }
  if (status.st_size == 0) return file;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return FromErrno(path, "cannot map");
  file.bytes_ = {static_cast<const char*>(at), size};
  file.mapped_ = true;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  owned_ = std::move(other.owned_);
  mapped_ = std::exchange(other.mapped_, false);
  bytes_ = std::exchange(other.bytes_, {});
  if (!mapped_) bytes_ = owned_;
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  mapped_ = false;
}

void MappedFile::Forget(std::size_t offset, std::size_t length) const {
  if (!mapped_) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t last = (offset + length) / page * page;
  if (last > first) {
    ::madvise(const_cast<char*>(bytes_.data()) + first, last - first,
              MADV_DONTNEED);
  }
}

Result<std::string> ReadFile(const std::filesystem::path& path) {
  const MappedFile file = TRY(MappedFile::Open(path));
  return std::string(file.bytes());
}

namespace {

// A stream into a descriptor; after an error it takes no more.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int fd) : fd_(fd) {
    setp(block_.data(), block_.data() + block_.size());
  }

  // Whether all of it is written; else errno says why.
  bool Finish() { return WriteBlock() && !failed_; }

 protected:
  int overflow(int c) override {
    if (!WriteBlock()) return traits_type::eof();
    if (c != traits_type::eof()) {
      *pptr() = static_cast<char>(c);
      pbump(1);
    }
    return 0;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    if (count <= epptr() - pptr()) {
      std::copy_n(bytes, count, pptr());
      pbump(static_cast<int>(count));
      return count;
    }
    if (!WriteBlock()) return 0;
    return WriteAll({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }

 private:
  bool WriteBlock() {
    const bool written =
        WriteAll({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(block_.data(), block_.data() + block_.size());
    return written;
  }

  bool WriteAll(std::string_view bytes) {
    while (!bytes.empty() && !failed_) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        failed_ = true;
        error_ = errno;
      } else {
        bytes.remove_prefix(static_cast<std::size_t>(n));
      }
    }
    if (failed_) errno = error_;
    return !failed_;
  }

  int fd_;
  bool failed_ = false;
  int error_ = 0;
  std::array<char, 1 << 16> block_;
};

}  // namespace

Status WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  return WriteFileBy(path, [&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

Status WriteFileBy(const std::filesystem::path& path,
                   const std::function<void(std::ostream&)>& write) {
  std::string beside = path.string() + ".XXXXXX";
  std::optional<InterruptWaits> creating(std::in_place);
  Descriptor fd(::mkostemp(beside.data(), O_CLOEXEC));
  if (fd.get() < 0) return FromErrno(path, "cannot create");
  const UnfinishedFile unfinished(beside);
  creating.reset();
  const auto fail = [&](std::string_view what) {
    Error error = FromErrno(path, what);
    ::unlink(beside.c_str());
    return error;
  };
  DescriptorBuffer buffer(fd.get());
  std::ostream out(&buffer);
  write(out);
  if (!buffer.Finish()) return fail("cannot write");
  // Asked once: asking changes it for a moment, and other threads write, too.
  static const mode_t mask = [] {
    const mode_t now = ::umask(0);
    ::umask(now);
    return now;
  }();
  if (::fchmod(fd.get(), 0666 & ~mask) != 0) return fail("cannot chmod");
  if (::close(fd.Release()) != 0) return fail("cannot write");
  if (::rename(beside.c_str(), path.c_str()) != 0) return fail("cannot rename");
  return Ok();
}

Status MakeDirectories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return Error(ErrorCode::kSystem,
                 fmt::format("{}: cannot create the folder: {}", path.string(),
                             error.message()));
  }
  return Ok();
}

}  // namespace rangefinder
