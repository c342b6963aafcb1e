// The installed CUPTI, opened at run time: this program is linked with none,
// and is the same with and without one.

#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "counters/host_abi.h"

namespace rangefinder {

class CuptiLibrary {
 public:
  // The copy that RANGEFINDER_CUPTI_PATH names, else the one that is mapped
  // already, else the one the loader finds, else those of installed toolkits,
  // newest first as far as a mapped driver goes. It stays mapped for good.
  // kProfiler, with what to do, where there is none.
  static Result<CuptiLibrary> Open();

  // Calls the function that `params` is of; kNoFunction where this CUPTI is too
  // old to have it.
  template <typename Params>
  cupti::Code Call(Params& params) const {
    using Function = cupti::Code (*)(Params*);
    const auto function = reinterpret_cast<Function>(Find(Params::kFunction));
    return function != nullptr ? function(&params) : kNoFunction;
  }
  template <typename Params>
  bool Has() const {
    return Find(Params::kFunction) != nullptr;
  }

  const std::string& path() const { return path_; }
  // As cuptiGetVersion() has it: 130001 is of CUDA 13.0; 0: it does not say.
  std::uint32_t version() const { return version_; }
  // "CUPTI_ERROR_HARDWARE_BUSY (26)"
  std::string Name(cupti::Code code) const;

  static constexpr cupti::Code kNoFunction = -1;

 private:
  explicit CuptiLibrary(void* handle);

  void* Find(const char* name) const;

  void* handle_ = nullptr;
  std::string path_{};
  std::uint32_t version_ = 0;
};

}  // namespace rangefinder
