// Calls of NVTX. Each is counted in the tally, and must leave errno alone.

#include <atomic>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "foreign.h"
#include "tests/support/nvtx_client.h"

namespace foreign {
namespace {

constexpr int kErrno = 77;

// NVTX's own first call opens a library, and leaves errno as that does.
std::atomic<bool> began{false};

// Has no destructor: a thread may be cancelled in it, at any instruction.
template <typename Call>
__attribute__((always_inline)) inline void Counted(Kind kind, Call call) {
  const int before = errno;
  Begun(kind);
  errno = kErrno;
  call();
  if (errno != kErrno && began.load(std::memory_order_relaxed))
    Say("NVTX changed errno to %d", errno);
  began.store(true, std::memory_order_relaxed);
  errno = before;
  Done(kind);
}

void PushA(const char* name) {
  Counted(kPush, [=] { nvtxRangePushA(name); });
}
void Pop() {
  Counted(kPop, [] { nvtxRangePop(); });
}
void MarkA(const char* name) {
  Counted(kMark, [=] { nvtxMarkA(name); });
}

nvtxEventAttributes_t Attributes(const char* text) {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  return a;
}

void Pairs(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    PushA("pair");
    Pop();
  }
}

// A new name every time, in every thread.
void Fresh(const Action& action) {
  static thread_local long number = 0;
  for (long i = 0; i < action.first; ++i) {
    char name[200];
    std::snprintf(name, sizeof name, "fresh %s %ld", Actor(), number++);
    PushA(name);
    Pop();
  }
}

void Nest(const Action& action) {
  for (long i = 0; i < action.first; ++i) PushA("nested");
  for (long i = 0; i < action.first; ++i) Pop();
}

void Leak(const Action& action) {
  for (long i = 0; i < action.first; ++i) PushA("leaked");
}

void Pops(const Action& action) {
  for (long i = 0; i < action.first; ++i) Pop();
}

void StartEnd(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    nvtxRangeId_t id = 0;
    Counted(kStart, [&] { id = nvtxRangeStartA("job"); });
    Counted(kEnd, [=] { nvtxRangeEnd(id); });
  }
}

void Starts(const Action& action) {
  for (long i = 0; i < action.first; ++i)
    Counted(kStart, [] { nvtxRangeStartA("never ended"); });
}

void Ends(const Action& action) {
  for (long i = 0; i < action.first; ++i)
    Counted(kEnd, [] { nvtxRangeEnd(1234567); });
}

void Marks(const Action& action) {
  for (long i = 0; i < action.first; ++i) MarkA("mark");
}

// A domain each, with a registered string, left behind.
void Domains(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    char name[200];
    std::snprintf(name, sizeof name, "domain %s %ld", Actor(), i);
    nvtxDomainHandle_t domain = nullptr;
    nvtxStringHandle_t text = nullptr;
    Counted(kOther, [&] { domain = nvtxDomainCreateA(name); });
    Counted(kOther, [&] { text = nvtxDomainRegisterStringA(domain, "text"); });
    nvtxEventAttributes_t a = Attributes("");
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = text;
    Counted(kPush, [&] { nvtxDomainRangePushEx(domain, &a); });
    Counted(kMark, [&] { nvtxDomainMarkEx(domain, &a); });
    Counted(kPop, [&] { nvtxDomainRangePop(domain); });
    nvtxRangeId_t id = 0;
    Counted(kStart, [&] { id = nvtxDomainRangeStartEx(domain, &a); });
    Counted(kEnd, [&] { nvtxDomainRangeEnd(domain, id); });
    Counted(kOther, [&] { nvtxDomainDestroy(domain); });
  }
}

// Categories, threads and resources, named again and again.
void Naming(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    char name[200];
    std::snprintf(name, sizeof name, "name %s %ld", Actor(), i);
    Counted(kOther, [&] {
      nvtxNameCategoryA(static_cast<uint32_t>(i), name);
      nvtxNameOsThreadA(static_cast<uint32_t>(gettid()), name);
    });
    nvtxResourceAttributes_t r{};
    r.version = NVTX_VERSION;
    r.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    r.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
    r.identifier.pValue = name;
    r.messageType = NVTX_MESSAGE_TYPE_ASCII;
    r.message.ascii = name;
    Counted(kOther, [&] {
      nvtxDomainResourceDestroy(nvtxDomainResourceCreate(nullptr, &r));
    });
  }
}

void AttributesOfAllKinds(const Action& action) {
  for (long i = 0; i < action.first; ++i) {
    nvtxEventAttributes_t a = Attributes("coloured");
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xFF000000 + static_cast<uint32_t>(i);
    a.category = static_cast<uint32_t>(i % 3);
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = i;
    Counted(kPush, [&] { nvtxRangePushEx(&a); });
    Counted(kPush, [] { nvtxRangePushW(L"w\u00e9\u4e16\U0001F600"); });
    Counted(kMark, [&] { nvtxMarkEx(&a); });
    Pop();
    Pop();
    Counted(kPush, [] { nvtxRangePushEx(nullptr); });
    Pop();
  }
}

// Names that are too long to be kept whole, and names with every byte.
void LongNames(const Action& action) {
  static const std::string text = [] {
    std::string all;
    for (int i = 0; i < 40000; ++i) all += static_cast<char>(1 + i % 255);
    return all;
  }();
  for (long i = 0; i < action.first; ++i) {
    PushA(text.c_str() + i % 300);
    Pop();
  }
}

// Work of the GPU in each range "A", as traces.py expects it.
constexpr unsigned long kWork = 7;

// The stand-in for CUPTI; null: there is none.
void* Cupti() {
  static void* const cupti = [] {
    const char* path = Environment("FOREIGN_CUPTI");
    return *path == '\0' ? nullptr : dlopen(path, RTLD_NOW);
  }();
  return cupti;
}

// The thread uses the first context. A thread that is cancelled at any
// instruction may call this after another has.
void Context(const Action&) {
  static void* const cupti = Cupti();
  if (cupti == nullptr) return;
  static void* const first =
      reinterpret_cast<void* (*)(int)>(dlsym(cupti, "FakeContext"))(0);
  static auto* const set = [] {
    void* driver = dlopen(Environment("FAKE_DRIVER"), RTLD_NOW);
    return driver == nullptr ? nullptr
                             : reinterpret_cast<void (*)(void*)>(
                                   dlsym(driver, "FakeSetCurrent"));
  }();
  if (set != nullptr) set(first);
}

// Kernels and other calls of the stand-in for CUPTI, where there is one.
void Gpu(const Action& action) {
  static void* const cupti = Cupti();
  if (cupti == nullptr) return;
  static auto* const launch =
      reinterpret_cast<void (*)(const char*, int)>(dlsym(cupti, "FakeLaunch"));
  static auto* const call =
      reinterpret_cast<unsigned (*)(const char*, const char*)>(
          dlsym(cupti, "FakeCall"));
  static auto* const overhead =
      reinterpret_cast<void (*)(int, int)>(dlsym(cupti, "FakeOverhead"));
  // In mode `count`.
  static auto* const count =
      reinterpret_cast<void (*)(unsigned long)>(dlsym(cupti, "FakeCount"));
  Context(action);
  for (long i = 0; i < action.first; ++i) {
    PushA("A");
    Begun(kKernel);
    launch("_Z4gemmIfEvPT_", 1);
    if (count != nullptr) count(kWork);
    Done(kKernel);
    if (i == 0) call("cudaMallocManaged_v6000", "cuMemAllocManaged");
    call("cudaStreamSynchronize_v3020", "cuStreamSynchronize");
    overhead(6 << 16, 2);  // the command buffer is full
    Pop();
  }
}

// ThreadSanitizer takes memory at the place of an unloaded library for the
// library.
#ifdef __SANITIZE_THREAD__
constexpr int kLoad = RTLD_NOW | RTLD_NODELETE;
#else
constexpr int kLoad = RTLD_NOW;
#endif

// Calls of a library that has an NVTX of its own, and is gone again.
void Plugin(const Action& action) {
  for (long i = 0; i < action.first && i < 5; ++i) {
    void* const plugin = dlopen(Environment("FOREIGN_PLUGIN"), kLoad);
    if (plugin == nullptr) return Say("no plugin");
    auto* const push =
        reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "Push"));
    auto* const pop = reinterpret_cast<int (*)()>(dlsym(plugin, "Pop"));
    Begun(kPush);
    push("plugin");
    Done(kPush);
    Begun(kPop);
    pop();
    Done(kPop);
    dlclose(plugin);
  }
}

void Late(const Action&) {}

}  // namespace

const std::vector<Row> kNvtxActions = {
    {"pairs", Pairs},     {"fresh", Fresh},
    {"nest", Nest},       {"leak", Leak},
    {"pops", Pops},       {"startend", StartEnd},
    {"starts", Starts},   {"ends", Ends},
    {"marks", Marks},     {"domains", Domains},
    {"naming", Naming},   {"attributes", AttributesOfAllKinds},
    {"long", LongNames},  {"gpu", Gpu},
    {"late", Late},       {"plugin", Plugin},
    {"context", Context},
};

}  // namespace foreign
