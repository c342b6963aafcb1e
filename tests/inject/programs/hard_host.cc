// A program that is hard for an injection library: it forks while threads run,
// cancels threads, ends and forks in signal handlers, and makes names without
// end. The first argument chooses the scenario; the program does not know of
// the tracer. Status 0: the scenario went as it goes without a tracer.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/nvtx_client.h"

namespace {

void Pairs(const char* name, long count) {
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA(name);
    nvtxRangePop();
  }
}

// A range whose name is new.
void New(const char* stem, long number) {
  char name[64];
  std::snprintf(name, sizeof name, "%s %ld", stem, number);
  nvtxRangePushA(name);
  nvtxRangePop();
}

bool EndsWith(pid_t child, int expected) {
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child &&
         WIFEXITED(status) && WEXITSTATUS(status) == expected;
}

// Threads that call NVTX until the end: many blocks, and many names.
class Busy {
 public:
  explicit Busy(long threads) {
    nvtxInitialize(nullptr);
    for (long t = 0; t < threads; ++t) {
      threads_.emplace_back([this, t] {
        for (long i = 0; !done_.load(std::memory_order_relaxed); ++i) {
          Pairs("busy", 100);
          New("busy", t * 1000000 + i % 500);
          usleep(20);
        }
      });
    }
  }
  ~Busy() {
    done_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

// Children that crash, of so many that are forked beside the threads.
int Forks(long threads, long count) {
  const Busy busy(threads);
  int bad = 0;
  for (long i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      // Every tenth is traced, too.
      if (i % 10 == 0) Pairs("in the child", 3);
      _exit(3);
    }
    bad += EndsWith(child, 3) ? 0 : 1;
  }
  if (bad != 0) std::printf("%d of %ld children crashed\n", bad, count);
  return bad != 0;
}

pid_t RawFork(const std::string& how) {
  if (how == "clone")
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#if __GLIBC_PREREQ(2, 34)
  if (how == "_Fork") return _Fork();
#endif
  return fork();
}

// Parent and child both go on, at the same time.
int Counted(const std::string& how) {
  nvtxRangePushA("outer");
  const pid_t child = RawFork(how);
  if (child == 0) {
    Pairs("in the child", 110);
    nvtxRangePop();
    _exit(3);
  }
  Pairs("in the parent", 500);
  nvtxRangePop();
  return EndsWith(child, 3) ? 0 : 1;
}

// Children of fork()s that run no handlers, beside threads that add names.
int RawForks(long threads, long count) {
  const Busy busy(threads);
  int bad = 0;
  for (long i = 0; i < count; ++i) {
    const pid_t child = RawFork("clone");
    if (child == 0) {
      Pairs("in the child", 3);
      _exit(3);
    }
    bad += EndsWith(child, 3) ? 0 : 1;
  }
  return bad != 0;
}

// Threads that are cancelled wherever that can be.
// As NCCL: what a range is about is said where it closes.
int Payloads() {
#ifdef HAS_NVTX_PAYLOADS
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  nvtxEventAttributes_t init{};
  init.version = NVTX_VERSION;
  init.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  init.messageType = NVTX_MESSAGE_TYPE_ASCII;
  init.message.ascii = "init";
  nvtxDomainRangePushEx(domain, &init);
  nvtxRangePopPayload(domain, nullptr, 0);
  nvtxRangePushA("after");
  nvtxRangePushPayload(domain, nullptr, 0);
  const nvtxRangeId_t id = nvtxDomainRangeStartEx(domain, &init);
  nvtxRangeEndPayload(domain, id, nullptr, 0);
  nvtxRangePopPayload(domain, nullptr, 0);
  nvtxRangePop();
  nvtxMarkPayload(domain, nullptr, 0);
  return nvtxDomainIsEnabled(domain) == 0;
#else
  return 77;
#endif
}

int Cancelled(long count, int type) {
  nvtxInitialize(nullptr);
  int bad = 0;
  for (long i = 0; i < count; ++i) {
    std::atomic<bool> begun{false};
    struct Arguments {
      std::atomic<bool>* begun;
      int type;
      long number;
    } arguments{&begun, type, i};
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* given) -> void* {
          const Arguments a = *static_cast<Arguments*>(given);
          pthread_setcanceltype(a.type, nullptr);
          a.begun->store(true);
          for (long n = 0;; ++n) {
            Pairs("cancelled", 50);
            if (n % 8 == 0) {
              char name[32];
              std::memcpy(name, "new 0000000", 12);
              name[10] = static_cast<char>('0' + n / 8 % 10);
              name[9] = static_cast<char>('0' + a.number % 10);
              nvtxRangePushA(name);
              nvtxRangePop();
            }
            pthread_testcancel();
          }
        },
        &arguments);
    while (!begun.load()) usleep(10);
    usleep(static_cast<useconds_t>(i % 7 * 100));
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    bad += result == PTHREAD_CANCELED ? 0 : 1;
  }
  Pairs("after", 1);
  return bad != 0;
}

// A cancellation that has been asked for before the thread's first event, and
// acts at the first call that lets it.
int CancelledBefore(long count) {
  nvtxInitialize(nullptr);
  int bad = 0;
  for (long i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          pthread_cancel(pthread_self());
          Pairs("asked for", 40000);  // some blocks
          pthread_testcancel();
          return nullptr;
        },
        nullptr);
    void* result = nullptr;
    pthread_join(thread, &result);
    bad += result == PTHREAD_CANCELED ? 0 : 1;
  }
  return bad != 0;
}

// ---- Handlers --------------------------------------------------------------

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// A thread that sends a signal to the calling one, again and again.
class Pest {
 public:
  explicit Pest(int signal, useconds_t pause = 20) {
    const pthread_t self = pthread_self();
    thread_ = std::thread([this, self, signal, pause] {
      while (!done_.load()) {
        pthread_kill(self, signal);
        usleep(pause);
      }
    });
  }
  ~Pest() {
    done_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// The program ends in a handler that interrupts calls with new names.
int ExitInHandler(int signal) {
  nvtxInitialize(nullptr);
  Handle(signal, [](int) { std::exit(7); });
  const pthread_t self = pthread_self();
  std::thread([self, signal] {
    usleep(3000);
    pthread_kill(self, signal);
  }).detach();
  for (long i = 0;; ++i) New("new", i);
}

int ForkInHandler(long count, int signal) {
  nvtxInitialize(nullptr);
  static std::atomic<long> forked{0}, bad{0}, most;
  most = count;
  Handle(signal, [](int) {
    if (forked >= most) return;
    const pid_t child = fork();
    if (child == 0) {
      New("in a child of the handler", forked);
      _exit(3);
    }
    bad += EndsWith(child, 3) ? 0 : 1;
    ++forked;
  });
  const Pest pest(signal, 200);
  for (long i = 0; forked < count; ++i) {
    Pairs("interrupted", 10);
    New("new", i % 100000);
  }
  return bad != 0;
}

// The child goes on with the call that the handler interrupted.
int ReturnInChild(long count) {
  nvtxInitialize(nullptr);
  static std::atomic<long> forked{0}, bad{0}, most;
  static std::atomic<bool> is_child{false};
  most = count;
  Handle(SIGUSR1, [](int) {
    if (is_child || forked >= most) return;
    const pid_t child = fork();
    if (child == 0) {
      is_child = true;
      return;
    }
    bad += EndsWith(child, 3) ? 0 : 1;
    ++forked;
  });
  const Pest pest(SIGUSR1, 200);
  for (long i = 0; forked < count; ++i) {
    for (int pair = 0; pair < 20; ++pair) {
      Pairs("interrupted", 1);
      if (is_child) {
        Pairs("in the child", 20);
        _exit(3);
      }
    }
    New("new", i % 100000);
    if (is_child) _exit(3);
  }
  return bad != 0;
}

int NamesInHandlerDuringFork(long count) {
  nvtxInitialize(nullptr);
  static std::atomic<long> handled{0};
  Handle(SIGUSR1, [](int) { New("in the handler", ++handled % 100000); });
  const Pest pest(SIGUSR1, 50);
  int bad = 0;
  for (long i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(3);
    bad += EndsWith(child, 3) ? 0 : 1;
  }
  return bad != 0;
}

// ---- Limits ----------------------------------------------------------------

// Memory of its own, not of files.
long AnonymousKib() {
  long kib = 0;
  char line[256];
  FILE* status = std::fopen("/proc/self/status", "r");
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
    if (std::sscanf(line, "RssAnon: %ld kB", &kib) == 1) break;
  if (status != nullptr) std::fclose(status);
  return kib;
}

// Prints by how many MiB the second half of the calls made the program grow.
template <typename Call>
int Grows(long count, Call call) {
  for (long i = 0; i < count; ++i) call(i);
  const long before = AnonymousKib();
  for (long i = count; i < 2 * count; ++i) call(i);
  std::printf("%ld\n", (AnonymousKib() - before) / 1024);
  return 0;
}

int Naming(long count) {
  return Grows(count, [](long i) {
    nvtxNameOsThreadA(static_cast<uint32_t>(i), "a thread");
    nvtxNameCategoryA(static_cast<uint32_t>(i), "a category");
  });
}

int Names(long count) {
  return Grows(count, [](long i) { New("new", i); });
}

// Labels are of more than their text.
int Colors(long count) {
  return Grows(count, [](long i) {
    nvtxEventAttributes_t a{};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = static_cast<uint32_t>(i);
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "colored";
    nvtxRangePushEx(&a);
    nvtxRangePop();
  });
}

int Domains(long count) {
  nvtxDomainHandle_t last = nullptr;
  for (long i = 0; i < count; ++i) last = nvtxDomainCreateA("domain");
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "in the last";
  nvtxDomainRangePushEx(last, &a);
  nvtxDomainRangePop(last);
  return 0;
}

// A sandbox that kills a process for a system call that is not on its list.
int Sandboxed(long pairs) {
  Pairs("before", 1);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  Pairs("inside", pairs);
  return 0;
}

// A limit that is lowered below the size that files already have.
int Lowered(long pairs) {
  Pairs("before", 20000);
  const rlimit limit{1000, 1000};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
  Pairs("after", pairs);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const long first = argc > 2 ? std::atol(argv[2]) : 1000;
  const long second = argc > 3 ? std::atol(argv[3]) : 1000;
  if (what == "forks") return Forks(first, second);
  if (what == "counted") return Counted(argc > 2 ? argv[2] : "");
  if (what == "payloads") return Payloads();
  if (what == "raw-forks") return RawForks(first, second);
  if (what == "cancelled") return Cancelled(first, PTHREAD_CANCEL_DEFERRED);
  if (what == "cancelled-at-once")
    return Cancelled(first, PTHREAD_CANCEL_ASYNCHRONOUS);
  if (what == "cancelled-before") return CancelledBefore(first);
  if (what == "exit-in-handler") return ExitInHandler(static_cast<int>(first));
  if (what == "fork-in-handler")
    return ForkInHandler(first, static_cast<int>(second));
  if (what == "return-in-child") return ReturnInChild(first);
  if (what == "names-during-fork") return NamesInHandlerDuringFork(first);
  if (what == "naming") return Naming(first);
  if (what == "names") return Names(first);
  if (what == "colors") return Colors(first);
  if (what == "domains") return Domains(first);
  if (what == "sandboxed") return Sandboxed(first);
  if (what == "lowered") return Lowered(first);
  if (what == "pairs") {
    Pairs("pair", first);
    return 0;
  }
  return 2;
}
