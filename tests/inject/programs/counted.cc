// Programs whose regions are counted, under the stand-ins for CUPTI and the
// driver. The first argument chooses the scenario; tests read the units of work
// back as counts.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/nvtx_client.h"

namespace {

struct Gpu {
  void (*launch)(const char*, int) = nullptr;
  void (*counts)(std::uint64_t) = nullptr;
  void (*captures)(int) = nullptr;
  void (*context_gone)(void*) = nullptr;
  void* (*context)(int) = nullptr;
  void (*context_end)(void*) = nullptr;
  void (*capture)(void*, int, int, int) = nullptr;
  void (*set_current)(void*) = nullptr;

  // A kernel that does so much.
  void count(std::uint64_t work) const {
    launch("_Z4workv", 1);
    counts(work);
  }

  template <typename Function>
  static bool Find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }
  bool Open() {
    const char* library = std::getenv("CUDA_INJECTION64_PATH");
    const char* cupti = std::getenv("RANGEFINDER_CUPTI_PATH");
    const char* driver = std::getenv("FAKE_DRIVER");
    if (library == nullptr || cupti == nullptr || driver == nullptr)
      return false;
    void* cuda = dlopen(driver, RTLD_NOW);
    void* injection = dlopen(library, RTLD_NOW);
    void* fake = dlopen(cupti, RTLD_NOW);
    int (*start)() = nullptr;
    return cuda != nullptr && injection != nullptr && fake != nullptr &&
           Find(injection, "InitializeInjection", start) &&
           Find(fake, "FakeLaunch", launch) &&
           Find(fake, "FakeCount", counts) &&
           Find(fake, "FakeCaptures", captures) &&
           Find(fake, "FakeContextGone", context_gone) &&
           Find(fake, "FakeContext", context) &&
           Find(fake, "FakeContextEnd", context_end) &&
           Find(fake, "FakeCapture", capture) &&
           Find(cuda, "FakeSetCurrent", set_current) && start() == 1;
  }
};

Gpu gpu;

class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// A of 1 + (A1 of 10) + 100, and B of 1000 and of the step.
void Steps(long steps) {
  for (long i = 0; i < steps; ++i) {
    {
      const Range a("A");
      gpu.count(1);
      {
        const Range a1("A1");
        gpu.count(10);
      }
      gpu.count(100);
    }
    const Range b("B");
    gpu.count(1000 + static_cast<std::uint64_t>(i));
  }
}

void Capture(void* stream, bool begins, int result = 0) {
  gpu.capture(stream, begins ? 1 : 0, 0, 0);
  if (result == 0 || !begins) gpu.captures(begins ? 1 : -1);
  gpu.capture(stream, begins ? 1 : 0, 1, result);
}

void Captures() {
  int one = 0, two = 0;
  Steps(1);
  Capture(&one, true);
  Capture(&two, true);
  Steps(1);
  Capture(&one, false);
  Steps(1);
  Capture(&two, false);
  Steps(1);
  Capture(&one, true, 901);  // which fails, and captures nothing
  Steps(1);
  const Range a("A");
  gpu.count(5);
  Capture(&one, true);  // inside a range that is being counted
  gpu.count(5);
  Capture(&one, false);
}

void Contexts(void* first) {
  Steps(1);
  std::thread([&] {
    Steps(1);  // without a context
    gpu.set_current(gpu.context(1));
    Steps(1);  // with another
  }).join();
  const Range a("A");
  gpu.context_end(first);
  gpu.context_gone(first);
  gpu.set_current(gpu.context(0));
  Steps(1);
}

void Threads(void* context) {
  nvtxRangePushA("A");
  gpu.count(1);
  std::thread([&] {
    gpu.set_current(context);
    Steps(1);
  }).join();
  nvtxRangePop();
  std::thread([&] {
    gpu.set_current(context);
    Steps(1);
  }).join();
}

// Three levels, each with work of its own, and many of the innermost.
void Deep() {
  const Range a("A");
  gpu.count(1);
  {
    const Range b("B");
    gpu.count(10);
    for (int i = 0; i < 50; ++i) {
      const Range c("C");
      gpu.count(100);
    }
    gpu.count(10);
  }
  gpu.count(1);
}

// The plan has all of them; the first one ends inside its range.
void ManyThreads(void* context) {
  std::thread([&] {
    gpu.set_current(context);
    nvtxRangePushA("A");
  }).join();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      gpu.set_current(context);
      Steps(200);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Ranges of two domains that do not nest, and of a start/end range.
void Crossed() {
  const nvtxDomainHandle_t other = nvtxDomainCreateA("other");
  nvtxEventAttributes_t x{};
  x.version = NVTX_VERSION;
  x.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  x.messageType = NVTX_MESSAGE_TYPE_ASCII;
  x.message.ascii = "X";
  nvtxRangePushA("A");
  nvtxDomainRangePushEx(other, &x);
  gpu.count(1);
  nvtxRangePop();  // A
  gpu.count(2);
  nvtxDomainRangePop(other);
  nvtxDomainRangePushEx(other, &x);
  gpu.count(4);
  nvtxRangePushA("A");
  gpu.count(8);
  nvtxDomainRangePop(other);
  nvtxRangePop();
  const nvtxRangeId_t job = nvtxRangeStartA("job");
  Steps(1);  // as job / A
  nvtxRangeEnd(job);
  Steps(1);
}

// Threads that are cancelled at any instruction of `body`.
template <typename Body>
void CancelThreads(void* context, Body) {
  const auto run = [](void* current) -> void* {
    gpu.set_current(current);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (;;) Body()();
  };
  for (int i = 0; i < 300; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, run, context);
    usleep(100);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
  }
}

void Cancelled(void* context) {
  alarm(60);
  nvtxInitialize(nullptr);
  CancelThreads(context, [] {
    nvtxRangePushA("B");
    nvtxRangePop();
  });
  Steps(1);
  CancelThreads(context, [] { nvtxRangeEnd(nvtxRangeStartA("job")); });
  nvtxRangeEnd(nvtxRangeStartA("job"));
}

int Fork() {
  const Range a("A");
  gpu.count(1);
  const pid_t child = fork();
  if (child == 0) {
    Steps(1);
    std::exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

int Run(const std::string& what, long steps) {
  void* const context = gpu.context(0);
  gpu.set_current(context);
  if (what == "steps") Steps(steps);
  if (what == "captures") Captures();
  if (what == "contexts") Contexts(context);
  if (what == "threads") Threads(context);
  if (what == "deep") Deep();
  if (what == "many") {
    nvtxInitialize(nullptr);
    ManyThreads(context);
  }
  if (what == "crossed") Crossed();
  if (what == "fork") return Fork();
  if (what == "killed") {
    Steps(steps);
    kill(getpid(), SIGKILL);
  }
  if (what == "pause") {
    Steps(steps);
    usleep(150000);
    const Range a("A");
    kill(getpid(), SIGKILL);
  }
  if (what == "handler") {
    for (const int number : {SIGUSR1, SIGSEGV})
      signal(number, [](int) { std::exit(6); });
    Steps(steps);
  }
  if (what == "cancelled") Cancelled(context);
  if (what == "open") {
    nvtxRangePushA("A");
    gpu.count(1);
  }
  if (what == "output") {
    Steps(steps);
    std::fputs("out", stdout);
    std::fputs("err", stderr);
    return 5;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (!gpu.Open()) return 2;
  return Run(what, argc > 2 ? std::atol(argv[2]) : 1);
}
