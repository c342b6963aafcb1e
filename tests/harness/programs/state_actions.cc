// The state of a process as the program itself sees it.

#include <cstdio>
#include <cstring>

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

unsigned long Bits(const sigset_t& set) {
  unsigned long bits = 0;
  for (int i = 1; i < 64; ++i) bits |= sigismember(&set, i) == 1 ? 1UL << i : 0;
  return bits;
}

void SaySignals() {
  sigset_t blocked, pending;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigpending(&pending);
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  Say("signals: blocked %lx pending %lx, other stack %zu %d", Bits(blocked),
      Bits(pending), stack.ss_size, stack.ss_flags);
  unsigned long ignored = 0, handled = 0, flags = 0;
  for (int i = 1; i < 64; ++i) {
    struct sigaction action {};
    if (sigaction(i, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN)
      ignored |= 1UL << i;
    else if (action.sa_handler != SIG_DFL)
      handled |= 1UL << i;
    flags = flags * 31 + static_cast<unsigned>(action.sa_flags);
  }
  itimerval real{}, prof{};
  getitimer(ITIMER_REAL, &real);
  getitimer(ITIMER_PROF, &prof);
  Say("handlers: ignored %lx handled %lx flags %lx timers %ld %ld", ignored,
      handled, flags, static_cast<long>(real.it_interval.tv_usec),
      static_cast<long>(prof.it_interval.tv_usec));
}

void SayThread() {
  int cancel_state = 0, cancel_type = 0, ignored = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state);
  pthread_setcancelstate(cancel_state, &ignored);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel_type);
  pthread_setcanceltype(cancel_type, &ignored);
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  Say("thread: %s cancellation %d %d rounding %d exceptions %x", name,
      cancel_state, cancel_type, fegetround(),
      static_cast<unsigned>(fetestexcept(FE_DIVBYZERO | FE_INVALID)));
}

void SayLimits() {
  char text[256];
  int length = 0;
  for (const auto what : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_STACK,
                          RLIMIT_NPROC, RLIMIT_CORE, RLIMIT_MEMLOCK}) {
    rlimit limit{};
    getrlimit(what, &limit);
    length += std::snprintf(
        text + length, sizeof text - static_cast<std::size_t>(length),
        " %lx/%lx", static_cast<unsigned long>(limit.rlim_cur),
        static_cast<unsigned long>(limit.rlim_max));
  }
  Say("limits:%s", text);
}

void SayFolder() {
  char folder[512];
  const char* name = getcwd(folder, sizeof folder);
  if (name == nullptr) name = "none";
  if (const char* slash = std::strrchr(name, '/'); slash != nullptr)
    name = slash;
  const mode_t mask = umask(0);
  umask(mask);
  Say("folder %s umask %o user %d group %d dumpable %d nice %d", name, mask,
      static_cast<int>(getuid()), static_cast<int>(getgid()),
      prctl(PR_GET_DUMPABLE), getpriority(PRIO_PROCESS, 0));
}

// 0: all. 1: all but descriptors, which another thread may have open just now.
void State(const Action& action) {
  SaySignals();
  SayThread();
  SayLimits();
  SayFolder();
  if (action.first == 1) return;
  for (int i = 0; i < 1024; ++i) {
    struct stat file {};
    if (fstat(i, &file) != 0) continue;
    Say("descriptor %d: type %o flags %x %x", i, file.st_mode & S_IFMT,
        static_cast<unsigned>(fcntl(i, F_GETFD)),
        static_cast<unsigned>(fcntl(i, F_GETFL)));
  }
}

// The descriptor that a program would get next.
void Next(const Action&) {
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  Say("next descriptor: %d %d", next, next < 0 ? errno : 0);
  close(next);
}

// Output that is printed and not yet written when the program ends.
void Print(const Action& action) {
  std::printf("%s prints %ld\n", Actor(), action.first);
}
void PrintError(const Action& action) {
  std::fprintf(stderr, "%s complains %ld\n", Actor(), action.first);
}

}  // namespace

const std::vector<Row> kStateActions = {
    {"state", State},
    {"next", Next},
    {"print", Print},
    {"complain", PrintError},
};

}  // namespace foreign
