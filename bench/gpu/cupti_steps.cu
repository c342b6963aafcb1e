// The time of a captured graph of short kernels after each of a list of calls
// to CUPTI, in one process.
//
//   nvcc -O2 -std=c++17 -arch=native -o cupti_steps bench/gpu/cupti_steps.cu
//   cupti_steps ROUNDS STEP...
//   cupti_steps 600 graph load sub again 10+ 10-
//
// ROUNDS: length of a kernel's loop; with 1 a kernel takes about 1 us. Steps:
//
//   graph    makes the graph, which starts CUDA; without this step first,
//            CUPTI is used before CUDA starts
//   load     opens libcupti.so
//   sub      subscribes, unsub unsubscribes
//   KIND+    enables an activity, KIND- disables it; KIND 1: copies,
//            10: kernels, 51: graphs
//   nodes+   enables the callbacks of graph nodes, nodes- disables them
//   again    does nothing
//
// Prints the median time of a launch of the graph after each step, in us, and
// its difference from the first median in percent.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <dlfcn.h>

namespace {

constexpr int kKernels = 300;
constexpr double kSeconds = 0.4;  // that a step is measured

void* cupti = nullptr;
void* subscriber = nullptr;

__global__ void Short(float* at, int rounds) {
  float value = at[blockIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 1.0001f + 1.0f;
  if (threadIdx.x == 0) at[blockIdx.x] = value;
}

template <typename... Arguments>
int Call(const char* name, Arguments... arguments) {
  auto* const function =
      reinterpret_cast<int (*)(Arguments...)>(dlsym(cupti, name));
  if (function == nullptr) {
    std::fprintf(stderr, "no %s\n", name);
    std::exit(2);
  }
  return function(arguments...);
}

void OnCall(void*, int, unsigned, const void*) {}

struct Graph {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t launched = nullptr;

  explicit Graph(int rounds) {
    float* at = nullptr;
    cudaGraph_t captured = nullptr;
    cudaMalloc(&at, 64);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < kKernels; ++i) Short<<<4, 64, 0, stream>>>(at, rounds);
    cudaStreamEndCapture(stream, &captured);
    if (cudaGraphInstantiate(&launched, captured, 0) != cudaSuccess)
      std::exit(2);
  }

  double MedianUs() const {
    using Clock = std::chrono::steady_clock;
    std::vector<double> took;
    const auto begun = Clock::now();
    for (auto now = begun;
         now - begun < std::chrono::duration<double>(kSeconds);) {
      const auto before = Clock::now();
      cudaGraphLaunch(launched, stream);
      cudaStreamSynchronize(stream);
      now = Clock::now();
      took.push_back(
          std::chrono::duration<double, std::micro>(now - before).count());
    }
    std::nth_element(took.begin(), took.begin() + took.size() / 2, took.end());
    return took[took.size() / 2];
  }
};

int Do(const std::string& step) {
  if (step == "again") return 0;
  if (step == "load") {
    cupti = dlopen("libcupti.so", RTLD_NOW);
    return cupti == nullptr;
  }
  if (step == "sub")
    return Call("cuptiSubscribe", &subscriber, OnCall,
                static_cast<void*>(nullptr));
  if (step == "unsub") return Call("cuptiUnsubscribe", subscriber);
  const bool on = step.back() == '+';
  if (step == "nodes+" || step == "nodes-")
    return Call("cuptiEnableCallback", unsigned{on}, subscriber, 3, 13U) +
           Call("cuptiEnableCallback", unsigned{on}, subscriber, 3, 20U);
  return Call(on ? "cuptiActivityEnable" : "cuptiActivityDisable",
              std::atoi(step.c_str()));
}

}  // namespace

int main(int argc, char** argv) {
  Graph* graph = nullptr;
  double first = 0;
  for (int i = 2; i < argc; ++i) {
    const std::string step = argv[i];
    if (step == "graph")
      graph = new Graph(std::atoi(argv[1]));
    else if (const int code = Do(step); code != 0)
      std::printf("%s: CUPTI's error %d\n", argv[i], code);
    if (graph == nullptr) continue;
    const double took = graph->MedianUs();
    if (first == 0) first = took;
    std::printf("%-8s %8.1f us  %+6.1f %%\n", argv[i], took,
                100 * (took / first - 1));
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
