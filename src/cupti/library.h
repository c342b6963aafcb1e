// The installed CUPTI, opened at run time. No function here allocates, throws
// or keeps a lock: the code also runs inside foreign processes.

#pragma once

#include <dlfcn.h>

#include "cupti/activity_abi.h"

namespace rangefinder::cupti {

// The variable that names the copy of CUPTI to open.
inline constexpr char kPathVariable[] = "RANGEFINDER_CUPTI_PATH";

// Which of two copies is opened: the copy that the process has mapped (for a
// foreign process), or the named copy.
enum class Prefer { kMapped, kNamed };

struct Opened {
  void* library = nullptr;
  char why[512] = {};  // why it is null
};

// Opens the first copy that exists: the mapped copy and `named` (null or empty:
// none), in the order of `prefer`; then, for each major version that a mapped
// driver can run, newest first, the copy that the loader finds and the copies
// of installed toolkits. A named copy that cannot be opened is an error. CUPTI
// stays mapped for ever: it keeps threads and hooks.
Opened Open(Prefer prefer, const char* named);

// False: this copy lacks a function that is needed. Optional functions may stay
// null.
bool Find(void* library, ActivityFunctions& functions);

// Calls `see(number, name)` for every function in the API of the driver or the
// runtime.
template <typename See>
void ForEachFunction(const ActivityFunctions& cupti, Domain domain, See see) {
  int unknown = 0;  // consecutive numbers of removed functions, or the end
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

// The function of this name in the mapped libcuda; null: there is none.
void* DriverSymbol(const char* name);
template <typename Function>
Function* DriverFunction(const char* name) {
  return reinterpret_cast<Function*>(DriverSymbol(name));
}

template <typename Function>
bool Load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// The functions of one copy of CUPTI that take these records (host_abi.h and
// others): looked up once.
template <typename Record>
struct FunctionOf {
  Code (*function)(Record*) = nullptr;
};

template <typename... Records>
class Functions : FunctionOf<Records>... {
 public:
  // False: this copy lacks one of the functions.
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
