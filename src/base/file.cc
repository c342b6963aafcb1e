#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace rangefinder {
namespace {

Error FromErrno(const std::filesystem::path& path, std::string_view what) {
  return Error(ErrorCode::kSystem, fmt::format("{}: {}: {}", path.string(),
                                               what, std::strerror(errno)));
}

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

}  // namespace rangefinder
