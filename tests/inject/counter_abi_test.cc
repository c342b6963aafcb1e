// What we say of the structures of CUPTI's profiler and PM sampling is what the
// installed headers say.

#include "inject/counter_abi.h"

#include <gtest/gtest.h>

#ifdef HAVE_CUPTI_HEADERS

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include "inject/cupti_functions.h"

namespace rangefinder::inject::cupti {
namespace {

#define SAME(ours, our_field, theirs, their_field)                            \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                sizeof(ours::our_field) == sizeof(theirs::their_field))
#define SAME_SIZE(ours, theirs) \
  static_assert(kSizeOf<ours> == theirs##_STRUCT_SIZE)

using Initialize = CUpti_Profiler_Initialize_Params;
SAME_SIZE(ProfilerInitialize, CUpti_Profiler_Initialize_Params);
SAME(ProfilerInitialize, size, Initialize, structSize);

using Chip = CUpti_Device_GetChipName_Params;
SAME_SIZE(ChipName, CUpti_Device_GetChipName_Params);
SAME(ChipName, device, Chip, deviceIndex);
SAME(ChipName, name, Chip, pChipName);

using Availability = CUpti_PmSampling_GetCounterAvailability_Params;
SAME_SIZE(CounterAvailability, CUpti_PmSampling_GetCounterAvailability_Params);
SAME(CounterAvailability, device, Availability, deviceIndex);
SAME(CounterAvailability, image_size, Availability,
     counterAvailabilityImageSize);
SAME(CounterAvailability, image, Availability, pCounterAvailabilityImage);

using Host = CUpti_Profiler_Host_Initialize_Params;
SAME_SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
SAME(HostInitialize, profiler, Host, profilerType);
SAME(HostInitialize, chip, Host, pChipName);
SAME(HostInitialize, availability, Host, pCounterAvailabilityImage);
SAME(HostInitialize, host, Host, pHostObject);

using HostEnd = CUpti_Profiler_Host_Deinitialize_Params;
SAME_SIZE(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params);
SAME(HostDeinitialize, host, HostEnd, pHostObject);

using Metrics = CUpti_Profiler_Host_ConfigAddMetrics_Params;
SAME_SIZE(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SAME(AddMetrics, host, Metrics, pHostObject);
SAME(AddMetrics, names, Metrics, ppMetricNames);
SAME(AddMetrics, count, Metrics, numMetrics);

using SizeOfConfig = CUpti_Profiler_Host_GetConfigImageSize_Params;
SAME_SIZE(ConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
SAME(ConfigImageSize, host, SizeOfConfig, pHostObject);
SAME(ConfigImageSize, image_size, SizeOfConfig, configImageSize);

using Config = CUpti_Profiler_Host_GetConfigImage_Params;
SAME_SIZE(ConfigImage, CUpti_Profiler_Host_GetConfigImage_Params);
SAME(ConfigImage, host, Config, pHostObject);
SAME(ConfigImage, image_size, Config, configImageSize);
SAME(ConfigImage, image, Config, pConfigImage);

using Passes = CUpti_Profiler_Host_GetNumOfPasses_Params;
SAME_SIZE(PassCount, CUpti_Profiler_Host_GetNumOfPasses_Params);
SAME(PassCount, image_size, Passes, configImageSize);
SAME(PassCount, image, Passes, pConfigImage);
SAME(PassCount, passes, Passes, numOfPasses);

using Values = CUpti_Profiler_Host_EvaluateToGpuValues_Params;
SAME_SIZE(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SAME(Evaluate, host, Values, pHostObject);
SAME(Evaluate, data, Values, pCounterDataImage);
SAME(Evaluate, data_size, Values, counterDataImageSize);
SAME(Evaluate, index, Values, rangeIndex);
SAME(Evaluate, names, Values, ppMetricNames);
SAME(Evaluate, count, Values, numMetrics);
SAME(Evaluate, values, Values, pMetricValues);

using Enable = CUpti_PmSampling_Enable_Params;
SAME_SIZE(SamplingEnable, CUpti_PmSampling_Enable_Params);
SAME(SamplingEnable, device, Enable, deviceIndex);
SAME(SamplingEnable, object, Enable, pPmSamplingObject);

using Setup = CUpti_PmSampling_SetConfig_Params;
SAME_SIZE(SamplingConfig, CUpti_PmSampling_SetConfig_Params);
SAME(SamplingConfig, object, Setup, pPmSamplingObject);
SAME(SamplingConfig, config_size, Setup, configSize);
SAME(SamplingConfig, config, Setup, pConfig);
SAME(SamplingConfig, hardware_buffer, Setup, hardwareBufferSize);
SAME(SamplingConfig, interval, Setup, samplingInterval);
SAME(SamplingConfig, trigger, Setup, triggerMode);
SAME(SamplingConfig, append, Setup, hwBufferAppendMode);

SAME_SIZE(SamplingObject, CUpti_PmSampling_Start_Params);
SAME_SIZE(SamplingObject, CUpti_PmSampling_Stop_Params);
SAME_SIZE(SamplingObject, CUpti_PmSampling_Disable_Params);
SAME(SamplingObject, object, CUpti_PmSampling_Start_Params, pPmSamplingObject);
SAME(SamplingObject, object, CUpti_PmSampling_Stop_Params, pPmSamplingObject);
SAME(SamplingObject, object, CUpti_PmSampling_Disable_Params,
     pPmSamplingObject);

using DataSize = CUpti_PmSampling_GetCounterDataSize_Params;
SAME_SIZE(CounterDataSize, CUpti_PmSampling_GetCounterDataSize_Params);
SAME(CounterDataSize, object, DataSize, pPmSamplingObject);
SAME(CounterDataSize, names, DataSize, pMetricNames);
SAME(CounterDataSize, count, DataSize, numMetrics);
SAME(CounterDataSize, most_samples, DataSize, maxSamples);
SAME(CounterDataSize, data_size, DataSize, counterDataSize);

using DataInitialize = CUpti_PmSampling_CounterDataImage_Initialize_Params;
SAME_SIZE(CounterDataInitialize,
          CUpti_PmSampling_CounterDataImage_Initialize_Params);
SAME(CounterDataInitialize, object, DataInitialize, pPmSamplingObject);
SAME(CounterDataInitialize, data_size, DataInitialize, counterDataSize);
SAME(CounterDataInitialize, data, DataInitialize, pCounterData);

using Decode = CUpti_PmSampling_DecodeData_Params;
SAME_SIZE(DecodeData, CUpti_PmSampling_DecodeData_Params);
SAME(DecodeData, object, Decode, pPmSamplingObject);
SAME(DecodeData, data, Decode, pCounterDataImage);
SAME(DecodeData, data_size, Decode, counterDataImageSize);
SAME(DecodeData, stop_reason, Decode, decodeStopReason);
SAME(DecodeData, overflow, Decode, overflow);

using DataInfo = CUpti_PmSampling_GetCounterDataInfo_Params;
SAME_SIZE(CounterDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params);
SAME(CounterDataInfo, data, DataInfo, pCounterDataImage);
SAME(CounterDataInfo, data_size, DataInfo, counterDataImageSize);
SAME(CounterDataInfo, total, DataInfo, numTotalSamples);
SAME(CounterDataInfo, populated, DataInfo, numPopulatedSamples);
SAME(CounterDataInfo, completed, DataInfo, numCompletedSamples);

using Info = CUpti_PmSampling_CounterData_GetSampleInfo_Params;
SAME_SIZE(SampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
SAME(SampleInfo, object, Info, pPmSamplingObject);
SAME(SampleInfo, data, Info, pCounterDataImage);
SAME(SampleInfo, data_size, Info, counterDataImageSize);
SAME(SampleInfo, index, Info, sampleIndex);
SAME(SampleInfo, start, Info, startTimestamp);
SAME(SampleInfo, end, Info, endTimestamp);

TEST(CounterAbi, NumbersAreCuptis) {
  EXPECT_EQ(kForSampling, int{CUPTI_PROFILER_TYPE_PM_SAMPLING});
  EXPECT_EQ(kByTime, int{CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL});
  EXPECT_EQ(kKeepOldest,
            int{CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST});
  EXPECT_EQ(kImageFull,
            int{CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL});
  EXPECT_EQ(kEndOfRecords,
            int{CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS});
  EXPECT_EQ(kOutOfMemory, int{CUPTI_ERROR_OUT_OF_MEMORY});
  EXPECT_EQ(kHardwareBusy, int{CUPTI_ERROR_HARDWARE_BUSY});
  EXPECT_EQ(kContextCreated, unsigned{CUPTI_CBID_RESOURCE_CONTEXT_CREATED});
  EXPECT_EQ(kContextDestroyStarting,
            unsigned{CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING});
}

// A context of a callback, and its device.
SAME(ResourceData, context, CUpti_ResourceData, context);
static_assert(sizeof(CUcontext) == sizeof(void*));

}  // namespace
}  // namespace rangefinder::inject::cupti

#else

TEST(CounterAbi, NumbersAreCuptis) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
