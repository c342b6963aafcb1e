#include "base/file_mapping.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rangefinder {
namespace {

constexpr std::size_t kPart = 1 << 16;  // that is read in place of a page

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

// All mappings, for the signal handler. It runs in the thread that reads one,
// which is never in here: the lock is another thread's, and comes free.
class FileMapping::Watch {
 public:
  static Watch& Get() {
    static Watch* const watch = new Watch;  // until the process ends
    return *watch;
  }
  void Add(Pages* pages) {
    const std::lock_guard lock(mutex_);
    all_.push_back(pages);
  }
  void Remove(Pages* pages) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, pages);
  }

 private:
  Watch() {
    struct sigaction action {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before_);
  }

  static void OnBusError(int signal, siginfo_t* info, void* /*context*/) {
    const int saved = errno;
    Watch& watch = Get();
    if (info->si_code > 0 && watch.Replace(info->si_addr)) {
      errno = saved;
      return;
    }
    ::sigaction(signal, &watch.before_, nullptr);  // as it was without us
    ::raise(signal);
  }

  bool Replace(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        all_, [&](const Pages* pages) { return pages->Holds(address); });
    return found != all_.end() && (*found)->Replace(address);
  }

  std::mutex mutex_;
  std::vector<Pages*> all_;
  struct sigaction before_ {};
};

FileMapping::Pages::~Pages() {
  if (begin == nullptr) return;
  Watch::Get().Remove(this);
  ::munmap(begin, size);
}

bool FileMapping::Pages::Holds(const void* address) const {
  const char* const at = static_cast<const char*>(address);
  return !std::less<>()(at, static_cast<const char*>(begin)) &&
         std::less<>()(at, begin + size);
}

// How much of it is still there.
std::size_t FileMapping::Pages::Read(std::size_t offset, char* to,
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

// Called by the signal handler alone, under the lock: no allocation.
bool FileMapping::Pages::Replace(const void* address) {
  static std::array<char, kPart> part;
  const auto at =
      static_cast<std::size_t>(static_cast<const char*>(address) - begin);
  const std::size_t offset = at / kPart * kPart;
  const std::size_t length = std::min(kPart, size - offset);
  part.fill('\0');
  if (Read(offset, part.data(), length) < length) incomplete = true;
  // Zeros cost no memory as long as nobody writes them.
  const bool zeros = part[0] == '\0' &&
                     std::memcmp(part.data(), part.data() + 1, kPart - 1) == 0;
  void* const fresh = ::mmap(nullptr, kPart, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  if (!zeros) std::memcpy(fresh, part.data(), kPart);
  // Another thread that reads here sees the old pages or the new ones.
  const std::size_t whole = (length + PageSize() - 1) / PageSize() * PageSize();
  const bool moved =
      ::mremap(fresh, whole, whole, MREMAP_MAYMOVE | MREMAP_FIXED,
               begin + offset) != MAP_FAILED;
  if (whole < kPart) ::munmap(static_cast<char*>(fresh) + whole, kPart - whole);
  return moved;
}

std::optional<FileMapping> FileMapping::Of(int fd,
                                           const std::filesystem::path& path,
                                           const struct stat& about) {
  PageSize();  // known before a signal comes
  auto pages = std::make_unique<Pages>(path, about);
  void* const at = ::mmap(nullptr, pages->size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return std::nullopt;
  pages->begin = static_cast<char*>(at);
  Watch::Get().Add(pages.get());
  return FileMapping(std::move(pages));
}

void FileMapping::Forget(std::size_t offset, std::size_t length) const {
  const std::size_t page = PageSize();
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t last = (offset + length) / page * page;
  if (last > first)
    ::madvise(pages_->begin + first, last - first, MADV_DONTNEED);
}

std::vector<FileHole> HolesOf(int fd, const struct stat& about) {
  constexpr off_t kLeast = 1 << 20;
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

}  // namespace rangefinder
