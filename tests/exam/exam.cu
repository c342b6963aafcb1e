// The examination's programs: each has one planted cause in one region.
//
//   exam CASE [STEPS]     exam --list
//
// Every program runs STEPS times the region `step` with the regions `other` and
// `target` inside. `other` is a well-behaved kernel of some 100 us; `target`
// has the planted cause and takes most of the step's wall time. Programs whose
// name begins with `fine_` have no cause: nothing may be said with certainty
// that is not true of them. answers.tsv has the expected answers.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <cuda_fp16.h>
#include <mma.h>

#include "exam.h"

namespace {

// ---------------------------------------------------------------- kernels

__global__ void DoubleChains(float* out, int rounds) {
  double a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) a[i] = a[i] * 1.0001 + 0.5;
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  if (sum == 12345.) out[0] = static_cast<float>(sum);
}

__global__ void IntegerChains(float* out, int rounds) {
  unsigned a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) a[i] = (a[i] ^ (a[i] >> 3)) + (a[i] << 5);
  unsigned sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  if (sum == 12345) out[0] = sum;
}

__global__ void SpecialFunctions(float* out, int rounds) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i) a[i] = __sinf(a[i]) + __expf(a[i]);
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  if (sum == 12345.f) out[0] = sum;
}

__global__ void Copy(const float4* in, float4* out, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
       i < n; i += stride)
    out[i] = in[i];
}

// One chain of dependent loads in each thread.
__global__ void Chase(const unsigned* next, unsigned* out, int hops) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 97;
  for (int i = 0; i < hops; ++i) at = next[at & 0xffffff];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void AddToOne(unsigned* counter, int rounds) {
  for (int i = 0; i < rounds; ++i) atomicAdd(counter, threadIdx.x & 1);
}

// STRIDE 32 puts the words of a warp into one bank, STRIDE 1 into all.
template <int kStride>
__global__ void Shared(float* out, int rounds) {
  __shared__ float words[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) words[i] = i;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int r = 0; r < rounds; ++r)
    sum += *static_cast<volatile float*>(&words[(lane * kStride + r) % 1024]);
  if (sum == 12345.f) out[0] = sum;
}

// Block 0 does FACTOR times the work of the others.
__global__ void Uneven(float* out, int rounds, int factor) {
  const int mine = blockIdx.x == 0 ? rounds * factor : rounds;
  float a = threadIdx.x;
  for (int r = 0; r < mine; ++r) a = a * 1.0001f + 0.5f;
  if (a == 12345.f) out[0] = a;
}

// Lanes of one warp take turns through 32 branches.
__global__ void Divergent(float* out, int rounds) {
  float a = threadIdx.x;
  for (int r = 0; r < rounds; ++r)
    for (int lane = 0; lane < 32; ++lane)
      if (threadIdx.x % 32 == lane) a = a * 1.0001f + lane;
  if (a == 12345.f) out[0] = a;
}

// Each lane of a warp reads a sector of its own.
__global__ void Strided(const float* in, float* out, std::size_t n,
                        std::size_t stride) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
       i * stride < n; i += threads)
    sum += in[i * stride];
  if (sum == 12345.f) out[0] = sum;
}

// A dynamic buffer of shared memory leaves room for one block of 128 threads on
// a multiprocessor; loads wait where other warps would hide them.
__global__ void FewWarps(const float4* in, float4* out, std::size_t n) {
  extern __shared__ float4 held[];
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
       i < n; i += stride) {
    held[threadIdx.x] = in[i];
    float4 value = held[threadIdx.x];
    value.x = sqrtf(fabsf(value.x) + 1.f);
    out[i] = value;
  }
}

// C = A * B in single precision, 16 x 16 tiles, no tensor cores.
__global__ void PlainProduct(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][16], right[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void TensorChains(float* out, int rounds) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4];
  wmma::fill_fragment(a, __float2half(1.f));
  wmma::fill_fragment(b, __float2half(1.f));
  for (auto& one : c) wmma::fill_fragment(one, 0.f);
  for (int r = 0; r < rounds; ++r)
    for (auto& one : c) wmma::mma_sync(one, a, b, one);
  float sum = 0;
  for (auto& one : c) sum += one.x[0];
  if (sum == 12345.f) out[0] = sum;
}

__global__ void Spilling(float* out, int rounds, int shift) {
  float held[128];
  for (int i = 0; i < 128; ++i) held[i] = threadIdx.x + i;
  for (int r = 0; r < rounds; ++r)
    held[(r * shift) & 127] = held[(r * 7 + shift) & 127] * 1.0001f + 0.5f;
  float sum = 0;
  for (float value : held) sum += value;
  if (sum == 12345.f) out[0] = sum;
}

// Every thread of a warp adds to one word of shared memory.
__global__ void AddToShared(unsigned* out, int rounds) {
  __shared__ unsigned words[1];
  words[0] = 0;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) atomicAdd(words, threadIdx.x + i);
  __syncthreads();
  if (words[0] == 12345) out[0] = words[0];
}

// Half of each warp's threads have nothing to do.
__global__ void HalfIdle(float* out, int rounds) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
  if (threadIdx.x % 2 == 0)
    for (int r = 0; r < rounds; ++r)
      for (int i = 0; i < 8; ++i) a[i] = a[i] * 1.0001f + 0.5f;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  if (sum == 12345.f) out[0] = sum;
}

__global__ void StridedStore(float* out, std::size_t n, int stride) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
       i * stride < n; i += threads)
    out[i * stride] = i;
}

// Reads the same bytes again and again, which fit into the L2 cache.
__global__ void ReadAgain(const float4* in, float* out, std::size_t n,
                          int rounds) {
  float sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
      sum += __ldcg(&in[(i + r * 4096) % n]).x;
  if (sum == 12345.f) out[0] = sum;
}

__global__ void Divisions(unsigned* out, int rounds) {
  unsigned a[4];
  for (int i = 0; i < 4; ++i) a[i] = threadIdx.x * 2654435761u + i;
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 4; ++i) a[i] = 4000000000u / (a[i] | 1) + a[i] * 7;
  if (a[0] + a[1] + a[2] + a[3] == 12345) out[0] = a[0];
}

__global__ void HalfChains(float* out, int rounds) {
  __half2 a[8];
  for (int i = 0; i < 8; ++i) a[i] = __floats2half2_rn(threadIdx.x, i);
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 8; ++i)
      a[i] = __hfma2(a[i], __floats2half2_rn(0.999f, 0.999f), a[(i + 1) & 7]);
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += __low2float(a[i]);
  if (sum == 12345.f) out[0] = sum;
}

// Threads wait for a clock, as for a flag that another one sets.
__global__ void Wait(unsigned long long cycles) {
  const unsigned long long begin = clock64();
  while (clock64() - begin < cycles) __nanosleep(200);
}

// Blocks wait until the CPU has set the flag; not for ever, if a profiler lets
// the launch return only when the kernel has ended.
__global__ void WaitForHost(volatile int* flag, int value) {
  const unsigned long long begin = clock64();
  if (threadIdx.x == 0)
    while (*flag < value && clock64() - begin < 100'000'000) {
    }
  __syncthreads();
}

// ---------------------------------------------------------------- memory

float4* large_in = nullptr;   // 256 MB
float4* large_out = nullptr;  // 256 MB
char* pinned = nullptr;       // 64 MB
char* pageable = nullptr;     // 64 MB
volatile int* host_flag = nullptr;
unsigned* links = nullptr;  // 64 MB, a random cycle
constexpr std::size_t kLarge = 256 * kMega;
constexpr std::size_t kHost = 64 * kMega;

std::vector<cudaStream_t> streams;
cudaMemPool_t pool = nullptr;
cudaGraphExec_t recorded = nullptr;

void SetUp() {
  SetUpScratch();
  CHECK(cudaMalloc(&large_in, kLarge));
  CHECK(cudaMalloc(&large_out, kLarge));
  CHECK(cudaMemset(large_in, 0, kLarge));
  CHECK(cudaMallocHost(&pinned, kHost));
  pageable = static_cast<char*>(std::malloc(kHost));
  std::memset(pageable, 1, kHost);
  std::memset(pinned, 1, kHost);
  streams.resize(8);
  for (auto& stream : streams) CHECK(cudaStreamCreate(&stream));
}

void MakeLinks() {
  const unsigned n = 16 * kMega;
  std::vector<unsigned> next(n);
  unsigned at = 1;
  for (auto& one : next) {
    at = at * 1664525u + 1013904223u;
    one = at >> 8;
  }
  CHECK(cudaMalloc(&links, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(links, next.data(), n * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
}

// ---------------------------------------------------------------- cases

const Case kCases[] = {
    // Limits inside a kernel
    {"pipe_fma",
     [](int) { FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 20000); }},
    {"pipe_fp64",
     [](int) {
       DoubleChains<<<multiprocessors * 8, kThreads>>>(scratch, 8000);
     }},
    {"pipe_alu",
     [](int) {
       IntegerChains<<<multiprocessors * 8, kThreads>>>(scratch, 8000);
     }},
    {"pipe_xu",
     [](int) {
       SpecialFunctions<<<multiprocessors * 8, kThreads>>>(scratch, 3000);
     }},
    {"dram",
     [](int) {
       for (int i = 0; i < 2; ++i)
         Copy<<<multiprocessors * 16, kThreads>>>(large_in, large_out,
                                                  kLarge / 16);
     }},
    {"small_grid", [](int) { FmaChains<<<8, kThreads>>>(scratch, 20000); }},
    {"one_block", [](int) { FmaChains<<<1, kThreads>>>(scratch, 20000); }},
    {"tail",
     [](int) {
       // One wave of one block a multiprocessor, and one block more.
       FmaChains<<<multiprocessors + 1, 1024, 120 * 1024>>>(scratch, 10000);
     },
     [] {
       CHECK(cudaFuncSetAttribute(
           FmaChains, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024));
     }},
    {"pointer_chasing",
     [](int) {
       Chase<<<multiprocessors, 64>>>(
           links, reinterpret_cast<unsigned*>(scratch), 2000);
     },
     MakeLinks},
    {"atomics",
     [](int) {
       AddToOne<<<multiprocessors * 4, kThreads>>>(
           reinterpret_cast<unsigned*>(scratch), 400);
     }},
    {"bank_conflicts",
     [](int) { Shared<32><<<multiprocessors * 8, kThreads>>>(scratch, 4000); }},
    {"block_imbalance",
     [](int) { Uneven<<<multiprocessors * 8, kThreads>>>(scratch, 3000, 60); }},
    {"heavy_block",
     [](int) {
       // One of many blocks has most of the work, so the kernel does most of
       // its work at its beginning.
       Uneven<<<multiprocessors * 16, kThreads>>>(scratch, 600, 1000);
     }},
    {"divergence",
     [](int) { Divergent<<<multiprocessors * 8, kThreads>>>(scratch, 300); }},
    {"uncoalesced",
     [](int) {
       for (int i = 0; i < 8; ++i)
         Strided<<<multiprocessors * 16, kThreads>>>(
             reinterpret_cast<const float*>(i % 2 ? large_in : large_out),
             scratch, kLarge / 4, 32);
     }},
    {"low_occupancy_shared",
     [](int) {
       FewWarps<<<multiprocessors, 128, 200 * 1024>>>(large_in, large_out,
                                                      kLarge / 16);
     },
     [] {
       CHECK(cudaFuncSetAttribute(
           FewWarps, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
     }},
    {"local_memory",
     [](int step) {
       Spilling<<<multiprocessors * 8, kThreads>>>(scratch, 2000, step | 1);
     }},
    {"no_tensor_cores",
     [](int) {
       PlainProduct<<<dim3(128, 128), dim3(16, 16)>>>(
           reinterpret_cast<const float*>(large_in),
           reinterpret_cast<const float*>(large_in),
           reinterpret_cast<float*>(large_out), 2048);
     }},
    {"one_thread_blocks",
     [](int) { FmaChains<<<multiprocessors * 64, 1>>>(scratch, 8000); }},
    {"half_threads",
     [](int) { HalfIdle<<<multiprocessors * 8, kThreads>>>(scratch, 20000); }},
    {"shared_atomics",
     [](int) {
       AddToShared<<<multiprocessors * 8, kThreads>>>(
           reinterpret_cast<unsigned*>(scratch), 8000);
     }},
    {"strided_store",
     [](int) {
       for (int i = 0; i < 8; ++i)
         StridedStore<<<multiprocessors * 16, kThreads>>>(
             reinterpret_cast<float*>(i % 2 ? large_in : large_out), kLarge / 4,
             32);
     }},
    {"l2_resident",
     [](int) {
       ReadAgain<<<multiprocessors * 8, kThreads>>>(large_in, scratch, kMega,
                                                    120);
     }},
    {"divisions",
     [](int) {
       Divisions<<<multiprocessors * 8, kThreads>>>(
           reinterpret_cast<unsigned*>(scratch), 4000);
     }},
    {"pipe_half",
     [](int) {
       HalfChains<<<multiprocessors * 8, kThreads>>>(scratch, 16000);
     }},
    {"waiting_kernel",
     [](int) { Wait<<<multiprocessors * 4, kThreads>>>(2'000'000); }},
    {"host_flag",
     [](int step) {
       // One block on each multiprocessor waits until the CPU is done.
       WaitForHost<<<multiprocessors, kThreads>>>(host_flag, step + 1);
       Spin(3);
       *host_flag = step + 1;
     },
     [] {
       host_flag = reinterpret_cast<int*>(pinned);
       *host_flag = 0;
     }},
    {"zero_copy",
     [](int) {
       // The kernel reads pinned memory of the host.
       Copy<<<multiprocessors * 8, kThreads>>>(
           reinterpret_cast<const float4*>(pinned), large_out, kMega);
     }},

    // Copies
    {"copy_h2d_pinned",
     [](int) {
       CHECK(cudaMemcpyAsync(large_in, pinned, kHost, cudaMemcpyHostToDevice));
     }},
    {"copy_h2d_pageable",
     [](int) {
       CHECK(
           cudaMemcpyAsync(large_in, pageable, kHost, cudaMemcpyHostToDevice));
     }},
    {"copy_d2h_pinned",
     [](int) {
       CHECK(cudaMemcpyAsync(pinned, large_in, kHost, cudaMemcpyDeviceToHost));
     }},
    {"copy_d2h_pageable",
     [](int) {
       CHECK(
           cudaMemcpyAsync(pageable, large_in, kHost, cudaMemcpyDeviceToHost));
     }},
    {"copy_small",
     [](int) {
       for (int i = 0; i < 400; ++i)
         CHECK(cudaMemcpyAsync(scratch + i * 64, pinned + i * 256, 256,
                               cudaMemcpyHostToDevice));
     }},
    {"copy_serial",
     [](int) {
       // The copy of the next buffer could run beside the kernel.
       CHECK(cudaMemcpyAsync(large_in, pinned, kHost, cudaMemcpyHostToDevice));
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 5000);
     }},
    {"copy_d2d",
     [](int) {
       CHECK(cudaMemcpyAsync(large_out, large_in, kLarge,
                             cudaMemcpyDeviceToDevice));
     }},
    {"copy_2d",
     [](int) {
       // Narrow columns of a matrix in pinned memory.
       for (int i = 0; i < 8; ++i)
         CHECK(cudaMemcpy2DAsync(large_in, 64, pinned, 4096, 64, 16384,
                                 cudaMemcpyHostToDevice));
     }},
    {"memset",
     [](int) {
       for (int i = 0; i < 6; ++i) CHECK(cudaMemsetAsync(large_out, 0, kLarge));
     }},
    {"managed_migration",
     [](int) {
       static char* managed = nullptr;
       if (managed == nullptr) CHECK(cudaMallocManaged(&managed, 16 * kMega));
       for (std::size_t i = 0; i < 16 * kMega; i += 4096) ++managed[i];
       Copy<<<multiprocessors * 4, kThreads>>>(
           reinterpret_cast<const float4*>(managed), large_out, kMega);
     }},

    // The CPU
    {"launch_bound",
     [](int) {
       for (int i = 0; i < 400; ++i) Tiny<<<1, 32>>>(scratch);
     }},
    {"sync_each",
     [](int) {
       for (int i = 0; i < 100; ++i) {
         Tiny<<<1, 32>>>(scratch);
         CHECK(cudaDeviceSynchronize());
       }
     }},
    {"sync_copies",
     [](int) {
       float value = 0;
       for (int i = 0; i < 100; ++i) {
         Tiny<<<1, 32>>>(scratch);
         CHECK(
             cudaMemcpy(&value, scratch, sizeof value, cudaMemcpyDeviceToHost));
       }
     }},
    {"malloc_free",
     [](int) {
       for (int i = 0; i < 10; ++i) {
         float* fresh = nullptr;
         CHECK(cudaMalloc(&fresh, 8 * kMega));
         Tiny<<<1, 32>>>(fresh);
         CHECK(cudaFree(fresh));
       }
     }},
    {"malloc_host",
     [](int) {
       void* fresh = nullptr;
       CHECK(cudaMallocHost(&fresh, 8 * kMega));
       Tiny<<<1, 32>>>(scratch);
       CHECK(cudaFreeHost(fresh));
     }},
    {"host_register",
     [](int) {
       CHECK(cudaHostRegister(pageable, 16 * kMega, cudaHostRegisterDefault));
       Tiny<<<1, 32>>>(scratch);
       CHECK(cudaDeviceSynchronize());
       CHECK(cudaHostUnregister(pageable));
     }},
    {"event_sync",
     [](int) {
       // An event after every short kernel, and a wait for it.
       static cudaEvent_t event = nullptr;
       if (event == nullptr) CHECK(cudaEventCreate(&event));
       for (int i = 0; i < 100; ++i) {
         Tiny<<<1, 32>>>(scratch);
         CHECK(cudaEventRecord(event));
         CHECK(cudaEventSynchronize(event));
       }
     }},
    {"busy_host",
     [](int) {
       for (int i = 0; i < 5; ++i) {
         Spin(1);
         Tiny<<<1, 32>>>(scratch);
       }
     }},
    {"sleeping_host",
     [](int) {
       for (int i = 0; i < 5; ++i) {
         std::this_thread::sleep_for(std::chrono::milliseconds(1));
         Tiny<<<1, 32>>>(scratch);
       }
     }},
    {"graph_rebuilt",
     [](int) {
       // The graph is captured and instantiated in every step.
       CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
       for (int i = 0; i < 200; ++i) Tiny<<<1, 32, 0, streams[0]>>>(scratch);
       cudaGraph_t graph;
       cudaGraphExec_t runnable;
       CHECK(cudaStreamEndCapture(streams[0], &graph));
       CHECK(cudaGraphInstantiate(&runnable, graph, 0));
       CHECK(cudaGraphLaunch(runnable, streams[0]));
       CHECK(cudaStreamSynchronize(streams[0]));
       CHECK(cudaGraphExecDestroy(runnable));
       CHECK(cudaGraphDestroy(graph));
     }},

    {"stream_query",
     [](int) {
       // The CPU asks again and again whether a short kernel has ended.
       for (int i = 0; i < 60; ++i) {
         Tiny<<<1, 32>>>(scratch);
         CHECK(cudaStreamSynchronize(nullptr));
       }
     }},
    {"host_function",
     [](int) {
       // The stream, and so the CPU, waits for a function on the host.
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 500);
       CHECK(cudaLaunchHostFunc(
           nullptr, [](void*) { Spin(8); }, nullptr));
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 500);
     }},
    {"stream_create",
     [](int) {
       for (int i = 0; i < 60; ++i) {
         cudaStream_t stream;
         CHECK(cudaStreamCreate(&stream));
         Tiny<<<1, 32, 0, stream>>>(scratch);
         CHECK(cudaStreamDestroy(stream));
       }
     }},

    // Streams and time
    {"default_stream",
     [](int) {
       // Launches into the default stream keep the others from overlapping.
       for (int i = 0; i < 8; ++i) {
         FmaChains<<<8, kThreads, 0, streams[i]>>>(scratch, 5000);
         Tiny<<<1, 32>>>(scratch);
       }
     }},
    {"default_stream_sets",
     [](int) {
       // So do sets of a few bytes.
       for (int i = 0; i < 8; ++i) {
         FmaChains<<<8, kThreads, 0, streams[i]>>>(scratch, 5000);
         CHECK(cudaMemsetAsync(scratch, 0, 64));
       }
     }},
    {"one_stream",
     [](int) {
       for (int i = 0; i < 8; ++i)
         FmaChains<<<8, kThreads, 0, streams[0]>>>(scratch, 5000);
     }},
    {"growth",
     [](int step) {
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 200 * (step + 1));
     }},
    {"warm_up",
     [](int step) {
       if (step < 3) Spin(150);
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 2000);
     }},
    {"waits_for_other",
     [](int) {
       // `target` launches nothing and waits for what `other` launched.
       CHECK(cudaDeviceSynchronize());
     },
     nullptr, false, 20},

    // Nothing is wrong
    {"fine_tensor",
     [](int) { TensorChains<<<multiprocessors * 4, 512>>>(scratch, 20000); }},
    {"fine_shared",
     [](int) { Shared<1><<<multiprocessors * 8, kThreads>>>(scratch, 20000); }},
    {"fine_async",
     [](int) {
       for (int i = 0; i < 4; ++i)
         FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 2000);
     },
     nullptr, false},
    {"fine_streams",
     [](int) {
       for (int i = 0; i < 8; ++i)
         FmaChains<<<multiprocessors * 2, kThreads, 0, streams[i]>>>(scratch,
                                                                     4000);
     }},
    {"fine_queue",
     [](int) {
       // The CPU is far ahead of the GPU and waits for room in the queue.
       for (int i = 0; i < 40; ++i)
         FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 2000);
     },
     nullptr, false},
    {"fine_long_kernel",
     [](int) { FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 30000); }},
    {"fine_copy",
     [](int) {
       Copy<<<multiprocessors * 32, kThreads>>>(large_in, large_out,
                                                kLarge / 16);
       Copy<<<multiprocessors * 32, kThreads>>>(large_out, large_in,
                                                kLarge / 16);
     }},
    {"fine_overlap",
     [](int) {
       // Copies run beside kernels that take longer.
       CHECK(cudaMemcpyAsync(large_in, pinned, kHost / 8,
                             cudaMemcpyHostToDevice, streams[1]));
       FmaChains<<<multiprocessors * 8, kThreads, 0, streams[0]>>>(scratch,
                                                                   12000);
     }},
    {"fine_pool",
     [](int) {
       // Memory of a pool costs next to nothing.
       float* fresh = nullptr;
       CHECK(cudaMallocAsync(&fresh, 8 * kMega, streams[0]));
       FmaChains<<<multiprocessors * 8, kThreads, 0, streams[0]>>>(fresh,
                                                                   12000);
       CHECK(cudaFreeAsync(fresh, streams[0]));
     },
     [] {
       CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
       std::uint64_t most = ~std::uint64_t{0};
       CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                     &most));
     }},
    {"fine_graph", [](int) { CHECK(cudaGraphLaunch(recorded, streams[0])); },
     [] {
       cudaGraph_t graph;
       CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
       for (int i = 0; i < 20; ++i)
         FmaChains<<<multiprocessors * 8, kThreads, 0, streams[0]>>>(scratch,
                                                                     1000);
       CHECK(cudaStreamEndCapture(streams[0], &graph));
       CHECK(cudaGraphInstantiate(&recorded, graph, 0));
     }},
    {"fine_waves",
     [](int) {
       // Exactly two waves of one block a multiprocessor.
       FmaChains<<<multiprocessors * 2, 1024, 120 * 1024>>>(scratch, 6000);
     },
     [] {
       CHECK(cudaFuncSetAttribute(
           FmaChains, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024));
     }},
};

}  // namespace

int main(int argc, char** argv) {
  return RunExam(kCases, SetUp, argc, argv);
}
