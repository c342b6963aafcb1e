// A call of the program's in which we do work of our own: its errno is kept,
// and no cancellation ends its thread while it holds our lock.
//
// The library is built without exceptions, so that no function of it stands in
// the way when a thread that is cancelled leaves it.

#pragma once

#include <initializer_list>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace rangefinder::inject {

class ProgramsCall {
 public:
  ProgramsCall() : error_(errno) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_);
  }
  // The type comes last: it is there that glibc ends a thread which is
  // cancelled at once, and says so to whoever joins it.
  ~ProgramsCall() {
    errno = error_;
    pthread_setcancelstate(cancel_, nullptr);
    pthread_setcanceltype(type_, nullptr);
  }
  ProgramsCall(const ProgramsCall&) = delete;
  ProgramsCall& operator=(const ProgramsCall&) = delete;

 private:
  int error_;
  int cancel_ = 0;
  int type_ = 0;
};

// What becomes of the signals of faults (SIGSEGV and the like) meanwhile. A
// real fault while they wait ends the program, so they wait only where nothing
// of the program's is read.
enum class Faults { kGoOn, kWait };

// No handler of a signal interrupts this thread: one that ends the program,
// forks, jumps away or suspends the thread would meet what we have half done.
// Only for moments. What the kernel raises at a system call and a debugger at a
// breakpoint are never blocked.
class NoSignals {
 public:
  explicit NoSignals(Faults faults = Faults::kGoOn) {
    sigset_t quiet;
    sigfillset(&quiet);
    sigdelset(&quiet, SIGSYS);
    sigdelset(&quiet, SIGTRAP);
    if (faults == Faults::kGoOn) {
      for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        sigdelset(&quiet, fault);
    }
    pthread_sigmask(SIG_BLOCK, &quiet, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

// Both: a handler that jumps away finds cancellation as it was.
class QuietCall {
 public:
  explicit QuietCall(Faults faults = Faults::kGoOn) : no_signals_(faults) {}

 private:
  NoSignals no_signals_;
  ProgramsCall call_;
};

// A mutex, or nothing after `seconds`; 0: without waiting.
class LockWithin {
 public:
  LockWithin(pthread_mutex_t& mutex, time_t seconds) : mutex_(mutex) {
    held_ = pthread_mutex_trylock(&mutex) == 0;
    if (held_ || seconds == 0) return;
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    held_ = pthread_mutex_timedlock(&mutex, &until) == 0;
  }
  ~LockWithin() {
    if (held_) pthread_mutex_unlock(&mutex_);
  }
  LockWithin(const LockWithin&) = delete;
  LockWithin& operator=(const LockWithin&) = delete;
  bool held() const { return held_; }

 private:
  pthread_mutex_t& mutex_;
  bool held_ = false;
};

}  // namespace rangefinder::inject
