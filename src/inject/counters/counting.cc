#include "inject/counters/counting.h"

#include <algorithm>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/counters/counter_records.h"
#include "inject/counters/open_path.h"
#include "inject/counters/range_counter.h"
#include "inject/counters/watched_calls.h"
#include "inject/process/own_call.h"
#include "inject/process/setting.h"
#include "inject/process/tuning.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

using wire::CountSkip;

constexpr time_t kPatience = 10;  // s, for another thread's range to open
constexpr time_t kPatienceAtExit = 2;
// Counts wait for fifty times as long as the last reading took, within these
// limits, so that a killed program loses little and reading costs 2 % of the
// time at most.
constexpr std::uint64_t kLeastWait = 100'000'000;    // ns
constexpr std::uint64_t kMostWait = 10'000'000'000;  // ns
constexpr std::uint32_t kDeepest = ThreadLog::kMostPlanned;
constexpr std::size_t kMostCaptures = 64;
constexpr int kLookMs = 20;  // whether a capture has ended

struct Counting {
  ProgramsCupti cupti{};
  HostFunctions host{};
  RangeFunctions ranges{};
  SampleSettings settings{};
  std::atomic<CountPlan*> plan{nullptr};
  CountPlan* former = nullptr;  // dropped plans that threads may still read
  WatchedCalls calls{};
  int (*current_context)(void**) = nullptr;
  // `measured_thread`: of the open instances, or of the last instances if none
  // is open. `gone`: the same thread, once it has ended.
  std::atomic<std::uint64_t> measured_thread{0}, gone{0};
  // The monotonic time at which the counts of finished instances are to be
  // written; 0: all are written.
  std::atomic<std::uint64_t> due_ns{0};

  // `mutex` guards the members below and all calls to CUPTI's profiler.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  RangeCounter counter{};
  pid_t pid = 0;            // of the process that has the counter
  bool prepared = false;    // everything is ready to count
  bool registered = false;  // our exit handler, after the profiler's libraries
  void* context = nullptr;  // the measured one
  std::uint32_t device = 0;
  std::uint64_t held_up_ns = 0;
  // The instances being measured, outermost first, all of one thread. The last
  // one has an open range.
  CountedInstance* open[kDeepest] = {};
  std::uint32_t open_count = 0;
  void* captures[kMostCaptures] = {};  // streams
  std::size_t capture_count = 0;       // beyond kMostCaptures too
};
constinit Counting counting{};

__attribute__((tls_model("initial-exec"))) thread_local bool in_call = false;

// No handler of the program runs in this thread: one that ends the program
// inside a call of the profiler would leave the profiler enabled, and one that
// jumps away would leave it locked. These calls wait for the GPU, so signals
// that end or stop a program without a handler are not blocked.
class NoHandlers {
 public:
  NoHandlers() {
    sigset_t unhandled;
    sigemptyset(&unhandled);
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGTSTP}) {
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0 &&
          action.sa_handler == SIG_DFL &&
          sigismember(&no_signals_.before(), signal) == 0)
        sigaddset(&unhandled, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &unhandled, nullptr);
  }

 private:
  NoSignals no_signals_;
};

// A cancellation that was sent before ProgramsCall disabled cancellation ends
// the thread here, without the lock, instead of in a cancellation point of
// CUPTI, with the lock (process/system_calls.h). glibc returns from a
// cancellation point only if no cancellation is under way.
struct CancellationPoint {
  CancellationPoint() { poll(nullptr, 0, 0); }
};

// Holds the lock during work of the library. CUDA calls that CUPTI makes
// meanwhile are not the program's.
class Work {
 public:
  explicit Work(time_t patience)
      : since_(MonotonicNs()), lock_(counting.mutex, patience) {
    in_call = true;
  }
  ~Work() {
    if (lock_.held()) counting.held_up_ns += MonotonicNs() - since_;
    in_call = false;
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  bool held() const { return lock_.held() && CountingIsOn(); }
  // For a call of this thread; false if the call began before the window.
  bool held(const ThreadLog& log) const { return held() && log.is_current(); }
  bool waited_in_vain() const { return !lock_.held(); }
  std::uint64_t since() const { return since_; }

 private:
  NoHandlers no_handlers_;
  ProgramsCall call_;
  CancellationPoint cancellation_point_;
  std::uint64_t since_;
  LockWithin lock_;
};

// The plan, until its destruction, for a thread without the lock; null:
// counting has ended.
class PlanToRead {
 public:
  explicit PlanToRead(ThreadLog& log) : log_(log), plan_(counting.plan) {
    log.reads.store(plan_);
    if (counting.plan.load() != plan_) plan_ = nullptr;
  }
  ~PlanToRead() { log_.reads.store(nullptr); }
  PlanToRead(const PlanToRead&) = delete;
  PlanToRead& operator=(const PlanToRead&) = delete;
  const CountPlan* plan() const { return plan_; }

 private:
  ThreadLog& log_;
  const CountPlan* plan_;
};

// Under the lock, while counting is on.
CountPlan& Plan() {
  return *counting.plan.load();
}

void Off(wire::CountingState state, const char* reason) {
  CopyText(reason, File().live().counting_reason);
  File().live().counting = state;
  counting_is_on.store(false);
}

// Counting has ended; open instances are not written.
void Ended(const char* reason) {
  counting.due_ns.store(0);
  CountRecords::Skipped(Plan());
  CountRecords::Stopped(counting.held_up_ns, reason);
  counting.open_count = 0;
  const bool failed = counting.counter.state() == RangeCounter::State::kFailed;
  Off(failed && File().live().counted == 0 ? wire::CountingState::kFailed
                                           : wire::CountingState::kStopped,
      reason);
}

void Failed() {
  Ended(counting.counter.reason());
}

// ---- Ranges ----------------------------------------------------------------

// Closes all open instances of all threads, without their values.
bool Abandon(CountSkip why) {
  while (counting.open_count > 0) {
    CountedInstance& instance = *counting.open[--counting.open_count];
    instance.valid = false;
    Plan().row(instance.row).Skip(why);
  }
  return counting.counter.state() != RangeCounter::State::kOpen ||
         counting.counter.Pop();
}

bool BeginOn(void* context) {
  if (counting.cupti.GetDeviceId == nullptr ||
      counting.cupti.GetDeviceId(context, &counting.device) != cupti::kSuccess)
    counting.device = 0;
  counting.context = context;
  const bool begun = counting.counter.Begin(
      {&counting.cupti, &counting.host, &counting.settings}, counting.ranges,
      Plan(), context, counting.device);
  // The profiler's libraries are loaded by now, and their destructors must not
  // run before our handler.
  if (!counting.registered) RegisterFinish();
  counting.registered = true;
  if (begun) File().live().counting = wire::CountingState::kCounting;
  return begun;
}

// Writes the counts and begins a new pass. No range is open then; open
// instances stay open.
bool Cycle() {
  CountedInstance kept[kDeepest];
  for (std::uint32_t i = 0; i < counting.open_count; ++i)
    kept[i] = *counting.open[i];
  if (!counting.counter.Cycle()) return false;
  counting.due_ns.store(0);
  for (std::uint32_t i = 0; i < counting.open_count; ++i)
    counting.open[i] = counting.counter.Place(kept[i]);
  return true;
}

bool WritingIsDue() {
  const std::uint64_t due = counting.due_ns.load(std::memory_order_relaxed);
  return due != 0 && MonotonicNs() >= due;
}

// Whether no row wants another instance.
bool PlanIsDone() {
  for (std::uint32_t i = 0; i < Plan().rows(); ++i) {
    const PlannedRow& row = Plan().row(i);
    if (row.most == 0 || row.measured.load() < row.most) return false;
  }
  return true;
}

// An instance has counts, which are written later. Writing them begins a new
// pass, so metrics of several passes wait for the end of the pass.
void CountsWait() {
  ++File().live().unread;
  const std::uint64_t wait =
      std::clamp(50 * counting.counter.reading_ns(), kLeastWait, kMostWait);
  if (counting.due_ns.load() == 0 && !counting.counter.has_several_passes())
    counting.due_ns.store(MonotonicNs() + wait);
  if (counting.open_count == 0 && PlanIsDone()) counting.due_ns.store(1);
}

// Called before a range is opened, while no range is open.
bool MakeRoom(const PlannedRow& row) {
  const RangeCounter& counter = counting.counter;
  const std::uint32_t outer = counting.open_count;
  const bool next_pass = outer == 0 && counter.has_several_passes() &&
                         row.in_pass >= Plan().instances();
  // Each open instance around the new range continues in a further range.
  const bool full = !counter.HasRoom(1 + outer);
  return (!full && !next_pass && !WritingIsDue()) || Cycle();
}

// The reason why a planned instance cannot be measured; kUnknown: it can be
// measured.
CountSkip Obstacle(const ThreadLog& log, void* context) {
  if (context == nullptr) return CountSkip::kNoContext;
  if (counting.capture_count > 0) return CountSkip::kCapture;
  if (counting.context != nullptr && context != counting.context)
    return CountSkip::kOtherContext;
  if (counting.open_count == 0) return CountSkip::kUnknown;
  const CountedInstance& around = *counting.open[counting.open_count - 1];
  if (around.thread != log.thread()) return CountSkip::kOtherThread;
  // Parts from different passes do not add up.
  if (!Plan().row(around.row).split || counting.counter.has_several_passes() ||
      counting.open_count == kDeepest ||
      counting.open_count + 2 > Plan().ranges())
    return CountSkip::kInside;
  return CountSkip::kUnknown;
}

bool Open(const ThreadLog& log, ThreadLog::Planned& planned,
          std::uint64_t since) {
  PlannedRow& row = Plan().row(planned.row);
  if (counting.open_count > 0 && !counting.counter.Pop()) return false;
  if (!MakeRoom(row)) return false;
  CountedInstance begun{
      .row = planned.row, .number = planned.number, .thread = log.thread()};
  if (counting.open_count > 0) {
    begun.outer_row = counting.open[counting.open_count - 1]->row;
    begun.outer_number = counting.open[counting.open_count - 1]->number;
  }
  CountedInstance* instance = counting.counter.Place(begun);
  if (!counting.counter.Push(instance)) return false;
  // The system gives the numbers of ended threads to new threads.
  if (counting.open_count == 0) counting.gone.store(0);
  counting.open[counting.open_count++] = instance;
  counting.measured_thread.store(log.thread());
  planned.measured = true;
  row.measured.fetch_add(1);
  ++row.in_pass;
  instance->held_up_ns = MonotonicNs() - since;
  instance->start_ns = RealtimeNs();
  return true;
}

void BeginInstance(const ThreadLog& log, PlannedRow& row,
                   ThreadLog::Planned& planned) {
  const Work work(0);
  // Another thread holds the lock, to open or close a range.
  if (!work.held(log)) return row.Skip(CountSkip::kOtherThread);
  void* context = nullptr;
  if (counting.current_context(&context) != 0) context = nullptr;
  if (counting.open_count > 0 && counting.open[0]->thread == counting.gone &&
      !Abandon(CountSkip::kUnfinished))
    return Failed();
  const CountSkip why = Obstacle(log, context);
  if (why != CountSkip::kUnknown) return row.Skip(why);
  if (counting.counter.state() == RangeCounter::State::kNew &&
      !BeginOn(context))
    return Failed();
  if (!Open(log, planned, MonotonicNs())) Failed();
}

// Writes counts in a region that is not measured, or later if there is an
// obstacle.
void WriteCounts(const ThreadLog& log) {
  const Work work(0);
  if (!work.held(log) || !WritingIsDue()) return;
  void* context = nullptr;
  if (counting.current_context(&context) != 0) context = nullptr;
  if (counting.open_count > 0 || Obstacle(log, context) != CountSkip::kUnknown)
    counting.due_ns.store(MonotonicNs() + kLeastWait);
  else if (!Cycle())
    Failed();
}

// Ends the range of an instance, and continues the instance around it.
bool Close(std::uint32_t place, std::uint64_t since) {
  CountedInstance& instance = *counting.open[place];
  instance.end_ns = RealtimeNs();
  if (place + 1 != counting.open_count) return Abandon(CountSkip::kCrossed);
  if (!counting.counter.Pop()) return false;
  counting.open_count = place;
  instance.held_up_ns += MonotonicNs() - since;
  CountsWait();
  if (place > 0) return counting.counter.Push(counting.open[place - 1]);
  return !WritingIsDue() || Cycle();
}

void EndInstance(const ThreadLog& log, const ThreadLog::Planned& planned) {
  if (!log.is_current()) return;
  const Work work(kPatience);
  if (!work.held(log)) return;
  for (std::uint32_t i = 0; i < counting.open_count; ++i) {
    const CountedInstance& instance = *counting.open[i];
    if (instance.row != planned.row || instance.number != planned.number ||
        instance.thread != log.thread())
      continue;
    if (!Close(i, work.since())) Failed();
    return;
  }
}

// ---- Which instances -------------------------------------------------------

bool IsChosen(const ThreadLog& log, PlannedRow& row, std::uint32_t place,
              std::uint64_t number) {
  if (number < row.skip) return false;
  if (row.slots > 1) {
    const ThreadLog::Planned* outer = nullptr;
    for (std::size_t i = 0; i < log.planned_count && outer == nullptr; ++i) {
      if (log.planned[i].row == row.outermost) outer = &log.planned[i];
    }
    if (outer == nullptr || SlotOf(outer->number, row.slots) != row.slot)
      return false;
  }
  if (!IsTheOneOf(row.eligible.fetch_add(1), row.every, place)) return false;
  return row.most == 0 || row.measured.load() < row.most;
}

// ---- What the program does with CUDA ---------------------------------------

void CaptureBegins(void* stream) {
  const Work work(kPatience);
  if (work.waited_in_vain()) return;
  if (counting.capture_count < kMostCaptures)
    counting.captures[counting.capture_count] = stream;
  ++counting.capture_count;
  // Closing a range during the capture would invalidate the capture.
  if (work.held() && !Abandon(CountSkip::kCapture)) Failed();
}

void CaptureEnded(void* stream) {
  const Work work(kPatience);
  if (work.waited_in_vain()) return;
  const std::size_t kept = std::min(counting.capture_count, kMostCaptures);
  std::size_t at = 0;
  while (at < kept && counting.captures[at] != stream) ++at;
  const bool among_the_rest = counting.capture_count > kMostCaptures;
  if (at == kept && !among_the_rest) return;
  if (at < kept) counting.captures[at] = counting.captures[kept - 1];
  --counting.capture_count;
}

// CUPTI has to release the context before it is destroyed.
template <typename IsIt>
void ContextEnds(const char* how, IsIt is_it) {
  const Work work(kPatience);
  if (!work.held() || counting.context == nullptr || !is_it()) return;
  Abandon(CountSkip::kUnfinished);
  counting.counter.End();
  const bool failed = counting.counter.state() == RangeCounter::State::kFailed;
  Ended(failed ? counting.counter.reason() : how);
}

void DeviceResets(std::int32_t device) {
  ContextEnds("the program reset its device", [&] {
    return device == static_cast<std::int32_t>(counting.device);
  });
}

void OnDriverCall(WatchedCalls::What what, const cupti::CallbackData* data) {
  const bool enters = data->site == cupti::kApiEnter;
  constexpr int kWrongThread = 908;  // the capture goes on
  using What = WatchedCalls::What;
  switch (what) {
    case What::kNothing:
      return;
    case What::kBeginCapture:
      if (enters) return CaptureBegins(WatchedCalls::StreamOf(data));
      if (WatchedCalls::ResultOf(data) != 0)
        CaptureEnded(WatchedCalls::StreamOf(data));
      return;
    case What::kEndCapture:
      if (!enters && WatchedCalls::ResultOf(data) != kWrongThread)
        CaptureEnded(WatchedCalls::StreamOf(data));
      return;
    case What::kResetDevice:
      if (enters) DeviceResets(WatchedCalls::DeviceOf(data));
      return;
  }
}

void OnCall(void*, std::int32_t domain, std::uint32_t what, const void* data) {
  HearForCounting(domain, what, data);
}

// ---- The beginning and the end ---------------------------------------------

bool Find(char* reason, std::size_t size) {
  const ProgramsCupti& cupti = counting.cupti;
  if (!counting.host.Find(cupti.library) ||
      !counting.ranges.Find(cupti.library)) {
    snprintf(reason, size,
             "this CUPTI (version %u) has no Range Profiler of this kind; that "
             "of CUDA 12.6 and later has",
             cupti.version);
    return false;
  }
  counting.current_context =
      cupti::DriverFunction<int(void**)>("cuCtxGetCurrent");
  if (counting.current_context != nullptr) return true;
  snprintf(reason, size, "the CUDA driver has no cuCtxGetCurrent");
  return false;
}

// No thread reads a plan before it is published.
bool ReadPlan(char* reason, std::size_t size) {
  CountPlan* const plan = CountPlan::Make();
  if (plan == nullptr) {
    snprintf(reason, size, "there is no memory for a plan");
    return false;
  }
  counting.plan.store(plan);
  return plan->Read(Setting("RANGEFINDER_INJECT_COUNT_PLAN"), reason);
}

// A thread that still reads a plan keeps it until the end of a later window.
void DropPlan() {
  if (CountPlan* const plan = counting.plan.exchange(nullptr)) {
    plan->next = counting.former;
    counting.former = plan;
  }
  for (CountPlan** at = &counting.former; *at != nullptr;) {
    CountPlan* const plan = *at;
    if (IsRead(plan)) {
      at = &plan->next;
      continue;
    }
    *at = plan->next;
    plan->Free();
  }
}

// The settings and CUPTI's functions.
bool Prepare(char* reason, std::size_t size) {
  counting.settings = {};
  if (const char* const failed = ReadSampleSettings(counting.settings)) {
    snprintf(reason, size, "%s", failed);
    return false;
  }
  return ReadPlan(reason, size) && Find(reason, size);
}

bool Attach(char* reason, std::size_t size) {
  if (!counting.cupti.Open(reason, size) || !Prepare(reason, size))
    return false;
  if (!ReadTuning().watch) return true;
  cupti::Subscriber subscriber = nullptr;
  const cupti::Code code =
      counting.cupti.Subscribe(&subscriber, OnCall, nullptr);
  if (code == cupti::kSuccess)
    counting.calls.Watch(counting.cupti, subscriber);
  else
    counting.cupti.SayFailure("cuptiSubscribe", code, reason, size);
  return code == cupti::kSuccess;
}

// The thread has ended, maybe in a measured range, or cancelled at the end of a
// call of ours: the next measured instance closes that range.
void ThreadEnded(const ThreadLog& log) {
  if (counting.measured_thread.load() == log.thread())
    counting.gone.store(log.thread());
}

// Writes the last records and ends counting. The caller holds the lock.
void Complete(std::uint64_t held_up_ns) {
  Abandon(CountSkip::kUnfinished);
  const bool begun = counting.counter.state() != RangeCounter::State::kNew;
  counting.counter.End();
  const bool failed = counting.counter.state() == RangeCounter::State::kFailed;
  CountRecords::Skipped(Plan());
  CountRecords::Stopped(held_up_ns, failed ? counting.counter.reason() : "");
  if (begun)
    Off(wire::CountingState::kStopped, failed ? counting.counter.reason() : "");
  counting_is_on.store(false);
  CountRecords::Seal();
}

}  // namespace

void StartCounting() {
  static std::atomic<bool> started{false};
  if (started.exchange(true) || !HasLog()) return;
  char reason[256] = {};
  if (!Attach(reason, sizeof reason))
    return Off(wire::CountingState::kFailed, reason);
  CountRecords::Plan(Plan());
  SetLastFlush(FinishCounting);
  RegisterFinish();
  counting.prepared = true;
  WakeCounting();
}

// A fault's handler, or one that was set while the profiler was called, may end
// the program inside that call. CUPTI is then called no more.
void FinishCounting() {
  if (!CountingIsOn()) return;
  if (in_call)
    return Off(wire::CountingState::kStopped,
               "a signal handler ended the program inside a call of the "
               "profiler");
  const Work work(kPatienceAtExit);
  if (work.waited_in_vain())
    return Off(wire::CountingState::kStopped,
               "the program ended while another thread was inside a call of "
               "the profiler");
  if (work.held()) Complete(counting.held_up_ns + MonotonicNs() - work.since());
}

// ---- Windows of an armed process -------------------------------------------

void WatchForCounting(const ProgramsCupti& cupti,
                      cupti::Subscriber subscriber) {
  counting.calls.Watch(cupti, subscriber);
}

bool HearForCounting(std::int32_t domain, std::uint32_t what,
                     const void* data) {
  if (domain == cupti::kDriverApi) {
    const WatchedCalls::What meaning = counting.calls[what];
    if (!in_call)
      OnDriverCall(meaning, static_cast<const cupti::CallbackData*>(data));
    return meaning != WatchedCalls::What::kNothing;
  }
  if (in_call || !CountingIsOn() || domain != cupti::kResource ||
      what != cupti::kContextDestroyStarting)
    return in_call;
  void* context = static_cast<const cupti::ResourceData*>(data)->context;
  ContextEnds("the program destroyed its context",
              [&] { return context == counting.context; });
  return false;
}

void PrepareCounting(const ProgramsCupti& cupti) {
  char reason[256] = "CUDA does not survive fork()";
  const Work work(kPatience);
  if (work.waited_in_vain())
    return Off(wire::CountingState::kFailed,
               "another thread is inside a call of the profiler");
  if (counting.pid == 0) counting.pid = getpid();
  counting.cupti = cupti;
  if (counting.pid != getpid() || !Prepare(reason, sizeof reason))
    return Off(wire::CountingState::kFailed, reason);
  counting.held_up_ns = 0;
  counting.context = nullptr;
  counting.gone.store(0);
  ForgetRanges();
  CountRecords::Plan(Plan());
  counting.prepared = true;
}

void WakeCounting() {
  if (!counting.prepared) return;
  SetCountThreadEnd(ThreadEnded);
  counting_is_on.store(true);
}

namespace {

enum class Rested { kNo, kYes, kCaptured };

// Sets the context of the calling thread, which is the library's.
void SetContext(void* context) {
  auto* set = cupti::DriverFunction<int(void*)>("cuCtxSetCurrent");
  if (set != nullptr) set(context);
}

Rested TryToRest() {
  const Work work(kPatience);
  if (work.waited_in_vain()) return Rested::kNo;
  const RangeCounter::State state = counting.counter.state();
  const bool runs = state == RangeCounter::State::kStarted ||
                    state == RangeCounter::State::kOpen;
  if (runs && counting.capture_count > 0) return Rested::kCaptured;
  if (runs) SetContext(counting.context);
  if (work.held()) Complete(counting.held_up_ns);
  counting.counter.Reset();
  if (runs) SetContext(nullptr);
  counting.due_ns.store(0);
  counting.open_count = 0;
  counting.prepared = false;
  CountRecords::Seal();
  DropPlan();
  return Rested::kYes;
}

}  // namespace

bool RestCounting() {
  if (counting.pid != getpid()) return true;
  const std::uint64_t begun = MonotonicNs();
  Rested rested = TryToRest();
  while (rested == Rested::kCaptured &&
         MonotonicNs() - begun < kPatience * 1'000'000'000ULL) {
    poll(nullptr, 0, kLookMs);
    rested = TryToRest();
  }
  if (rested != Rested::kYes && CountingIsOn())
    Off(wire::CountingState::kStopped,
        "the window ended while another thread was inside a call of the "
        "profiler, or captured a graph");
  return rested == Rested::kYes;
}

void ForgetCounting() {
  counting.mutex = PTHREAD_MUTEX_INITIALIZER;
  counting.plan.store(nullptr);
  counting.capture_count = 0;
}

// ---- Ranges of the program -------------------------------------------------

void CountPush(ThreadLog& log) {
  const PlanToRead reading(log);
  const CountPlan* const plan = reading.plan();
  if (plan == nullptr || !log.records() || !log.is_current()) return;
  const std::uint32_t number = OpenRow(*plan, log);
  if (number == kNoPlace || log.planned_count == ThreadLog::kMostPlanned)
    return;
  PlannedRow& row = plan->row(number);
  ThreadLog::Planned& planned = log.planned[log.planned_count++];
  planned = {.row = number,
             .place = static_cast<std::uint32_t>(log.open_count() - 1),
             .number = row.seen.fetch_add(1)};
  if (IsChosen(log, row, number, planned.number))
    BeginInstance(log, row, planned);
  else if (WritingIsDue())
    WriteCounts(log);
}

void CountPop(ThreadLog& log, std::uint32_t domain) {
  if (log.planned_count == 0) return;
  std::size_t place = log.open_count();
  while (place > 0 && log.open()[place - 1].domain != domain) --place;
  if (place-- == 0 || log.depth() > log.open_count()) return;
  // Ranges of other domains above it move one place down.
  std::size_t at = log.planned_count;
  while (at > 0 && log.planned[at - 1].place > place) --log.planned[--at].place;
  if (at == 0 || log.planned[at - 1].place != place) return;
  const ThreadLog::Planned ended = log.planned[at - 1];
  for (; at < log.planned_count; ++at) log.planned[at - 1] = log.planned[at];
  --log.planned_count;
  if (ended.measured) EndInstance(log, ended);
}

}  // namespace rangefinder::inject
