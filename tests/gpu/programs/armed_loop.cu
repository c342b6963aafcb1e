// Steps of 100 small kernels in 20 ranges, launched one by one or as one graph
// that was captured in the ranges; each step is waited for.
//
//   armed_loop eager|graph SECONDS
//
// Prints the median time of a step in ns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <nvtx3/nvToolsExt.h>

constexpr int kLayers = 20, kKernels = 5, kFloats = 1 << 20;

__global__ void Scale(float* at) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  at[i] = at[i] * 1.0001f + 1.0f;
}

static void Launch(float* at, cudaStream_t stream) {
  for (int layer = 0; layer < kLayers; ++layer) {
    char name[16];
    std::snprintf(name, sizeof name, "layer%d", layer);
    nvtxRangePushA(name);
    for (int i = 0; i < kKernels; ++i)
      Scale<<<kFloats / 256, 256, 0, stream>>>(at);
    nvtxRangePop();
  }
}

int main(int, char** argv) {
  const bool graphed = std::strcmp(argv[1], "graph") == 0;
  const double seconds = std::atof(argv[2]);
  float* at = nullptr;
  cudaStream_t stream;
  if (cudaMalloc(&at, kFloats * sizeof(float)) != cudaSuccess ||
      cudaStreamCreate(&stream) != cudaSuccess)
    return 1;
  cudaGraphExec_t graph = nullptr;
  if (graphed) {
    cudaGraph_t captured;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    Launch(at, stream);
    cudaStreamEndCapture(stream, &captured);
    if (cudaGraphInstantiate(&graph, captured, 0) != cudaSuccess) return 1;
  }
  std::puts("ready");
  std::fflush(stdout);
  using Clock = std::chrono::steady_clock;
  std::vector<double> steps;
  const auto begun = Clock::now();
  for (auto now = begun;
       now - begun < std::chrono::duration<double>(seconds);) {
    nvtxRangePushA("step");
    if (graphed)
      cudaGraphLaunch(graph, stream);
    else
      Launch(at, stream);
    cudaStreamSynchronize(stream);
    nvtxRangePop();
    const auto after = Clock::now();
    steps.push_back(
        std::chrono::duration<double, std::nano>(after - now).count());
    now = after;
  }
  if (cudaDeviceSynchronize() != cudaSuccess || steps.empty()) return 1;
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2,
                   steps.end());
  std::printf("%.0f\n", steps[steps.size() / 2]);
  return 0;
}
