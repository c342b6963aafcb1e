// Kernels that differ in what they do, so that every ratio of theirs does: for
// comparing rolled-up values with ncu's own. Deterministic in the number of
// instructions; two kernels in each range.
//
//   copy       long and short, of floats
//   gather     scattered reads, from few and from many sectors
//   shared     bank conflicts and none
//   atomics    to few and to many addresses
//   divergent  every second thread, and every eighth
//   half       __half2 arithmetic
//   double     double precision
//   tensor     matrix products by the tensor cores
//   spill      local memory

#include <cuda_fp16.h>
#include <mma.h>

#include "../../../examples/example.h"

namespace {

constexpr int kElements = 1 << 20;
constexpr int kThreads = 256;

__global__ void Copy(int n, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f + 1.0f;
}

__global__ void Gather(int n, int stride, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(static_cast<unsigned>(i) * stride) % n];
}

__global__ void Shared(int stride, float* out) {
  __shared__ float tile[kThreads * 8];
  for (int k = 0; k < 8; ++k)
    tile[(threadIdx.x * stride + k) % (kThreads * 8)] = 1.0f * k;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += tile[(threadIdx.x * stride + k * 17) % (kThreads * 8)];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void Atomics(int buckets, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&out[i % buckets], 1);
  if (i % 3 == 0) out[buckets + i % 7] = atomicMax(&out[i % buckets], i);
}

__global__ void Divergent(int every, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i];
  if (threadIdx.x % every == 0) {
    for (int k = 0; k < 16; ++k) value = value * 1.5f - sinf(value);
  } else {
    value += 1.0f;
  }
  out[i] = value;
}

__global__ void Half(int rounds, const __half2* in, __half2* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 value = in[i];
  for (int k = 0; k < rounds; ++k)
    value = __hadd2(__hmul2(value, value), __hfma2(value, value, value));
  out[i] = value;
}

__global__ void Double(int rounds, const float* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double value = in[i];
  for (int k = 0; k < rounds; ++k) value = value * value + (value - 0.5) * 3.0;
  out[i] = value;
}

// One 16 x 16 tile a warp.
__global__ void Tensor(int rounds, const __half* in, float* out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::load_matrix_sync(a, in + warp * 256, 16);
  wmma::load_matrix_sync(b, in + warp * 256, 16);
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < rounds; ++k) wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out + warp * 256, c, 16, wmma::mem_row_major);
}

// An array that is indexed by data lives in local memory.
__global__ void Spill(int rounds, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float kept[64];
  for (int k = 0; k < 64; ++k) kept[k] = in[(i + k) % kElements];
  for (int k = 0; k < rounds; ++k)
    kept[static_cast<int>(kept[k % 64] * 7 + i) & 63] += 1.0f;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += kept[k];
  out[i] = sum;
}

}  // namespace

int main() {
  float* in = nullptr;
  float* out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, kElements * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&out, kElements * sizeof(double)));
  CUDA_CHECK(cudaMemset(in, 0, kElements * sizeof(double)));
  CUDA_CHECK(cudaMemset(out, 0, kElements * sizeof(double)));
  auto* words = reinterpret_cast<int*>(out);
  const auto* halves = reinterpret_cast<const __half*>(in);
  const auto run = [&](const char* name, auto&& launch) {
    const example::Range range(name);
    launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  const auto blocks = [](int elements) { return elements / kThreads; };
  run("copy", [&] {
    Copy<<<blocks(kElements), kThreads>>>(kElements, in, out);
    Copy<<<blocks(kElements / 16), kThreads>>>(kElements / 16, in, out);
  });
  run("gather", [&] {
    Gather<<<blocks(kElements), kThreads>>>(kElements, 3, in, out);
    Gather<<<blocks(kElements / 4), kThreads>>>(kElements / 4, 1031, in, out);
  });
  run("shared", [&] {
    Shared<<<blocks(kElements), kThreads>>>(32, out);
    Shared<<<blocks(kElements / 2), kThreads>>>(1, out);
  });
  run("atomics", [&] {
    Atomics<<<blocks(kElements / 8), kThreads>>>(8, words);
    Atomics<<<blocks(kElements / 2), kThreads>>>(4096, words);
  });
  run("divergent", [&] {
    Divergent<<<blocks(kElements), kThreads>>>(2, in, out);
    Divergent<<<blocks(kElements / 2), kThreads>>>(8, in, out);
  });
  run("half", [&] {
    Half<<<blocks(kElements / 2), kThreads>>>(
        8, reinterpret_cast<const __half2*>(in),
        reinterpret_cast<__half2*>(out));
    Half<<<blocks(kElements / 8), kThreads>>>(
        64, reinterpret_cast<const __half2*>(in),
        reinterpret_cast<__half2*>(out));
  });
  run("double", [&] {
    Double<<<blocks(kElements), kThreads>>>(8, in,
                                            reinterpret_cast<double*>(out));
    Double<<<blocks(kElements / 8), kThreads>>>(64, in,
                                                reinterpret_cast<double*>(out));
  });
  run("tensor", [&] {
    Tensor<<<64, kThreads>>>(16, halves, out);
    Tensor<<<512, kThreads>>>(64, halves, out);
  });
  run("spill", [&] {
    Spill<<<blocks(kElements / 4), kThreads>>>(8, in, out);
    Spill<<<blocks(kElements / 16), kThreads>>>(100, in, out);
  });
  return 0;
}
