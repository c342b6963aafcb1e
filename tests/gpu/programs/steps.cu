// A loop of steps with known kernels, for comparisons of runs: what differs
// between two of them is said by words.
//
//   steps [slow|extra|renamed|split|batch]...
//
// slow: the kernel of mlp works a tenth longer; extra: one launch more a step
// in attn; renamed: mlp is called feed_forward; split: mlp's kernel is two of
// half the work; batch: twice the blocks.
#include <cstdio>
#include <cstring>

#include <nvtx3/nvToolsExt.h>

__device__ float Work(float value, int rounds) {
  for (int i = 0; i < rounds; ++i) value = value * 1.0001f + 0.5f;
  return value;
}

__global__ void attention(float* data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = Work(data[i], rounds);
}
__global__ void gemm(float* data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = Work(data[i], rounds);
}
__global__ void gemm_half(float* data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = Work(data[i], rounds);
}
__global__ void add(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += 1;
}

int main(int argc, char** argv) {
  const auto asked = [&](const char* word) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], word) == 0) return true;
    return false;
  };
  const int blocks = asked("batch") ? 528 * 8 : 264 * 8;
  constexpr int kThreads = 256, kRounds = 20000, kSteps = 200;
  float* data = nullptr;
  if (cudaMalloc(&data, sizeof(float) * blocks * kThreads) != cudaSuccess)
    return 1;
  cudaMemset(data, 0, sizeof(float) * blocks * kThreads);
  nvtxRangePushA("run");
  for (int step = 0; step < kSteps; ++step) {
    nvtxRangePushA("step");
    nvtxRangePushA("attn");
    attention<<<blocks, kThreads>>>(data, kRounds / 2);
    if (asked("extra")) add<<<blocks, kThreads>>>(data);
    nvtxRangePop();
    nvtxRangePushA(asked("renamed") ? "feed_forward" : "mlp");
    if (asked("split")) {
      gemm_half<<<blocks, kThreads>>>(data, kRounds / 2);
      gemm_half<<<blocks, kThreads>>>(data, kRounds / 2);
    } else {
      gemm<<<blocks, kThreads>>>(data,
                                 asked("slow") ? kRounds * 11 / 10 : kRounds);
    }
    nvtxRangePop();
    nvtxRangePop();
  }
  cudaDeviceSynchronize();
  nvtxRangePop();
  const cudaError_t error = cudaGetLastError();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
