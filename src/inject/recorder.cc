#include "inject/recorder.h"

#include <atomic>
#include <new>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rangefinder::inject {
namespace {

// kForked: in a child that has recorded nothing yet, and so has no file.
enum class State { kNew, kOn, kForked, kOff };

struct Recorder {
  std::atomic<State> state{State::kNew};
  std::atomic<bool> finished{false};
  std::atomic<std::uint64_t> range_ids{0};
  Mode mode = Mode::kTrace;
  TraceFile file;
  Names names;
  ThreadLog* logs = nullptr;  // of living threads, under names_mutex
  std::uint64_t parent = 0;   // kForked: the pid that we forked from
  ThreadLog* inherited = nullptr;
  pthread_key_t thread_end{};
  void (*last_flush)() = nullptr;
  char dir[3072] = {};
};

pthread_mutex_t names_mutex = PTHREAD_MUTEX_INITIALIZER;

// Built before anything runs, and never destroyed.
union Immortal {
  constexpr Immortal() : recorder() {}
  ~Immortal() {}
  Recorder recorder;
};
constinit Immortal immortal;

Recorder& Self() {
  return immortal.recorder;
}

// Eight bytes of static TLS: reading it costs one instruction, where the
// dynamic model would call a function on every event.
__attribute__((tls_model("initial-exec"))) thread_local ThreadLog* my_log =
    nullptr;

// Whether this thread has, or waits for, the lock of the names: a signal
// handler that interrupts it there and calls NVTX must not wait for it, too.
__attribute__((
    tls_model("initial-exec"))) thread_local volatile bool at_the_lock = false;

std::uint64_t OsThread() {
  return static_cast<std::uint64_t>(syscall(SYS_gettid));
}

void Link(Recorder& self, ThreadLog* log) {
  log->previous = nullptr;
  log->next = self.logs;
  if (self.logs != nullptr) self.logs->previous = log;
  self.logs = log;
}

void Unlink(Recorder& self, ThreadLog* log) {
  (log->previous != nullptr ? log->previous->next : self.logs) = log->next;
  if (log->next != nullptr) log->next->previous = log->previous;
}

// The thread's end. If a later destructor of the same thread calls NVTX again,
// it gets a new log under the same thread id.
void OnThreadEnd(void* value) {
  auto* log = static_cast<ThreadLog*>(value);
  Recorder& self = Self();
  my_log = nullptr;
  log->stream().Seal(self.file);
  {
    const NamesLock lock;
    Unlink(self, log);
  }
  munmap(log, sizeof *log);
}

// ---- fork() ----------------------------------------------------------------

void BeforeFork() {
  at_the_lock = true;
  pthread_mutex_lock(&names_mutex);
}
void AfterForkInParent() {
  pthread_mutex_unlock(&names_mutex);
  at_the_lock = false;
}

// Only the forking thread lives on, and every mapping is the parent's file. The
// child makes its own when it has something to write.
void AfterForkInChild() {
  Recorder& self = Self();
  if (self.state.load() == State::kOn) {
    self.names.stream().Forget();
    for (ThreadLog* log = self.logs; log != nullptr; log = log->next) {
      log->stream().Forget();
    }
    self.logs = nullptr;
    self.inherited = my_log;
    self.parent = static_cast<std::uint64_t>(getppid());
    self.file.Abandon();
    self.finished.store(false);
    self.last_flush = nullptr;  // CUDA does not survive fork()
    self.state.store(State::kForked);
  }
  if (my_log != nullptr) pthread_setspecific(self.thread_end, nullptr);
  my_log = nullptr;
  pthread_mutex_unlock(&names_mutex);
  at_the_lock = false;
}

bool BeginFile(Recorder& self, std::uint64_t forked_from) {
  const char* error = nullptr;
  if (!self.file.Create(self.dir, forked_from, &error)) return false;
  // CUDA does not survive fork(), and sampling belongs to the parent.
  const bool traced = self.mode == Mode::kTrace || self.mode == Mode::kSample;
  if (traced && forked_from == 0)
    self.file.live().gpu = wire::GpuState::kWaiting;
  if (self.mode == Mode::kSample && forked_from == 0)
    self.file.live().sampling = wire::SamplingState::kWaiting;
  if (self.mode == Mode::kCount && forked_from == 0)
    self.file.live().counting = wire::CountingState::kWaiting;
  self.names.Begin(self.file);
  self.names.Fact(self.file, "mode",
                  self.mode == Mode::kRegions  ? "regions"
                  : self.mode == Mode::kSample ? "sample"
                  : self.mode == Mode::kCount  ? "count"
                                               : "trace");
  return true;
}

ThreadLog* NewLog(Recorder& self) {
  void* at = mmap(nullptr, sizeof(ThreadLog), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* log = new (at) ThreadLog;
  log->Start(self.file, OsThread());
  pthread_setspecific(self.thread_end, log);
  Link(self, log);
  my_log = log;
  return log;
}

// The ranges that were open when this process was forked are open here too.
void Inherit(Recorder& self, ThreadLog& log) {
  const ThreadLog* before = self.inherited;
  self.inherited = nullptr;
  if (before == nullptr) return;
  for (std::size_t i = 0; i < before->open_count(); ++i) {
    const ThreadLog::Open open = before->open()[i];
    log.Record(self.file, wire::Event::kInherit, open.label);
    log.Push(open.label, open.domain);
  }
}

__attribute__((noinline)) ThreadLog* FirstEvent() {
  Recorder& self = Self();
  const State state = self.state.load(std::memory_order_acquire);
  if (state == State::kOff || state == State::kNew) return nullptr;
  if (at_the_lock) {
    Count(self.file.live().reentrant);
    return nullptr;
  }
  const NamesLock lock;
  try {
    if (self.state.load() == State::kForked) {
      const bool begun = BeginFile(self, self.parent);
      self.state.store(begun ? State::kOn : State::kOff);
    }
    if (self.state.load() != State::kOn) return nullptr;
    ThreadLog* log = NewLog(self);
    if (log != nullptr) Inherit(self, *log);
    return log;
  } catch (...) {
    SwitchOff("no memory for the trace");
    return nullptr;
  }
}

bool ReadSettings(Recorder& self) {
  const char* dir = getenv("RANGEFINDER_INJECT_DIR");
  if (dir == nullptr || dir[0] != '/' || strlen(dir) >= sizeof self.dir) {
    return false;
  }
  strcpy(self.dir, dir);
  const char* mode = getenv("RANGEFINDER_INJECT_MODE");
  if (mode != nullptr && strcmp(mode, "regions") == 0)
    self.mode = Mode::kRegions;
  if (mode != nullptr && strcmp(mode, "sample") == 0) self.mode = Mode::kSample;
  if (mode != nullptr && strcmp(mode, "count") == 0) self.mode = Mode::kCount;
  return true;
}

bool Begin(Recorder& self) {
  if (!ReadSettings(self)) return false;
  if (pthread_key_create(&self.thread_end, OnThreadEnd) != 0) return false;
  if (pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild) != 0) {
    return false;
  }
  ChooseClock();
  try {
    if (!BeginFile(self, 0)) return false;
  } catch (...) {
    return false;
  }
  RegisterFinish();
  return true;
}

}  // namespace

NamesLock::NamesLock() {
  at_the_lock = true;
  pthread_mutex_lock(&names_mutex);
}
NamesLock::~NamesLock() {
  pthread_mutex_unlock(&names_mutex);
  at_the_lock = false;
}

bool StartRecording() {
  Recorder& self = Self();
  const NamesLock lock;
  if (self.state.load() == State::kNew) {
    self.state.store(Begin(self) ? State::kOn : State::kOff,
                     std::memory_order_release);
  }
  return self.state.load() != State::kOff;
}

Mode RecordingMode() {
  return Self().mode;
}

ThreadLog* MyLog() {
  ThreadLog* log = my_log;
  if (log != nullptr) [[likely]]
    return log;
  return FirstEvent();
}

TraceFile& File() {
  return Self().file;
}

Names& NamesUnderLock() {
  return Self().names;
}

bool IsRecording() {
  return Self().state.load() == State::kOn;
}

void SwitchOff(const char* reason) {
  Recorder& self = Self();
  self.file.Reason(reason);
  self.file.live().state = wire::RunState::kOff;
  self.state.store(State::kOff);
}

std::uint64_t NewRangeId() {
  return Self().range_ids.fetch_add(1, std::memory_order_relaxed) + 1;
}

void SetLastFlush(void (*flush)()) {
  Self().last_flush = flush;
}

void RegisterFinish() {
  atexit(FinishRecording);
}

// Other threads may still be running: their blocks stay open, which a reader
// can read, and what they do from now on is still recorded.
void FinishRecording() {
  Recorder& self = Self();
  if (self.state.load() != State::kOn) return;
  if (self.finished.exchange(true)) return;
  if (self.last_flush != nullptr) self.last_flush();
  const NamesLock lock;
  for (ThreadLog* log = self.logs; log != nullptr; log = log->next) {
    log->stream().Save(self.file);
  }
  if (my_log != nullptr) my_log->stream().Seal(self.file);
  self.names.stream().Seal(self.file);
  wire::LiveHeader& live = self.file.live();
  live.last = ReadBothClocks(5);
  if (live.state == wire::RunState::kRunning) {
    live.state = wire::RunState::kEnded;
  }
  self.file.SaveLive();
}

}  // namespace rangefinder::inject
