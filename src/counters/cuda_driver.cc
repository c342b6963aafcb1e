#include "counters/cuda_driver.h"

#include <array>
#include <cstddef>

#include <dlfcn.h>
#include <fmt/format.h>

namespace rangefinder {
namespace {

using Device = std::int32_t;
using Address = std::uint64_t;

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

}  // namespace

template <typename... Arguments>
Status CudaDriver::Call(const char* name, Arguments... arguments) const {
  using Function = int (*)(Arguments...);
  const auto function = reinterpret_cast<Function>(::dlsym(handle_, name));
  if (function == nullptr) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("{}: libcuda.so.1 does not have it", name));
  }
  const int error = function(arguments...);
  if (error == 0) return Ok();
  std::string message = fmt::format("{}: {}", name, ErrorName(error));
  if (error == kNoDevice)
    message +=
        ", there is no GPU that may be used (CUDA_VISIBLE_DEVICES hides some)";
  return Error(ErrorCode::kProfiler, std::move(message));
}

std::string CudaDriver::ErrorName(int error) const {
  using GetName = int (*)(int, const char**);
  const auto get =
      reinterpret_cast<GetName>(::dlsym(handle_, "cuGetErrorName"));
  const char* name = nullptr;
  if (get == nullptr || get(error, &name) != 0 || name == nullptr)
    return fmt::format("CUDA error {}", error);
  return fmt::format("{} ({})", name, error);
}

Result<CudaDriver> CudaDriver::Start() {
  void* handle = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error(ErrorCode::kProfiler,
                 "there is no driver of NVIDIA's here (libcuda.so.1)");
  }
  CudaDriver driver(handle);
  TRY(driver.Call("cuInit", 0U));
  int version = 0;
  if (driver.Call("cuDriverGetVersion", &version).ok())
    driver.version_ = version;
  return driver;
}

Result<int> CudaDriver::DeviceCount() const {
  int count = 0;
  TRY(Call("cuDeviceGetCount", &count));
  return count;
}

Result<std::string> CudaDriver::DeviceName(int device) const {
  Device handle = 0;
  TRY(Call("cuDeviceGet", &handle, device));
  std::array<char, 256> name{};
  TRY(Call("cuDeviceGetName", name.data(), static_cast<int>(name.size()),
           handle));
  return std::string(name.data());
}

Result<void*> CudaDriver::NewContext(int device) const {
  Device handle = 0;
  TRY(Call("cuDeviceGet", &handle, device));
  // The primary context: the parameters of cuCtxCreate differ by version.
  void* context = nullptr;
  TRY(Call("cuDevicePrimaryCtxRetain", &context, handle));
  TRY(Call("cuCtxSetCurrent", context));
  return context;
}

Status CudaDriver::Work() const {
  constexpr std::size_t kBytes = 1U << 20U;
  Address memory = 0;
  TRY(Call("cuMemAlloc_v2", &memory, kBytes));
  TRY(Call("cuMemsetD8_v2", memory, static_cast<unsigned char>(1), kBytes));
  TRY(Call("cuCtxSynchronize"));
  return Call("cuMemFree_v2", memory);
}

}  // namespace rangefinder
