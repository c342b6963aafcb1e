#include "inject/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/clock.h"
#include "wire/checksum.h"

namespace rangefinder {
const char* VersionText();  // what cmake/Version.cmake writes
}  // namespace rangefinder

namespace rangefinder::inject {
namespace {

// Every call here may be made inside a call of the program's, whose errno it
// is.
class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

template <std::size_t kSize>
void CopyText(char (&to)[kSize], const char* text) {
  snprintf(to, kSize, "%s", text);
}

void ReadCommand(char (&to)[1024]) {
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t length = read(fd, to, sizeof to - 1);
  close(fd);
  if (length <= 0) return;
  for (ssize_t i = 0; i + 1 < length; ++i) {
    if (to[i] == '\0') to[i] = ' ';
  }
  to[length] = '\0';
}

// RANGEFINDER_INJECT_RUN, 0 where it is no number.
std::uint32_t FurtherRun() {
  const char* text = getenv("RANGEFINDER_INJECT_RUN");
  if (text == nullptr) return 0;
  char* end = nullptr;
  const long run = strtol(text, &end, 10);
  return *end == '\0' && run > 0 && run < 1 << 16
             ? static_cast<std::uint32_t>(run)
             : 0;
}

// The rank in a parallel job, by the variables launchers set. torchrun's comes
// first: its workers inherit those of the mpirun or srun that started it.
std::int32_t Rank() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                           "PMI_RANK", "SLURM_PROCID"}) {
    const char* text = getenv(name);
    if (text == nullptr || *text == '\0') continue;
    char* end = nullptr;
    const long rank = strtol(text, &end, 10);
    if (*end == '\0' && rank >= 0 && rank < 1 << 24) {
      return static_cast<std::int32_t>(rank);
    }
  }
  return -1;
}

wire::FixedHeader Describe(std::uint64_t forked_from) {
  wire::FixedHeader header{};
  memcpy(header.magic, wire::kTraceMagic, sizeof header.magic);
  header.version = wire::kTraceVersion;
  header.byte_order = wire::kByteOrder;
  header.header_size = wire::kPageSize;
  header.clock = use_counter ? wire::Clock::kCounter : wire::Clock::kRealtime;
  header.pid = static_cast<std::uint64_t>(getpid());
  header.parent_pid = static_cast<std::uint64_t>(getppid());
  header.forked_from = forked_from;
  header.rank = Rank();
  header.run = FurtherRun();
  const ssize_t length = readlink("/proc/self/exe", header.executable,
                                  sizeof header.executable - 1);
  if (length < 0) header.executable[0] = '\0';
  gethostname(header.host, sizeof header.host - 1);
  ReadCommand(header.command);
  CopyText(header.library, VersionText());
  // A hundred microseconds tell the counter's rate to a part in a thousand: of
  // use to a program that is killed before the next pair is written.
  header.first = ReadBothClocks(5);
  if (use_counter) {
    while (RealtimeNs() - header.first.realtime_ns < 100000) {
    }
  }
  header.second = ReadBothClocks(5);
  header.checksum =
      wire::Checksum(&header, offsetof(wire::FixedHeader, checksum));
  return header;
}

// Growing a file beyond RLIMIT_FSIZE would raise SIGXFSZ in the program.
bool WithinFileLimit(std::uint64_t end) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
         limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

bool WriteAll(int fd, const void* bytes, std::size_t size,
              std::uint64_t offset) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = pwrite(fd, at, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

bool TraceFile::Create(const char* dir, std::uint64_t forked_from,
                       const char** error) {
  const KeepErrno keep;
  const wire::FixedHeader header = Describe(forked_from);
  char part[sizeof path_ + 8];
  const int length =
      snprintf(path_, sizeof path_, "%s/%llu-%llx%s", dir,
               static_cast<unsigned long long>(header.pid),
               static_cast<unsigned long long>(header.first.realtime_ns),
               wire::kTraceSuffix);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path_) {
    *error = "the name of the trace folder is too long";
    return false;
  }
  snprintf(part, sizeof part, "%s.part", path_);
  const int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) {
    *error = "the trace folder cannot be written";
    return false;
  }
  mapped_ = true;
  end_.store(wire::kPageSize, std::memory_order_relaxed);
  if (!Allocate(fd, 0, wire::kPageSize)) {
    close(fd);
    unlink(part);
    *error = "no space for the trace file";
    return false;
  }
  header_page_ = Map(fd, 0, wire::kPageSize);
  if (header_page_ == nullptr) {
    close(fd);
    unlink(part);
    *error = "the trace file cannot be mapped";
    return false;
  }
  memcpy(header_page_, &header, sizeof header);
  auto* live = reinterpret_cast<wire::LiveHeader*>(
      static_cast<char*>(header_page_) + wire::kLiveHeaderOffset);
  *live = spare_;
  live_ = live;
  // The page is on the file before the file has its name.
  if (!mapped_) WriteAll(fd, header_page_, wire::kPageSize, 0);
  close(fd);
  if (rename(part, path_) != 0) {
    unlink(part);
    Abandon();
    *error = "the trace file cannot be named";
    return false;
  }
  return true;
}

void TraceFile::Abandon() {
  live_ = &spare_;
  spare_ = wire::LiveHeader{};
  if (header_page_ != nullptr) munmap(header_page_, wire::kPageSize);
  header_page_ = nullptr;
  path_[0] = '\0';
  streams_.store(0, std::memory_order_relaxed);
}

int TraceFile::Open() const {
  return path_[0] == '\0' ? -1 : open(path_, O_RDWR | O_CLOEXEC);
}

bool TraceFile::Allocate(int fd, std::uint64_t offset, std::size_t size) {
  if (!WithinFileLimit(offset + size)) {
    errno = EFBIG;
    return false;
  }
  if (!mapped_) return true;
  if (fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) ==
      0) {
    return true;
  }
  if (offset == 0 &&
      (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)) {
    mapped_ = false;  // decided once, with the header page
    return true;
  }
  return false;
}

void* TraceFile::Map(int fd, std::uint64_t offset, std::size_t size) {
  if (mapped_) {
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_POPULATE, fd, static_cast<off_t>(offset));
    if (at != MAP_FAILED) return at;
    if (offset != 0) return nullptr;
    mapped_ = false;
  }
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

Block TraceFile::NewBlock(wire::BlockKind kind, std::uint32_t stream,
                          std::uint32_t sequence, std::uint64_t thread,
                          std::size_t size) {
  const KeepErrno keep;
  const int fd = Open();
  if (fd < 0) {
    Reason(errno == EMFILE || errno == ENFILE
               ? "the program has no file descriptor left"
               : "the trace file cannot be opened any more");
    return {};
  }
  const std::uint64_t offset = end_.fetch_add(size, std::memory_order_relaxed);
  void* at = nullptr;
  if (Allocate(fd, offset, size)) {
    at = Map(fd, offset, size);
    if (at == nullptr) Reason("no memory for the trace");
  } else {
    Reason(errno == ENOSPC || errno == EDQUOT
               ? "no space left on the device of the trace"
           : errno == EFBIG ? "the limit on the size of files was reached"
                            : "the trace file cannot grow");
  }
  close(fd);
  if (at == nullptr) return {};

  auto* header = static_cast<wire::BlockHeader*>(at);
  header->magic = wire::kBlockMagic;
  header->kind = kind;
  header->state = wire::BlockState::kOpen;
  header->stream = stream;
  header->sequence = sequence;
  header->thread = thread;
  header->opened = ReadBothClocks();
  header->size = static_cast<std::uint32_t>(size);
  header->identity = 0;
  header->checksum = 0;
  header->words = 0;
  header->identity = wire::Checksum(header, sizeof *header);
  return {header, offset};
}

void TraceFile::Seal(Block& block, std::size_t used_words) {
  if (block.header == nullptr) return;
  const KeepErrno keep;
  block.header->words = static_cast<std::uint32_t>(used_words);
  block.header->checksum = wire::Checksum(block.words(), used_words * 8);
  block.header->state = wire::BlockState::kSealed;
  Save(block);
  Unmap(block);
}

void TraceFile::Save(const Block& block) {
  if (mapped_ || block.header == nullptr) return;
  const KeepErrno keep;
  const int fd = Open();
  if (fd < 0 || !WriteAll(fd, block.header, block.header->size, block.offset)) {
    Reason("writing the trace file failed");
  }
  if (fd >= 0) close(fd);
  SaveLive();
}

void TraceFile::Unmap(Block& block) {
  if (block.header != nullptr) munmap(block.header, block.header->size);
  block = {};
}

void TraceFile::SaveLive() {
  if (mapped_ || header_page_ == nullptr) return;
  const KeepErrno keep;
  const int fd = Open();
  if (fd < 0) return;
  WriteAll(fd, header_page_, wire::kPageSize, 0);
  close(fd);
}

void TraceFile::Reason(const char* text) {
  CopyText(live_->reason, text);
}

void TraceFile::GpuReason(const char* text) {
  CopyText(live_->gpu_reason, text);
}

void TraceFile::SamplingReason(const char* text) {
  CopyText(live_->sampling_reason, text);
}

void TraceFile::CountingReason(const char* text) {
  CopyText(live_->counting_reason, text);
}

}  // namespace rangefinder::inject
