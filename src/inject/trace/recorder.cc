#include "inject/trace/recorder.h"

#include <atomic>
#include <initializer_list>
#include <new>
#include <type_traits>

#include <elf.h>
#include <gnu/libc-version.h>
#include <linux/limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/process/system_calls.h"

namespace rangefinder::inject {

constinit std::atomic<bool> counting_is_on{false};
constinit std::atomic<std::uint32_t> trace_epoch{1};

namespace {

// A thread that holds the lock releases it soon, unless it is stopped.
constexpr time_t kPatience = 2;  // s

// kForked: a child that has recorded nothing yet, and so has no file.
enum class State { kNew, kOn, kForked, kOff };

struct Recorder {
  std::atomic<State> state{State::kNew};
  std::atomic<bool> finished{false};
  std::atomic<bool> ends{false};  // exit() runs
  std::atomic<std::uint64_t> range_ids{0};
  // The last wait for the names failed: nobody waits again.
  std::atomic<bool> lock_is_lost{false};
  Mode mode = Mode::kTrace;
  bool armed = false, arms_graphs = false;
  std::atomic<bool> trace_is_open{false};  // of an armed process
  void (*child_forked)() = nullptr;
  void (*armed_ends)() = nullptr;
  TraceFile file;
  Names names;
  ThreadLog* logs = nullptr;    // of living threads, under names_mutex
  std::uint64_t pid = 0;        // of the process that has this state
  std::uint64_t parent = 0;     // kForked: the pid that we forked from
  bool names_are_whole = true;  // kForked: no thread was changing them
  pthread_key_t thread_end{};
  void (*last_flush)() = nullptr;
  std::atomic<void (*)(const ThreadLog&)> count_thread_end{nullptr};
  char dir[PATH_MAX] = {};
};

pthread_mutex_t names_mutex = PTHREAD_MUTEX_INITIALIZER;

// Built before anything runs, and never destroyed.
constinit Recorder recorder{};
static_assert(std::is_trivially_destructible_v<Recorder>);

Recorder& Self() {
  return recorder;
}

// Eight bytes of static TLS: reading it costs one instruction, where the
// dynamic model would call a function on every event.
__attribute__((tls_model("initial-exec"))) thread_local ThreadLog* my_log =
    nullptr;

// Whether this thread has the lock of the names or waits for it: a handler that
// interrupts it there must not wait too.
__attribute__((
    tls_model("initial-exec"))) thread_local volatile bool at_the_lock = false;
// The nested fork()s of this thread (a handler that interrupts fork() may
// fork), and the depths that hold the lock of the names and keep the file
// closed.
struct Forks {
  std::uint8_t depth = 0, holder = 0, closer = 0;
};
__attribute__((tls_model("initial-exec"))) thread_local Forks forks{};

bool TakeNames(bool at_the_lock_already) {
  std::atomic<bool>& lost = Self().lock_is_lost;
  const bool waits =
      !at_the_lock_already && !lost.load(std::memory_order_relaxed);
  const bool taken = TakeWithin(names_mutex, waits ? kPatience : 0);
  if (taken || waits) lost.store(!taken, std::memory_order_relaxed);
  return taken;
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

// ---- fork() ----------------------------------------------------------------

// The window, if there is one, is the parent's. No thread is started in the
// child before it starts CUDA: of several threads, or of a signal handler, it
// may find the C library's locks held for good and its data half changed.
void BecomeArmedChild(Recorder& self) {
  trace_epoch.store((trace_epoch.load() | 1) + 1);
  self.trace_is_open.store(false);
  self.names.Leave();
  if (!self.names_are_whole) self.state.store(State::kOff);
  if (self.child_forked != nullptr) self.child_forked();
}

// Only the forking thread lives on, and every mapping is the parent's file. The
// child never reads data that other threads were changing, and makes its own
// file when it has something to write.
void BecomeChild(Recorder& self, std::uint64_t parent, bool has_the_lock) {
  if (has_the_lock) pthread_mutex_unlock(&names_mutex);
  names_mutex = PTHREAD_MUTEX_INITIALIZER;
  counting_is_on.store(false);
  self.last_flush = nullptr;
  self.logs = nullptr;
  self.names_are_whole = self.names_are_whole && has_the_lock;
  self.parent = parent;
  self.pid = static_cast<std::uint64_t>(getpid());
  self.finished.store(false);
  self.ends.store(false);
  self.lock_is_lost.store(false);
  self.file.Abandon();
  if (self.armed) return BecomeArmedChild(self);
  if (self.state.load() == State::kOn) self.state.store(State::kForked);
}

// In a child in which no handler of fork() ran (_Fork(), clone(), a program
// with a C library of its own). The thread that held the lock does not exist
// here.
void NoticeFork(Recorder& self) {
  if (!self.file.IsInherited()) return;
  // The handler of a fault would wait for the thread that it interrupted.
  const NoSignals no_signals(Faults::kWait);
  if (self.file.ClaimInherited())
    BecomeChild(self, self.pid, pthread_mutex_trylock(&names_mutex) == 0);
}

void BeforeFork() {
  const QuietCall call;
  NoticeFork(Self());
  if (my_log != nullptr) my_log->BeforeFork();
  ++forks.depth;
  if (!TakeNames(at_the_lock)) return;
  at_the_lock = true;
  forks.holder = forks.depth;
  if (Self().file.KeepClosed()) forks.closer = forks.depth;
}

void AfterForkInParent() {
  const QuietCall call;
  if (forks.closer == forks.depth) {
    forks.closer = 0;
    Self().file.MayOpen();
  }
  if (forks.holder == forks.depth) {
    forks.holder = 0;
    pthread_mutex_unlock(&names_mutex);
    at_the_lock = false;
  }
  --forks.depth;
}

void AfterForkInChild() {
  const QuietCall call;
  const bool has_the_lock = forks.holder != 0;
  if (forks.closer != 0) Self().file.MayOpen();
  if (my_log != nullptr) my_log->ForgetParent();
  BecomeChild(Self(), static_cast<std::uint64_t>(getppid()), has_the_lock);
  if (has_the_lock) at_the_lock = false;
  forks.holder = forks.closer = 0;
  --forks.depth;
}

// In the order of Mode.
constexpr const char* kModes[] = {"regions", "trace", "sample", "count"};

// kTrace if no mode has this name. `name` may be null.
Mode ModeOf(const char* name) {
  for (const Mode mode : {Mode::kRegions, Mode::kSample, Mode::kCount})
    if (name != nullptr && strcmp(name, kModes[static_cast<int>(mode)]) == 0)
      return mode;
  return Mode::kTrace;
}

// Chooses the folder of the next file. False: the path is not absolute, or too
// long.
bool SetFolder(Recorder& self, const char* dir) {
  if (dir == nullptr || dir[0] != '/' || strlen(dir) >= sizeof self.dir)
    return false;
  strcpy(self.dir, dir);
  return true;
}

// Whether the GPU is traced, sampled or counted, as far as it is known, and the
// facts of the process.
void DescribeRun(Recorder& self, bool has_gpu) {
  wire::LiveHeader& live = self.file.live();
  const bool traced = self.mode == Mode::kTrace || self.mode == Mode::kSample;
  if (traced && has_gpu) live.gpu = wire::GpuState::kWaiting;
  if (self.mode == Mode::kSample && has_gpu)
    live.sampling = wire::SamplingState::kWaiting;
  if (self.mode == Mode::kCount && has_gpu)
    live.counting = wire::CountingState::kWaiting;
  self.names.Begin(self.file);
  self.names.Fact(self.file, "mode", kModes[static_cast<int>(self.mode)]);
  if (self.armed) self.names.Fact(self.file, "window", "1");
  if (char driver[32]; ReadDriverVersion(driver))
    self.names.Fact(self.file, "driver", driver);
  if (const std::int32_t ranks = RanksOfTheJob(); ranks > 0) {
    char text[16];
    snprintf(text, sizeof text, "%d", ranks);
    self.names.Fact(self.file, "world", text);
  }
}

bool BeginFile(Recorder& self, std::uint64_t forked_from) {
  if (self.file.Create(self.dir, forked_from) != nullptr) return false;
  self.pid = static_cast<std::uint64_t>(getpid());
  if (!self.names_are_whole) {
    CopyText("it was forked while a name was being added",
             self.file.live().reason);
    self.file.live().state = wire::RunState::kOff;
    return false;
  }
  // CUDA does not survive fork(), and sampling belongs to the parent.
  DescribeRun(self, forked_from == 0);
  return true;
}

// ---- Threads ---------------------------------------------------------------

// The end of a thread. If a later destructor of the same thread calls NVTX
// again, the thread gets a new log under the same id.
void OnThreadEnd(void* value) {
  auto* log = static_cast<ThreadLog*>(value);
  Recorder& self = Self();
  const QuietCall call;
  NoticeFork(self);
  const NamesLock lock;
  if (my_log == log) my_log = nullptr;
  const auto ended = self.count_thread_end.load();
  if (log->alive() && CountingIsOn() && ended != nullptr) ended(*log);
  // The log stays where it is if the thread ends in the middle of a call of
  // ours, or if another thread keeps the lock for good.
  if (log->busy() || (log->alive() && !lock.held())) return;
  if (log->alive()) {
    if (log->is_current()) log->stream().Seal(self.file);
    log->stream().Discard();
    Unlink(self, log);
  }
  log->FreeKept();
  UnmapMemory(log, sizeof *log);
}

ThreadLog* NewLog(Recorder& self) {
  void* at = MapOwnMemory(sizeof(ThreadLog), ThreadLog::kOwn);
  if (at == nullptr) return nullptr;
  auto* log = new (at) ThreadLog;
  pthread_setspecific(self.thread_end, log);
  return log;
}

// Makes the log of a thread that has none, or has the parent's, and brings a
// log of another epoch up to date.
__attribute__((noinline)) ThreadLog* MakeLog() {
  Recorder& self = Self();
  const State state = self.state.load(std::memory_order_acquire);
  if (state == State::kOff) Count(self.file.live().dropped_events);
  if (state == State::kOff || state == State::kNew) return nullptr;
  ThreadLog* const before = my_log;
  if (before != nullptr && before->alive() && before->busy()) {
    Count(self.file.live().reentrant);
    return nullptr;
  }
  const QuietCall call;
  NoticeFork(self);
  const NamesLock lock;
  if (!lock.held()) {
    Count(self.file.live().reentrant);
    return nullptr;
  }
  if (self.state.load() == State::kForked) {
    const bool begun = BeginFile(self, self.parent);
    self.state.store(begun ? State::kOn : State::kOff);
  }
  if (self.state.load() != State::kOn) {
    Count(self.file.live().dropped_events);
    return nullptr;
  }
  // If a handler that interrupted a call of ours forked, it may return to that
  // call, which goes on with the log that it has.
  ThreadLog* log = before == nullptr || before->busy() ? NewLog(self) : before;
  if (log == nullptr) {
    Count(self.file.live().dropped_events);
    return nullptr;
  }
  if (before != nullptr && log != before) log->Inherit(*before);
  if (!log->alive()) Link(self, log);
  log->Start(self.file, OsThread(), trace_epoch.load(), [&](std::size_t place) {
    return self.armed ? self.names.Label(self.file, log->kept(place))
                      : log->open()[place].label;
  });
  my_log = log;
  return log->Enter() ? log : nullptr;
}

// No program with another user's rights (setuid) is traced: the variables are
// not that user's. No static program either if its second C library, ours, is
// older than glibc 2.34, where getauxval() and threads crash, or if it needs a
// thread of ours.
bool MayBeTraced(bool armed) {
  Elf64_auxv_t values[64];
  const ssize_t size = ReadStart("/proc/self/auxv", values, sizeof values);
  for (ssize_t i = 0; (i + 1) * ssize_t{sizeof values[0]} <= size; ++i) {
    const bool is_static =
        values[i].a_type == AT_BASE && values[i].a_un.a_val == 0;
    if (is_static && (armed || strcmp(gnu_get_libc_version(), "2.34") < 0))
      return false;
  }
  return getauxval(AT_SECURE) == 0;
}

bool ReadSettings(Recorder& self) {
  const char* mode = getenv("RANGEFINDER_INJECT_MODE");
  self.armed = mode != nullptr && strcmp(mode, "armed") == 0;
  if (!MayBeTraced(self.armed)) return false;
  const char* const arm = getenv("RANGEFINDER_INJECT_ARM");
  self.arms_graphs = self.armed && arm != nullptr && strcmp(arm, "graphs") == 0;
  if (self.armed) return true;
  self.mode = ModeOf(mode);
  return SetFolder(self, getenv("RANGEFINDER_INJECT_DIR"));
}

bool Begin(Recorder& self) {
  if (!ReadSettings(self) || !self.file.Prepare()) return false;
  if (pthread_key_create(&self.thread_end, OnThreadEnd) != 0) return false;
  if (pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild) != 0) {
    return false;
  }
  ChooseClock();
  if (self.armed) {
    self.file.MakeSmallBlocks();
    self.pid = static_cast<std::uint64_t>(getpid());
    trace_epoch.store(2);
    self.names.Begin(self.file);
    self.names.End(self.file);
  } else if (!BeginFile(self, 0)) {
    return false;
  }
  RegisterFinish();
  return true;
}

// Other threads may still be running: their blocks stay open, which a reader
// understands, and their further events are recorded. If a handler that ends
// the program interrupted a call of ours, that call is not completed.
void SaveThreads(Recorder& self) {
  for (ThreadLog* log = self.logs; log != nullptr; log = log->next) {
    log->stream().Save(self.file);
  }
  if (my_log != nullptr && my_log->is_current() && !my_log->busy())
    my_log->stream().Seal(self.file);
  self.names.stream().Seal(self.file);
}

// The last records of a file.
void SaveEnd(Recorder& self) {
  wire::LiveHeader& live = self.file.live();
  live.last = ReadBothClocks(5);
  if (live.state == wire::RunState::kRunning)
    live.state = wire::RunState::kEnded;
  self.file.SaveLive();
}

}  // namespace

NamesLock::NamesLock() : was_at_the_lock_(at_the_lock) {
  at_the_lock = true;
  held_ = TakeNames(was_at_the_lock_);
}
NamesLock::~NamesLock() {
  if (held_) pthread_mutex_unlock(&names_mutex);
  at_the_lock = was_at_the_lock_;
}

bool MayRecord(const NamesLock& lock) {
  if (Self().state.load() != State::kOn) return false;
  if (!lock.held()) Count(Self().file.live().reentrant);
  return lock.held();
}

bool StartRecording() {
  Recorder& self = Self();
  NoticeFork(self);
  const NamesLock lock;
  if (!lock.held()) return false;
  if (self.state.load() == State::kNew) {
    self.state.store(Begin(self) ? State::kOn : State::kOff,
                     std::memory_order_release);
  }
  return self.state.load() != State::kOff;
}

Mode RecordingMode() {
  return Self().mode;
}

ThreadLog* EnterLog() {
  ThreadLog* log = my_log;
  if (log != nullptr && log->Enter()) [[likely]]
    return log;
  return MakeLog();
}

bool HasLog() {
  ThreadLog* log = EnterLog();
  if (log != nullptr) log->Leave();
  return log != nullptr || (my_log != nullptr && my_log->alive());
}

TraceFile& File() {
  return Self().file;
}

Names& NamesUnderLock() {
  return Self().names;
}

std::uint64_t NewRangeId() {
  return Self().range_ids.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool IsRead(const void* plan) {
  const NamesLock lock;
  bool is_read = !lock.held();
  for (ThreadLog* log = Self().logs; !is_read && log != nullptr;
       log = log->next)
    is_read = log->reads.load() == plan;
  return is_read;
}

void SetCountThreadEnd(void (*ended)(const ThreadLog& log)) {
  Self().count_thread_end.store(ended);
}

void SetLastFlush(void (*flush)()) {
  Self().last_flush = flush;
}

void RegisterFinish() {
  atexit(FinishRecording);
}

void FinishRecording() {
  Recorder& self = Self();
  const ProgramsCall call;
  NoticeFork(self);
  self.ends.store(true);
  if (self.state.load() != State::kOn) return;
  if (self.armed && self.armed_ends != nullptr) self.armed_ends();
  if (self.armed && !self.trace_is_open.load()) return;
  if (self.finished.exchange(true)) return;
  if (self.last_flush != nullptr) self.last_flush();
  const NamesLock lock;
  if (lock.held()) {
    SaveThreads(self);
  } else {
    CopyText("the program ended while a name was being added",
             self.file.live().reason);
    Count(self.file.live().dropped_events);
  }
  SaveEnd(self);
}

bool ProgramEnds() {
  return Self().ends.load();
}

// ---- Windows ---------------------------------------------------------------

bool IsArmed() {
  return Self().armed;
}

bool ArmsGraphs() {
  return Self().arms_graphs;
}

bool IsTraceOpen() {
  return !Self().armed || Self().trace_is_open.load();
}

void SetArmedHandlers(void (*forked)(), void (*ends)()) {
  Self().child_forked = forked;
  Self().armed_ends = ends;
}

const char* OpenTrace(const char* dir, const char* mode) {
  Recorder& self = Self();
  const NamesLock lock;
  if (!lock.held() || self.state.load() != State::kOn) return "it is off";
  if (!SetFolder(self, dir)) return "the trace folder has no absolute path";
  self.mode = ModeOf(mode);
  self.file.live() = {};
  self.names.Forget();
  if (const char* const failed = self.file.Create(self.dir, 0)) return failed;
  DescribeRun(self, true);
  self.finished.store(false);
  self.trace_is_open.store(true);
  return nullptr;
}

void BeginWindow() {
  const NamesLock lock;
  trace_epoch.store(trace_epoch.load() | 1);
}

// Threads in the middle of a call of ours may add their event.
void EndWindow() {
  const NamesLock lock;
  trace_epoch.store((trace_epoch.load() | 1) + 1);
}

void CloseTrace() {
  Recorder& self = Self();
  const NamesLock lock;
  self.trace_is_open.store(false);
  if (self.finished.exchange(true)) return;  // the program ends
  SaveThreads(self);
  self.names.End(self.file);
  SaveEnd(self);
  self.file.Close();
}

}  // namespace rangefinder::inject
