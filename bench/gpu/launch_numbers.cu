// Kernels whose grid says which launch of theirs it is: the n-th launch of a
// kernel, from 1, has n blocks. Regions R0 to R4: `first` twice and `second`
// once in each, outside of them one `first` before and between; then the same
// kernels from a second thread on a stream of its own, inside region T.
#include <cstdio>
#include <string>
#include <thread>

#include <nvtx3/nvToolsExt.h>

__global__ void first(int* p) {
  if (p) *p = 1;
}
__global__ void second(int* p) {
  if (p) *p = 2;
}
template <typename T>
__global__ void third(T* p) {
  if (p) *p = 3;
}

int firsts = 0, seconds = 0, thirds = 0;

int main() {
  cudaFree(nullptr);
  first<<<++firsts, 32>>>(nullptr);
  for (int i = 0; i < 5; ++i) {
    nvtxRangePushA(("R" + std::to_string(i)).c_str());
    first<<<++firsts, 32>>>(nullptr);
    first<<<++firsts, 32>>>(nullptr);
    second<<<++seconds, 32>>>(nullptr);
    third<float><<<++thirds, 32>>>(nullptr);
    third<int><<<++thirds, 32>>>(nullptr);
    nvtxRangePop();
    first<<<++firsts, 32>>>(nullptr);
  }
  cudaDeviceSynchronize();
  std::thread([] {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    nvtxRangePushA("T");
    first<<<++firsts, 32, 0, stream>>>(nullptr);
    second<<<++seconds, 32, 0, stream>>>(nullptr);
    nvtxRangePop();
    cudaStreamSynchronize(stream);
  }).join();
  std::printf("%d first, %d second, %d third: %s\n", firsts, seconds, thirds,
              cudaGetErrorString(cudaGetLastError()));
}
