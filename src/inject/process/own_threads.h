// The library's own threads. They take no signal of the program's, give way to
// its threads, and end when only they are left: a process ends with its last
// thread, so that they must not outlive those of the program.

#pragma once

namespace rangefinder::inject {

// Runs `run`, detached, with `argument`. False: no thread can be started.
bool StartOwnThread(void* (*run)(void*), void* argument);

// To be asked by our own threads, without a lock. True: all others of the
// process have ended, the first by pthread_exit(), and the caller returns from
// what it runs. The last that does calls exit(0), as the C library would have
// after the program's last. A system without /proc says false.
bool OwnThreadsAreAlone();

}  // namespace rangefinder::inject
