// A program with NVTX ranges. The first argument chooses the scenario; tests
// state the expected trace. The program does not know of the tracer.

#include <cerrno>
#include <csignal>
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/inject/programs/fake_gpu.h"
#include "tests/support/nvtx_client.h"

namespace {

nvtxEventAttributes_t Attributes(const char* text) {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  return a;
}

int Expect(int value, int expected, const char* what) {
  if (value == expected) return 0;
  std::printf("%s: %d, not %d\n", what, value, expected);
  return 1;
}

// A range in which the thread runs for `runs` ms, and one in which it waits for
// `waits` ms.
int RunsAndWaits(long runs, long waits) {
  const auto cpu_ms = [] {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
  };
  nvtxRangePushA("runs");
  const long until = cpu_ms() + runs + 1;
  while (cpu_ms() < until) {
  }
  nvtxRangePop();
  nvtxRangePushA("waits");
  usleep(static_cast<useconds_t>(waits * 1000));
  nvtxRangePop();
  return 0;
}

// Every kind of call there is.
int All() {
  int bad = 0;
  bad += Expect(nvtxRangePushA("A"), 0, "level of A");
  bad += Expect(nvtxRangePushW(L"w\u00e9\u4e16\U0001F600"), 1, "level of W");
  bad += Expect(nvtxRangePop(), 1, "popped W");
  nvtxEventAttributes_t a = Attributes("colored");
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xFF112233;
  a.category = 7;
  a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  a.payload.llValue = -5;
  nvtxNameCategoryA(7, "seven");
  nvtxRangePushEx(&a);
  nvtxRangePop();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("LLM");
  const nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "prefill");
  nvtxEventAttributes_t r = Attributes("");
  r.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  r.message.registered = name;
  bad += Expect(nvtxDomainRangePushEx(domain, &r), 0, "level in the domain");
  const nvtxRangeId_t id = nvtxRangeStartA("job");
  nvtxMarkA("here");
  nvtxDomainMarkEx(domain, &a);
  nvtxRangeEnd(id);
  bad += Expect(nvtxDomainRangePop(domain), 0, "popped in the domain");
  bad += Expect(nvtxRangePop(), 0, "popped A");
  bad += nvtxRangePop() < 0 ? 0 : 1;  // one too many
  nvtxRangePushA("");
  nvtxRangePop();
  nvtxRangePushEx(nullptr);
  nvtxRangePop();
  nvtxRangePushA("never closed");
  nvtxNameOsThreadA(static_cast<uint32_t>(getpid()), "the main thread");
  nvtxDomainDestroy(domain);
  return bad;
}

int Pairs(long count) {
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    nvtxRangePop();
    nvtxRangePop();
  }
  return 0;
}

int Threads(long threads, long count) {
  // NVTX's own first call is not tested here, and not free of races.
  nvtxInitialize(nullptr);
  std::vector<std::thread> all;
  for (long t = 0; t < threads; ++t) {
    all.emplace_back([t, count] {
      const std::string own = "thread " + std::to_string(t);
      for (long i = 0; i < count; ++i) {
        nvtxRangePushA(own.c_str());
        nvtxRangePushA("shared");
        nvtxRangePop();
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}

// Forgets to close anything.
int Leak(long count) {
  for (long i = 0; i < count; ++i) nvtxRangePushA("leaked");
  for (long i = 0; i < count; ++i) nvtxRangeStartA("started");
  return 0;
}

// Domains popped in the order in which they were pushed, and a range that one
// thread starts and another ends.
int Crossed() {
  const nvtxDomainHandle_t other = nvtxDomainCreateA("other");
  const nvtxEventAttributes_t b = Attributes("B");
  nvtxRangePushA("A");
  nvtxDomainRangePushEx(other, &b);
  nvtxRangePop();
  nvtxRangePushA("C");
  nvtxDomainRangePop(other);
  nvtxRangePop();
  const nvtxRangeId_t job = nvtxRangeStartA("job");
  std::thread([job] {
    nvtxRangePushA("in the thread");
    nvtxRangeEnd(job);
    nvtxRangePop();
  }).join();
  nvtxRangeEnd(job + 1000);  // nobody started it
  return 0;
}

int Fork() {
  nvtxRangePushA("parent");
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("in the child");
    nvtxRangePop();
    nvtxRangePop();  // the one opened before the fork
    nvtxRangePushA("after");
    nvtxRangePop();
    std::exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  nvtxRangePushA("beside the child");
  nvtxRangePop();
  nvtxRangePop();
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

int Exec(char** argv) {
  nvtxRangePushA("before exec");
  char* next[] = {argv[0], const_cast<char*>("pairs"), const_cast<char*>("10"),
                  nullptr};
  execv("/proc/self/exe", next);
  return 1;
}

// A handler that interrupts NVTX calls and makes some itself.
int Signals(long count) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    nvtxRangePushA("in the handler");
    nvtxRangePop();
  };
  sigaction(SIGPROF, &action, nullptr);
  // NVTX's own first call waits for itself when it is interrupted by another;
  // the tracer's first event, which comes later, must not.
  nvtxInitialize(nullptr);
  const pthread_t self = pthread_self();
  bool done = false;
  std::thread pest([&] {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
      pthread_kill(self, SIGPROF);
      usleep(20);
    }
  });
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA("interrupted");
    nvtxRangePop();
  }
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  pest.join();
  return 0;
}

int Steps(long launches) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  gpu.launch("_Z6beforev", 1);
  for (long i = 0; i < launches; ++i) {
    nvtxRangePushA("step");
    gpu.launch("_Z4gemmIfEvPT_", 1);
    nvtxRangePushA("copy");
    gpu.copy(4096);
    nvtxRangePop();
    gpu.launch("_Z5graphv", 3);  // one launch, three kernels
    nvtxRangePop();
  }
  return 0;
}

// Calls that wait, of the runtime and of the driver, in several threads.
// Every thread loads the cubin in a file, and launches a kernel of it.
int Modules(const char* path, long threads) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  std::vector<std::thread> all;
  for (long i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      gpu.module(path);
      gpu.launch("_Z6scaledIfEvPT_i", 1);
    });
  }
  for (std::thread& thread : all) thread.join();
  return 0;
}

int Calls(long threads, long steps) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  nvtxInitialize(nullptr);  // as in Threads()
  const auto work = [&] {
    for (long i = 0; i < steps; ++i) {
      nvtxRangePushA("step");
      gpu.call("cudaMalloc_v3020", "cuMemAlloc_v2");
      gpu.call("cudaMalloc_v3020", "cuModuleLoadData");  // lazily
      gpu.launch("_Z4gemmIfEvPT_", 1);
      gpu.call("cudaMemcpy_v3020", "cuMemcpyHtoD_v2");
      gpu.copy(4096);
      gpu.call("cudaStreamSynchronize_v3020", "cuStreamSynchronize");
      gpu.call("cudaStreamSynchronize_ptsz_v7000", nullptr);
      gpu.call(nullptr, "cuStreamSynchronize_ptsz");
      gpu.call(nullptr, "cuStreamSynchronize");
      nvtxRangePop();
    }
  };
  std::vector<std::thread> all;
  for (long i = 1; i < threads; ++i) all.emplace_back(work);
  work();
  for (std::thread& thread : all) thread.join();
  return 0;
}

// The library is loaded inside cuInit(), which ends after so many questions of
// other threads.
int DriverInit(long questions) {
  void* const driver = dlopen(std::getenv("FAKE_DRIVER"), RTLD_NOW);
  if (driver == nullptr) return 2;
  auto* initializing =
      reinterpret_cast<void (*)(bool)>(dlsym(driver, "FakeInitializing"));
  auto* asked = reinterpret_cast<int (*)()>(dlsym(driver, "FakeAsked"));
  initializing(true);
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  for (int ms = 0; asked() < questions; ++ms) {
    if (ms == 20000) return 3;
    usleep(1000);
  }
  initializing(false);
  usleep(300000);  // the library writes its record
  gpu.launch("_Z6beforev", 1);
  return 0;
}

// Overheads of the driver's and of CUPTI's own, and pages that migrate before
// and after managed memory is allocated.
int Overheads() {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  constexpr int kThread = 2, kDevice = 3;
  constexpr unsigned kCpu = 0xFFFFFFFF;
  nvtxRangePushA("step");
  for (const int overhead : {1, 1 << 16, 4 << 16, 5 << 16, 6 << 16, 6 << 16})
    gpu.overhead(overhead, kThread);
  gpu.overhead(5 << 16, kDevice);
  gpu.migration(1, kCpu, 0, 1);  // not yet
  gpu.call(nullptr, "cuMemAllocManaged");
  gpu.call(nullptr, "cuMemAllocManaged");
  gpu.migration(1, kCpu, 3, 65536);
  gpu.migration(2, 3, kCpu, 4096);
  gpu.migration(8, 3, 1, 8192);
  gpu.migration(4, 2, kCpu, 7);
  gpu.migration(3, kCpu, kCpu, 0x1234);  // a fault of the CPU: no duration
  nvtxRangePop();
  return 0;
}

#ifdef HAS_NVTX_PAYLOADS
constexpr std::uint64_t kSchema = (1 << 24) + 5;  // a static number

// NCCL's ranges: `count` times a single call, a group of two calls, and a group
// of calls of two communicators; then payloads that are none of NCCL's.
int Nccl(long count) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  struct Message {
    std::uint64_t communicator, bytes;
    int root;
  };
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", nullptr, 0,
       offsetof(Message, communicator), nullptr, nullptr},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, nullptr, nullptr, 0, 0, nullptr,
       nullptr},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "Message size [bytes]", nullptr, 0,
       offsetof(Message, bytes), nullptr, nullptr}};
  // Type, entries, their number, size and number of the schema are given.
  nvtxPayloadSchemaAttr_t schema = {1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8,
                                    nullptr,
                                    1,
                                    0,
                                    entries,
                                    3,
                                    sizeof(Message),
                                    0,
                                    kSchema,
                                    nullptr};
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  if (nvtxPayloadSchemaRegister(domain, &schema) != kSchema) return 3;
  nvtxPayloadSchemaRegister(domain, nullptr);
  schema.entries = nullptr;
  nvtxPayloadSchemaRegister(domain, &schema);
  const auto open = [&](const char* name, const Message& message,
                        std::uint64_t number = kSchema,
                        std::size_t size = sizeof(Message)) {
    const nvtxPayloadData_t data = {number, size, &message};
    nvtxEventAttributes_t range = Attributes(name);
    range.payloadType = static_cast<std::int32_t>(NVTX_PAYLOAD_TYPE_EXT);
    range.reserved0 = 1;
    range.payload.ullValue = reinterpret_cast<std::uintptr_t>(&data);
    nvtxDomainRangePushEx(domain, &range);
  };
  const auto call = [&](const char* name, const Message& message) {
    open(name, message);
    nvtxDomainRangePop(domain);
  };
  const auto end_group = [&] {
    const nvtxEventAttributes_t end = Attributes("ncclGroupEnd");
    nvtxDomainRangePushEx(domain, &end);
    gpu.launch("_Z24ncclDevKernel_AllReducev", 1);
    nvtxDomainRangePop(domain);
  };
  for (long i = 0; i < count; ++i) {
    open("ncclAllReduce", {0xabc, 1000, 0});
    gpu.launch("_Z24ncclDevKernel_AllReducev", 1);
    nvtxDomainRangePop(domain);
    call("ncclAllReduce", {0xabc, 64, 0});
    call("ncclAllReduce", {0xabc, 128, 0});
    end_group();
    call("ncclAllReduce", {0xabc, 64, 0});
    call("ncclAllReduce", {0xdef, 64, 0});
    end_group();
    call("ncclAllReduce", {0xdef, 4096, 0});
    end_group();
    gpu.launch("_Z4gemmIfEvPT_", 1);
    open("short", {0xbad, 1, 0}, kSchema, 12);
    gpu.launch("_Z24ncclDevKernel_AllReducev", 1);
    nvtxDomainRangePop(domain);
    open("unknown", {0xbad, 1, 0}, kSchema + 1);
    gpu.launch("_Z24ncclDevKernel_AllReducev", 1);
    nvtxDomainRangePop(domain);
  }
  return 0;
}
#endif

// The ranges of examples/nested_regions.cu that tests ask for, each `times`
// over; without a tracer a program that succeeds.
int Nested(long times) {
  Gpu gpu;
  const int opened = gpu.Open();
  const auto launch = [&](const char* name, int count) {
    for (int i = 0; i < count && opened == 0; ++i) gpu.launch(name, 1);
  };
  launch("_Z5saxpyv", 2);
  for (long i = 0; i < times; ++i) {
    nvtxRangePushA("A");
    launch("_Z5saxpyv", 2);
    nvtxRangePushA("A::A1");
    launch("_Z7stencilv", 3);
    nvtxRangePop();
    launch("_Z4burnv", 1);
    nvtxRangePop();
    nvtxRangePushA("B");
    launch("_Z4burnv", 2);
    nvtxRangePop();
    nvtxRangePushA("idle");
    nvtxRangePop();
  }
  return 0;
}

// A graph of two layers is captured once and launched in every step; another
// one has its whole capture in one range.
int Graphs(long steps) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  std::vector<unsigned long> layers, flat;
  nvtxRangePushA("warm-up");
  nvtxRangePushA("capture");
  for (const char* layer : {"layer0.mlp", "layer1.mlp"}) {
    nvtxRangePushA(layer);
    for (int i = 0; i < 2; ++i) layers.push_back(gpu.node(0));
    nvtxRangePop();
  }
  layers.push_back(gpu.node(0));
  for (int i = 0; i < 3; ++i) flat.push_back(gpu.node(0));
  nvtxRangePop();
  for (unsigned long& node : layers) node = gpu.node(node);
  for (unsigned long& node : flat) node = gpu.node(node);
  nvtxRangePop();
  for (long i = 0; i < steps; ++i) {
    nvtxRangePushA("decode");
    gpu.graph("_Z4gemmIfEvPT_", layers.data(), 5);
    nvtxRangePop();
    nvtxRangePushA("tail");
    gpu.graph("_Z5saxpyv", flat.data(), 3);
    nvtxRangePop();
  }
  return 0;
}

// As PyTorch with emit_nvtx: the main thread runs forward and waits in
// "backward" while another thread runs the backward functions.
int Autograd(long steps) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  for (long i = 0; i < steps; ++i) {
    const std::string seq = std::to_string(7 + i);
    nvtxRangePushA("layer0");
    nvtxRangePushA(("aten::mm, seq = " + seq + ", op_id = 1").c_str());
    gpu.launch("_Z4gemmIfEvPT_", 1);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangePushA("backward pass");
    std::thread worker([&] {
      gpu.launch("_Z5saxpyv", 1);  // in no range of its own
      nvtxRangePushA(("MmBackward0, seq = " + seq).c_str());
      gpu.launch("_Z4gemmIfEvPT_", 1);
      gpu.launch("_Z4gemmIfEvPT_", 1);
      nvtxRangePop();
    });
    worker.join();
    nvtxRangePop();
  }
  return 0;
}

// Steps of a kernel for some milliseconds.
void Work(const Gpu& gpu, long ms) {
  for (long i = 0; i < ms; ++i) {
    nvtxRangePushA("step");
    gpu.launch("_Z4gemmIfEvPT_", 1);
    nvtxRangePop();
    usleep(1000);
  }
}

// Programs whose GPU is sampled: one context; two, which are destroyed and made
// again; many; two devices at once, or one after the other; a thread that is
// cancelled; a child.
int Sampled(const std::string& how, long ms) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return status;
  if (how == "devices") {
    nvtxInitialize(nullptr);  // as in Threads()
    std::thread other([&] {
      gpu.context(1);
      Work(gpu, ms);
    });
    gpu.context(0);
    Work(gpu, ms);
    other.join();
    return 0;
  }
  if (how == "cancel") {
    std::thread([&] {
      pthread_cancel(pthread_self());
      gpu.context(0);
      pthread_testcancel();
    }).join();
    Work(gpu, ms);
    return 0;
  }
  void* const first = gpu.context(0);
  Work(gpu, ms);
  if (how == "contexts") {
    void* const second = gpu.context(0);
    gpu.context_end(first);
    Work(gpu, ms);
    gpu.context_end(second);
    Work(gpu, ms);
    gpu.context(0);
    Work(gpu, ms);
  } else if (how == "later") {
    gpu.context(1);
    Work(gpu, ms);
  } else if (how == "many") {
    gpu.context_end(first);
    for (int i = 0; i < 10; ++i) {
      void* const next = gpu.context(0);
      Work(gpu, ms);
      gpu.context_end(next);
    }
  } else if (how == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      nvtxRangePushA("child");
      nvtxRangePop();
      void* const own = gpu.context(0);
      gpu.context_end(first);
      gpu.context_end(own);
      std::exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Work(gpu, ms);
    return WEXITSTATUS(status) == 3 ? 0 : 1;
  } else if (how == "leave") {
    pthread_exit(nullptr);
  } else if (how == "killed") {
    usleep(300000);  // many polls
    kill(getpid(), SIGKILL);
  } else if (how == "output") {
    std::fputs("out", stdout);
    std::fputs("err", stderr);
    return 5;
  }
  return 0;
}

// A server, for `ms`: threads that work in the range of the server and of a
// step, whose names never come again. `how`: "context" makes a CUDA context
// first, in which each step does 7 of work, "lingers" does so and takes a
// second to end, after all other handlers of exit(); "close" closes all
// descriptors that it does not know, "reuse" has sockets of its own in their
// place on SIGUSR1 (and ends with 5 if somebody sends through one), "full" has
// no descriptor left from SIGUSR1 on, "cleared" has no environment from its
// first range on, "narrow" ends with 6 if a push without memory changes errno,
// "fork" works in a child, "waits" waits for the GPU in each step, "graph"
// launches a graph that was captured before in two ranges, in a start/end range
// that opened before, and calls the profiler's start and stop around every
// second thousand of steps.
volatile std::sig_atomic_t is_asked = 0;
int own_sockets[2] = {};

void TakeDescriptors(const std::string& how) {
  if (how == "full") {
    const rlimit limit{256, 256};
    setrlimit(RLIMIT_NOFILE, &limit);
    while (dup(0) >= 0) {
    }
    return;
  }
  socketpair(AF_UNIX, SOCK_STREAM, 0, own_sockets);
  struct stat file;
  for (int fd = 3; fd < 4096; ++fd)
    if (fd != own_sockets[0] && fd != own_sockets[1] && fstat(fd, &file) == 0)
      dup2(own_sockets[0], fd);
}

int Live(long ms, long threads, const std::string& how) {
  signal(SIGUSR1, [](int) { is_asked = 1; });
  if (how == "lingers") std::atexit([] { usleep(1000000); });
  if (how == "fork") {
    nvtxInitialize(nullptr);
    nvtxRangePushA("parent");
    // A child of ASan's hangs if a thread of the parent was just starting.
    usleep(200000);
    const pid_t child = fork();
    int status = 0;
    if (child != 0)
      return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 1;
  }
  Gpu gpu;
  void* const driver = dlopen(std::getenv("FAKE_DRIVER"), RTLD_NOW);
  if (const int status = gpu.Open(); status != 0) return status;
  nvtxInitialize(nullptr);  // as in Threads()
  if (how == "close") {
    // Not by close(), whose races with our threads TSan would report.
    for (int fd = 3; fd < 4096; ++fd) syscall(SYS_close, fd);
  }
  if (how == "cleared") clearenv();
  if (how == "narrow") {
    nvtxMarkA("the thread is known");
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    const rlimit none{1, limit.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    errno = ENOTTY;
    nvtxRangePushA("narrow");
    const int error = errno;
    setrlimit(RLIMIT_AS, &limit);
    nvtxRangePop();
    return error == ENOTTY ? 0 : 6;
  }
  void* context = nullptr;
  if (how == "context" || how == "graph" || how == "lingers") {
    context = gpu.context(0);
    if (driver == nullptr) return 2;
    reinterpret_cast<void (*)(void*)>(dlsym(driver, "FakeSetPrimary"))(context);
    gpu.set_current = reinterpret_cast<decltype(gpu.set_current)>(
        dlsym(driver, "FakeSetCurrent"));
  }
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("LLM");
  const nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "forward");
  std::vector<unsigned long> nodes;
  nvtxRangeId_t shift = 0;
  if (how == "graph") {
    nvtxRangePushA("capture");
    for (const char* const layer : {"attn", "mlp"}) {
      nvtxRangePushA(layer);
      nodes.push_back(gpu.node(gpu.node(0)));
      nvtxRangePop();
    }
    nvtxRangePop();
    shift = nvtxRangeStartA("shift");
    nvtxRangeEnd(nvtxRangeStartA("over before"));
  }
  const auto work = [&](long thread) {
    nvtxEventAttributes_t forward = Attributes("");
    forward.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    forward.message.registered = name;
    if (context != nullptr) gpu.set_current(context);
    nvtxRangePushA("serve");
    timespec begun{}, now{};
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (long i = 0;; ++i) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      if ((now.tv_sec - begun.tv_sec) * 1000 +
              (now.tv_nsec - begun.tv_nsec) / 1000000 >=
          ms)
        break;
      nvtxRangePushA("step");
      const std::string own =
          "request " + std::to_string(thread) + "." + std::to_string(i);
      nvtxRangePushA(own.c_str());
      nvtxDomainRangePushEx(domain, &forward);
      if (nodes.empty())
        gpu.launch("_Z4gemmIfEvPT_", 1);
      else
        gpu.graph("_Z4gemmIfEvPT_", nodes.data(), 2);
      if (context != nullptr) gpu.count(7);
      nvtxDomainRangePop(domain);
      nvtxRangePop();
      nvtxRangePop();
      if (thread == 0 && is_asked == 1) {
        is_asked = 2;
        TakeDescriptors(how);
      }
      if (how == "graph" && i % 1000 > 998) gpu.profiler(i % 2000 > 1000);
      if (how == "waits")
        gpu.wait(3000);
      else if (i % 4 == 3)
        usleep(200);
    }
    nvtxRangePop();
  };
  std::vector<std::thread> all;
  for (long i = 1; i < threads; ++i) all.emplace_back(work, i);
  work(0);
  for (std::thread& thread : all) thread.join();
  nvtxRangeEnd(shift);
  char byte = 0;
  if (how == "reuse" && recv(own_sockets[1], &byte, 1, MSG_DONTWAIT) > 0)
    return 5;
  return 4;
}

// Kernels, and no range at all.
int Bare(long launches) {
  Gpu gpu;
  if (const int status = gpu.Open(); status != 0) return 0;
  for (long i = 0; i < launches; ++i) gpu.launch("_Z5saxpyv", 1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const long first = argc > 2 ? std::atol(argv[2]) : 1000;
  const long second = argc > 3 ? std::atol(argv[3]) : 1000;
  if (what == "all") return All();
  if (what == "pairs") return Pairs(first);
  if (what == "threads") return Threads(first, second);
  if (what == "leak") return Leak(first);
  if (what == "crossed") return Crossed();
  if (what == "fork") return Fork();
  if (what == "exec") return Exec(argv);
  if (what == "signals") return Signals(first);
  if (what == "gpu") return Steps(first);
  if (what == "gpu-killed") {
    Steps(first);
    usleep(500000);  // many periods of flushing
    kill(getpid(), SIGKILL);
  }
  if (what == "gpu-leave") {
    Steps(first);
    // A thread that goes on a little without the first one.
    std::thread([] {
      usleep(50000);
      nvtxRangePushA("last");
      nvtxRangePop();
    }).detach();
    pthread_exit(nullptr);
  }
  if (what == "sampled") return Sampled(argc > 3 ? argv[3] : "", first);
  if (what == "live") return Live(first, second, argc > 4 ? argv[4] : "");
  if (what == "modules") return Modules(argc > 3 ? argv[3] : "", first);
  if (what == "runs-and-waits") return RunsAndWaits(first, second);
  if (what == "calls") return Calls(first, second);
  if (what == "overheads") return Overheads();
  if (what == "driver-init") return DriverInit(first);
#ifdef HAS_NVTX_PAYLOADS
  if (what == "nccl") return Nccl(first);
#endif
  if (what == "nested") return Nested(first);
  if (what == "bare") return Bare(first);
  if (what == "graphs") return Graphs(first);
  if (what == "autograd") return Autograd(first);
  if (what == "_exit") {
    Pairs(first);
    _exit(7);
  }
  if (what == "abort") {
    Pairs(first);
    std::abort();
  }
  if (what == "kill") {
    Pairs(first);
    kill(getpid(), SIGKILL);
  }
  if (what == "output") {
    nvtxRangePushA("A");
    std::fputs("out", stdout);
    std::fputs("err", stderr);
    const int next = dup(0);  // the first free descriptor of an untraced run
    std::printf(" %d", next);
    return 5;
  }
  return 2;
}
