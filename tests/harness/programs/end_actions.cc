// All the ways in which a program ends, and the handlers that run then.

#include <cstdlib>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

void Exit(const Action& action) {
  std::exit(static_cast<int>(action.first));
}
void ExitAtOnce(const Action& action) {
  _exit(static_cast<int>(action.first));
}
void QuickExit(const Action& action) {
  std::quick_exit(static_cast<int>(action.first));
}
void Abort(const Action&) {
  std::abort();
}
void Leave(const Action&) {
  pthread_exit(nullptr);
}
void Kill(const Action& action) {
  kill(getpid(), static_cast<int>(action.first));
  for (;;) pause();
}

// Another thread calls exit() while this one waits.
void ExitElsewhere(const Action& action) {
  pthread_t thread;
  const auto run = [](void* value) -> void* {
    std::exit(static_cast<int>(static_cast<const Action*>(value)->first));
  };
  const int error =
      pthread_create(&thread, nullptr, run, const_cast<Action*>(&action));
  if (error != 0) return Say("pthread_create: %d", error);
  for (;;) pause();
}

// The block runs again and again, until another thread calls exit() with the
// first number, or sends that signal; in so many µs.
void While(const Action& action, void* (*end)(void*)) {
  pthread_t thread;
  const int error =
      pthread_create(&thread, nullptr, end, const_cast<Action*>(&action));
  if (error != 0) return Say("pthread_create: %d", error);
  for (;;) Run(action.block);
}
void Ended(const Action& action) {
  While(action, [](void* value) -> void* {
    usleep(static_cast<useconds_t>(static_cast<Action*>(value)->second));
    std::exit(static_cast<int>(static_cast<Action*>(value)->first));
  });
}
void Killed(const Action& action) {
  While(action, [](void* value) -> void* {
    usleep(static_cast<useconds_t>(static_cast<Action*>(value)->second));
    kill(getpid(), static_cast<int>(static_cast<Action*>(value)->first));
    return nullptr;
  });
}

// The blocks run at exit(), at quick_exit(), and when the program's objects are
// destroyed.
constexpr int kMost = 8;
const Action* at_exit[kMost];
const Action* at_quick_exit[kMost];
int exits = 0, quick_exits = 0;

void AtExit(const Action& action) {
  if (exits == kMost) return;
  at_exit[exits++] = &action;
  std::atexit([] { Run(at_exit[--exits]->block); });
}
void AtQuickExit(const Action& action) {
  if (quick_exits == kMost) return;
  at_quick_exit[quick_exits++] = &action;
  std::at_quick_exit([] { Run(at_quick_exit[--quick_exits]->block); });
}

struct Last {
  const Action* action = nullptr;
  ~Last() {
    if (action != nullptr) Run(action->block);
  }
} last;

void AtDestruction(const Action& action) {
  last.action = &action;
}

}  // namespace

const std::vector<Row> kEndActions = {
    {"exit", Exit},           {"_exit", ExitAtOnce},
    {"quick", QuickExit},     {"abort", Abort},
    {"leave", Leave},         {"kill", Kill},
    {"atexit", AtExit},       {"atquick", AtQuickExit},
    {"atend", AtDestruction}, {"exitelsewhere", ExitElsewhere},
    {"ended", Ended},         {"killed", Killed},
};

}  // namespace foreign
