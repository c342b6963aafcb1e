#include "inject/process/tuning.h"

#include <initializer_list>

#include <stdlib.h>
#include <string.h>

#include "inject/process/setting.h"

namespace rangefinder::inject {
namespace {

// A part of the variable's text, without a 0 at its end.
struct Span {
  const char* at = nullptr;
  std::size_t size = 0;

  bool Is(const char* text) const {
    return strlen(text) == size && memcmp(at, text, size) == 0;
  }
  std::size_t Count() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (at[i] < '0' || at[i] > '9' || count > 1000000) return 0;
      count = count * 10 + static_cast<std::size_t>(at[i] - '0');
    }
    return count;
  }
};

// In the order of Tuning::Api.
constexpr const char* kApis[] = {"none", "calls", "launches"};

void SetApi(Tuning& tuning, Span value) {
  for (const auto api :
       {Tuning::Api::kNone, Tuning::Api::kCalls, Tuning::Api::kLaunches}) {
    if (value.Is(NameOf(api))) tuning.api = api;
  }
}

void Set(Tuning& tuning, Span key, Span value) {
  const bool on = value.Count() != 0;
  if (key.Is("api")) {
    SetApi(tuning, value);
  } else if (key.Is("launches")) {
    if (value.Is("callback")) tuning.launches = true;
    if (value.Is("none")) tuning.launches = false;
  } else if (key.Is("kernels")) {
    if (value.Is("concurrent")) tuning.kernels = Tuning::Kernels::kConcurrent;
    if (value.Is("graphs")) tuning.kernels = Tuning::Kernels::kGraphs;
    if (value.Is("none")) tuning.kernels = Tuning::Kernels::kNone;
  } else if (key.Is("watch")) {
    tuning.watch = on;
  } else if (key.Is("copies")) {
    tuning.copies = on;
  } else if (key.Is("pausable")) {
    tuning.pausable = on;
  } else if (key.Is("buffer_kib")) {
    if (value.Count() >= 64) tuning.buffer_bytes = value.Count() * 1024;
  } else if (key.Is("buffers")) {
    tuning.buffers = value.Count();
  } else if (key.Is("sample_at_launch")) {
    tuning.sample_at_launch = on;
  } else if (key.Is("flush_ms")) {
    tuning.flush_ms = static_cast<std::uint32_t>(value.Count());
  } else if (key.Is("pinned")) {
    tuning.pinned = on;
  }
}

}  // namespace

const char* NameOf(Tuning::Api api) {
  return kApis[static_cast<int>(api)];
}

Tuning ReadTuning() {
  Tuning tuning;
  if (const char* flush = Setting("RANGEFINDER_INJECT_FLUSH_MS");
      flush != nullptr && *flush != '\0') {
    tuning.flush_ms = static_cast<std::uint32_t>(strtoul(flush, nullptr, 10));
  }
  if (const char* api = Setting("RANGEFINDER_INJECT_API"); api != nullptr)
    SetApi(tuning, {api, strlen(api)});
  if (const char* source = Setting("RANGEFINDER_INJECT_SOURCE");
      source != nullptr) {
    tuning.source = strcmp(source, "1") == 0;
  }
  const char* text = Setting("RANGEFINDER_INJECT_TUNE");
  while (text != nullptr && *text != '\0') {
    const std::size_t size = strcspn(text, ",");
    const auto* equals = static_cast<const char*>(memchr(text, '=', size));
    if (equals != nullptr) {
      const auto key = static_cast<std::size_t>(equals - text);
      Set(tuning, {text, key}, {equals + 1, size - key - 1});
    }
    text += size + (text[size] == ',' ? 1 : 0);
  }
  return tuning;
}

}  // namespace rangefinder::inject
