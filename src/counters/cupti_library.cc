#include "counters/cupti_library.h"

#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

#include "cupti/library.h"

namespace rangefinder {

Result<CuptiLibrary> CuptiLibrary::Open() {
  const cupti::Opened opened =
      cupti::Open(cupti::Prefer::kNamed, std::getenv(cupti::kPathVariable));
  if (opened.library == nullptr) return Error(ErrorCode::kProfiler, opened.why);
  return CuptiLibrary(opened.library);
}

CuptiLibrary::CuptiLibrary(void* handle) : handle_(handle) {
  using GetVersion = cupti::Code (*)(std::uint32_t*);
  void* get = Find("cuptiGetVersion");
  if (get == nullptr) return;
  reinterpret_cast<GetVersion>(get)(&version_);
  Dl_info info{};
  if (::dladdr(get, &info) != 0 && info.dli_fname != nullptr)
    path_ = info.dli_fname;
}

std::string CuptiLibrary::Name(cupti::Code code) const {
  if (code == cupti::kNoFunction)
    return "this CUPTI does not have the function";
  using GetName = cupti::Code (*)(cupti::Code, const char**);
  const auto get = reinterpret_cast<GetName>(Find("cuptiGetResultString"));
  const char* name = nullptr;
  if (get == nullptr || get(code, &name) != cupti::kSuccess || name == nullptr)
    return fmt::format("CUPTI error {}", code);
  return fmt::format("{} ({})", name, code);
}

Error CuptiLibrary::Failure(const char* function, cupti::Code code) const {
  return Error(ErrorCode::kProfiler,
               fmt::format("{}: {}", function, Name(code)));
}

Result<std::shared_ptr<void>> CuptiLibrary::NewHost(
    cupti::ProfilerType type, const std::string& chip,
    std::span<const std::uint8_t> available) const {
  cupti::HostInitialize start;
  start.profiler = type;
  start.chip = chip.c_str();
  start.availability = available.empty() ? nullptr : available.data();
  TRY(Try(start));
  return std::shared_ptr<void>(start.host, [library = *this](void* object) {
    cupti::HostDeinitialize end;
    end.host = object;
    library.Call(end);
  });
}

void* CuptiLibrary::Find(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace rangefinder
