// CUPTI's functions, by the signatures that its ABI has.

#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/counter_abi.h"
#include "inject/cupti_abi.h"

namespace rangefinder::inject::cupti {

using Subscriber = void*;
using Callback = void (*)(void* user, std::int32_t domain,
                          std::uint32_t function, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream,
                                 std::uint8_t* buffer, std::size_t size,
                                 std::size_t valid_size);

// CUPTI's functions, as found in one copy of it.
struct Functions {
  Result (*GetVersion)(std::uint32_t* version);
  Result (*GetResultString)(Result result, const char** text);
  Result (*Subscribe)(Subscriber* subscriber, Callback callback, void* user);
  Result (*Unsubscribe)(Subscriber subscriber);
  Result (*EnableCallback)(std::uint32_t enable, Subscriber subscriber,
                           std::int32_t domain, std::uint32_t function);
  Result (*GetCallbackName)(std::int32_t domain, std::uint32_t function,
                            const char** name);
  Result (*ActivityEnable)(std::int32_t kind);
  Result (*ActivityDisable)(std::int32_t kind);
  Result (*ActivityRegisterCallbacks)(BufferRequested requested,
                                      BufferCompleted completed);
  Result (*ActivityGetNextRecord)(std::uint8_t* buffer, std::size_t valid_size,
                                  void** record);
  Result (*ActivityGetNumDroppedRecords)(void* context, std::uint32_t stream,
                                         std::size_t* dropped);
  Result (*ActivityFlushAll)(std::uint32_t flag);
  // May be null.
  Result (*ActivityFlushPeriod)(std::uint32_t milliseconds);
  Result (*ActivitySetAttribute)(std::int32_t attribute, std::size_t* size,
                                 void* value);
  Result (*SetThreadIdType)(std::int32_t type);
  Result (*ActivityEnableDriverApi)(std::uint32_t function,
                                    std::uint8_t enable);
  Result (*ActivityRegisterTimestampCallback)(std::uint64_t (*now)());
  Result (*GetGraphNodeId)(void* node, std::uint64_t* id);
};

// The functions of the profiler and of PM sampling, which came with CUDA 12.6.
struct CounterFunctions {
  Result (*GetDeviceId)(void* context, std::uint32_t* device);
  Result (*Initialize)(ProfilerInitialize*);
  Result (*GetChipName)(ChipName*);
  Result (*HostInitialize)(cupti::HostInitialize*);
  Result (*HostDeinitialize)(cupti::HostDeinitialize*);
  Result (*AddMetrics)(cupti::AddMetrics*);
  Result (*GetConfigImageSize)(ConfigImageSize*);
  Result (*GetConfigImage)(ConfigImage*);
  Result (*GetPasses)(PassCount*);
  Result (*Evaluate)(cupti::Evaluate*);
  Result (*GetAvailability)(CounterAvailability*);
  Result (*Enable)(SamplingEnable*);
  Result (*Disable)(SamplingObject*);
  Result (*SetConfig)(SamplingConfig*);
  Result (*Start)(SamplingObject*);
  Result (*Stop)(SamplingObject*);
  Result (*GetDataSize)(CounterDataSize*);
  Result (*InitializeData)(CounterDataInitialize*);
  Result (*Decode)(DecodeData*);
  Result (*GetDataInfo)(CounterDataInfo*);
  Result (*GetSampleInfo)(SampleInfo*);
};

}  // namespace rangefinder::inject::cupti
