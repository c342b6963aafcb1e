#include "base/file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rangefinder {
namespace {

struct Opened {
  Descriptor fd;
  struct stat about {};
};

// Opens a file or a pipe without waiting for a writer.
Result<Opened> OpenInput(const std::filesystem::path& path) {
  Opened opened{Descriptor(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))};
  const auto is_no_file = [&](std::string_view what) {
    return Error(ErrorCode::kUsage,
                 fmt::format("{}: is {}, not a file", path.string(), what));
  };
  if (opened.fd.get() < 0) {
    if (errno == ENXIO) return is_no_file("a socket or a device");
    return ErrnoError(path.string(), "cannot open");
  }
  if (::fstat(opened.fd.get(), &opened.about) != 0)
    return ErrnoError(path.string(), "cannot stat");
  const mode_t mode = opened.about.st_mode;
  if (S_ISDIR(mode)) return is_no_file("a folder");
  if (!S_ISREG(mode) && !S_ISFIFO(mode)) return is_no_file("a device");
  return opened;
}

// Reads `fd` to its end, or until it has read more than `most` bytes. Stops
// after the beginning if that is not `wanted`. A pipe without a writer is
// kCorrupt if `needs_writer`, otherwise empty.
Result<std::string> ReadAll(const std::filesystem::path& path, int fd,
                            std::size_t most, MappedFile::Wanted wanted,
                            bool needs_writer) {
  constexpr int kForWriterMs = 1000;
  constexpr std::size_t kBeginning = 64;
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  bool is_begun = wanted == nullptr;
  while (bytes.size() <= most) {
    // A slow writer's pipe has no bytes yet. A pipe that no program opened for
    // writing is at its end, which poll() does not report.
    struct pollfd input {
      fd, POLLIN, 0
    };
    const bool has_writer = ::poll(&input, 1, kForWriterMs) != 0;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return ErrnoError(path.string(), "cannot read");
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
          fmt::format("{}: longer than the limit of {} MiB for such an input",
                      path.string(), most >> 20)};
}

// The holes of at least a mebibyte in the regular file `fd`.
std::vector<FileHole> HolesOf(int fd, const struct stat& about) {
  constexpr off_t kLeast = 1 << 20;  // bytes
  std::vector<FileHole> holes;
  // Blocks are counted in 512 bytes, whatever the file system.
  if (about.st_blocks * 512 >= about.st_size - kLeast) return holes;
  for (off_t at = 0; at < about.st_size;) {
    const off_t hole = ::lseek(fd, at, SEEK_HOLE);
    if (hole < 0 || hole >= about.st_size) break;
    at = ::lseek(fd, hole, SEEK_DATA);
    if (at < 0 && errno != ENXIO) break;
    if (at < 0) at = about.st_size;  // to the end
    if (at - hole >= kLeast) {
      holes.push_back({static_cast<std::size_t>(hole),
                       static_cast<std::size_t>(at - hole)});
    }
  }
  return holes;
}

constexpr std::size_t kPartBytes = 1 << 16;  // bytes read for a missing page

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

std::uint64_t ModificationTime(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || about.st_mtime < 0) return 0;
  return static_cast<std::uint64_t>(about.st_mtime);
}

std::vector<std::filesystem::path> PathsIn(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error);
       !error && it != std::filesystem::directory_iterator();
       it.increment(error))
    paths.push_back(it->path());
  std::ranges::sort(paths);
  return paths;
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

// A mapping of a regular file. The signal handler keeps its address.
struct MappedPages {
  MappedPages(const std::filesystem::path& file, const struct stat& about)
      : path(file.string()),
        device(about.st_dev),
        inode(about.st_ino),
        size(static_cast<std::size_t>(about.st_size)) {}
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;
  ~MappedPages();
  // Maps the file, which is open as `fd`; `fd` may be closed then. False, with
  // errno: this failed.
  bool Map(int fd);
  bool Holds(const void* address) const;
  std::size_t Read(std::size_t offset, char* to, std::size_t length) const;
  bool Replace(const void* address);

  std::string path;
  dev_t device;
  ino_t inode;
  std::size_t size;
  char* begin = nullptr;
  std::atomic<bool> incomplete = false;
};

namespace {

// All mappings, for the signal handler. The handler runs in a thread that reads
// a mapping; such a thread never holds the lock, so the handler can wait for
// it.
class AllMappings {
 public:
  static AllMappings& Get() {
    static auto* const all = new AllMappings;  // until the process ends
    return *all;
  }
  void Add(MappedPages* pages) {
    const std::lock_guard lock(mutex_);
    all_.push_back(pages);
  }
  void Remove(MappedPages* pages) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, pages);
  }

 private:
  AllMappings() {
    struct sigaction action {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before_);
  }

  static void OnBusError(int signal, siginfo_t* info, void* /*context*/) {
    const int saved = errno;
    AllMappings& mappings = Get();
    if (info->si_code > 0 && mappings.Replace(info->si_addr)) {
      errno = saved;
      return;
    }
    // Restores the action from before.
    ::sigaction(signal, &mappings.before_, nullptr);
    ::raise(signal);
  }

  bool Replace(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        all_, [&](const MappedPages* pages) { return pages->Holds(address); });
    return found != all_.end() && (*found)->Replace(address);
  }

  std::mutex mutex_;
  std::vector<MappedPages*> all_;
  struct sigaction before_ {};
};

}  // namespace

MappedPages::~MappedPages() {
  if (begin == nullptr) return;
  AllMappings::Get().Remove(this);
  ::munmap(begin, size);
}

bool MappedPages::Holds(const void* address) const {
  const char* const at = static_cast<const char*>(address);
  return !std::less<>()(at, static_cast<const char*>(begin)) &&
         std::less<>()(at, begin + size);
}

// Reads at most `length` bytes; returns the number of bytes read.
std::size_t MappedPages::Read(std::size_t offset, char* to,
                              std::size_t length) const {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  std::size_t got = 0;
  struct stat about {};
  const bool same = ::fstat(fd, &about) == 0 && about.st_dev == device &&
                    about.st_ino == inode;
  while (same && got < length) {
    const ssize_t n =
        ::pread(fd, to + got, length - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  ::close(fd);
  return got;
}

// Only the signal handler calls it, under the lock: no allocation.
bool MappedPages::Replace(const void* address) {
  static std::array<char, kPartBytes> part;
  const auto at =
      static_cast<std::size_t>(static_cast<const char*>(address) - begin);
  const std::size_t offset = at / kPartBytes * kPartBytes;
  const std::size_t length = std::min(kPartBytes, size - offset);
  part.fill('\0');
  if (Read(offset, part.data(), length) < length) incomplete = true;
  // Zero pages that are never written cost no memory.
  const bool zeros =
      part[0] == '\0' &&
      std::memcmp(part.data(), part.data() + 1, kPartBytes - 1) == 0;
  void* const fresh = ::mmap(nullptr, kPartBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  if (!zeros) std::memcpy(fresh, part.data(), kPartBytes);
  // Another thread that reads here sees either the old or the new pages.
  const std::size_t whole = (length + PageSize() - 1) / PageSize() * PageSize();
  const bool moved =
      ::mremap(fresh, whole, whole, MREMAP_MAYMOVE | MREMAP_FIXED,
               begin + offset) != MAP_FAILED;
  if (whole < kPartBytes)
    ::munmap(static_cast<char*>(fresh) + whole, kPartBytes - whole);
  return moved;
}

bool MappedPages::Map(int fd) {
  PageSize();  // cached before a signal arrives
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return false;
  begin = static_cast<char*>(at);
  AllMappings::Get().Add(this);
  return true;
}

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path,
                                    Wanted wanted) {
  const Opened opened = TRY(OpenInput(path));
  const int fd = opened.fd.get();
  MappedFile file;
  // Files of /proc report size 0 and have content.
  if (!S_ISREG(opened.about.st_mode) || opened.about.st_size == 0) {
    constexpr std::size_t kMostPiped = std::size_t{4} << 30;
    file.owned_ = TRY(ReadAll(path, fd, kMostPiped, wanted, false));
    if (file.owned_.size() > kMostPiped) return TooLong(path, kMostPiped);
    return file;
  }
  auto pages = std::make_shared<MappedPages>(path, opened.about);
  if (!pages->Map(fd)) return ErrnoError(path.string(), "cannot map");
  file.pages_ = std::move(pages);
  file.holes_ = HolesOf(fd, opened.about);
  return file;
}

std::string_view MappedFile::bytes() const {
  return pages_ ? std::string_view(pages_->begin, pages_->size) : owned_;
}

bool MappedFile::is_incomplete() const {
  return pages_ && pages_->incomplete.load(std::memory_order_relaxed);
}

void MappedFile::Forget(std::string_view part) const {
  if (!pages_) return;
  const auto offset = static_cast<std::size_t>(part.data() - pages_->begin);
  const std::size_t page = PageSize();
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t last = (offset + part.size()) / page * page;
  if (last > first)
    ::madvise(pages_->begin + first, last - first, MADV_DONTNEED);
}

}  // namespace rangefinder
