// A stand-in for libcuda, of what mode `count` asks it for.

#include <cstddef>

namespace {
thread_local void* current = nullptr;
}

extern "C" {

void FakeSetCurrent(void* context) {
  current = context;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  static std::size_t left = std::size_t{64} << 30;
  left -= std::size_t{10} << 20;
  *free_bytes = left;
  *total = std::size_t{80} << 30;
  return 0;
}

}  // extern "C"
