// The installed CUPTI, opened at run time. Nothing here allocates, throws or
// keeps a lock: it also runs inside foreign processes.

#pragma once

#include <dlfcn.h>

#include "cupti/activity_abi.h"

namespace rangefinder::cupti {

// Its value names a copy.
inline constexpr char kPathVariable[] = "RANGEFINDER_CUPTI_PATH";

// Which copy is taken where there are two: in a foreign process the one that it
// has mapped.
enum class Prefer { kMapped, kNamed };

struct Opened {
  void* library = nullptr;
  char why[512] = {};  // where it is null
};

// The copy `named` (null or empty: none is) and the one that is mapped already,
// in the order that `prefer` says, else the one that the loader finds, else
// those of installed toolkits, newest first as far as a mapped driver goes. It
// stays mapped for good: CUPTI keeps threads and hooks.
Opened Open(Prefer prefer, const char* named);

// False: this copy lacks one that is needed. Those that may be null stay so.
bool Find(void* library, ActivityFunctions& functions);

// Calls `see(number, name)` for every function of the driver's or the runtime's
// API.
template <typename See>
void ForEachFunction(const ActivityFunctions& cupti, Domain domain, See see) {
  int unknown = 0;  // in a row: numbers of removed functions, or the end
  for (std::uint32_t id = 1; id < kMaxFunctions && unknown <= 64; ++id) {
    const char* name = nullptr;
    if (cupti.GetCallbackName(domain, id, &name) != kSuccess ||
        name == nullptr) {
      ++unknown;
      continue;
    }
    unknown = 0;
    see(id, name);
  }
}

// The function of this name of the libcuda that is mapped; null: none.
void* DriverFunction(const char* name);

template <typename Function>
bool Load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// The functions of these records (host_abi.h and others) in one copy of CUPTI:
// looked for once, and called without a lookup.
template <typename Record>
struct FunctionOf {
  Code (*function)(Record*) = nullptr;
};

template <typename... Records>
class Functions : FunctionOf<Records>... {
 public:
  // False: this copy lacks one of them.
  bool Find(void* library) {
    return (Load(library, Records::kFunction, FunctionOf<Records>::function) &&
            ...);
  }
  template <typename Record>
  Code operator()(Record& record) const {
    return FunctionOf<Record>::function(&record);
  }
};

}  // namespace rangefinder::cupti
