// A range in which memory is copied and nothing is launched.

#include <vector>

#include "example.h"

int main() {
  std::vector<float> host(1 << 20, 1.0f);
  float* device = nullptr;
  const example::Range copy("copy");
  CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
