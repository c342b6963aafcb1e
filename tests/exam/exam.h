// What the programs of the examination share: the steps, and what they launch
// where nothing is wrong.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

void Check(cudaError_t status, const char* call, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "exam: line %d: %s: %s\n", line, call,
               cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) Check((call), #call, __LINE__)

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

constexpr int kThreads = 256;
constexpr std::size_t kMega = std::size_t{1} << 20;

int multiprocessors = 0;
float* scratch = nullptr;  // 4 MB

// Independent chains of fused multiply-adds: the FMA pipe is the limit.
__global__ void FmaChains(float* out, int rounds) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) a[i] = a[i] * 1.0001f + 0.5f;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  if (sum == 12345.f) out[0] = sum;
}

__global__ void Tiny(float* out) {
  out[threadIdx.x] += 1.f;
}

void Spin(double milliseconds) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double, std::milli>(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Some 150 us of multiply-adds on every multiprocessor.
void Other() {
  FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 2000);
}

// Before all else: what the kernels above need.
void SetUpScratch() {
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                               0));
  CHECK(cudaMalloc(&scratch, 4 * kMega));
}

struct Case {
  const char* name;
  void (*target)(int step);
  void (*prepare)() = nullptr;
  bool synchronise = true;  // at the end of a step
  int others = 1;           // kernels of `other`
};

inline void Run(const Case& one, int steps) {
  if (one.prepare != nullptr) one.prepare();
  for (int step = 0; step < steps; ++step) {
    Range whole("step");
    {
      Range range("other");
      for (int i = 0; i < one.others; ++i) Other();
    }
    {
      Range range("target");
      one.target(step);
      CHECK(cudaGetLastError());
      if (one.synchronise) CHECK(cudaDeviceSynchronize());
    }
  }
  CHECK(cudaDeviceSynchronize());
}

// The main function of a file of cases.
template <std::size_t kCount>
int RunExam(const Case (&cases)[kCount], void (*set_up)(), int argc,
            char** argv) {
  const char* name = argc > 1 ? argv[1] : "--list";
  const bool list = std::strcmp(name, "--list") == 0;
  if (!list) set_up();
  for (const Case& one : cases) {
    if (list) std::puts(one.name);
    if (std::strcmp(one.name, name) != 0) continue;
    Run(one, argc > 2 ? std::atoi(argv[2]) : 100);
    std::puts("done");
    return 0;
  }
  if (list) return 0;
  std::fprintf(stderr, "exam: no case is called %s (--list)\n", name);
  return 2;
}

}  // namespace
