// A call of the program's in which we do work of our own: its errno is kept,
// and no cancellation ends its thread while it holds our lock.

#pragma once

#include <errno.h>
#include <pthread.h>
#include <time.h>

namespace rangefinder::inject {

class ProgramsCall {
 public:
  ProgramsCall() : error_(errno) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
  }
  ~ProgramsCall() {
    pthread_setcancelstate(cancel_, nullptr);
    errno = error_;
  }
  ProgramsCall(const ProgramsCall&) = delete;
  ProgramsCall& operator=(const ProgramsCall&) = delete;

 private:
  int error_;
  int cancel_ = 0;
};

// A mutex, or nothing after `seconds`; 0: without waiting.
class LockWithin {
 public:
  LockWithin(pthread_mutex_t& mutex, time_t seconds) : mutex_(mutex) {
    if (seconds == 0) {
      held_ = pthread_mutex_trylock(&mutex) == 0;
      return;
    }
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
