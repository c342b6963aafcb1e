// Ranges for profile_flow.sh, by the first argument:
//
//   steps     6 times `step` (in it once `inner`), then 5 times `other`; the
//             n-th of each launches n times as much as the first
//   shy       `always`, and `shy`, which launches nothing under anything but
//             Rangefinder's tracer: ncu cannot measure what the plan has
//   graph     `plain`, and `graph`, whose launch range replay refuses
//   nameless  kernels in a range `named` and in one without a name

#include <cstdlib>
#include <cstring>

#include <nvtx3/nvToolsExt.h>

#include "example.h"

namespace {

constexpr int kBlock = 256;
float* data;

__global__ void work(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = out[i];
  for (int k = 0; k < 64; ++k) value = value * 1.0001f + 0.5f;
  out[i] = value;
}

void Launch(int blocks) {
  work<<<blocks, kBlock>>>(data);
}

void Sync() {
  CUDA_CHECK(cudaDeviceSynchronize());
}

void Steps() {
  for (int i = 1; i <= 6; ++i) {
    nvtxRangePushA("step");
    Launch(64 * i);
    nvtxRangePushA("inner");
    Launch(64 * i);
    Sync();
    nvtxRangePop();
    nvtxRangePop();
  }
  for (int i = 1; i <= 5; ++i) {
    nvtxRangePushA("other");
    Launch(32 * i);
    Sync();
    nvtxRangePop();
  }
}

void Shy() {
  nvtxRangePushA("always");
  Launch(64);
  Sync();
  nvtxRangePop();
  nvtxRangePushA("shy");
  if (std::getenv("RANGEFINDER_INJECT_DIR") != nullptr) Launch(64);
  nvtxRangePop();
  Sync();
}

void Graph() {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work<<<64, kBlock, 0, stream>>>(data);
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  nvtxRangePushA("plain");
  Launch(64);
  Sync();
  nvtxRangePop();
  nvtxRangePushA("graph");
  CUDA_CHECK(cudaGraphLaunch(exec, stream));
  Sync();
  nvtxRangePop();
}

void Nameless() {
  nvtxRangePushA("named");
  Launch(64);
  Launch(64);
  nvtxRangePop();
  nvtxRangePushA("");
  Launch(64);
  nvtxRangePop();
  Launch(64);
  Sync();
}

}  // namespace

int main(int argc, char** argv) {
  CUDA_CHECK(cudaMalloc(&data, 64 * 6 * kBlock * sizeof(float)));
  CUDA_CHECK(cudaMemset(data, 0, 64 * 6 * kBlock * sizeof(float)));
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "steps") == 0) Steps();
  if (std::strcmp(what, "shy") == 0) Shy();
  if (std::strcmp(what, "graph") == 0) Graph();
  if (std::strcmp(what, "nameless") == 0) Nameless();
  return 0;
}
