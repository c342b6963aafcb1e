// A program that is bound by its launches: tiny kernels, a range around every
// ten. Prints the seconds of each segment.
//
//   trace_launches SEGMENTS KERNELS

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__global__ void Tiny(float* x) {
  if (threadIdx.x == 0) *x += 1;
}

int main(int argc, char** argv) {
  const int segments = argc > 1 ? std::atoi(argv[1]) : 5;
  const int kernels = argc > 2 ? std::atoi(argv[2]) : 200000;
  float* x = nullptr;
  if (cudaMalloc(&x, 4) != cudaSuccess) return 3;
  for (int i = 0; i < 1000; ++i) Tiny<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  std::printf("BENCH");
  for (int s = 0; s < segments; ++s) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kernels; i += 10) {
      nvtxRangePushA("ten kernels");
      for (int k = 0; k < 10; ++k) Tiny<<<1, 32>>>(x);
      nvtxRangePop();
    }
    cudaDeviceSynchronize();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    std::printf(" %.6f", seconds.count());
  }
  std::printf("\n");
  return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
