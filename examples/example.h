// What the example programs share: checked CUDA calls and scoped NVTX ranges.
//
// The ranges are made with NVTX's C interface, which every profiler knows, and
// cost a few nanoseconds when none is listening.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

// Ends the program with status 3 when a CUDA call fails: there is nothing
// sensible that an example could do instead.
#define CUDA_CHECK(call) example::CheckCuda((call), #call, __FILE__, __LINE__)

namespace example {

inline void CheckCuda(cudaError_t error, const char* call, const char* file,
                      int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
               cudaGetErrorString(error));
  std::exit(3);
}

// A push/pop range of the calling thread, open for as long as the object lives.
// Without a domain it is in NVTX's default domain.
class Range {
 public:
  explicit Range(const std::string& name, nvtxDomainHandle_t domain = nullptr)
      : domain_(domain) {
    if (domain_ == nullptr) {
      nvtxRangePushA(name.c_str());
      return;
    }
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain_, &attributes);
  }
  ~Range() {
    if (domain_ == nullptr) {
      nvtxRangePop();
    } else {
      nvtxDomainRangePop(domain_);
    }
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  nvtxDomainHandle_t domain_;
};

}  // namespace example
