// A call of the program in which the library does work of its own: errno is
// kept, and no cancellation ends the thread while it holds a lock of the
// library.
//
// The library is built without exceptions, so that none of its functions stops
// the unwinding of a cancelled thread.

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
  // The type comes last: glibc ends an asynchronously cancelled thread in this
  // call, and reports the cancellation to pthread_join().
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

// Whether the signals of faults (SIGSEGV and the like) are blocked too. A real
// fault while they are blocked ends the program, so they are blocked only where
// no memory of the program is read.
enum class Faults { kGoOn, kWait };

// No signal handler interrupts this thread: a handler that ends the program,
// forks, jumps away or suspends the thread would find our data inconsistent.
// Only for moments. SIGSYS, which the kernel raises at a system call, and
// SIGTRAP, a debugger's, are never blocked.
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
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

// Neither signals nor cancellation. Signals are unblocked last: a handler that
// jumps away finds cancellation restored.
class QuietCall {
 public:
  explicit QuietCall(Faults faults = Faults::kGoOn) : no_signals_(faults) {}

 private:
  NoSignals no_signals_;
  ProgramsCall call_;
};

// Waits for a mutex for `seconds` at most; 0: does not wait. False: another
// thread holds the mutex.
inline bool TakeWithin(pthread_mutex_t& mutex, time_t seconds) {
  if (pthread_mutex_trylock(&mutex) == 0) return true;
  if (seconds == 0) return false;
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  return pthread_mutex_timedlock(&mutex, &until) == 0;
}

// Holds a mutex if TakeWithin() takes it.
class LockWithin {
 public:
  LockWithin(pthread_mutex_t& mutex, time_t seconds)
      : mutex_(mutex), held_(TakeWithin(mutex, seconds)) {}
  ~LockWithin() {
    if (held_) pthread_mutex_unlock(&mutex_);
  }
  LockWithin(const LockWithin&) = delete;
  LockWithin& operator=(const LockWithin&) = delete;
  bool held() const { return held_; }

 private:
  pthread_mutex_t& mutex_;
  const bool held_;
};

}  // namespace rangefinder::inject
