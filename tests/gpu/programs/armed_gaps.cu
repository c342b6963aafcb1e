// Two threads that never wait: one opens and closes ranges, one also launches a
// small kernel in each. Every pause of a thread of 0.2 ms and more is written.
//
//   armed_gaps SECONDS FILE
//
// A line of FILE: the thread (0: ranges, 1: launches), when the pause ended (ns
// since 1970), its length in ns.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <nvtx3/nvToolsExt.h>

__global__ void Small(int* at) {
  atomicAdd(at, 1);
}

struct Gap {
  long long at, length;
};

static long long Now(bool since_1970) {
  using namespace std::chrono;
  return since_1970 ? duration_cast<nanoseconds>(
                          system_clock::now().time_since_epoch())
                          .count()
                    : duration_cast<nanoseconds>(
                          steady_clock::now().time_since_epoch())
                          .count();
}

static std::vector<Gap> Run(double seconds, int* at) {
  std::vector<Gap> gaps;
  const long long end = Now(false) + static_cast<long long>(seconds * 1e9);
  int launches = 0;
  for (long long last = Now(false); last < end;) {
    nvtxRangePushA("step");
    nvtxRangePushA("inner");
    if (at != nullptr) {
      Small<<<1, 32>>>(at);
      // The queue stays short: a full one would hold the thread itself.
      while (++launches % 64 == 0 && cudaStreamQuery(0) == cudaErrorNotReady) {
      }
    }
    nvtxRangePop();
    nvtxRangePop();
    const long long now = Now(false);
    if (now - last > 200'000) gaps.push_back({Now(true), now - last});
    last = now;
  }
  return gaps;
}

int main(int, char** argv) {
  const double seconds = std::atof(argv[1]);
  int* at = nullptr;
  if (cudaMalloc(&at, sizeof(int)) != cudaSuccess) return 1;
  Small<<<1, 32>>>(at);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::puts("ready");
  std::fflush(stdout);
  std::vector<Gap> gaps[2];
  std::thread ranges([&] { gaps[0] = Run(seconds, nullptr); });
  gaps[1] = Run(seconds, at);
  ranges.join();
  std::FILE* out = std::fopen(argv[2], "w");
  if (out == nullptr) return 1;
  for (int thread = 0; thread < 2; ++thread)
    for (const Gap& gap : gaps[thread])
      std::fprintf(out, "%d %lld %lld\n", thread, gap.at, gap.length);
  std::fclose(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
