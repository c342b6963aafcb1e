#include "inject/process/own_threads.h"

#include <atomic>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/process/system_calls.h"

namespace rangefinder::inject {
namespace {

// The number of running threads of the library. A thread that begins or ends
// may be missing: OwnThreadsAreAlone() is then false, which is safe.
std::atomic<int> running{0};
std::atomic<bool> alone{false};
struct Task {
  void* (*run)(void*) = nullptr;
  void* argument = nullptr;
  sigset_t programs_mask{};  // of the thread that started it
};
constexpr unsigned kMost = 144;  // two a device, and one for records
Task tasks[kMost];
std::atomic<unsigned> started{0};

// Ends the process as the C library does after the last thread, but from within
// a thread: the C library would end it a second time after each thread that a
// handler of exit() starts, as a profiler's library may.
[[noreturn]] void EndTheProcess(const sigset_t& programs_mask) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(OsThread()), 0);
  pthread_sigmask(SIG_SETMASK, &programs_mask, nullptr);
  exit(0);
}

void* Run(void* value) {
  const Task& task = *static_cast<const Task*>(value);
  setpriority(PRIO_PROCESS, static_cast<id_t>(OsThread()), 10);
  task.run(task.argument);
  if (running.fetch_sub(1) == 1 && alone.load())
    EndTheProcess(task.programs_mask);
  return nullptr;
}

// A process's first thread stays as a zombie, without memory and so without
// /proc's link to the executable, until the last one has ended.
bool FirstHasEnded() {
  char path[64], to[8];
  snprintf(path, sizeof path, "/proc/self/task/%d/exe",
           static_cast<int>(getpid()));
  return readlink(path, to, sizeof to) < 0 && errno == ENOENT;
}

}  // namespace

bool StartOwnThread(void* (*run)(void*), void* argument) {
  const unsigned number = started.fetch_add(1);
  if (number >= kMost) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  tasks[number] = {run, argument, before};
  pthread_t thread;
  const bool runs = pthread_create(&thread, nullptr, Run, &tasks[number]) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!runs) return false;
  running.fetch_add(1);
  pthread_detach(thread);
  return true;
}

void ForgetOwnThreads() {
  started.store(0);
  running.store(0);
  alone.store(false);
}

bool OwnThreadsAreAlone() {
  if (alone.load()) return true;
  // Linux counts a link for each thread of the process, the zombie included.
  struct stat folder;
  if (stat("/proc/self/task", &folder) != 0) return false;
  if (folder.st_nlink != static_cast<nlink_t>(2 + 1 + running.load()) ||
      !FirstHasEnded())
    return false;
  alone.store(true);
  return true;
}

}  // namespace rangefinder::inject
