#include "counters/config_image.h"

#include <memory>

#include <fmt/format.h>

#include "counters/cupti_call.h"

namespace rangefinder {

Result<ConfigImage> MakeConfigImage(const CuptiLibrary& library,
                                    const ConfigImageRequest& request) {
  // A host object keeps its metrics, so each image needs a new one.
  const std::shared_ptr<void> host =
      TRY(NewHost(library, request.type, request.chip, request.available));
  std::vector<const char*> names;
  for (const std::string& metric : request.metrics)
    names.push_back(metric.c_str());
  cupti::HostAddMetrics add;
  add.host = host.get();
  add.metrics = names.data();
  add.count = names.size();
  if (const cupti::Code code = library.Call(add); code != cupti::kSuccess) {
    return Error(code == cupti::kNotSupported ? ErrorCode::kUnsupported
                                              : ErrorCode::kProfiler,
                 fmt::format("{}: {}", add.kFunction, library.Name(code)));
  }
  cupti::HostConfigImageSize size;
  size.host = host.get();
  TRY(CallCupti(library, size));
  ConfigImage made{.bytes = std::vector<std::uint8_t>(size.size)};
  cupti::HostConfigImage image;
  image.host = host.get();
  image.size = made.bytes.size();
  image.image = made.bytes.data();
  TRY(CallCupti(library, image));
  cupti::HostPasses passes;
  passes.size = made.bytes.size();
  passes.image = made.bytes.data();
  TRY(CallCupti(library, passes));
  made.passes = passes.passes;
  return made;
}

}  // namespace rangefinder
