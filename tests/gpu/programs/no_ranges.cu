// 5 kernels and no NVTX range at all.

#include "example.h"

__global__ void fill(int n, float value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

int main() {
  constexpr int kElements = 1 << 20;
  float* out = nullptr;
  CUDA_CHECK(cudaMalloc(&out, kElements * sizeof(float)));
  for (int i = 0; i < 5; ++i) {
    fill<<<kElements / 256, 256>>>(kElements, 1.0f * i, out);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
