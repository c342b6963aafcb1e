// What programs share whose regions are hard to tell apart from samples of the
// whole device: kernels bound by arithmetic, by memory or by both, ranges, and
// the end of a program.

#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

__global__ void Multiply(float* data, int rounds) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[at];
  for (int i = 0; i < rounds; ++i) value = value * 1.0001f + 0.5f;
  data[at] = value;
}

__global__ void Copy(const float4* from, float4* to, unsigned count) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count;
       at += stride)
    to[at] = from[at];
}

__global__ void Mix(const float* from, float* to, unsigned count, int rounds) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count;
       at += stride) {
    float value = from[at];
    for (int i = 0; i < rounds; ++i) value = value * 1.01f + 1.0f;
    to[at] = value;
  }
}

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

// Waits for the device; the exit status.
int Finish() {
  const cudaError_t last = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(last));
  return last == cudaSuccess ? 0 : 4;
}

}  // namespace
