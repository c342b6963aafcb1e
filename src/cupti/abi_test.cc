// Our declarations of CUPTI's structures and numbers against the installed
// headers. It is the one test that needs them.

#include <gtest/gtest.h>

#ifdef HAVE_CUPTI_HEADERS

#include <cstddef>

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include "cupti/activity_abi.h"
#include "cupti/errors.h"
#include "cupti/host_abi.h"
#include "cupti/range_abi.h"
#include "cupti/sampling_abi.h"

namespace rangefinder::cupti {
namespace {

#define PLAIN(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))
#define SAME(ours, our_field, theirs, their_field)              \
  PLAIN(ours, our_field, CUpti_##theirs##_Params, their_field); \
  static_assert(sizeof(ours::our_field) ==                      \
                sizeof(CUpti_##theirs##_Params::their_field))
#define SIZE(ours, theirs) \
  static_assert(ours::kSize == CUpti_##theirs##_Params_STRUCT_SIZE)

// ---- Activity and callbacks ------------------------------------------------

using Kernel = CUpti_ActivityKernel9;
PLAIN(KernelRecord, registers, Kernel, registersPerThread);
PLAIN(KernelRecord, start, Kernel, start);
PLAIN(KernelRecord, end, Kernel, end);
PLAIN(KernelRecord, device, Kernel, deviceId);
PLAIN(KernelRecord, context, Kernel, contextId);
PLAIN(KernelRecord, stream, Kernel, streamId);
PLAIN(KernelRecord, grid, Kernel, gridX);
PLAIN(KernelRecord, block, Kernel, blockX);
PLAIN(KernelRecord, static_shared, Kernel, staticSharedMemory);
PLAIN(KernelRecord, dynamic_shared, Kernel, dynamicSharedMemory);
PLAIN(KernelRecord, correlation, Kernel, correlationId);
PLAIN(KernelRecord, name, Kernel, name);
PLAIN(KernelRecord, graph_node, Kernel, graphNodeId);

PLAIN(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
PLAIN(GraphData, node, CUpti_GraphData, node);
PLAIN(GraphData, original_node, CUpti_GraphData, originalNode);
static_assert(int{kResource} == int{CUPTI_CB_DOMAIN_RESOURCE});
static_assert(kGraphNodeCreated == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(kGraphNodeCloned == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);

using Copy = CUpti_ActivityMemcpy5;
PLAIN(MemcpyRecord, copy_kind, Copy, copyKind);
PLAIN(MemcpyRecord, bytes, Copy, bytes);
PLAIN(MemcpyRecord, start, Copy, start);
PLAIN(MemcpyRecord, stream, Copy, streamId);
PLAIN(MemcpyRecord, correlation, Copy, correlationId);
PLAIN(MemcpyRecord, graph_node, Copy, graphNodeId);

using Peer = CUpti_ActivityMemcpyPtoP4;
PLAIN(MemcpyPeerRecord, bytes, Peer, bytes);
PLAIN(MemcpyPeerRecord, start, Peer, start);
PLAIN(MemcpyPeerRecord, correlation, Peer, correlationId);
PLAIN(MemcpyPeerRecord, graph_node, Peer, graphNodeId);

using Set = CUpti_ActivityMemset4;
PLAIN(MemsetRecord, value, Set, value);
PLAIN(MemsetRecord, bytes, Set, bytes);
PLAIN(MemsetRecord, start, Set, start);
PLAIN(MemsetRecord, correlation, Set, correlationId);
PLAIN(MemsetRecord, graph_node, Set, graphNodeId);

using Call = CUpti_ActivityAPI;
PLAIN(CallRecord, function, Call, cbid);
PLAIN(CallRecord, start, Call, start);
PLAIN(CallRecord, end, Call, end);
PLAIN(CallRecord, thread, Call, threadId);
PLAIN(CallRecord, correlation, Call, correlationId);

PLAIN(CallbackData, site, CUpti_CallbackData, callbackSite);
PLAIN(CallbackData, context, CUpti_CallbackData, context);
PLAIN(CallbackData, correlation_id, CUpti_CallbackData, correlationId);

// ---- Profilers and PM sampling ---------------------------------------------

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
SAME(SamplingEnable, object, PmSampling_Enable, pPmSamplingObject);

SIZE(SamplingConfig, PmSampling_SetConfig);
SAME(SamplingConfig, object, PmSampling_SetConfig, pPmSamplingObject);
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
SAME(SamplingImageSize, object, PmSampling_GetCounterDataSize,
     pPmSamplingObject);
SAME(SamplingImageSize, metrics, PmSampling_GetCounterDataSize, pMetricNames);
SAME(SamplingImageSize, count, PmSampling_GetCounterDataSize, numMetrics);
SAME(SamplingImageSize, samples, PmSampling_GetCounterDataSize, maxSamples);
SAME(SamplingImageSize, size, PmSampling_GetCounterDataSize, counterDataSize);

SIZE(SamplingImage, PmSampling_CounterDataImage_Initialize);
SAME(SamplingImage, object, PmSampling_CounterDataImage_Initialize,
     pPmSamplingObject);
SAME(SamplingImage, size, PmSampling_CounterDataImage_Initialize,
     counterDataSize);
SAME(SamplingImage, image, PmSampling_CounterDataImage_Initialize,
     pCounterData);

SIZE(SamplingDecode, PmSampling_DecodeData);
SAME(SamplingDecode, object, PmSampling_DecodeData, pPmSamplingObject);
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
SAME(RangeEnable, object, RangeProfiler_Enable, pRangeProfilerObject);

SIZE(RangeImageSize, RangeProfiler_GetCounterDataSize);
SAME(RangeImageSize, object, RangeProfiler_GetCounterDataSize,
     pRangeProfilerObject);
SAME(RangeImageSize, metrics, RangeProfiler_GetCounterDataSize, pMetricNames);
SAME(RangeImageSize, count, RangeProfiler_GetCounterDataSize, numMetrics);
SAME(RangeImageSize, ranges, RangeProfiler_GetCounterDataSize, maxNumOfRanges);
SAME(RangeImageSize, tree_nodes, RangeProfiler_GetCounterDataSize,
     maxNumRangeTreeNodes);
SAME(RangeImageSize, size, RangeProfiler_GetCounterDataSize, counterDataSize);

SIZE(RangeImage, RangeProfiler_CounterDataImage_Initialize);
SAME(RangeImage, object, RangeProfiler_CounterDataImage_Initialize,
     pRangeProfilerObject);
SAME(RangeImage, size, RangeProfiler_CounterDataImage_Initialize,
     counterDataSize);
SAME(RangeImage, image, RangeProfiler_CounterDataImage_Initialize,
     pCounterData);

SIZE(RangeConfig, RangeProfiler_SetConfig);
SAME(RangeConfig, object, RangeProfiler_SetConfig, pRangeProfilerObject);
SAME(RangeConfig, config_size, RangeProfiler_SetConfig, configSize);
SAME(RangeConfig, config, RangeProfiler_SetConfig, pConfig);
SAME(RangeConfig, size, RangeProfiler_SetConfig, counterDataImageSize);
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
SAME(RangePush, object, RangeProfiler_PushRange, pRangeProfilerObject);
SAME(RangePush, name, RangeProfiler_PushRange, pRangeName);

SIZE(RangeStop, RangeProfiler_Stop);
SAME(RangeStop, object, RangeProfiler_Stop, pRangeProfilerObject);
SAME(RangeStop, pass, RangeProfiler_Stop, passIndex);
SAME(RangeStop, level, RangeProfiler_Stop, targetNestingLevel);
SAME(RangeStop, all_passes, RangeProfiler_Stop, isAllPassSubmitted);

SIZE(RangeDecode, RangeProfiler_DecodeData);
SAME(RangeDecode, object, RangeProfiler_DecodeData, pRangeProfilerObject);
SAME(RangeDecode, dropped, RangeProfiler_DecodeData, numOfRangeDropped);

SIZE(RangeImageInfo, RangeProfiler_GetCounterDataInfo);
SAME(RangeImageInfo, image, RangeProfiler_GetCounterDataInfo,
     pCounterDataImage);
SAME(RangeImageInfo, size, RangeProfiler_GetCounterDataInfo,
     counterDataImageSize);
SAME(RangeImageInfo, ranges, RangeProfiler_GetCounterDataInfo, numTotalRanges);

SIZE(HostEvaluate, Profiler_Host_EvaluateToGpuValues);
SAME(HostEvaluate, host, Profiler_Host_EvaluateToGpuValues, pHostObject);
SAME(HostEvaluate, image, Profiler_Host_EvaluateToGpuValues, pCounterDataImage);
SAME(HostEvaluate, size, Profiler_Host_EvaluateToGpuValues,
     counterDataImageSize);
SAME(HostEvaluate, index, Profiler_Host_EvaluateToGpuValues, rangeIndex);
SAME(HostEvaluate, metrics, Profiler_Host_EvaluateToGpuValues, ppMetricNames);
SAME(HostEvaluate, count, Profiler_Host_EvaluateToGpuValues, numMetrics);
SAME(HostEvaluate, values, Profiler_Host_EvaluateToGpuValues, pMetricValues);

SIZE(SampleInfo, PmSampling_CounterData_GetSampleInfo);
SAME(SampleInfo, object, PmSampling_CounterData_GetSampleInfo,
     pPmSamplingObject);
SAME(SampleInfo, image, PmSampling_CounterData_GetSampleInfo,
     pCounterDataImage);
SAME(SampleInfo, size, PmSampling_CounterData_GetSampleInfo,
     counterDataImageSize);
SAME(SampleInfo, index, PmSampling_CounterData_GetSampleInfo, sampleIndex);
SAME(SampleInfo, start, PmSampling_CounterData_GetSampleInfo, startTimestamp);
SAME(SampleInfo, end, PmSampling_CounterData_GetSampleInfo, endTimestamp);

SIZE(RangeInfo, RangeProfiler_CounterData_GetRangeInfo);
SAME(RangeInfo, image, RangeProfiler_CounterData_GetRangeInfo,
     pCounterDataImage);
SAME(RangeInfo, size, RangeProfiler_CounterData_GetRangeInfo,
     counterDataImageSize);
SAME(RangeInfo, index, RangeProfiler_CounterData_GetRangeInfo, rangeIndex);
SAME(RangeInfo, delimiter, RangeProfiler_CounterData_GetRangeInfo,
     rangeDelimiter);
SAME(RangeInfo, name, RangeProfiler_CounterData_GetRangeInfo, rangeName);

// ---- Numbers ---------------------------------------------------------------

TEST(CuptiAbi, NumbersAreCuptis) {
  EXPECT_EQ(int{kMemcpy}, int{CUPTI_ACTIVITY_KIND_MEMCPY});
  EXPECT_EQ(int{kMemset}, int{CUPTI_ACTIVITY_KIND_MEMSET});
  EXPECT_EQ(int{kKernel}, int{CUPTI_ACTIVITY_KIND_KERNEL});
  EXPECT_EQ(int{kDriverCall}, int{CUPTI_ACTIVITY_KIND_DRIVER});
  EXPECT_EQ(kThreadIdsOfTheSystem, int{CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM});
  EXPECT_EQ(int{kConcurrentKernel}, int{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  EXPECT_EQ(int{kMemcpyPeer}, int{CUPTI_ACTIVITY_KIND_MEMCPY2});
  EXPECT_EQ(int{kDeviceBufferSize},
            int{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE});
  EXPECT_EQ(int{kZeroedBuffers},
            int{CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER});
  EXPECT_EQ(int{kDeviceBuffersBeforehand},
            int{CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE});
  EXPECT_EQ(int{kPinnedDeviceBuffers},
            int{CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED});
  EXPECT_EQ(int{kBufferPerThread},
            int{CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER});
  EXPECT_EQ(int{kDriverApi}, int{CUPTI_CB_DOMAIN_DRIVER_API});
  EXPECT_EQ(kApiEnter, int{CUPTI_API_ENTER});
  EXPECT_EQ(kMaxLimitReached, int{CUPTI_ERROR_MAX_LIMIT_REACHED});
  EXPECT_LT(int{CUPTI_DRIVER_TRACE_CBID_SIZE}, int{kMaxDriverFunctions});
}

TEST(CuptiAbi, NumbersOfTheProfilersAreCuptis) {
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
  EXPECT_EQ(kImageFull,
            int{CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL});
  EXPECT_EQ(kEndOfRecords,
            int{CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS});
  EXPECT_EQ(kOutOfMemory, int{CUPTI_ERROR_OUT_OF_MEMORY});
  EXPECT_EQ(kNotSupported, int{CUPTI_ERROR_NOT_SUPPORTED});
  EXPECT_EQ(kMultipleSubscribers,
            int{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED});
  EXPECT_EQ(kContextCreated, unsigned{CUPTI_CBID_RESOURCE_CONTEXT_CREATED});
  EXPECT_EQ(kContextDestroyStarting,
            unsigned{CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING});
}

}  // namespace
}  // namespace rangefinder::cupti

#else

TEST(CuptiAbi, NumbersAreCuptis) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
