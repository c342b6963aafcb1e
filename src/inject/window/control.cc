#include "inject/window/control.h"

#include <atomic>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "inject/counters/counting.h"
#include "inject/gpu/gpu_trace.h"
#include "inject/process/own_call.h"
#include "inject/process/own_threads.h"
#include "inject/process/setting.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"
#include "inject/window/before.h"
#include "inject/window/watched_region.h"

namespace rangefinder::inject {
namespace {

constexpr int kLookAroundMs = 500;
constexpr int kLookInWindowMs = 20, kLookWatchingMs = 1;
constexpr std::uint64_t kPatienceNs = 2'000'000'000;  // for a request's end
constexpr std::size_t kMostRequest = 16 * 1024;
constexpr int kHighest = 1000;  // see Socket::Own()

// A socket of ours. A program may close descriptors that it does not know, and
// reuse their numbers: each use first checks that the number is still our
// socket.
class Socket {
 public:
  // Moves the descriptor to a number that programs do not get: they may rely on
  // the lowest free ones.
  void Own(int fd) {
    rlimit limit;
    const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0;
    int least = kHighest;
    if (known && limit.rlim_cur <= kHighest)
      least = static_cast<int>(limit.rlim_cur) / 2;
    fd_ = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, least) : -1;
    if (fd_ < 0) {
      fd_ = fd;
    } else {
      close(fd);
    }
    struct stat file;
    if (fd_ < 0 || fstat(fd_, &file) != 0) return;
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
  bool IsOurs() const {
    struct stat file;
    return fd_ >= 0 && fstat(fd_, &file) == 0 && file.st_dev == device_ &&
           file.st_ino == inode_;
  }
  void Close() {
    if (IsOurs()) close(fd_);
    fd_ = -1;
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

struct Control {
  std::atomic<bool> started{false};
  std::atomic<bool> has_cuda{false};
  pid_t pid = 0;  // the process that made the socket
  Socket listener{}, client{};
  Socket next{};  // accepted after `client` had left
  char path[sizeof(sockaddr_un::sun_path)] = {};
  char request[kMostRequest] = {};
  std::size_t size = 0;              // of the request
  char settings[kMostRequest] = {};  // of the window
  bool has_tried = false;            // to trace the GPU in this window
  bool gpu_is_traced = false;
  // exit() runs, and CUPTI's libraries may be gone. Set with `opening` locked,
  // or without the lock if another thread does not release it in time.
  std::atomic<bool> program_ends{false};
};
constinit Control control{};

// Locked while a window opens or closes, and while cuInit() loads CUPTI: both
// write into the trace, and call CUPTI.
pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
constexpr time_t kPatienceToOpen = 10;  // s
constexpr time_t kPatienceAtExit = 2;

// A folder that only this user can change.
bool IsOwnFolder(const char* path) {
  struct stat folder;
  return lstat(path, &folder) == 0 && S_ISDIR(folder.st_mode) &&
         folder.st_uid == geteuid() && (folder.st_mode & 022) == 0;
}

bool IsFolder(const char* path) {
  struct stat folder;
  return path != nullptr && path[0] == '/' && stat(path, &folder) == 0 &&
         S_ISDIR(folder.st_mode);
}

// False: there is no folder, or its name is too long for a socket's address.
bool ChoosePath() {
  char folder[PATH_MAX];
  const char* const wanted = Setting("RANGEFINDER_SOCKET_DIR");
  const char* const runtime = Setting("XDG_RUNTIME_DIR");
  if (wanted != nullptr && *wanted != '\0')
    snprintf(folder, sizeof folder, "%s", wanted);
  else if (IsFolder(runtime))
    snprintf(folder, sizeof folder, "%s/rangefinder", runtime);
  else
    snprintf(folder, sizeof folder, "/tmp/rangefinder-%u", geteuid());
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return false;
  if (folder[0] != '/' || !IsOwnFolder(folder)) return false;
  const int length = snprintf(control.path, sizeof control.path, "%s/%d.sock",
                              folder, static_cast<int>(getpid()));
  return length > 0 && static_cast<std::size_t>(length) < sizeof control.path;
}

// The socket gets its name when clients are accepted.
bool Listen() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length =
      snprintf(address.sun_path, sizeof address.sun_path, "%s~", control.path);
  if (length >= static_cast<int>(sizeof address.sun_path)) return false;
  control.listener.Own(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(address.sun_path);
  const int fd = control.listener.fd();
  if (fd >= 0 &&
      bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      chmod(address.sun_path, 0600) == 0 && listen(fd, 4) == 0 &&
      rename(address.sun_path, control.path) == 0)
    return true;
  control.listener.Close();
  return false;
}

void Send(int fd, const char* word, const char* reason) {
  char text[512];
  const int size = snprintf(text, sizeof text, "%s%s%s\n", word,
                            *reason != '\0' ? " " : "", reason);
  if (send(fd, text, static_cast<std::size_t>(size),
           MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
  }
}

void Answer(const char* word, const char* reason = "") {
  if (control.client.IsOurs()) Send(control.client.fd(), word, reason);
}

bool IsAllowed(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

// -1: no client waits, or the program has no descriptor left. In the second
// case the client stays in the queue, and poll() would report it again at once:
// so this function waits a little.
int Accept() {
  if (!control.listener.IsOurs()) return -1;
  const int fd = accept4(control.listener.fd(), nullptr, nullptr,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0 && errno != EAGAIN) poll(nullptr, 0, kLookInWindowMs);
  if (fd >= 0 && !IsAllowed(fd)) {
    close(fd);
    return -1;
  }
  return fd;
}

// ---- Requests --------------------------------------------------------------

enum class Heard { kNothing, kOpen, kClose, kEnd };

// The received text, up to an empty line; for a window, its settings, with
// zeros for the ends of lines.
Heard Understand() {
  char* const text = control.request;
  char* const end = static_cast<char*>(memmem(text, control.size, "\n\n", 2));
  if (end == nullptr) {
    if (control.size + 1 < kMostRequest) return Heard::kNothing;
    Answer("failed", "the request is too long");
    return Heard::kEnd;
  }
  const auto size = static_cast<std::size_t>(end + 1 - text);
  for (std::size_t i = 0; i < size; ++i)
    if (text[i] == '\n') text[i] = '\0';
  control.size = 0;
  if (strcmp(text, "close") == 0) return Heard::kClose;
  if (strcmp(text, "open") == 0 && !IsTraceOpen()) {
    const std::size_t word = strlen(text) + 1;
    memcpy(control.settings, text + word, size - word);
    UseSettings(control.settings, size - word);
    return Heard::kOpen;
  }
  Answer("failed", "this is no request");
  return Heard::kEnd;
}

Heard Read() {
  if (!control.client.IsOurs()) return Heard::kEnd;
  const ssize_t got = recv(control.client.fd(), control.request + control.size,
                           kMostRequest - 1 - control.size, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::kNothing;
  if (got <= 0) return Heard::kEnd;
  control.size += static_cast<std::size_t>(got);
  return Understand();
}

void Await(const Socket& socket, int ms) {
  pollfd asked{socket.fd(), POLLIN, 0};
  poll(&asked, 1, ms);
}

// Refuses a second client, unless the first client has left.
void RefuseOthers() {
  const int other = Accept();
  if (other < 0) return;
  char byte = 0;
  if (control.next.fd() < 0 && control.client.IsOurs() &&
      recv(control.client.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
    return control.next.Own(other);
  Send(other, "failed", "another window is open in it, or opens");
  close(other);
}

Heard ReadRequest() {
  control.size = 0;
  const std::uint64_t begun = MonotonicNs();
  for (;;) {
    const Heard heard = Read();
    if (heard != Heard::kNothing) return heard;
    if (MonotonicNs() - begun > kPatienceNs) return Heard::kEnd;
    Await(control.client, kLookInWindowMs);
  }
}

// ---- A window --------------------------------------------------------------

void PrepareGpu() {
  if (control.has_tried || !control.has_cuda.load() ||
      RecordingMode() == Mode::kRegions)
    return;
  if (RecordingMode() == Mode::kCount)
    PrepareGpuCount();
  else
    control.gpu_is_traced = PrepareGpuTrace();
  control.has_tried = true;
}

// The program may initialise CUDA after the window has opened.
void LookForGpu() {
  const LockWithin lock(opening, 0);
  if (!lock.held() || control.program_ends) return;
  PrepareGpu();
  if (control.gpu_is_traced) WakeGpuTrace();
}

// Waits until the client speaks, the watched region is over, or the program has
// ended.
Heard Wait() {
  Heard heard = Heard::kNothing;
  while (heard == Heard::kNothing && !WatchedRegionIsOver() &&
         !OwnThreadsAreAlone()) {
    Await(control.client,
          RegionIsWatched() ? kLookWatchingMs : kLookInWindowMs);
    RefuseOthers();
    heard = Read();
    if (IsTraceOpen() && !control.has_tried) LookForGpu();
  }
  return heard;
}

// Waits for the condition in `name`, if there is one. kNothing: it is met. Else
// the client left, or the condition is invalid.
Heard WaitUntil(const char* name) {
  const char* const wanted = Setting(name);
  if (wanted == nullptr) return Heard::kNothing;
  if (const char* const failed = WatchRegion(wanted)) {
    Answer("failed", failed);
    return Heard::kEnd;
  }
  const Heard heard = Wait();
  StopWatching();
  return heard;
}

// Null: threads record; else the reason why they do not.
const char* Begin() {
  const LockWithin lock(opening, kPatienceToOpen);
  if (!lock.held()) return "CUDA does not come to an end of its start";
  if (control.program_ends) return "the program ends";
  if (!RestCounting())
    return "the exact counts of its last window are not over";
  const char* const failed = OpenTrace(Setting("RANGEFINDER_INJECT_DIR"),
                                       Setting("RANGEFINDER_INJECT_MODE"));
  if (failed != nullptr) return failed;
  control.gpu_is_traced = control.has_tried = false;
  PrepareGpu();
  BeginWindow();
  WriteBefore();
  if (RecordingMode() == Mode::kCount) {
    BeginCounts();
    control.has_tried = true;  // CUDA that comes later is not counted
  }
  if (control.gpu_is_traced) WakeGpuTrace();
  return nullptr;
}

void Finish() {
  const LockWithin lock(opening, kPatienceToOpen);
  const bool has_cupti = !control.program_ends;
  const bool is_traced = has_cupti && control.gpu_is_traced;
  if (is_traced) RestGpuTrace();
  EndWindow();
  if (is_traced) FinishGpuTrace();
  if (has_cupti) RestCounting();
  CloseTrace();
}

void OpenWindow() {
  const char* const until = Setting("RANGEFINDER_INJECT_UNTIL");
  if (WaitUntil("RANGEFINDER_INJECT_AFTER") != Heard::kNothing) return;
  if (const char* const failed = Begin()) return Answer("failed", failed);
  const char* const refused = until != nullptr ? WatchRegion(until) : nullptr;
  if (refused == nullptr) {
    Answer("opened");
    if (Wait() == Heard::kNothing) Answer("over");
  } else {
    Answer("failed", refused);
  }
  StopWatching();
  Finish();
  Answer("closed");
}

// Serves the accepted clients one after the other.
void Serve() {
  while (control.client.fd() >= 0) {
    if (ReadRequest() == Heard::kOpen) OpenWindow();
    UseSettings(nullptr, 0);
    control.client.Close();
    control.client = control.next;
    control.next = Socket();
  }
}

// ---- The thread ------------------------------------------------------------

void* Run(void*) {
  while (!OwnThreadsAreAlone()) {
    // A program that closes all descriptors has closed ours.
    if (!control.listener.IsOurs() && !Listen()) {
      poll(nullptr, 0, kLookAroundMs);
      continue;
    }
    Await(control.listener, kLookAroundMs);
    control.client.Own(Accept());
    Serve();
  }
  return nullptr;
}

void End() {
  const LockWithin lock(opening, kPatienceAtExit);
  control.program_ends = true;
}

void Remove() {
  if (control.pid == getpid() && control.path[0] != '\0') unlink(control.path);
}

// The sockets are the parent's, and the child has none of its threads.
void Forget() {
  control.listener.Close();
  control.client.Close();
  control.next.Close();
  control.path[0] = '\0';
  opening = PTHREAD_MUTEX_INITIALIZER;
  ForgetOwnThreads();
  ForgetCounting();
  control.started.store(false);
  control.has_cuda.store(false);
  control.program_ends = false;
  UseSettings(nullptr, 0);
  StopWatching();
}

}  // namespace

void StartControl() {
  if (control.started.exchange(true)) return;
  const QuietCall quiet;
  static std::atomic<bool> registered{false};
  if (!registered.exchange(true)) {
    SetArmedHandlers(Forget, End);
    atexit(Remove);
  }
  KeepEnvironment();
  control.pid = getpid();
  if (ChoosePath() && Listen() && !StartOwnThread(Run, nullptr)) {
    control.listener.Close();
    Remove();
  }
}

void TellOfCuda() {
  if (ArmsGraphs()) {
    const LockWithin lock(opening, kPatienceToOpen);
    if (lock.held()) SeeGraphs();
  }
  control.has_cuda.store(true);
}

}  // namespace rangefinder::inject
