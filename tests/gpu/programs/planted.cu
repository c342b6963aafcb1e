// Three regions back to back whose kernels take some 50 us each: alpha, beta
// with a kernel and `copies` small ones that move memory, and gamma, which
// moves memory and counts a hundredth of the instructions of the others.
//
//   planted ITERATIONS [COPIES]

#include "sampled_kernels.h"

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 400;
  const int copies = argc > 2 ? std::atoi(argv[2]) : 0;
  constexpr size_t kBytes = size_t{256} << 20;
  float* few = nullptr;
  float4* many = nullptr;
  if (cudaMalloc(&few, 1 << 22) != cudaSuccess ||
      cudaMalloc(&many, kBytes) != cudaSuccess)
    return 3;
  cudaMemset(few, 0, 1 << 22);
  for (int i = 0; i < iterations; ++i) {
    const Range iteration("iteration");
    {
      const Range alpha("alpha");
      Multiply<<<264, 256>>>(few, 20000);
    }
    {
      const Range beta("beta");
      Multiply<<<264, 256>>>(few, 15000);
      for (int k = 0; k < copies; ++k)
        Copy<<<264, 256>>>(many, many + (4 << 20), 1 << 18);
    }
    {
      const Range gamma("gamma");
      Copy<<<264, 256>>>(many, many + (8 << 20), 4 << 20);
    }
    if (i % 16 == 15) cudaDeviceSynchronize();
  }
  return Finish();
}
