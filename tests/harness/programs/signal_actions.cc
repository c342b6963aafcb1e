// Signals: handlers that do forbidden things, and signals that interrupt NVTX.

#include <atomic>
#include <cstdlib>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

const Action* handlers[65] = {};
std::atomic<long> signals_handled{0};  // since the last `on`
thread_local volatile long this_one = 0;
thread_local sigjmp_buf landing;
thread_local volatile bool may_land = false;

void Handle(int signal) {
  const int saved = errno;
  const long interrupted = this_one;
  this_one = ++signals_handled;
  Run(handlers[signal]->block);
  this_one = interrupted;
  errno = saved;
}

// The block is the handler of a signal; the second number is its flags: 1 on
// the other stack, 2 may interrupt itself.
void On(const Action& action) {
  struct sigaction handler {};
  handler.sa_handler = Handle;
  handler.sa_flags = SA_RESTART;
  if ((action.second & 1) != 0) handler.sa_flags |= SA_ONSTACK;
  if ((action.second & 2) != 0) handler.sa_flags |= SA_NODEFER;
  handlers[action.first] = &action;
  signals_handled = 0;
  sigaction(static_cast<int>(action.first), &handler, nullptr);
}

// In a handler: the block runs the n-th time that there is one, and no other.
void After(const Action& action) {
  if (this_one == action.first) Run(action.block);
}

// ... and every time from the n-th on.
void Since(const Action& action) {
  if (this_one >= action.first) Run(action.block);
}

void Ignore(const Action& action) {
  signal(static_cast<int>(action.first), SIG_IGN);
}

// ---- Interruptions ---------------------------------------------------------

struct Pest {
  pthread_t target{};
  int signal = 0;
  useconds_t period = 0;
  std::atomic<bool> done{false};
};

void* BePest(void* value) {
  auto& pest = *static_cast<Pest*>(value);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  while (!pest.done.load()) {
    pthread_kill(pest.target, pest.signal);
    usleep(pest.period);
  }
  return nullptr;
}

// The block runs while another thread sends a signal every so many µs.
void Pestered(const Action& action) {
  static Pest pest;  // the process may end while it is at work
  pest.target = pthread_self();
  pest.signal = static_cast<int>(action.first);
  pest.period = static_cast<useconds_t>(action.second);
  pest.done = false;
  pthread_t thread;
  const int error = pthread_create(&thread, nullptr, BePest, &pest);
  if (error != 0) return Say("pthread_create: %d", error);
  Run(action.block);
  pest.done = true;
  pthread_join(thread, nullptr);
}

// The same by a timer of the process: 0 of real time, 1 of its own.
void Timed(const Action& action) {
  const int which = action.second == 0 ? ITIMER_REAL : ITIMER_PROF;
  const itimerval period{{0, action.first}, {0, action.first}};
  if (setitimer(which, &period, nullptr) != 0) Say("setitimer: %d", errno);
  Run(action.block);
  const itimerval never{};
  setitimer(which, &never, nullptr);
}

// Until a handler ends the program.
void ForEver(const Action& action) {
  for (;;) Run(action.block);
}

// Until a handler jumps here.
void Landing(const Action& action) {
  if (sigsetjmp(landing, 1) == 0) {
    may_land = true;
    for (;;) Run(action.block);
  }
  Say("landed");
}

void Jump(const Action&) {
  if (!may_land) return;
  may_land = false;
  siglongjmp(landing, 1);
}

// ---- Masks and stacks ------------------------------------------------------

// The block runs with all signals blocked, and one pending.
void Blocked(const Action& action) {
  sigset_t all, before, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  raise(SIGUSR2);
  Run(action.block);
  sigpending(&pending);
  Say("pending: %d", sigismember(&pending, SIGUSR2));
  signal(SIGUSR2, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR2, SIG_DFL);
}

// A signal to the process is for the thread that waits for it, and no other
// takes it.
void WaitForSignal(const Action& action) {
  sigset_t usr2, before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  Run(action.block);
  kill(getpid(), SIGUSR2);
  Say("waited for: %d", sigwaitinfo(&usr2, nullptr));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Another stack for handlers, of so many KiB, before a page that nobody may
// touch.
void OtherStack(const Action& action) {
  const std::size_t size = static_cast<std::size_t>(action.first) * 1024;
  void* at = mmap(nullptr, size + 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return Say("no stack");
  mprotect(at, 4096, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(at) + 4096;
  stack.ss_size = size;
  if (sigaltstack(&stack, nullptr) != 0) Say("sigaltstack: %d", errno);
}

void Raise(const Action& action) {
  raise(static_cast<int>(action.first));
}

void Fault(const Action&) {
  *static_cast<volatile int*>(nullptr) = 1;
}

}  // namespace

const std::vector<Row> kSignalActions = {
    {"on", On},           {"after", After},           {"since", Since},
    {"ignore", Ignore},   {"pest", Pestered},         {"timer", Timed},
    {"forever", ForEver}, {"landing", Landing},       {"jump", Jump},
    {"blocked", Blocked}, {"sigwait", WaitForSignal}, {"altstack", OtherStack},
    {"raise", Raise},     {"fault", Fault},
};

}  // namespace foreign
