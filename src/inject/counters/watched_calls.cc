#include "inject/counters/watched_calls.h"

#include <string_view>

#include <string.h>

namespace rangefinder::inject {
namespace {

WatchedCalls::What Meaning(std::string_view name) {
  using What = WatchedCalls::What;
  if (name.starts_with("cuStreamBeginCapture")) return What::kBeginCapture;
  if (name.starts_with("cuStreamEndCapture")) return What::kEndCapture;
  if (name.starts_with("cuDevicePrimaryCtxReset")) return What::kResetDevice;
  return What::kNothing;
}

// The first parameter of a call; `otherwise` where CUPTI has none.
template <typename Value>
Value First(const cupti::CallbackData* data, Value otherwise) {
  if (data->function_params != nullptr)
    memcpy(&otherwise, data->function_params, sizeof otherwise);
  return otherwise;
}

}  // namespace

void WatchedCalls::Watch(const cupti::ActivityFunctions& cupti,
                         cupti::Subscriber subscriber) {
  cupti::ForEachFunction(
      cupti, cupti::kDriverApi, [&](std::uint32_t id, const char* name) {
        const What what = Meaning(name);
        if (what == What::kNothing) return;  // other callbacks may be on
        what_[id] = what;
        cupti.EnableCallback(1, subscriber, cupti::kDriverApi, id);
      });
  cupti.EnableCallback(1, subscriber, cupti::kResource,
                       cupti::kContextDestroyStarting);
}

void* WatchedCalls::StreamOf(const cupti::CallbackData* data) {
  return First<void*>(data, nullptr);
}

std::int32_t WatchedCalls::DeviceOf(const cupti::CallbackData* data) {
  return First<std::int32_t>(data, -1);
}

int WatchedCalls::ResultOf(const cupti::CallbackData* data) {
  int result = 0;
  if (data->function_return_value != nullptr)
    memcpy(&result, data->function_return_value, sizeof result);
  return result;
}

}  // namespace rangefinder::inject
