// Crashes in its second range: 3 kernels in `before`, 1 in `during`, then a
// null pointer is written to. What was captured until then must be reported.

#include "example.h"

__global__ void fill(int n, float value, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

int main() {
  constexpr int kElements = 1 << 20;
  float* out = nullptr;
  CUDA_CHECK(cudaMalloc(&out, kElements * sizeof(float)));
  {
    const example::Range before("before");
    for (int i = 0; i < 3; ++i) {
      fill<<<kElements / 256, 256>>>(kElements, 1.0f * i, out);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  const example::Range during("during");
  fill<<<kElements / 256, 256>>>(kElements, 4.0f, out);
  CUDA_CHECK(cudaDeviceSynchronize());
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  {
    const example::Range after("after");
    fill<<<kElements / 256, 256>>>(kElements, 5.0f, out);
  }
  return 0;
}
