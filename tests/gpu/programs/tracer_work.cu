// Kernels of many kinds and grids, each in a range of its own, 100 launches of
// the same count: alone on the GPU, with every range waited for.
//
//   tracer_work INSTANCES

#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

__device__ float Chain(int rounds) {
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value = value * 1.0001f + 0.5f;
  return value;
}

__global__ void OneExit(float* to, int rounds) {
  const float value = Chain(rounds);
  if (value == 0.123f) to[0] = value;
}

// The lanes of a warp leave at two places.
__global__ void TwoExits(float* to, int rounds) {
  const float value = Chain(rounds);
  if (threadIdx.x % 2 == 0) {
    to[threadIdx.x] = value;
    __threadfence();
    return;
  }
  to[threadIdx.x] = 2 * value;
}

// Every second block does nothing.
__global__ void EmptyBlocks(float* to, int rounds) {
  if (blockIdx.x % 2 == 1) return;
  const float value = Chain(rounds);
  if (value == 0.123f) to[0] = value;
}

__global__ void __cluster_dims__(2, 1, 1) Clusters(float* to, int rounds) {
  const float value = Chain(rounds);
  if (value == 0.123f) to[0] = value;
}

// One block of 256 threads fills an SM's registers.
__global__ void __launch_bounds__(256, 1) Registers(float* to, int rounds) {
  constexpr int kValues = 180;
  float value[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) value[i] = threadIdx.x * (i + 1.f);
  for (int r = 0; r < rounds / 16; ++r) {
#pragma unroll
    for (int i = 0; i < kValues; ++i)
      value[i] = value[i] * 1.0001f + value[(i + 7) % kValues];
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kValues; ++i) sum += value[i];
  if (sum == 0.123f) to[0] = sum;
}

using Kernel = void (*)(float*, int);

void Measure(const char* name, Kernel kernel, float* to, int blocks,
             int threads) {
  const std::string range = std::string(name) + " " + std::to_string(blocks) +
                            " x " + std::to_string(threads);
  nvtxRangePushA(range.c_str());
  for (int i = 0; i < 100; ++i) kernel<<<blocks, threads>>>(to, 64);
  cudaDeviceSynchronize();
  nvtxRangePop();
}

}  // namespace

int main(int argc, char** argv) {
  const int instances = argc > 1 ? std::atoi(argv[1]) : 40;
  float* to = nullptr;
  cudaMalloc(&to, 1024 * sizeof(float));
  for (int i = 0; i < instances; ++i) {
    for (const int blocks : {33, 132, 1056})
      for (const int threads : {32, 128, 1024})
        Measure("one exit", OneExit, to, blocks, threads);
    for (const int blocks : {132, 1056}) {
      Measure("two exits", TwoExits, to, blocks, 256);
      Measure("empty blocks", EmptyBlocks, to, blocks, 256);
      Measure("clusters", Clusters, to, blocks, 256);
      Measure("registers", Registers, to, blocks, 256);
    }
  }
  const cudaError_t error = cudaGetLastError();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
