// Regions that are hard to tell apart from samples of the whole device: two
// kernels that take turns without a gap, each in both regions, as often and for
// as long, so that only their order differs; and a third region of both.
//
//   alternating ITERATIONS

#include "sampled_kernels.h"

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 3000;
  constexpr size_t kFloats = size_t{64} << 20;
  float *from = nullptr, *to = nullptr, *few = nullptr;
  for (float** memory : {&from, &to}) {
    if (cudaMalloc(memory, kFloats * sizeof(float)) != cudaSuccess) return 3;
  }
  if (cudaMalloc(&few, 1 << 20) != cudaSuccess) return 3;
  cudaMemset(from, 0, kFloats * sizeof(float));
  cudaMemset(few, 0, 1 << 20);
  cudaDeviceSynchronize();
  const auto multiply = [&](int rounds) {
    Multiply<<<132, 256>>>(few, rounds);
  };
  const auto copy = [&](unsigned count) {
    Copy<<<264, 256>>>(reinterpret_cast<const float4*>(from),
                       reinterpret_cast<float4*>(to), count);
  };
  for (int i = 0; i < iterations; ++i) {
    const Range iteration("iteration");
    {
      const Range ping("ping");
      for (int turn = 0; turn < 3; ++turn) {
        multiply(3000);
        copy(1 << 20);
      }
    }
    {
      const Range pong("pong");
      for (int turn = 0; turn < 3; ++turn) {
        copy(1 << 20);
        multiply(3000);
      }
    }
    {
      const Range both("both");
      multiply(6000);
      copy(1 << 21);
    }
    if (i % 16 == 15) cudaDeviceSynchronize();
  }
  return Finish();
}
