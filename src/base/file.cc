#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace rangefinder {
namespace {

Error FromErrno(const std::filesystem::path& path, std::string_view what) {
  return Error(ErrorCode::kSystem, fmt::format("{}: {}: {}", path.string(),
                                               what, std::strerror(errno)));
}

struct Opened {
  Descriptor fd;
  struct stat about {};
};

// A file or a pipe, opened at once: a pipe nobody writes to blocks nothing.
Result<Opened> OpenInput(const std::filesystem::path& path) {
  Opened opened{Descriptor(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))};
  const auto is_no_file = [&](std::string_view what) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: is {}, not a file", path.string(), what));
  };
  if (opened.fd.get() < 0) {
    if (errno == ENXIO) return is_no_file("a socket or a device");
    return FromErrno(path, "cannot open");
  }
  if (::fstat(opened.fd.get(), &opened.about) != 0)
    return FromErrno(path, "cannot stat");
  const mode_t mode = opened.about.st_mode;
  if (S_ISDIR(mode)) return is_no_file("a folder");
  if (!S_ISREG(mode) && !S_ISFIFO(mode)) return is_no_file("a device");
  return opened;
}

// What is left in a file or comes through a pipe, until it is more than `most`.
// Of what does not begin as `wanted`, its beginning. A pipe that has no writer
// is kCorrupt where `needs_writer`, and otherwise empty.
Result<std::string> ReadAll(const std::filesystem::path& path, int fd,
                            std::size_t most, MappedFile::Wanted wanted,
                            bool needs_writer) {
  constexpr int kForWriterMs = 1000;
  constexpr std::size_t kBeginning = 64;
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  bool is_begun = wanted == nullptr;
  while (bytes.size() <= most) {
    // A pipe with a writer has no end yet. A pipe that no program opened to
    // write is at its end, and poll() does not say so.
    struct pollfd input {
      fd, POLLIN, 0
    };
    const bool has_writer = ::poll(&input, 1, kForWriterMs) != 0;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return FromErrno(path, "cannot read");
    if (n == 0 && !has_writer && needs_writer) {
      return Error(ErrorCode::kCorrupt,
                   path.string() + ": is a pipe that no program writes to");
    }
    if (n == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(n));
    if (!is_begun && bytes.size() >= kBeginning) {
      if (!wanted(bytes)) break;
      is_begun = true;
    }
  }
  return bytes;
}

Error TooLong(const std::filesystem::path& path, std::size_t most) {
  return {ErrorCode::kCorrupt,
          fmt::format("{}: is longer than the {} MiB that are read of such "
                      "an input",
                      path.string(), most >> 20)};
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path,
                                    Wanted wanted) {
  const Opened opened = TRY(OpenInput(path));
  const int fd = opened.fd.get();
  MappedFile file;
  // Those of /proc and the like say that they are empty, and are not.
  if (!S_ISREG(opened.about.st_mode) || opened.about.st_size == 0) {
    constexpr std::size_t kMostPiped = std::size_t{4} << 30;
    file.owned_ = TRY(ReadAll(path, fd, kMostPiped, wanted, false));
    if (file.owned_.size() > kMostPiped) return TooLong(path, kMostPiped);
    return file;
  }
  file.mapping_ = FileMapping::Of(fd, path, opened.about);
  if (!file.mapping_) return FromErrno(path, "cannot map");
  file.holes_ = HolesOf(fd, opened.about);
  return file;
}

Result<std::string> ReadFile(const std::filesystem::path& path) {
  const Opened opened = TRY(OpenInput(path));
  const auto size = static_cast<std::uint64_t>(opened.about.st_size);
  if (S_ISREG(opened.about.st_mode) && size > kMostText)
    return TooLong(path, kMostText);
  std::string text =
      TRY(ReadAll(path, opened.fd.get(), kMostText, nullptr, true));
  if (text.size() > kMostText) return TooLong(path, kMostText);
  return text;
}

}  // namespace rangefinder
