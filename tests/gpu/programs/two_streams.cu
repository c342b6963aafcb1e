// Regions that are hard to tell apart from samples of the whole device: two
// streams that overlap, one kernel twice with unequal work, and short regions
// that follow each other at once.
//
//   two_streams ITERATIONS

#include "sampled_kernels.h"

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 1500;
  constexpr size_t kFloats = size_t{64} << 20;
  float *from = nullptr, *to = nullptr, *mixed = nullptr, *few = nullptr;
  for (float** memory : {&from, &to, &mixed}) {
    if (cudaMalloc(memory, kFloats * sizeof(float)) != cudaSuccess) return 3;
  }
  if (cudaMalloc(&few, 1 << 20) != cudaSuccess) return 3;
  cudaMemset(from, 0, kFloats * sizeof(float));
  cudaMemset(few, 0, 1 << 20);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaDeviceSynchronize();
  const auto* source = reinterpret_cast<const float4*>(from);
  for (int i = 0; i < iterations; ++i) {
    const Range iteration("iteration");
    {
      const Range pair("pair");
      Multiply<<<60, 128, 0, one>>>(few, 12000);
      Copy<<<64, 256, 0, other>>>(source, reinterpret_cast<float4*>(to),
                                  1 << 19);
      Multiply<<<60, 128, 0, one>>>(few, 6000);
    }
    {
      const Range solo("solo");
      Mix<<<132, 256, 0, one>>>(from, mixed, 1 << 20, 40);
    }
    {
      const Range memory("memory");
      Copy<<<264, 256, 0, other>>>(source, reinterpret_cast<float4*>(mixed),
                                   1 << 20);
    }
    if (i % 8 == 7) cudaDeviceSynchronize();
  }
  return Finish();
}
