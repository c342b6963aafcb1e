// Children of every kind, and programs that become others.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

// The program itself, found before anything can hide it.
const char* Self() {
  static char path[512];
  if (path[0] == '\0' && readlink("/proc/self/exe", path, sizeof path - 1) <= 0)
    return "";
  return path;
}
[[maybe_unused]] const char* const found_early = Self();

void SayStatus(const char* what, int status) {
  if (WIFEXITED(status))
    Say("%s exited %d", what, WEXITSTATUS(status));
  else
    Say("%s was killed by %d", what, WTERMSIG(status));
}

int Wait(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    Say("waitpid: %d", errno);
    break;
  }
  return status;
}

[[noreturn]] void BeChild(const Action& action, const char* maker, long number,
                          bool loose) {
  ClaimTally(loose);
  BecomeActor(maker, 'c', number);
  Run(action.block);
  _exit(0);
}

void Make(const Action& action, const char* how, pid_t (*make)(), bool loose) {
  const long number = NextNumber();
  const pid_t child = make();
  if (child == 0) BeChild(action, Actor(), number, loose);
  if (child < 0) return Say("%s: %d", how, errno);
  SayStatus(how, Wait(child));
}

void Fork(const Action& action) {
  Make(action, "fork", fork, false);
}
pid_t BareClone() {
  return static_cast<pid_t>(
      syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}
void Clone(const Action& action) {
  Make(action, "clone", BareClone, true);
}
// Without the handlers of pthread_atfork().
void ForkWithoutHandlers(const Action& action) {
#if __GLIBC_PREREQ(2, 34)
  Make(action, "_Fork", _Fork, true);
#else
  Make(action, "_Fork", BareClone, true);
#endif
}

// Many children, one after the other; reports every end other than status 0. In
// a signal handler it runs any number of times.
void Forks(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    const pid_t child = fork();
    if (child == 0) BeChild(action, Actor(), 0, false);
    if (child < 0) return Say("fork: %d", errno);
    const int status = Wait(child);
    if (status != 0) SayStatus("one of the children", status);
  }
}

// Its grandchild outlives it; the pipe says when that one has ended.
void Daemon(const Action& action) {
  const long number = NextNumber();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Say("pipe: %d", errno);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    close(ends[0]);
    BeChild(action, Actor(), number, false);
  }
  close(ends[1]);
  if (child > 0) SayStatus("daemon's parent", Wait(child));
  char byte;
  while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close(ends[0]);
}

// ---- Programs --------------------------------------------------------------

bool IsOurs(const char* variable) {
  for (const char* name :
       {"NVTX_INJECTION64_PATH=", "CUDA_INJECTION64_PATH=", "RANGEFINDER_"}) {
    if (std::strncmp(variable, name, std::strlen(name)) == 0) return true;
  }
  return false;
}

enum Way { kAsItIs, kWithoutTheLibrary, kBare, kClosed, kByDescriptor };

// Returns only where it fails.
void Become(const Action& action, long number) {
  static char name[160];
  static char* environment[512];
  std::size_t count = 0;
  for (char** at = environ; *at != nullptr && count < 511; ++at) {
    if (action.first == kWithoutTheLibrary && IsOurs(*at)) continue;
    if (action.first == kBare && std::strncmp(*at, "FOREIGN_", 8) != 0)
      continue;
    environment[count++] = *at;
  }
  environment[count] = nullptr;
  std::snprintf(name, sizeof name, "%s.e%ld", Actor(), number);
  char* const arguments[] = {const_cast<char*>("foreign"), name,
                             const_cast<char*>(action.text.c_str()), nullptr};
  if (action.first == kClosed) {
    for (int i = 3; i < 1024; ++i) {
      if (i != kReport) close(i);
    }
  }
  if (action.first == kByDescriptor)
    fexecve(open(Self(), O_RDONLY | O_CLOEXEC), arguments, environment);
  else
    execve(Self(), arguments, environment);
  Say("execve: %d", errno);
}

void Exec(const Action& action) {
  Become(action, NextNumber());
}

void VforkExec(const Action& action) {
  const long number = NextNumber();
  const pid_t child = vfork();
  if (child == 0) {
    Become(action, number);
    _exit(99);
  }
  if (child < 0) return Say("vfork: %d", errno);
  SayStatus("vfork", Wait(child));
}

void Spawn(const Action& action) {
  char name[160];
  std::snprintf(name, sizeof name, "%s.e%ld", Actor(), NextNumber());
  char* const arguments[] = {const_cast<char*>("foreign"), name,
                             const_cast<char*>(action.text.c_str()), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawn(&child, Self(), nullptr, nullptr, arguments, environ);
  if (error != 0) return Say("posix_spawn: %d", error);
  SayStatus("posix_spawn", Wait(child));
}

void System(const Action& action) {
  char command[4096];
  std::snprintf(command, sizeof command, "'%s' %s.e%ld '%s'", Self(), Actor(),
                NextNumber(), action.text.c_str());
  SayStatus("system", std::system(command));
}

}  // namespace

const std::vector<Row> kProcessActions = {
    {"fork", Fork},     {"_Fork", ForkWithoutHandlers},
    {"clone", Clone},   {"forks", Forks},
    {"daemon", Daemon}, {"exec", Exec},
    {"spawn", Spawn},   {"vforkexec", VforkExec},
    {"system", System},
};

}  // namespace foreign
