// The installed CUPTI, with calls that return a Status and objects that free
// themselves. It is opened at run time: the program also runs on machines
// without CUPTI.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "cupti/errors.h"
#include "cupti/host_abi.h"

namespace rangefinder {

class CuptiLibrary {
 public:
  // Opens the file that RANGEFINDER_CUPTI_PATH names, else the library that
  // cupti::Open() finds. The library stays mapped for ever. kProfiler, with a
  // fix: there is no CUPTI.
  static Result<CuptiLibrary> Open();

  // Calls the function of the record `params`; kNoFunction: this CUPTI is too
  // old for it.
  template <typename Params>
  cupti::Code Call(Params& params) const {
    using Function = cupti::Code (*)(Params*);
    const auto function = reinterpret_cast<Function>(Find(Params::kFunction));
    return function != nullptr ? function(&params) : cupti::kNoFunction;
  }
  // The same; kProfiler, "FUNCTION: CODE": the call failed.
  template <typename Params>
  Status Try(Params& params) const {
    const cupti::Code code = Call(params);
    return code == cupti::kSuccess ? Ok() : Failure(Params::kFunction, code);
  }
  template <typename Params>
  bool Has() const {
    return Find(Params::kFunction) != nullptr;
  }
  // A host object of this chip; `available` as in ConfigImageRequest.
  Result<std::shared_ptr<void>> NewHost(
      cupti::ProfilerType type, const std::string& chip,
      std::span<const std::uint8_t> available = {}) const;

  const std::string& path() const { return path_; }
  // The result of cuptiGetVersion(): 130001 is CUDA 13.0; 0: not known.
  std::uint32_t version() const { return version_; }
  // "CUPTI_ERROR_HARDWARE_BUSY (26)"
  std::string Name(cupti::Code code) const;

 private:
  explicit CuptiLibrary(void* handle);

  void* Find(const char* name) const;
  Error Failure(const char* function, cupti::Code code) const;

  void* handle_ = nullptr;
  std::string path_{};
  std::uint32_t version_ = 0;
};

}  // namespace rangefinder
