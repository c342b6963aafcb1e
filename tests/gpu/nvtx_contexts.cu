// One kernel in each kind of NVTX context that an expression of ncu's can tell
// apart: depths, repeated names, domains, start/end ranges, threads, and names
// that contain ncu's own punctuation. Kernel i of the report is context i of
// main().
#include <cstdint>
#include <cstdio>
#include <thread>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__global__ void probe() {}

namespace {

bool failed = false;

void Launch() {
  probe<<<1, 1>>>();
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    failed = true;
  }
}

nvtxEventAttributes_t Message(const char* text) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

// The ranges of a context, outermost first, in one domain (null: the default).
template <typename... Names>
void Pushed(nvtxDomainHandle_t domain, Names... names) {
  const char* const list[] = {names...};
  for (const char* name : list) {
    const nvtxEventAttributes_t message = Message(name);
    if (domain == nullptr) {
      nvtxRangePushA(name);
    } else {
      nvtxDomainRangePushEx(domain, &message);
    }
  }
  Launch();
  for (std::size_t i = 0; i < sizeof...(names); ++i) {
    if (domain == nullptr) {
      nvtxRangePop();
    } else {
      nvtxDomainRangePop(domain);
    }
  }
}

void Started(nvtxDomainHandle_t domain, const char* name) {
  const nvtxEventAttributes_t message = Message(name);
  const nvtxRangeId_t id = domain == nullptr
                               ? nvtxRangeStartA(name)
                               : nvtxDomainRangeStartEx(domain, &message);
  Launch();
  if (domain == nullptr) {
    nvtxRangeEnd(id);
  } else {
    nvtxDomainRangeEnd(domain, id);
  }
}

}  // namespace

int main() {
  nvtxDomainHandle_t const none = nullptr;
  nvtxDomainHandle_t const l = nvtxDomainCreateA("L");
  Launch();                          // 0
  Pushed(none, "a");                 // 1
  Pushed(none, "a", "b");            // 2
  Pushed(none, "a", "b", "c");       // 3
  Pushed(none, "a", "x", "b");       // 4
  Pushed(none, "a", "x", "y", "b");  // 5
  Pushed(none, "b");                 // 6
  Pushed(none, "b", "a");            // 7
  Pushed(none, "a", "a");            // 8
  Pushed(none, "a", "b", "a");       // 9
  Pushed(none, "a", "b", "c", "d");  // 10
  Pushed(l, "p");                    // 11
  Pushed(l, "p", "q");               // 12
  Pushed(l, "p", "x", "q");          // 13
  const nvtxEventAttributes_t p = Message("p");
  nvtxRangePushA("a");  // 14: a and b, with L's p between
  nvtxDomainRangePushEx(l, &p);
  Pushed(none, "b");
  nvtxDomainRangePop(l);
  nvtxRangePop();
  nvtxDomainRangePushEx(l, &p);  // 15: a inside L's p
  Pushed(none, "a");
  nvtxDomainRangePop(l);
  Started(none, "S");  // 16
  nvtxRangeId_t s = nvtxRangeStartA("S");
  Pushed(none, "a");   // 17: a inside S
  Started(none, "T");  // 18: S and T
  nvtxRangeEnd(s);
  Started(l, "S");  // 19: S of L
  const nvtxEventAttributes_t s_of_l = Message("S");
  s = nvtxDomainRangeStartEx(l, &s_of_l);
  Started(none, "T");  // 20: T, and S of L
  nvtxDomainRangeEnd(l, s);
  Started(none, "a");            // 21
  Pushed(none, "a/b");           // 22
  Pushed(none, "x@y");           // 23
  Pushed(none, "x,y");           // 24
  Pushed(none, "[x]");           // 25
  Pushed(none, "x*");            // 26
  Pushed(none, "x+");            // 27
  Pushed(none, "x\\y");          // 28: one backslash
  Pushed(none, "regex:x");       // 29
  Pushed(none, " x");            // 30
  Pushed(none, "x ");            // 31
  Pushed(none, "A");             // 32
  Started(none, "x,y");          // 33
  Started(none, "u/v");          // 34
  Started(none, "*");            // 35
  Pushed(none, "*");             // 36
  Pushed(none, "+");             // 37
  Pushed(none, "ab");            // 38
  Pushed(none, "xab", "z$");     // 39
  Pushed(none, "na\xC3\xAFve");  // 40
  nvtxRangePushA("m");           // 41: another thread, m not its own
  std::thread([] { Launch(); }).join();
  std::thread([=] { Pushed(none, "w"); }).join();  // 42: m there, w here
  nvtxRangePop();
  Pushed(nvtxDomainCreateA("a"), "r");       // 43
  Pushed(nvtxDomainCreateA("x@y"), "r");     // 44
  Pushed(nvtxDomainCreateA("d/e"), "r");     // 45
  Pushed(nvtxDomainCreateA("LL"), "p");      // 46
  Pushed(nvtxDomainCreateA("L.x[1]"), "r");  // 47
  nvtxStringHandle_t const registered = nvtxDomainRegisterStringA(l, "reg");
  nvtxEventAttributes_t by_handle = Message(nullptr);
  by_handle.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  by_handle.message.registered = registered;
  nvtxDomainRangePushEx(l, &by_handle);  // 48
  Launch();
  nvtxDomainRangePop(l);
  Pushed(none, "x", "a", "b");  // 49
  Pushed(none, "b", "b");       // 50
  Started(none, "S1");          // 51
  s = nvtxRangeStartA("S");
  Started(none, "S");  // 52: S twice
  nvtxRangeEnd(s);
  Started(none, "[S");       // 53
  Pushed(none, "r0", "r1");  // 54
  return failed ? 1 : 0;
}
