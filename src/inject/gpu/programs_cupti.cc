#include "inject/gpu/programs_cupti.h"

#include <stdio.h>

#include "cupti/activity_abi.h"
#include "inject/process/setting.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {

bool ProgramsCupti::Open(char* reason, std::size_t size) {
  const cupti::Opened opened =
      cupti::Open(cupti::Prefer::kMapped, Setting(cupti::kPathVariable));
  library = opened.library;
  if (library == nullptr) {
    snprintf(reason, size, "%s", opened.why);
    return false;
  }
  if (!cupti::Find(library, *this)) {
    snprintf(reason, size, "libcupti.so lacks functions that the tracer needs");
    return false;
  }
  GetVersion(&version);
  File().live().cupti_version = version;
  if (version >= cupti::kOldestVersion) return true;
  snprintf(reason, size, "this CUPTI is older than CUDA 12");
  return false;
}

const char* ProgramsCupti::NameOf(cupti::Code code) const {
  const char* name = nullptr;
  GetResultString(code, &name);
  return name != nullptr ? name : "unknown error";
}

void ProgramsCupti::SayFailure(const char* step, cupti::Code code, char* reason,
                               std::size_t size) const {
  const cupti::Trouble* const trouble = cupti::TroubleOf(code);
  snprintf(reason, size, "%s%s (%s, %d)",
           trouble != nullptr ? trouble->why : step,
           trouble != nullptr ? "" : " failed", NameOf(code), code);
}

}  // namespace rangefinder::inject
