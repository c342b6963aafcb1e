// The installed CUPTI, opened at run time. No function here allocates, throws
// or keeps a lock: the code also runs inside foreign processes.

#pragma once

#include <dlfcn.h>

#include "cupti/activity_abi.h"

namespace rangefinder::cupti {

// The variable that names the copy of CUPTI to open.
inline constexpr char kPathVariable[] = "RANGEFINDER_CUPTI_PATH";

// Which of two copies is opened: the copy that the process has mapped (in a
// foreign process), or the named copy.
enum class Prefer { kMapped, kNamed };

struct Opened {
  void* library = nullptr;
  char why[512] = {};  // why it is null
};

// The copy `named` (null or empty: none) and the copy that is mapped already,
// in the order of `prefer`; else the one that the loader finds; else those of
// installed toolkits, newest first, up to the version of a mapped driver. CUPTI
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

// The functions of these records (host_abi.h and others) in one copy of CUPTI:
// found once, and called without a lookup.
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
