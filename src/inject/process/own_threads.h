// The threads of the library. They block the program's signals, run at low
// priority and end when the program has no thread left: a process ends with its
// last thread, so they must not outlive the program's threads.

#pragma once

namespace rangefinder::inject {

// Starts a detached thread that runs `run(argument)`. False: no thread can be
// started.
bool StartOwnThread(void* (*run)(void*), void* argument);

// Our own threads ask this, without holding a lock. True: all other threads of
// the process have ended, the first of them by pthread_exit(), and the caller
// has to return from `run`. The last of our threads calls exit(0) then, as the
// C library would have done after the program's last thread. False on a system
// without /proc.
bool OwnThreadsAreAlone();

// In a forked child, which has none of them.
void ForgetOwnThreads();

}  // namespace rangefinder::inject
