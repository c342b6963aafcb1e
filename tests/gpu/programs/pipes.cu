// Regions whose counters are known without measuring: one pipe is busy in each,
// or warps, threads, banks, blocks or PCIe are the only limit.
//
//   pipes ITERATIONS

#include <cstdio>
#include <cstdlib>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <nvtx3/nvToolsExt.h>

namespace {

constexpr int kChains = 8;  // independent ones, so that a pipe never waits

__global__ void Fma(float* to, int rounds) {
  float value[kChains];
  for (int i = 0; i < kChains; ++i) value[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) value[i] = value[i] * 1.0001f + 0.5f;
  }
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += value[i];
  if (sum == 0.123f) to[0] = sum;
}

__global__ void Fp64(double* to, int rounds) {
  double value[kChains];
  for (int i = 0; i < kChains; ++i) value[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) value[i] = value[i] * 1.0001 + 0.5;
  }
  double sum = 0;
  for (int i = 0; i < kChains; ++i) sum += value[i];
  if (sum == 0.123) to[0] = sum;
}

__global__ void Xu(float* to, int rounds) {
  float value[kChains];
  for (int i = 0; i < kChains; ++i) value[i] = 0.001f * (threadIdx.x + i);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value[i]));
  }
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += value[i];
  if (sum == 0.123f) to[0] = sum;
}

__global__ void Alu(unsigned* to, int rounds) {
  unsigned value[kChains];
  for (int i = 0; i < kChains; ++i) value[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(value[i]) : "r"(r + i));
  }
  unsigned sum = 0;
  for (int i = 0; i < kChains; ++i) sum += value[i];
  if (sum == 0x12345678) to[0] = sum;
}

__global__ void Tensor(float* to, int rounds) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c[4];
  fill_fragment(a, __float2half(0.01f));
  fill_fragment(b, __float2half(0.01f));
  for (auto& one : c) fill_fragment(one, 0.0f);
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (auto& one : c) mma_sync(one, a, b, one);
  }
  float sum = 0;
  for (auto& one : c) sum += one.x[0];
  if (sum == 0.123f) to[0] = sum;
}

// Every lane of a warp loads from one bank, or each from its own.
__global__ void Shared(float* to, int rounds, int stride) {
  __shared__ volatile float values[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) values[i] = i;
  __syncthreads();
  float sum = 0;
  const int at = (threadIdx.x % 32) * stride;
  for (int r = 0; r < rounds; ++r) sum += values[at];
  if (sum == 0.123f) to[0] = sum;
}

__global__ void Divergent(float* to, int rounds) {
  float value = threadIdx.x;
  if (threadIdx.x % 32 < 8) {
    for (int r = 0; r < rounds; ++r) value = value * 1.0001f + 0.5f;
  }
  if (value == 0.123f) to[0] = value;
}

__global__ void Spin(long long cycles) {
  extern __shared__ float unused[];
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void ReadHost(const float4* from, float* to, unsigned count) {
  float sum = 0;
  for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count;
       at += gridDim.x * blockDim.x)
    sum += from[at].x;
  if (sum == 0.123f) to[0] = sum;
}

template <typename Launch>
void Region(const char* name, Launch launch) {
  nvtxRangePushA(name);
  launch();
  nvtxRangePop();
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 3;
  const int sms = device.multiProcessorCount;
  void* memory = nullptr;
  void* host = nullptr;
  constexpr unsigned kHostBytes = 64 << 20;
  if (cudaMalloc(&memory, 1 << 20) != cudaSuccess ||
      cudaMallocHost(&host, kHostBytes) != cudaSuccess)
    return 3;
  // One block of 512 threads has an SM for itself.
  const int large = static_cast<int>(device.sharedMemPerBlockOptin) - 1024;
  cudaFuncSetAttribute(Spin, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       large);
  auto* const floats = static_cast<float*>(memory);
  constexpr long long kCycles = 500'000;
  for (int i = 0; i < iterations; ++i) {
    Region("step", [&] {
      Region("fma", [&] { Fma<<<4 * sms, 512>>>(floats, 4000); });
      Region("fp64", [&] {
        Fp64<<<4 * sms, 512>>>(static_cast<double*>(memory), 1000);
      });
      Region("xu", [&] { Xu<<<4 * sms, 512>>>(floats, 500); });
      Region("alu", [&] {
        Alu<<<4 * sms, 512>>>(static_cast<unsigned*>(memory), 2000);
      });
      Region("tensor", [&] { Tensor<<<4 * sms, 256>>>(floats, 600); });
      Region("conflicts", [&] { Shared<<<4 * sms, 512>>>(floats, 300, 32); });
      Region("no_conflicts",
             [&] { Shared<<<4 * sms, 512>>>(floats, 8000, 1); });
      Region("divergent", [&] { Divergent<<<4 * sms, 512>>>(floats, 8000); });
      Region("quarter", [&] { Spin<<<sms, 512, large>>>(kCycles); });
      Region("full", [&] { Spin<<<2 * sms, 1024>>>(kCycles); });
      Region("few_blocks", [&] { Spin<<<sms / 8, 256, large>>>(kCycles); });
      Region("host", [&] {
        ReadHost<<<4 * sms, 512>>>(static_cast<const float4*>(host), floats,
                                   kHostBytes / sizeof(float4));
      });
    });
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::puts(cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
