// Every kind of NVTX range in one small program, with a known number of kernels
// in each: what a profiler by regions has to get right.
//
//   region                 own kernels                    with inner regions
//   (outside all ranges)   2 saxpy, 1 stencil, 1 burn      4
//   A                      2 saxpy, 1 burn                 6
//     A::A1                3 stencil                       3
//   B                      2 burn                          2
//   LLM@prefill            1 saxpy                         3
//     LLM@attn             2 stencil                       2
//   LLM@decode_0, 1, 2     1 saxpy, 1 burn each            2 each
//   S1                     1 saxpy                         2
//     S2 (inside S1)       1 stencil                       1
//   S2 (after S1 ended)    1 burn                          1
//   T0                     1 saxpy                         1
//   T1                     2 saxpy                         2
//   empty                  none
//   weird/na me,[x]@y*     1 saxpy                         1
//
// Together 28 kernels in each process.
//
//   nested_regions [--procs N]
//
// With --procs N (2 or more) it starts itself N times and waits for them.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "example.h"

using example::Range;

namespace {

constexpr int kElements = 1 << 22;
constexpr int kThreads = 256;
constexpr int kBlocks = (kElements + kThreads - 1) / kThreads;

}  // namespace

// Limited by memory: reads two floats and writes one for one multiply-add.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Limited by memory, its neighbours' reads coming from the cache.
__global__ void stencil(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) {
    y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
  }
}

// Limited by arithmetic: kSteps dependent multiply-adds a float.
template <int kSteps>
__global__ void burn(int n, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = y[i];
    for (int k = 0; k < kSteps; ++k) v = v * 1.0001f + 0.5f;
    y[i] = v;
  }
}

namespace {

// Two arrays on the device, and the kernels that work on them.
class Work {
 public:
  Work() {
    CUDA_CHECK(cudaMalloc(&x_, kElements * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&y_, kElements * sizeof(float)));
    CUDA_CHECK(cudaMemset(x_, 0, kElements * sizeof(float)));
    CUDA_CHECK(cudaMemset(y_, 0, kElements * sizeof(float)));
  }
  ~Work() {
    cudaFree(x_);
    cudaFree(y_);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void Saxpy(int times) const {
    for (int i = 0; i < times; ++i) {
      saxpy<<<kBlocks, kThreads>>>(kElements, 2.0f, x_, y_);
    }
  }
  void Stencil(int times) const {
    for (int i = 0; i < times; ++i) {
      stencil<<<kBlocks, kThreads>>>(kElements, x_, y_);
    }
  }
  void Burn(int times) const {
    for (int i = 0; i < times; ++i) {
      burn<256><<<kBlocks, kThreads>>>(kElements, y_);
    }
  }

 private:
  float* x_ = nullptr;
  float* y_ = nullptr;
};

// A region is what was open at the launch, so nothing has to wait for the GPU.
// Range replay, which measures a range as a whole, wants its work done by the
// range's end: hence a Sync() before most of them.
void Sync() {
  CUDA_CHECK(cudaDeviceSynchronize());
}

// A (3 kernels of its own) with A::A1 (3) inside, then B (2).
void NestedRanges(const Work& work) {
  {
    const Range a("A");
    work.Saxpy(2);
    {
      const Range a1("A::A1");
      work.Stencil(3);
    }
    work.Burn(1);
    Sync();
  }
  work.Stencil(1);  // outside all ranges
  {
    const Range b("B");
    work.Burn(2);
    Sync();
  }
}

// A domain of its own, as libraries and frameworks have: prefill (1 kernel)
// with attn (2) inside, then three steps of 2 kernels.
void DomainRanges(const Work& work) {
  const nvtxDomainHandle_t llm = nvtxDomainCreateA("LLM");
  {
    const Range prefill("prefill", llm);
    work.Saxpy(1);
    Sync();
    const Range attention("attn", llm);
    work.Stencil(2);
    Sync();
  }
  for (int step = 0; step < 3; ++step) {
    const Range decode("decode_" + std::to_string(step), llm);
    work.Saxpy(1);
    work.Burn(1);
    Sync();
  }
  // The domain stays: a profiler may ask for its name until the very end.
}

// Start/end ranges belong to the process and need not nest: S1 and S2 overlap,
// 1 kernel in S1 alone, 1 in both, 1 in S2 alone.
void OverlappingRanges(const Work& work) {
  const nvtxRangeId_t s1 = nvtxRangeStartA("S1");
  work.Saxpy(1);
  Sync();
  const nvtxRangeId_t s2 = nvtxRangeStartA("S2");
  work.Stencil(1);
  Sync();
  nvtxRangeEnd(s1);
  work.Burn(1);
  Sync();
  nvtxRangeEnd(s2);
}

// Push/pop ranges belong to their thread: 1 kernel in T0, 2 in T1.
void ThreadRanges(const Work& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&work, t] {
      const Range range("T" + std::to_string(t));
      work.Saxpy(1 + t);
      Sync();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A range without a kernel, and a name that means something to every filter
// language it may meet.
void OddRanges(const Work& work) {
  { const Range empty("empty"); }
  const Range weird("weird/na me,[x]@y*");
  work.Saxpy(1);
  Sync();
}

void RunOnce() {
  const Work work;
  work.Saxpy(2);  // outside all ranges
  Sync();
  NestedRanges(work);
  DomainRanges(work);
  OverlappingRanges(work);
  ThreadRanges(work);
  OddRanges(work);
  work.Burn(1);  // outside all ranges
  Sync();
  CUDA_CHECK(cudaGetLastError());
  std::puts("done");
}

// Starts this program `count` times, side by side. No CUDA call was made yet:
// a process that forks after one has no usable CUDA.
int RunProcesses(int count, char* name) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      return 1;
    }
    if (child == 0) {
      execl("/proc/self/exe", name, static_cast<char*>(nullptr));
      _exit(127);
    }
  }
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++failed;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int processes = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--procs") == 0 && i + 1 < argc) {
      processes = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--procs N]\n", argv[0]);
      return 2;
    }
  }
  if (processes > 1) return RunProcesses(processes, argv[0]);
  RunOnce();
  return 0;
}
