#include "inject/trace/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/process/own_call.h"
#include "inject/process/own_memory.h"
#include "inject/process/setting.h"
#include "inject/process/system_calls.h"
#include "inject/trace/clock.h"
#include "inject/trace/driver_version.h"
#include "wire/checksum.h"

namespace rangefinder {
const char* VersionText();  // what cmake/Version.cmake writes
}  // namespace rangefinder

namespace rangefinder::inject {
namespace {

void ReadCommand(char (&to)[1024]) {
  const ssize_t length = ReadStart("/proc/self/cmdline", to, sizeof to - 1);
  if (length <= 0) return;
  for (ssize_t i = 0; i + 1 < length; ++i) {
    if (to[i] == '\0') to[i] = ' ';
  }
  to[length] = '\0';
}

// A variable's number from 0 to 2^24, or -1.
std::int32_t NumberIn(const char* variable) {
  const char* text = Setting(variable);
  if (text == nullptr || *text == '\0') return -1;
  char* end = nullptr;
  const long number = strtol(text, &end, 10);
  if (*end != '\0' || number < 0 || number >= 1 << 24) return -1;
  return static_cast<std::int32_t>(number);
}

// RANGEFINDER_INJECT_RUN; 0: it is no number.
std::uint32_t FurtherRun() {
  const std::int32_t run = NumberIn("RANGEFINDER_INJECT_RUN");
  return run > 0 && run < 1 << 16 ? static_cast<std::uint32_t>(run) : 0;
}

// The rank in a parallel job and the number of ranks, from the launchers'
// variables. torchrun's come first: its workers inherit those of the mpirun or
// srun that started it.
constexpr const char* kLaunchers[][2] = {
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "PMIX_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

std::int32_t Rank() {
  for (const auto& launcher : kLaunchers)
    if (const std::int32_t rank = NumberIn(launcher[0]); rank >= 0) return rank;
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
  CopyText(VersionText(), header.library);
  // Pairs with 100 us between them give the counter's rate to a part in a
  // thousand. Readers need this if the program is killed before the next pair
  // is written.
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

// Growing a file beyond RLIMIT_FSIZE raises SIGXFSZ, which must not reach the
// program. Its other threads may lower the limit at any moment.
class FileSizeSignal {
 public:
  FileSizeSignal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
  }
  ~FileSizeSignal() {
    const int error = errno;
    constexpr timespec kNow{};
    if (error == EFBIG && !was_pending_) sigtimedwait(&only_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileSizeSignal(const FileSizeSignal&) = delete;
  FileSizeSignal& operator=(const FileSizeSignal&) = delete;

 private:
  sigset_t only_, before_;
  bool was_pending_ = false;
};

// A full disk takes only a part. If `repeat` is not 0, `bytes` has that many
// bytes and is written repeatedly.
bool WriteAll(int fd, const void* bytes, std::size_t size, std::uint64_t offset,
              std::size_t repeat = 0) {
  const FileSizeSignal guard;
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const std::size_t most = repeat != 0 && repeat < size ? repeat : size;
    const ssize_t written = WriteFileAt(fd, at, most, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    if (repeat == 0) at += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

constinit char zeros[64 * 1024] = {};

constexpr char kNotWritten[] = "the trace file cannot be written or named";

// The thread that has the file open closes it soon, unless it is stopped.
constexpr time_t kPatience = 2;  // s

// Holds `opening_`, or nothing. No signal handler runs meanwhile: a handler
// that forks would wait for its own thread.
class OpeningLock {
 public:
  explicit OpeningLock(pthread_mutex_t& mutex) : lock_(mutex, kPatience) {}
  bool held() const { return lock_.held(); }

 private:
  NoSignals no_signals_{Faults::kWait};
  LockWithin lock_;
};

}  // namespace

std::int32_t RanksOfTheJob() {
  for (const auto& launcher : kLaunchers)
    if (NumberIn(launcher[0]) >= 0) return NumberIn(launcher[1]);
  return -1;
}

bool ReadDriverVersion(char (&version)[32]) {
  char text[256];
  const ssize_t length =
      ReadStart("/proc/driver/nvidia/version", text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  return DriverVersionIn(text, version);
}

bool TraceFile::Prepare() {
  own_ = static_cast<OwnPage*>(MapOwnMemory(kLargestPage, kLargestPage));
  if (own_ == nullptr) return false;
  // Kept: the program may change its environment before it forks.
  const char* const prefix = Setting("RANGEFINDER_INJECT_NAME");
  if (prefix != nullptr && strlen(prefix) < sizeof prefix_ &&
      strchr(prefix, '/') == nullptr)
    CopyText(prefix, prefix_);
  own_->state.store(OwnPage::kOwn);
  return true;
}

bool TraceFile::IsInherited() const {
  return own_ != nullptr && own_->state.load() != OwnPage::kOwn;
}

bool TraceFile::ClaimInherited() {
  std::uint32_t state = OwnPage::kInherited;
  if (own_->state.compare_exchange_strong(state, OwnPage::kClaimed))
    return true;
  while (own_->state.load() == OwnPage::kClaimed) sched_yield();
  return false;
}

const char* TraceFile::Create(const char* dir, std::uint64_t forked_from) {
  const wire::FixedHeader header = Describe(forked_from);
  char part[sizeof path_ + 8];
  const int length =
      snprintf(path_, sizeof path_, "%s/%s%llx-%llu%s", dir, prefix_,
               static_cast<unsigned long long>(header.first.realtime_ns),
               static_cast<unsigned long long>(header.pid), wire::kTraceSuffix);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path_)
    return "the name of the trace folder is too long";
  snprintf(part, sizeof part, "%s.part", path_);
  // A fault's handler that ends the program would leave the part behind.
  const NoSignals no_signals(Faults::kWait);
  const int fd = OpenFile(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const char* failed = "the trace folder cannot be written";
  if (fd >= 0) {
    failed = Begin(fd, header);
    CloseFile(fd);
    if (failed == nullptr) {
      if (rename(part, path_) == 0) return nullptr;
      failed = kNotWritten;
    }
    unlink(part);
  }
  path_[0] = '\0';
  own_->live = nullptr;
  return failed;
}

// The first page is in the file before the file gets its name. Null: success;
// else the reason of the failure.
const char* TraceFile::Begin(int fd, const wire::FixedHeader& header) {
  mapped_ = true;
  number_.fetch_add(1);  // of this file: streams since Close() have another
  end_.store(wire::kPageSize, std::memory_order_relaxed);
  if (!Allocate(fd, 0, wire::kPageSize)) return "no space for the trace file";
  header_page_ = MapHeader(fd);
  if (header_page_ == nullptr) return "the trace file cannot be mapped";
  memcpy(header_page_, &header, sizeof header);
  auto* live = reinterpret_cast<wire::LiveHeader*>(
      static_cast<char*>(header_page_) + wire::kLiveHeaderOffset);
  *live = spare_;
  own_->live = live;
  return mapped_ || WriteAll(fd, header_page_, wire::kPageSize, 0)
             ? nullptr
             : kNotWritten;
}

// In place of the page of an earlier file.
void* TraceFile::MapHeader(int fd) {
  if (header_page_ == nullptr) return Map(fd, 0, wire::kPageSize);
  void* const at = mmap(header_page_, wire::kPageSize, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE | MAP_FIXED, fd, 0);
  if (at != MAP_FAILED) return at;
  mapped_ = false;
  return header_page_;
}

// A mapping that fails leaves the page of the file: it is complete.
void TraceFile::Close() {
  SaveLive();
  const OpeningLock lock(opening_);
  number_.fetch_add(1);
  streams_.store(0, std::memory_order_relaxed);
  path_[0] = '\0';
  if (header_page_ != nullptr) {
    mmap(header_page_, wire::kPageSize, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
}

// The pages stay mapped: the fork may have interrupted a call that returns to
// them, and another thread of the parent may have been changing the pointers to
// them.
void TraceFile::Abandon() {
  own_->live = nullptr;
  spare_ = wire::LiveHeader{};
  header_page_ = nullptr;
  path_[0] = '\0';
  number_.fetch_add(1);
  streams_.store(0, std::memory_order_relaxed);
  opening_ = PTHREAD_MUTEX_INITIALIZER;
  own_->state.store(OwnPage::kOwn);
}

int TraceFile::Open() const {
  return path_[0] == '\0' ? -1 : OpenFile(path_, O_RDWR | O_CLOEXEC);
}

bool TraceFile::Allocate(int fd, std::uint64_t offset, std::size_t size) {
  return !mapped_ || WriteAll(fd, zeros, size, offset, sizeof zeros);
}

void* TraceFile::Map(int fd, std::uint64_t offset, std::size_t size) {
  if (mapped_) {
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_POPULATE, fd, static_cast<off_t>(offset));
    if (at != MAP_FAILED) return at;
    if (offset != 0) return nullptr;
    mapped_ = false;
  }
  return MapMemory(size);
}

// The memory of a new block, and its offset in the file; null: there is no
// room.
void* TraceFile::Extend(std::size_t size, std::uint32_t file,
                        std::uint64_t& offset) {
  const OpeningLock lock(opening_);
  if (file != number()) return nullptr;
  const int fd = lock.held() ? Open() : -1;
  if (fd < 0) {
    CopyText(errno == EMFILE || errno == ENFILE
                 ? "the program has no file descriptor left"
                 : "the trace file cannot be opened any more",
             live().reason);
    return nullptr;
  }
  offset = end_.fetch_add(size, std::memory_order_relaxed);
  void* at = nullptr;
  if (Allocate(fd, offset, size)) {
    at = Map(fd, offset, size);
    if (at == nullptr) CopyText("no memory for the trace", live().reason);
  } else {
    CopyText(errno == ENOSPC || errno == EDQUOT
                 ? "no space left on the device of the trace"
             : errno == EFBIG ? "the limit on the size of files was reached"
                              : "the trace file cannot grow",
             live().reason);
    // Leaves no hole, unless another block was allocated behind this one.
    std::uint64_t end = offset + size;
    end_.compare_exchange_strong(end, offset);
  }
  CloseFile(fd);
  return at;
}

Block TraceFile::NewBlock(wire::BlockKind kind, std::uint32_t stream,
                          std::uint32_t sequence, std::uint64_t thread,
                          std::size_t size, std::uint32_t file) {
  std::uint64_t offset = 0;
  void* at = Extend(size, file, offset);
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
  return {header, offset, size, header->opened.ticks, file};
}

// The block is forgotten before it is unmapped: a child that is forked in
// between must not mistake a later mapping at this address for the block.
void TraceFile::Seal(Block& block, std::size_t used_words) {
  if (block.header == nullptr) return;
  const Block sealed = block;
  sealed.header->words = static_cast<std::uint32_t>(used_words);
  sealed.header->checksum = wire::Checksum(sealed.words(), used_words * 8);
  sealed.header->state = wire::BlockState::kSealed;
  if (!mapped_) {
    const OpeningLock lock(opening_);
    if (sealed.file == number()) Write(sealed);
    block = {};
    return UnmapMemory(sealed.header, sealed.size);
  }
  block = {};
  std::atomic_signal_fence(std::memory_order_seq_cst);
  UnmapMemory(sealed.header, sealed.size);
}

void TraceFile::Save(const Block& block) {
  if (mapped_) return;
  const OpeningLock lock(opening_);
  if (lock.held() && block.header != nullptr && block.file == number())
    Write(block);
}

bool TraceFile::KeepClosed() {
  return TakeWithin(opening_, kPatience);
}

void TraceFile::MayOpen() {
  pthread_mutex_unlock(&opening_);
}

void TraceFile::Write(const Block& block) {
  const int fd = Open();
  if (fd < 0 || !WriteAll(fd, block.header, block.size, block.offset)) {
    CopyText("writing the trace file failed", live().reason);
  }
  if (fd >= 0) CloseFile(fd);
  SaveLive();
}

void TraceFile::SaveLive() {
  if (mapped_ || header_page_ == nullptr) return;
  const int fd = Open();
  if (fd < 0) return;
  WriteAll(fd, header_page_, wire::kPageSize, 0);
  CloseFile(fd);
}

}  // namespace rangefinder::inject
