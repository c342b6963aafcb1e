#include "base/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <string_view>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/error.h"

namespace rangefinder {
namespace {

constexpr std::array<int, 3> kInterrupts = {SIGINT, SIGTERM, SIGHUP};
constexpr int kMostMs = 500;  // to wait for InterruptWaits of other threads

// The state that the signal handler reads and writes.
std::atomic<int> interrupts{0};
std::atomic<int> heeded{0};     // of them
std::atomic<bool> ends{false};  // an interrupt ends the process
std::atomic<bool> ending{false};
std::atomic<int> waits{0};  // InterruptWaits in any thread
// The paths of unfinished files. Each writing thread has one; there are never
// more threads.
std::array<std::atomic<const char*>, 64> unfinished{};

// Async-signal-safe, like all functions that it calls.
[[noreturn]] void EndThisProcess() {
  ending = true;
  for (int ms = 0; waits > 0 && ms < kMostMs; ++ms) ::poll(nullptr, 0, 1);
  for (const std::atomic<const char*>& path : unfinished) {
    if (const char* text = path.load()) ::unlink(text);
  }
  constexpr std::string_view kSaid = "\nrangefinder: interrupted\n";
  // On a terminal the line break ends the progress line.
  const std::string_view said =
      kSaid.substr(::isatty(STDERR_FILENO) == 1 ? 0 : 1);
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, said.data(), said.size());
  ::_exit(ExitStatus(ErrorCode::kInterrupted));
}

// Stops a thread here while the handler in another thread ends the process.
[[noreturn]] void StayUntilTheEnd() {
  while (true) ::pause();
}

extern "C" void OnInterrupt(int) {
  if (ends) EndThisProcess();
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

// The numbers of living guards and InterruptEnds, and the signal actions from
// before the first.
struct Interrupting {
  std::mutex mutex{};
  int alive = 0;      // of both classes
  int guards = 0;     // since the innermost InterruptEnds
  int suspended = 0;  // guards outside of an InterruptEnds
  std::array<struct sigaction, kInterrupts.size()> before{};

  void Begin() {
    if (alive++ > 0) return;
    struct sigaction action {};
    action.sa_handler = OnInterrupt;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
      ::sigaction(kInterrupts[i], nullptr, &before[i]);
      // Signals that are ignored, under nohup or in a script's background, stay
      // ignored.
      if (before[i].sa_handler != SIG_IGN)
        ::sigaction(kInterrupts[i], &action, nullptr);
    }
  }

  void End() {
    if (--alive > 0) return;
    for (std::size_t i = 0; i < kInterrupts.size(); ++i)
      ::sigaction(kInterrupts[i], &before[i], nullptr);
  }
};

Interrupting& interrupting() {
  static Interrupting state;
  return state;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  Interrupting& state = interrupting();
  const std::lock_guard lock(state.mutex);
  if (state.guards++ == 0) {
    if (state.suspended == 0) interrupts = heeded = 0;
    ends = false;
  }
  state.Begin();
}

InterruptGuard::~InterruptGuard() {
  Interrupting& state = interrupting();
  const std::lock_guard lock(state.mutex);
  state.End();
  // Without guards, only an InterruptEnds is left alive.
  if (--state.guards == 0) ends = state.alive > 0;
}

int InterruptGuard::Count() {
  return interrupts.load(std::memory_order_relaxed);
}

void InterruptGuard::Heed() {
  heeded = Count();
}

InterruptEnds::InterruptEnds() {
  Interrupting& state = interrupting();
  const std::lock_guard lock(state.mutex);
  outer_guards_ = std::exchange(state.guards, 0);
  state.suspended += outer_guards_;
  ends = true;
  state.Begin();
  if (outer_guards_ > 0 && interrupts > heeded) EndThisProcess();
}

InterruptEnds::~InterruptEnds() {
  Interrupting& state = interrupting();
  const std::lock_guard lock(state.mutex);
  state.End();
  state.guards = outer_guards_;
  state.suspended -= outer_guards_;
  ends = state.guards == 0 && state.alive > 0;
}

// Blocks the signals in this thread, so that the handler can wait for it.
InterruptWaits::InterruptWaits() {
  sigset_t interrupts_alone;
  sigemptyset(&interrupts_alone);
  for (const int signal : kInterrupts) sigaddset(&interrupts_alone, signal);
  ::pthread_sigmask(SIG_BLOCK, &interrupts_alone, &before_);
  ++waits;
  if (!ending) return;
  --waits;
  StayUntilTheEnd();
}

InterruptWaits::~InterruptWaits() {
  --waits;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
  for (place_ = 0; place_ < unfinished.size(); ++place_) {
    const char* free = nullptr;
    if (unfinished[place_].compare_exchange_strong(free, path_.c_str())) return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (place_ == unfinished.size()) return;
  unfinished[place_] = nullptr;
  // The handler, in another thread, may still read the path.
  if (ending) StayUntilTheEnd();
}

}  // namespace rangefinder
