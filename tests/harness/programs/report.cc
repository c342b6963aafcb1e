// The messages of a program, and its tally of calls.

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

thread_local char actor[128] = "0";
thread_local long next_number = 0;

// The layout is read by ../traces.py.
struct Slot {
  std::atomic<std::uint32_t> pid, loose;
  std::atomic<std::uint64_t> begun[kKinds], done[kKinds];
};
struct Tally {
  std::atomic<std::uint32_t> used;
  std::uint32_t reserved;
  Slot slots[2048];
};
Slot unshared;
Tally* tally = nullptr;
Slot* slot = &unshared;

}  // namespace

const char* Actor() {
  return actor;
}

long NextNumber() {
  return next_number++;
}

void BecomeActor(const char* maker, char kind, long number) {
  char name[sizeof actor];
  if (kind == '\0')
    std::snprintf(name, sizeof name, "%s", maker);
  else
    std::snprintf(name, sizeof name, "%s.%c%ld", maker, kind, number);
  std::snprintf(actor, sizeof actor, "%s", name);
  next_number = 0;
}

void Say(const char* format, ...) {
  const int saved = errno;
  char line[1024];
  int length = std::snprintf(line, sizeof line, "%s ", actor);
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(line + length,
                           sizeof line - static_cast<std::size_t>(length) - 1,
                           format, arguments);
  va_end(arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length++] = '\n';
  // write() would be a place to be cancelled at.
  while (syscall(SYS_write, kReport, line, length) < 0 && errno == EINTR) {
  }
  errno = saved;
}

const char* Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void OpenTally() {
  const int file = open(Environment("FOREIGN_TALLY"), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* at =
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) return;
  tally = static_cast<Tally*>(at);
}

void ClaimTally(bool loose) {
  if (slot->pid.load() == static_cast<std::uint32_t>(getpid())) return;
  slot = &unshared;
  if (tally == nullptr) return;
  const std::uint32_t number = tally->used.fetch_add(1);
  if (number >= sizeof tally->slots / sizeof tally->slots[0]) return;
  slot = &tally->slots[number];
  // A static program's children have no handlers of the library's C library.
  static const pid_t first = getpid();
  if (getauxval(AT_BASE) == 0 && getpid() != first) loose = true;
  slot->loose.store(loose ? 1 : 0);
  slot->pid.store(static_cast<std::uint32_t>(getpid()));
}

void Begun(Kind kind) {
  // A handler of pthread_atfork() may be the first to call in a child.
  if (tally != nullptr &&
      slot->pid.load() != static_cast<std::uint32_t>(getpid()))
    ClaimTally(false);
  slot->begun[kind].fetch_add(1, std::memory_order_relaxed);
}
void Done(Kind kind) {
  slot->done[kind].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace foreign
