// Nested, overlapping and threaded NVTX ranges around known numbers of kernels,
// copies and sets. trace_nested.sh says which.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kElements = 1 << 20;
float* device_x;
float* device_y;

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

__global__ void Scale(int n, float factor, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= factor;
}

template <int kSteps>
__global__ void Iterate(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int step = 0; step < kSteps; ++step) value = value * 0.999f + 0.5f;
  y[i] = value;
}

void Scales(int times, cudaStream_t stream = nullptr) {
  for (int i = 0; i < times; ++i) {
    Scale<<<kElements / 256, 256, 0, stream>>>(kElements, 1.01f, device_y);
  }
}

void Iterates(int times) {
  for (int i = 0; i < times; ++i) {
    Iterate<64><<<kElements / 256, 256>>>(kElements, device_x, device_y);
  }
}

void Sync() {
  Check(cudaDeviceSynchronize(), "synchronize");
}

void Recurse(int depth) {
  nvtxRangePushA("recursive");
  Scales(1);
  if (depth > 1) Recurse(depth - 1);
  nvtxRangePop();
}

void Run() {
  Check(cudaMalloc(&device_x, kElements * 4), "malloc");
  Check(cudaMalloc(&device_y, kElements * 4), "malloc");
  Check(cudaMemset(device_x, 0, kElements * 4), "memset");
  Scales(2);  // outside
  Sync();

  nvtxRangePushA("A");
  Scales(2);
  nvtxRangePushA("A1");
  Iterates(3);
  nvtxRangePop();
  Scales(1);
  Sync();
  nvtxRangePop();

  nvtxDomainHandle_t llm = nvtxDomainCreateA("LLM");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(llm, "prefill");
  nvtxRangePushA("outer");
  nvtxDomainRangePushEx(llm, &attributes);
  Iterates(4);
  Sync();
  nvtxDomainRangePop(llm);
  nvtxRangePop();

  for (int step = 0; step < 5; ++step) {
    nvtxRangePushA("step");
    Scales(2);
    nvtxRangePop();
  }
  Sync();

  const nvtxRangeId_t first = nvtxRangeStartA("S1");
  Scales(1);
  const nvtxRangeId_t second = nvtxRangeStartA("S2");
  Scales(2);
  nvtxRangeEnd(first);
  Scales(3);
  nvtxRangeEnd(second);
  Sync();

  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([t] {
      nvtxRangePushA(t == 0 ? "T0" : "T1");
      Scales(10 + t);
      nvtxRangePop();
    });
  }
  for (std::thread& thread : threads) thread.join();
  Sync();

  cudaStream_t stream;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  nvtxRangePushA("copies");
  std::vector<float> host(kElements);
  Check(cudaMemcpyAsync(device_x, host.data(), 1 << 20, cudaMemcpyHostToDevice,
                        stream),
        "copy");
  Check(cudaMemcpy(host.data(), device_x, 1 << 20, cudaMemcpyDeviceToHost),
        "copy");
  Check(cudaMemsetAsync(device_x, 1, 4096, stream), "set");
  Scales(1, stream);
  Sync();
  nvtxRangePop();

  Recurse(3);
  nvtxRangePushA("empty");
  nvtxRangePop();
  Sync();
  Check(cudaGetLastError(), "last");
}

void Graphs() {
  Check(cudaMalloc(&device_y, kElements * 4), "malloc");
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  Check(cudaStreamCreate(&stream), "stream");
  nvtxRangePushA("capture");
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
  Scales(6, stream);
  Check(cudaStreamEndCapture(stream, &graph), "end");
  Check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  nvtxRangePop();
  for (int i = 0; i < 3; ++i) {
    nvtxRangePushA("replay");
    Check(cudaGraphLaunch(executable, stream), "launch");
    Check(cudaStreamSynchronize(stream), "synchronize");
    nvtxRangePop();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "graphs") == 0) {
    Graphs();
  } else if (std::strcmp(what, "processes") == 0) {
    for (int p = 0; p < 2; ++p) {
      if (fork() == 0) {
        execl("/proc/self/exe", argv[0], static_cast<char*>(nullptr));
        _exit(9);
      }
    }
    int status = 0, bad = 0;
    while (wait(&status) > 0) bad |= status;
    if (bad != 0) return 1;
  } else if (std::strcmp(what, "killed") == 0) {
    Run();
    sleep(3);  // longer than the tracer's flush period
    Scales(1);
    kill(getpid(), SIGKILL);
  } else if (std::strcmp(what, "unfinished") == 0) {
    // Ends right after its last launch, without waiting for it.
    Run();
    Iterates(50);
    return 0;
  } else {
    Run();
  }
  std::puts("done");
  return 0;
}
