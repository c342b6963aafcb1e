// Regions that are hard to tell apart from samples of the whole device: one
// kernel with one grid, whose work is another number in every launch; by its
// place in a region, by the region's instance, and in short regions beside long
// ones.
//
//   unequal ITERATIONS

#include "sampled_kernels.h"

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 3000;
  constexpr size_t kFloats = size_t{64} << 20;
  float *from = nullptr, *to = nullptr;
  for (float** memory : {&from, &to}) {
    if (cudaMalloc(memory, kFloats * sizeof(float)) != cudaSuccess) return 3;
  }
  cudaMemset(from, 0, kFloats * sizeof(float));
  cudaDeviceSynchronize();
  const auto mix = [&](unsigned count, int rounds) {
    Mix<<<264, 256>>>(from, to, count, rounds);
  };
  for (int i = 0; i < iterations; ++i) {
    const Range iteration("iteration");
    {
      const Range places("places");  // small, large, middle
      mix(1 << 20, 20);
      mix(1 << 22, 60);
      mix(1 << 21, 40);
    }
    {
      const Range turns("turns");  // twice the work in every second instance
      mix(1 << 21, i % 2 == 0 ? 40 : 120);
    }
    {
      const Range bytes("bytes");  // the time of memory, few instructions
      mix(1 << 23, 4);
    }
    {
      const Range brief("brief");
      mix(1 << 20, 30);
    }
    if (i % 16 == 15) cudaDeviceSynchronize();
  }
  return Finish();
}
