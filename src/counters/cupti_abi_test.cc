// What we say of CUPTI's profiling structures is what the installed headers
// say.

#include <gtest/gtest.h>

#include "counters/device_abi.h"
#include "counters/host_abi.h"
#include "counters/range_abi.h"
#include "counters/sampling_abi.h"

#ifdef HAVE_CUPTI_PROFILER_HEADERS

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

namespace rangefinder::cupti {
namespace {

#define SAME(ours, our_field, theirs, their_field)                    \
  static_assert(offsetof(ours, our_field) ==                          \
                    offsetof(CUpti_##theirs##_Params, their_field) && \
                sizeof(ours::our_field) ==                            \
                    sizeof(CUpti_##theirs##_Params::their_field))
#define SIZE(ours, theirs) \
  static_assert(ours::kSize == CUpti_##theirs##_Params_STRUCT_SIZE)

SIZE(HostInitialize, Profiler_Host_Initialize);
SAME(HostInitialize, profiler, Profiler_Host_Initialize, profilerType);
SAME(HostInitialize, chip, Profiler_Host_Initialize, pChipName);
SAME(HostInitialize, availability, Profiler_Host_Initialize,
     pCounterAvailabilityImage);
SAME(HostInitialize, host, Profiler_Host_Initialize, pHostObject);

SIZE(HostDeinitialize, Profiler_Host_Deinitialize);
SAME(HostDeinitialize, host, Profiler_Host_Deinitialize, pHostObject);

SIZE(HostSupportedChips, Profiler_Host_GetSupportedChips);
SAME(HostSupportedChips, count, Profiler_Host_GetSupportedChips, numChips);
SAME(HostSupportedChips, chips, Profiler_Host_GetSupportedChips, ppChipNames);

SIZE(HostBaseMetrics, Profiler_Host_GetBaseMetrics);
SAME(HostBaseMetrics, host, Profiler_Host_GetBaseMetrics, pHostObject);
SAME(HostBaseMetrics, type, Profiler_Host_GetBaseMetrics, metricType);
SAME(HostBaseMetrics, names, Profiler_Host_GetBaseMetrics, ppMetricNames);
SAME(HostBaseMetrics, count, Profiler_Host_GetBaseMetrics, numMetrics);

SIZE(HostSubMetrics, Profiler_Host_GetSubMetrics);
SAME(HostSubMetrics, host, Profiler_Host_GetSubMetrics, pHostObject);
SAME(HostSubMetrics, type, Profiler_Host_GetSubMetrics, metricType);
SAME(HostSubMetrics, metric, Profiler_Host_GetSubMetrics, pMetricName);
SAME(HostSubMetrics, count, Profiler_Host_GetSubMetrics, numOfSubmetrics);
SAME(HostSubMetrics, names, Profiler_Host_GetSubMetrics, ppSubMetrics);

SIZE(HostMetricProperties, Profiler_Host_GetMetricProperties);
SAME(HostMetricProperties, host, Profiler_Host_GetMetricProperties,
     pHostObject);
SAME(HostMetricProperties, metric, Profiler_Host_GetMetricProperties,
     pMetricName);
SAME(HostMetricProperties, description, Profiler_Host_GetMetricProperties,
     pDescription);
SAME(HostMetricProperties, hardware_unit, Profiler_Host_GetMetricProperties,
     pHwUnit);
SAME(HostMetricProperties, unit, Profiler_Host_GetMetricProperties, pDimUnit);
SAME(HostMetricProperties, type, Profiler_Host_GetMetricProperties, metricType);

SIZE(HostAddMetrics, Profiler_Host_ConfigAddMetrics);
SAME(HostAddMetrics, host, Profiler_Host_ConfigAddMetrics, pHostObject);
SAME(HostAddMetrics, metrics, Profiler_Host_ConfigAddMetrics, ppMetricNames);
SAME(HostAddMetrics, count, Profiler_Host_ConfigAddMetrics, numMetrics);

SIZE(HostConfigImageSize, Profiler_Host_GetConfigImageSize);
SAME(HostConfigImageSize, host, Profiler_Host_GetConfigImageSize, pHostObject);
SAME(HostConfigImageSize, size, Profiler_Host_GetConfigImageSize,
     configImageSize);

SIZE(HostConfigImage, Profiler_Host_GetConfigImage);
SAME(HostConfigImage, host, Profiler_Host_GetConfigImage, pHostObject);
SAME(HostConfigImage, size, Profiler_Host_GetConfigImage, configImageSize);
SAME(HostConfigImage, image, Profiler_Host_GetConfigImage, pConfigImage);

SIZE(HostPasses, Profiler_Host_GetNumOfPasses);
SAME(HostPasses, size, Profiler_Host_GetNumOfPasses, configImageSize);
SAME(HostPasses, image, Profiler_Host_GetNumOfPasses, pConfigImage);
SAME(HostPasses, passes, Profiler_Host_GetNumOfPasses, numOfPasses);

SIZE(DeviceChipName, Device_GetChipName);
SAME(DeviceChipName, device, Device_GetChipName, deviceIndex);
SAME(DeviceChipName, chip, Device_GetChipName, pChipName);

SIZE(ProfilerInitialize, Profiler_Initialize);

SIZE(DeviceSupported, Profiler_DeviceSupported);
SAME(DeviceSupported, device, Profiler_DeviceSupported, cuDevice);
SAME(DeviceSupported, all, Profiler_DeviceSupported, isSupported);
SAME(DeviceSupported, architecture, Profiler_DeviceSupported, architecture);
SAME(DeviceSupported, sli, Profiler_DeviceSupported, sli);
SAME(DeviceSupported, virtual_gpu, Profiler_DeviceSupported, vGpu);
SAME(DeviceSupported, confidential_computing, Profiler_DeviceSupported,
     confidentialCompute);
SAME(DeviceSupported, mining, Profiler_DeviceSupported, cmp);
SAME(DeviceSupported, wsl, Profiler_DeviceSupported, wsl);
SAME(DeviceSupported, api, Profiler_DeviceSupported, api);

SIZE(SamplingAvailability, PmSampling_GetCounterAvailability);
SAME(SamplingAvailability, device, PmSampling_GetCounterAvailability,
     deviceIndex);
SAME(SamplingAvailability, size, PmSampling_GetCounterAvailability,
     counterAvailabilityImageSize);
SAME(SamplingAvailability, image, PmSampling_GetCounterAvailability,
     pCounterAvailabilityImage);

SIZE(SamplingEnable, PmSampling_Enable);
SAME(SamplingEnable, device, PmSampling_Enable, deviceIndex);
SAME(SamplingEnable, sampling, PmSampling_Enable, pPmSamplingObject);

SIZE(SamplingConfig, PmSampling_SetConfig);
SAME(SamplingConfig, sampling, PmSampling_SetConfig, pPmSamplingObject);
SAME(SamplingConfig, config_size, PmSampling_SetConfig, configSize);
SAME(SamplingConfig, config, PmSampling_SetConfig, pConfig);
SAME(SamplingConfig, hardware_buffer, PmSampling_SetConfig, hardwareBufferSize);
SAME(SamplingConfig, interval, PmSampling_SetConfig, samplingInterval);
SAME(SamplingConfig, trigger, PmSampling_SetConfig, triggerMode);
SAME(SamplingConfig, append, PmSampling_SetConfig, hwBufferAppendMode);

SIZE(SamplingStart, PmSampling_Start);
SAME(SamplingStart, object, PmSampling_Start, pPmSamplingObject);
SIZE(SamplingStop, PmSampling_Stop);
SAME(SamplingStop, object, PmSampling_Stop, pPmSamplingObject);
SIZE(SamplingDisable, PmSampling_Disable);
SAME(SamplingDisable, object, PmSampling_Disable, pPmSamplingObject);

SIZE(SamplingImageSize, PmSampling_GetCounterDataSize);
SAME(SamplingImageSize, sampling, PmSampling_GetCounterDataSize,
     pPmSamplingObject);
SAME(SamplingImageSize, metrics, PmSampling_GetCounterDataSize, pMetricNames);
SAME(SamplingImageSize, count, PmSampling_GetCounterDataSize, numMetrics);
SAME(SamplingImageSize, samples, PmSampling_GetCounterDataSize, maxSamples);
SAME(SamplingImageSize, size, PmSampling_GetCounterDataSize, counterDataSize);

SIZE(SamplingImage, PmSampling_CounterDataImage_Initialize);
SAME(SamplingImage, sampling, PmSampling_CounterDataImage_Initialize,
     pPmSamplingObject);
SAME(SamplingImage, size, PmSampling_CounterDataImage_Initialize,
     counterDataSize);
SAME(SamplingImage, image, PmSampling_CounterDataImage_Initialize,
     pCounterData);

SIZE(SamplingDecode, PmSampling_DecodeData);
SAME(SamplingDecode, sampling, PmSampling_DecodeData, pPmSamplingObject);
SAME(SamplingDecode, image, PmSampling_DecodeData, pCounterDataImage);
SAME(SamplingDecode, size, PmSampling_DecodeData, counterDataImageSize);
SAME(SamplingDecode, stop_reason, PmSampling_DecodeData, decodeStopReason);
SAME(SamplingDecode, overflow, PmSampling_DecodeData, overflow);

SIZE(SamplingImageInfo, PmSampling_GetCounterDataInfo);
SAME(SamplingImageInfo, image, PmSampling_GetCounterDataInfo,
     pCounterDataImage);
SAME(SamplingImageInfo, size, PmSampling_GetCounterDataInfo,
     counterDataImageSize);
SAME(SamplingImageInfo, total, PmSampling_GetCounterDataInfo, numTotalSamples);
SAME(SamplingImageInfo, populated, PmSampling_GetCounterDataInfo,
     numPopulatedSamples);
SAME(SamplingImageInfo, completed, PmSampling_GetCounterDataInfo,
     numCompletedSamples);

SIZE(RangeEnable, RangeProfiler_Enable);
SAME(RangeEnable, context, RangeProfiler_Enable, ctx);
SAME(RangeEnable, profiler, RangeProfiler_Enable, pRangeProfilerObject);

SIZE(RangeImageSize, RangeProfiler_GetCounterDataSize);
SAME(RangeImageSize, profiler, RangeProfiler_GetCounterDataSize,
     pRangeProfilerObject);
SAME(RangeImageSize, metrics, RangeProfiler_GetCounterDataSize, pMetricNames);
SAME(RangeImageSize, count, RangeProfiler_GetCounterDataSize, numMetrics);
SAME(RangeImageSize, ranges, RangeProfiler_GetCounterDataSize, maxNumOfRanges);
SAME(RangeImageSize, tree_nodes, RangeProfiler_GetCounterDataSize,
     maxNumRangeTreeNodes);
SAME(RangeImageSize, size, RangeProfiler_GetCounterDataSize, counterDataSize);

SIZE(RangeImage, RangeProfiler_CounterDataImage_Initialize);
SAME(RangeImage, profiler, RangeProfiler_CounterDataImage_Initialize,
     pRangeProfilerObject);
SAME(RangeImage, size, RangeProfiler_CounterDataImage_Initialize,
     counterDataSize);
SAME(RangeImage, image, RangeProfiler_CounterDataImage_Initialize,
     pCounterData);

SIZE(RangeConfig, RangeProfiler_SetConfig);
SAME(RangeConfig, profiler, RangeProfiler_SetConfig, pRangeProfilerObject);
SAME(RangeConfig, config_size, RangeProfiler_SetConfig, configSize);
SAME(RangeConfig, config, RangeProfiler_SetConfig, pConfig);
SAME(RangeConfig, image_size, RangeProfiler_SetConfig, counterDataImageSize);
SAME(RangeConfig, image, RangeProfiler_SetConfig, pCounterDataImage);
SAME(RangeConfig, range, RangeProfiler_SetConfig, range);
SAME(RangeConfig, replay, RangeProfiler_SetConfig, replayMode);
SAME(RangeConfig, ranges_per_pass, RangeProfiler_SetConfig, maxRangesPerPass);
SAME(RangeConfig, nesting_levels, RangeProfiler_SetConfig, numNestingLevels);
SAME(RangeConfig, first_level, RangeProfiler_SetConfig, minNestingLevel);
SAME(RangeConfig, pass, RangeProfiler_SetConfig, passIndex);
SAME(RangeConfig, level, RangeProfiler_SetConfig, targetNestingLevel);

SIZE(RangeStart, RangeProfiler_Start);
SAME(RangeStart, object, RangeProfiler_Start, pRangeProfilerObject);
SIZE(RangePop, RangeProfiler_PopRange);
SAME(RangePop, object, RangeProfiler_PopRange, pRangeProfilerObject);
SIZE(RangeDisable, RangeProfiler_Disable);
SAME(RangeDisable, object, RangeProfiler_Disable, pRangeProfilerObject);

SIZE(RangePush, RangeProfiler_PushRange);
SAME(RangePush, profiler, RangeProfiler_PushRange, pRangeProfilerObject);
SAME(RangePush, name, RangeProfiler_PushRange, pRangeName);

SIZE(RangeStop, RangeProfiler_Stop);
SAME(RangeStop, profiler, RangeProfiler_Stop, pRangeProfilerObject);
SAME(RangeStop, pass, RangeProfiler_Stop, passIndex);
SAME(RangeStop, level, RangeProfiler_Stop, targetNestingLevel);
SAME(RangeStop, all_passes, RangeProfiler_Stop, isAllPassSubmitted);

SIZE(RangeDecode, RangeProfiler_DecodeData);
SAME(RangeDecode, profiler, RangeProfiler_DecodeData, pRangeProfilerObject);
SAME(RangeDecode, dropped, RangeProfiler_DecodeData, numOfRangeDropped);

SIZE(RangeImageInfo, RangeProfiler_GetCounterDataInfo);
SAME(RangeImageInfo, image, RangeProfiler_GetCounterDataInfo,
     pCounterDataImage);
SAME(RangeImageInfo, size, RangeProfiler_GetCounterDataInfo,
     counterDataImageSize);
SAME(RangeImageInfo, ranges, RangeProfiler_GetCounterDataInfo, numTotalRanges);

TEST(ProfilerAbi, NumbersAreCuptis) {
  EXPECT_EQ(kSuccess, int{CUPTI_SUCCESS});
  EXPECT_EQ(static_cast<int>(ProfilerType::kRange),
            int{CUPTI_PROFILER_TYPE_RANGE_PROFILER});
  EXPECT_EQ(static_cast<int>(ProfilerType::kPmSampling),
            int{CUPTI_PROFILER_TYPE_PM_SAMPLING});
  EXPECT_EQ(static_cast<int>(MetricType::kCounter),
            int{CUPTI_METRIC_TYPE_COUNTER});
  EXPECT_EQ(static_cast<int>(MetricType::kRatio), int{CUPTI_METRIC_TYPE_RATIO});
  EXPECT_EQ(static_cast<int>(MetricType::kThroughput),
            int{CUPTI_METRIC_TYPE_THROUGHPUT});
  EXPECT_EQ(static_cast<int>(Support::kYes),
            int{CUPTI_PROFILER_CONFIGURATION_SUPPORTED});
  EXPECT_EQ(static_cast<int>(Support::kDisabled),
            int{CUPTI_PROFILER_CONFIGURATION_DISABLED});
  EXPECT_EQ(static_cast<int>(Support::kNo),
            int{CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED});
  EXPECT_EQ(kApiOfRanges, int{CUPTI_PROFILER_RANGE_PROFILING});
  EXPECT_EQ(kApiOfSampling, int{CUPTI_PROFILER_PM_SAMPLING});
  EXPECT_EQ(kTriggerByClock,
            int{CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL});
  EXPECT_EQ(kTriggerByTime,
            int{CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL});
  EXPECT_EQ(kKeepOldest,
            int{CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST});
  EXPECT_EQ(kUserRange, int{CUPTI_UserRange});
  EXPECT_EQ(kUserReplay, int{CUPTI_UserReplay});
  EXPECT_EQ(kHardwareBusy, int{CUPTI_ERROR_HARDWARE_BUSY});
  EXPECT_EQ(kInsufficientPrivileges, int{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES});
}

}  // namespace
}  // namespace rangefinder::cupti

#else

TEST(ProfilerAbi, NumbersAreCuptis) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
