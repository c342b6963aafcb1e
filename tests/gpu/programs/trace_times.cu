// Kernels of very different length and kind, each many times over: what two
// tools say of their durations is to be compared.

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

constexpr int kTimes = 25;

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

// Bound by arithmetic: kSteps decide how long it is.
template <int kSteps>
__global__ void Compute(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i, b = 1.0f;
  for (int step = 0; step < kSteps; ++step) {
    a = a * 0.999f + b;
    b = b * 1.001f - a;
  }
  if (a == 12345.0f) y[i] = b;
}

// Bound by memory: from DRAM where the data is large, from L2 where it is not.
template <int kMegabytes>
__global__ void Copy(const float4* x, float4* y) {
  const int count = kMegabytes * 65536 / 2;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    y[i] = x[i];
}

template <typename Launch>
void Many(const char* range, Launch launch) {
  nvtxRangePushA(range);
  for (int i = 0; i < kTimes; ++i) {
    launch();
    Check(cudaDeviceSynchronize(), range);
  }
  nvtxRangePop();
}

}  // namespace

int main() {
  float4* x;
  float4* y;
  Check(cudaMalloc(&x, 512 << 20), "malloc");
  Check(cudaMalloc(&y, 512 << 20), "malloc");
  Check(cudaMemset(x, 1, 512 << 20), "memset");
  auto* f = reinterpret_cast<float*>(y);
  // The clock rises with work.
  for (int i = 0; i < 50; ++i) Compute<65536><<<1056, 256>>>(f);
  Check(cudaDeviceSynchronize(), "warm-up");
  Many("compute", [&] { Compute<16><<<1056, 256>>>(f); });
  Many("compute", [&] { Compute<1024><<<1056, 256>>>(f); });
  Many("compute", [&] { Compute<8192><<<1056, 256>>>(f); });
  Many("compute", [&] { Compute<32768><<<1056, 256>>>(f); });
  Many("copy", [&] { Copy<1><<<264, 512>>>(x, y); });
  Many("copy", [&] { Copy<16><<<1056, 512>>>(x, y); });
  Many("copy", [&] { Copy<512><<<1056, 512>>>(x, y); });
  std::puts("done");
  return 0;
}
