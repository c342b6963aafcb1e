// Calls of CUDA in known numbers: tests/gpu/trace_calls.sh has what their trace
// must say.

#include <cstdio>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

__global__ void Wait(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
__global__ void Rare(int* x) {  // loaded by its first launch
  *x = 1;
}
__global__ void Touch(int* x, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) x[i] += 1;
}

// A function of the driver, by its name in the library.
template <typename... Parameters>
auto Driver(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<CUresult (*)(Parameters...)>(dlsym(driver, name));
}

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

int main() {
  constexpr size_t kBytes = 1 << 20, kManaged = 64 << 20;
  {
    const Range range("initialise");
    cudaFree(nullptr);
  }
  int *device = nullptr, *pinned = nullptr, *managed = nullptr;
  std::vector<int> pageable(kBytes / sizeof(int));
  {
    const Range range("allocate");
    for (int i = 0; i < 5; ++i) {
      cudaMalloc(&device, kBytes);
      if (i < 4) cudaFree(device);
    }
    cudaMallocHost(&pinned, kBytes);
  }
  {
    const Range range("load");
    Rare<<<1, 1>>>(device);
    cudaDeviceSynchronize();
  }
  {
    const Range range("wait");
    for (int i = 0; i < 10; ++i) {
      Wait<<<1, 1>>>(1000000);
      cudaStreamSynchronize(nullptr);
    }
  }
  {
    const Range range("copy");
    for (int i = 0; i < 3; ++i)
      cudaMemcpy(device, pageable.data(), kBytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < 2; ++i)
      cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(pageable.data(), device, kBytes, cudaMemcpyDeviceToHost);
  }
  {
    const Range range("driver");
    CUdeviceptr memory = 0;
    const auto allocate = Driver<CUdeviceptr*, size_t>("cuMemAlloc_v2");
    const auto release = Driver<CUdeviceptr>("cuMemFree_v2");
    const auto synchronise = Driver<>("cuCtxSynchronize");
    for (int i = 0; i < 2; ++i) {
      if (allocate(&memory, kBytes) != CUDA_SUCCESS) return 3;
      synchronise();
      release(memory);
    }
  }
  {
    const Range range("migrate");
    cudaMallocManaged(&managed, kManaged);
    for (size_t i = 0; i < kManaged / sizeof(int); i += 1024) managed[i] = 1;
    Touch<<<1, 1024>>>(managed, kManaged / sizeof(int));
    cudaDeviceSynchronize();
    int sum = 0;
    for (size_t i = 0; i < kManaged / sizeof(int); i += 1024) sum += managed[i];
    std::printf("%d\n", sum);
  }
  cudaFree(managed);
  return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
