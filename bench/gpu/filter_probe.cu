// Launches for probe_filters.sh, by the first argument; the n-th of a sequence
// has 2^n blocks where the grid is not what is probed, so that what a range
// executed says which launches were in it.
//
//   ranges     `a` and `b` in turn, some of them idle, nested or only waiting
//   threads    `a` on several threads, one after the other
//   processes  `a` here, twice in a child, here again
//   configs    equal grids, each launch in a range that says how it differs
//   (child, child_config: what the child of a step does)

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "example.h"

namespace {

float* data;

template <typename T>
__global__ void work(T* out) {
  T value = out[threadIdx.x];
  for (int k = 0; k < 64; ++k) value = value * T(3) + T(1);
  out[threadIdx.x] = value;
}

void Launch(int blocks) {
  work<float><<<blocks, 32>>>(data);
}

void Sync() {
  CUDA_CHECK(cudaDeviceSynchronize());
}

void In(const char* name, int blocks) {
  nvtxRangePushA(name);
  Launch(blocks);
  Sync();
  nvtxRangePop();
}

void Child(const char* self, const char* what) {
  const std::string command = std::string(self) + " " + what;
  if (std::system(command.c_str()) != 0) std::exit(4);
}

void Ranges() {
  In("a", 1);
  nvtxRangePushA("a");  // no call
  nvtxRangePop();
  In("b", 2);
  nvtxRangePushA("a");
  Launch(4);
  In("a", 8);
  Sync();
  nvtxRangePop();
  nvtxRangePushA("a");  // calls, and no work
  Sync();
  nvtxRangePop();
  nvtxRangePushA("a");
  In("b", 16);
  In("b", 32);
  Sync();
  nvtxRangePop();
  In("c", 64);
  In("b", 128);
  In("a", 256);
}

void Threads() {
  const auto elsewhere = [](int blocks) {
    std::thread([blocks] { In("a", blocks); }).join();
  };
  In("a", 1);
  elsewhere(2);
  In("a", 4);
  elsewhere(8);
  In("a", 16);
}

void Configs(const char* self) {
  const auto in = [](const char* name, auto&& launch) {
    nvtxRangePushA(name);
    launch();
    Sync();
    nvtxRangePop();
  };
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  in("first", [] { Launch(4); });
  in("again", [] { Launch(4); });
  in("stream", [&] { work<float><<<4, 32, 0, stream>>>(data); });
  in("shared", [] { work<float><<<4, 32, 256>>>(data); });
  in("int", [] { work<int><<<4, 32>>>(reinterpret_cast<int*>(data)); });
  in("block", [] { work<float><<<4, 64>>>(data); });
  in("grid", [] { work<float><<<dim3(2, 2), 32>>>(data); });
  std::thread([&] { in("thread", [] { Launch(4); }); }).join();
  CUDA_CHECK(cudaFuncSetAttribute(
      work<float>, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  in("carveout", [] { Launch(4); });
  Child(self, "child_config");
  in("last", [] { Launch(4); });
}

}  // namespace

int main(int argc, char** argv) {
  CUDA_CHECK(cudaMalloc(&data, 1024 * sizeof(float)));
  CUDA_CHECK(cudaMemset(data, 0, 1024 * sizeof(float)));
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "ranges") Ranges();
  if (what == "threads") Threads();
  if (what == "processes") {
    In("a", 1);
    Child(argv[0], "child");
    In("a", 8);
  }
  if (what == "child") {
    In("a", 2);
    In("a", 4);
  }
  if (what == "configs") Configs(argv[0]);
  if (what == "child_config") In("child", 4);
  return 0;
}
