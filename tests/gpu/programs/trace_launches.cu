// A program that is bound by its launches: tiny kernels, a range around every
// ten. Prints the seconds of each segment.
//
//   trace_launches SEGMENTS KERNELS [paired]
//
// paired: every second segment, after a first one, is between cudaProfilerStart
// and cudaProfilerStop; prints a line for these and one for the others.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__global__ void Tiny(float* x) {
  if (threadIdx.x == 0) *x += 1;
}

void Print(const char* name, const std::vector<double>& seconds) {
  std::printf("%sBENCH", name);
  for (const double value : seconds) std::printf(" %.6f", value);
  std::printf("\n");
}

int main(int argc, char** argv) {
  const int segments = argc > 1 ? std::atoi(argv[1]) : 5;
  const int kernels = argc > 2 ? std::atoi(argv[2]) : 200000;
  const bool paired = argc > 3 && std::strcmp(argv[3], "paired") == 0;
  float* x = nullptr;
  if (cudaMalloc(&x, 4) != cudaSuccess) return 3;
  for (int i = 0; i < 1000; ++i) Tiny<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  const auto segment = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kernels; i += 10) {
      nvtxRangePushA("ten kernels");
      for (int k = 0; k < 10; ++k) Tiny<<<1, 32>>>(x);
      nvtxRangePop();
    }
    cudaDeviceSynchronize();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    return seconds.count();
  };
  std::vector<double> on, off;
  if (paired) segment();
  for (int s = 0; s < segments; ++s) {
    // Back and forth, so that neither always comes first.
    const bool off_first = s % 2 == 0;
    for (const bool first : {true, false}) {
      if (!paired && !first) continue;
      const bool traced = paired && first != off_first;
      if (paired) traced ? cudaProfilerStart() : cudaProfilerStop();
      (traced ? on : off).push_back(segment());
    }
  }
  Print(paired ? "paused " : "", off);
  if (paired) Print("traced ", on);
  return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
