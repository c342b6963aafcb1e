// Threads, their ends, and the destructors and handlers that run then.

#include <atomic>
#include <cstdio>

#include <pthread.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

constexpr int kMostThreads = 32;

struct Start {
  const Action* action = nullptr;
  char maker[128] = {};
  long number = 0;
  std::atomic<bool> runs{false};
  pthread_t thread{};
};

void Become(Start& start) {
  BecomeActor(start.maker, 't', start.number);
  start.runs.store(true);
}

bool Create(Start& start, const Action& action, void* (*run)(void*),
            const pthread_attr_t* attributes = nullptr) {
  start.action = &action;
  std::snprintf(start.maker, sizeof start.maker, "%s", Actor());
  start.number = NextNumber();
  const int error = pthread_create(&start.thread, attributes, run, &start);
  if (error != 0) Say("pthread_create: %d", error);
  return error == 0;
}

void Join(const Start& start) {
  void* result = nullptr;
  const int error = pthread_join(start.thread, &result);
  if (error != 0) Say("pthread_join: %d", error);
  if (result == PTHREAD_CANCELED) Say("thread %ld was cancelled", start.number);
}

void* RunOnce(void* value) {
  auto& start = *static_cast<Start*>(value);
  Become(start);
  Run(start.action->block);
  return nullptr;
}

void* RunForEver(void* value) {
  auto& start = *static_cast<Start*>(value);
  Become(start);
  for (;;) Run(start.action->block);
}

// Several at once, all joined.
void Threads(const Action& action) {
  Start starts[kMostThreads];
  bool created[kMostThreads] = {};
  const long count = action.first < kMostThreads ? action.first : kMostThreads;
  for (long i = 0; i < count; ++i)
    created[i] = Create(starts[i], action, RunOnce);
  for (long i = 0; i < count; ++i) {
    if (created[i]) Join(starts[i]);
  }
}

// Several that go on until the process ends.
void Background(const Action& action) {
  static Start starts[kMostThreads];
  static int used = 0;
  for (long i = 0; i < action.first && used < kMostThreads; ++i) {
    Start& start = starts[used++];
    if (!Create(start, action, RunForEver)) continue;
    pthread_detach(start.thread);
    while (!start.runs.load()) usleep(100);
  }
}

// A thread with a stack of so many KiB.
void Small(const Action& action) {
  Start start;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const int error = pthread_attr_setstacksize(
      &attributes, static_cast<std::size_t>(action.first) * 1024);
  if (error != 0) Say("pthread_attr_setstacksize: %d", error);
  if (Create(start, action, RunOnce, &attributes)) Join(start);
  pthread_attr_destroy(&attributes);
}

// ---- Cancellation ----------------------------------------------------------

// Is cancelled before it does anything, and notices at the end.
void* RunCancelled(void* value) {
  auto& start = *static_cast<Start*>(value);
  Become(start);
  pthread_cancel(pthread_self());
  Run(start.action->block);
  pthread_testcancel();
  Say("was not cancelled");
  return nullptr;
}

void CancelSelf(const Action& action) {
  Start start;
  if (Create(start, action, RunCancelled)) Join(start);
}

void* RunUntilCancelled(void* value) {
  auto& start = *static_cast<Start*>(value);
  Become(start);
  for (;;) {
    Run(start.action->block);
    pthread_testcancel();
  }
}

// Cancelled at any instruction, so nothing here has a destructor.
void* RunUntilCancelledAnywhere(void* value) {
  auto& start = *static_cast<Start*>(value);
  BecomeActor(start.maker, 't', start.number);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  start.runs.store(true);
  for (;;) Run(start.action->block);
}

void CancelAfter(const Action& action, void* (*run)(void*)) {
  Start start;
  if (!Create(start, action, run)) return;
  while (!start.runs.load()) usleep(20);
  usleep(static_cast<useconds_t>(action.first));
  pthread_cancel(start.thread);
  Join(start);
}

void Cancel(const Action& action) {
  CancelAfter(action, RunUntilCancelled);
}
void CancelAnywhere(const Action& action) {
  CancelAfter(action, RunUntilCancelledAnywhere);
}

void CleanUp(void* value) {
  Run(static_cast<const Action*>(value)->block);
}

// Its block runs in a clean-up handler, of a thread that leaves (0) or is
// cancelled (1).
void* RunWithCleanup(void* value) {
  auto& start = *static_cast<Start*>(value);
  Become(start);
  pthread_cleanup_push(CleanUp, const_cast<Action*>(start.action));
  if (start.action->first == 0) pthread_exit(nullptr);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  pthread_cleanup_pop(0);
  return nullptr;
}

void Cleanup(const Action& action) {
  Start start;
  if (Create(start, action, RunWithCleanup)) Join(start);
}

// ---- Ends of threads -------------------------------------------------------

// The block runs in the destructor of a thread's value.
void ThreadValue(const Action& action) {
  pthread_key_t key;
  if (pthread_key_create(&key, CleanUp) != 0) return Say("no key");
  pthread_setspecific(key, &action);
}

struct Last {
  const Action* action = nullptr;
  ~Last() {
    if (action != nullptr) Run(action->block);
  }
};

// ... and in that of a C++ object.
void ThreadObject(const Action& action) {
  static thread_local Last last;
  last.action = &action;
}

// The block runs before fork() and after it, in both.
void AtFork(const Action& action) {
  static const Action* at_fork = nullptr;
  at_fork = &action;
  const auto run = [] { Run(at_fork->block); };
  pthread_atfork(run, run, run);
}

}  // namespace

const std::vector<Row> kThreadActions = {
    {"threads", Threads},
    {"background", Background},
    {"small", Small},
    {"cancelself", CancelSelf},
    {"cancel", Cancel},
    {"cancelanywhere", CancelAnywhere},
    {"cleanup", Cleanup},
    {"threadvalue", ThreadValue},
    {"threadobject", ThreadObject},
    {"atfork", AtFork},
};

}  // namespace foreign
