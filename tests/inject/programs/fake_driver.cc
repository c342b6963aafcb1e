// A stand-in for libcuda: the functions that mode `count` calls, and the
// primary context of its one device.

#include <atomic>
#include <cstddef>

namespace {
// A thread that is cancelled at any instruction may touch it first.
__attribute__((tls_model("initial-exec"))) thread_local void* current = nullptr;
void* primary = nullptr;
std::atomic<bool> initializing{false};
std::atomic<int> asked{0};  // calls of cuDeviceGetCount()
}  // namespace

extern "C" {

void FakeSetCurrent(void* context) {
  current = context;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}
void FakeSetPrimary(void* context) {
  primary = context;
}
// From the beginning to the end of cuInit().
void FakeInitializing(bool is) {
  initializing = is;
}
int FakeAsked() {
  return asked;
}
int cuDeviceGetCount(int* count) {
  ++asked;
  if (initializing) return 3;  // CUDA_ERROR_NOT_INITIALIZED
  *count = 1;
  return 0;
}
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = primary != nullptr;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = primary;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
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
