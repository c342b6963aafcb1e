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

// Records with a base class (Params) have no standard layout; GCC and clang
// know the offsets of their fields all the same.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

// RECORD(OURS, THEIRS, FIELDS) compares the places (AT) of fields, or places
// and sizes (SAME); PARAMS also compares the length that CUPTI is told.
#define RECORD(ours, theirs, ...) \
  namespace of_##ours {           \
    using Ours = ours;            \
    using Theirs = theirs;        \
    __VA_ARGS__;                  \
  }                               \
  static_assert(true)
#define AT(our_field, their_field) \
  static_assert(offsetof(Ours, our_field) == offsetof(Theirs, their_field))
#define SAME(our_field, their_field) \
  AT(our_field, their_field);        \
  static_assert(sizeof(Ours::our_field) == sizeof(Theirs::their_field))
#define PARAMS(ours, theirs, ...)                                           \
  RECORD(ours, CUpti_##theirs##_Params,                                     \
         static_assert(Ours::kSize == CUpti_##theirs##_Params_STRUCT_SIZE); \
         __VA_ARGS__)

// ---- Activity and callbacks ------------------------------------------------

RECORD(KernelRecord, CUpti_ActivityKernel9, AT(registers, registersPerThread);
       AT(start, start); AT(end, end); AT(device, deviceId);
       AT(context, contextId); AT(stream, streamId); AT(grid, gridX);
       AT(block, blockX); AT(static_shared, staticSharedMemory);
       AT(dynamic_shared, dynamicSharedMemory); AT(correlation, correlationId);
       AT(name, name); AT(graph_node, graphNodeId));
RECORD(ResourceData, CUpti_ResourceData, AT(context, context);
       AT(descriptor, resourceDescriptor));
RECORD(GraphData, CUpti_GraphData, AT(node, node);
       AT(original_node, originalNode));
RECORD(MemcpyRecord, CUpti_ActivityMemcpy5, AT(copy_kind, copyKind);
       AT(source_kind, srcKind); AT(target_kind, dstKind); AT(bytes, bytes);
       AT(start, start); AT(stream, streamId); AT(correlation, correlationId);
       AT(graph_node, graphNodeId));
RECORD(MemcpyPeerRecord, CUpti_ActivityMemcpyPtoP4, AT(copy_kind, copyKind);
       AT(source_kind, srcKind); AT(target_kind, dstKind); AT(bytes, bytes);
       AT(start, start); AT(correlation, correlationId);
       AT(graph_node, graphNodeId));
RECORD(MemsetRecord, CUpti_ActivityMemset4, AT(value, value); AT(bytes, bytes);
       AT(start, start); AT(correlation, correlationId);
       AT(graph_node, graphNodeId));
RECORD(CallRecord, CUpti_ActivityAPI, AT(function, cbid); AT(start, start);
       AT(end, end); AT(thread, threadId); AT(correlation, correlationId));
RECORD(OverheadRecord, CUpti_ActivityOverhead3, SAME(overhead, overheadKind);
       SAME(object, objectKind); AT(process, objectId.pt.processId);
       AT(thread, objectId.pt.threadId); SAME(start, start); SAME(end, end);
       SAME(data, overheadData));
RECORD(UnifiedMemoryRecord, CUpti_ActivityUnifiedMemoryCounter3,
       SAME(counter, counterKind);
       SAME(value, value); SAME(start, start); SAME(end, end);
       SAME(source, srcId); SAME(target, dstId); SAME(process, processId));
RECORD(UnifiedMemoryConfig, CUpti_ActivityUnifiedMemoryCounterConfig,
       SAME(scope, scope);
       SAME(counter, kind); SAME(device, deviceId); SAME(enable, enable);
       static_assert(sizeof(Ours) == sizeof(Theirs)));
RECORD(CallbackData, CUpti_CallbackData, AT(site, callbackSite);
       AT(context, context); AT(correlation_id, correlationId));

static_assert(int{kResource} == int{CUPTI_CB_DOMAIN_RESOURCE});
RECORD(ModuleData, CUpti_ModuleResourceData, AT(size, cubinSize);
       AT(cubin, pCubin));
static_assert(kModuleLoaded == CUPTI_CBID_RESOURCE_MODULE_LOADED);
static_assert(kGraphNodeCreated == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(kGraphNodeCloned == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);

// ---- Profilers and PM sampling ---------------------------------------------

PARAMS(HostInitialize, Profiler_Host_Initialize, SAME(profiler, profilerType);
       SAME(chip, pChipName); SAME(availability, pCounterAvailabilityImage);
       SAME(host, pHostObject));
PARAMS(HostDeinitialize, Profiler_Host_Deinitialize, SAME(host, pHostObject));
PARAMS(HostSupportedChips, Profiler_Host_GetSupportedChips,
       SAME(count, numChips);
       SAME(chips, ppChipNames));
PARAMS(HostBaseMetrics, Profiler_Host_GetBaseMetrics, SAME(host, pHostObject);
       SAME(type, metricType); SAME(names, ppMetricNames);
       SAME(count, numMetrics));
PARAMS(HostSubMetrics, Profiler_Host_GetSubMetrics, SAME(host, pHostObject);
       SAME(type, metricType); SAME(metric, pMetricName);
       SAME(count, numOfSubmetrics); SAME(names, ppSubMetrics));
PARAMS(HostMetricProperties, Profiler_Host_GetMetricProperties,
       SAME(host, pHostObject);
       SAME(metric, pMetricName); SAME(description, pDescription);
       SAME(hardware_unit, pHwUnit); SAME(unit, pDimUnit);
       SAME(type, metricType));
PARAMS(HostAddMetrics, Profiler_Host_ConfigAddMetrics, SAME(host, pHostObject);
       SAME(metrics, ppMetricNames); SAME(count, numMetrics));
PARAMS(HostConfigImageSize, Profiler_Host_GetConfigImageSize,
       SAME(host, pHostObject);
       SAME(size, configImageSize));
PARAMS(HostConfigImage, Profiler_Host_GetConfigImage, SAME(host, pHostObject);
       SAME(size, configImageSize); SAME(image, pConfigImage));
PARAMS(HostPasses, Profiler_Host_GetNumOfPasses, SAME(size, configImageSize);
       SAME(image, pConfigImage); SAME(passes, numOfPasses));
PARAMS(DeviceChipName, Device_GetChipName, SAME(device, deviceIndex);
       SAME(chip, pChipName));
PARAMS(ProfilerInitialize, Profiler_Initialize);
PARAMS(DeviceSupported, Profiler_DeviceSupported, SAME(device, cuDevice);
       SAME(all, isSupported); SAME(architecture, architecture); SAME(sli, sli);
       SAME(virtual_gpu, vGpu);
       SAME(confidential_computing, confidentialCompute); SAME(mining, cmp);
       SAME(wsl, wsl); SAME(api, api));
PARAMS(SamplingAvailability, PmSampling_GetCounterAvailability,
       SAME(device, deviceIndex);
       SAME(size, counterAvailabilityImageSize);
       SAME(image, pCounterAvailabilityImage));
PARAMS(SamplingEnable, PmSampling_Enable, SAME(device, deviceIndex);
       SAME(object, pPmSamplingObject));
PARAMS(SamplingConfig, PmSampling_SetConfig, SAME(object, pPmSamplingObject);
       SAME(config_size, configSize); SAME(config, pConfig);
       SAME(hardware_buffer, hardwareBufferSize);
       SAME(interval, samplingInterval); SAME(trigger, triggerMode);
       SAME(append, hwBufferAppendMode));
PARAMS(SamplingStart, PmSampling_Start, SAME(object, pPmSamplingObject));
PARAMS(SamplingStop, PmSampling_Stop, SAME(object, pPmSamplingObject));
PARAMS(SamplingDisable, PmSampling_Disable, SAME(object, pPmSamplingObject));
PARAMS(SamplingImageSize, PmSampling_GetCounterDataSize,
       SAME(object, pPmSamplingObject);
       SAME(metrics, pMetricNames); SAME(count, numMetrics);
       SAME(samples, maxSamples); SAME(size, counterDataSize));
PARAMS(SamplingImage, PmSampling_CounterDataImage_Initialize,
       SAME(object, pPmSamplingObject);
       SAME(size, counterDataSize); SAME(image, pCounterData));
PARAMS(SamplingDecode, PmSampling_DecodeData, SAME(object, pPmSamplingObject);
       SAME(image, pCounterDataImage); SAME(size, counterDataImageSize);
       SAME(stop_reason, decodeStopReason); SAME(overflow, overflow));
PARAMS(SamplingImageInfo, PmSampling_GetCounterDataInfo,
       SAME(image, pCounterDataImage);
       SAME(size, counterDataImageSize); SAME(total, numTotalSamples);
       SAME(populated, numPopulatedSamples);
       SAME(completed, numCompletedSamples));
PARAMS(RangeEnable, RangeProfiler_Enable, SAME(context, ctx);
       SAME(object, pRangeProfilerObject));
PARAMS(RangeImageSize, RangeProfiler_GetCounterDataSize,
       SAME(object, pRangeProfilerObject);
       SAME(metrics, pMetricNames); SAME(count, numMetrics);
       SAME(ranges, maxNumOfRanges); SAME(tree_nodes, maxNumRangeTreeNodes);
       SAME(size, counterDataSize));
PARAMS(RangeImage, RangeProfiler_CounterDataImage_Initialize,
       SAME(object, pRangeProfilerObject);
       SAME(size, counterDataSize); SAME(image, pCounterData));
PARAMS(RangeConfig, RangeProfiler_SetConfig, SAME(object, pRangeProfilerObject);
       SAME(config_size, configSize); SAME(config, pConfig);
       SAME(size, counterDataImageSize); SAME(image, pCounterDataImage);
       SAME(range, range); SAME(replay, replayMode);
       SAME(ranges_per_pass, maxRangesPerPass);
       SAME(nesting_levels, numNestingLevels);
       SAME(first_level, minNestingLevel); SAME(pass, passIndex);
       SAME(level, targetNestingLevel));
PARAMS(RangeStart, RangeProfiler_Start, SAME(object, pRangeProfilerObject));
PARAMS(RangePop, RangeProfiler_PopRange, SAME(object, pRangeProfilerObject));
PARAMS(RangeDisable, RangeProfiler_Disable, SAME(object, pRangeProfilerObject));
PARAMS(RangePush, RangeProfiler_PushRange, SAME(object, pRangeProfilerObject);
       SAME(name, pRangeName));
PARAMS(RangeStop, RangeProfiler_Stop, SAME(object, pRangeProfilerObject);
       SAME(pass, passIndex); SAME(level, targetNestingLevel);
       SAME(all_passes, isAllPassSubmitted));
PARAMS(RangeDecode, RangeProfiler_DecodeData,
       SAME(object, pRangeProfilerObject);
       SAME(dropped, numOfRangeDropped));
PARAMS(RangeImageInfo, RangeProfiler_GetCounterDataInfo,
       SAME(image, pCounterDataImage);
       SAME(size, counterDataImageSize); SAME(ranges, numTotalRanges));
PARAMS(HostEvaluate, Profiler_Host_EvaluateToGpuValues, SAME(host, pHostObject);
       SAME(image, pCounterDataImage); SAME(size, counterDataImageSize);
       SAME(index, rangeIndex); SAME(metrics, ppMetricNames);
       SAME(count, numMetrics); SAME(values, pMetricValues));
PARAMS(SampleInfo, PmSampling_CounterData_GetSampleInfo,
       SAME(object, pPmSamplingObject);
       SAME(image, pCounterDataImage); SAME(size, counterDataImageSize);
       SAME(index, sampleIndex); SAME(start, startTimestamp);
       SAME(end, endTimestamp));
PARAMS(RangeInfo, RangeProfiler_CounterData_GetRangeInfo,
       SAME(image, pCounterDataImage);
       SAME(size, counterDataImageSize); SAME(index, rangeIndex);
       SAME(delimiter, rangeDelimiter); SAME(name, rangeName));

// ---- Numbers ---------------------------------------------------------------

TEST(CuptiAbi, NumbersEqualTheHeaders) {
  EXPECT_EQ(int{kMemcpy}, int{CUPTI_ACTIVITY_KIND_MEMCPY});
  EXPECT_EQ(int{kMemset}, int{CUPTI_ACTIVITY_KIND_MEMSET});
  EXPECT_EQ(int{kKernel}, int{CUPTI_ACTIVITY_KIND_KERNEL});
  EXPECT_EQ(int{kDriverCall}, int{CUPTI_ACTIVITY_KIND_DRIVER});
  EXPECT_EQ(int{kRuntimeCall}, int{CUPTI_ACTIVITY_KIND_RUNTIME});
  EXPECT_EQ(int{kOverhead}, int{CUPTI_ACTIVITY_KIND_OVERHEAD});
  EXPECT_EQ(kDriverCompiler, int{CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER});
  EXPECT_EQ(kModuleLoading,
            int{CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING});
  EXPECT_EQ(kLazyLoading, int{CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING});
  EXPECT_EQ(kCommandBufferFull,
            int{CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL});
  EXPECT_EQ(kThreadObject, int{CUPTI_ACTIVITY_OBJECT_THREAD});
  EXPECT_EQ(int{kUnifiedMemory},
            int{CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER});
  EXPECT_EQ(kUnifiedMemoryCpu, CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID);
  EXPECT_EQ(
      kPagesToDevice,
      int{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD});
  EXPECT_EQ(
      kPagesToHost,
      int{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH});
  EXPECT_EQ(
      kPagesBetweenDevices,
      int{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD});
  EXPECT_EQ(kGpuPageFault,
            int{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT});
  EXPECT_EQ(
      kScopeOfProcess,
      int{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE});
  EXPECT_EQ(kThreadIdsOfTheSystem, int{CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM});
  EXPECT_EQ(int{kConcurrentKernel}, int{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  EXPECT_EQ(int{kMemcpyPeer}, int{CUPTI_ACTIVITY_KIND_MEMCPY2});
  EXPECT_EQ(kPinnedDeviceBuffers,
            int{CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED});
  EXPECT_EQ(int{kDriverApi}, int{CUPTI_CB_DOMAIN_DRIVER_API});
  EXPECT_EQ(int{kRuntimeApi}, int{CUPTI_CB_DOMAIN_RUNTIME_API});
  EXPECT_EQ(kApiEnter, int{CUPTI_API_ENTER});
  EXPECT_EQ(kApiExit, int{CUPTI_API_EXIT});
  EXPECT_EQ(kMaxLimitReached, int{CUPTI_ERROR_MAX_LIMIT_REACHED});
  EXPECT_LT(int{CUPTI_DRIVER_TRACE_CBID_SIZE}, int{kMaxFunctions});
  EXPECT_LT(int{CUPTI_RUNTIME_TRACE_CBID_SIZE}, int{kMaxFunctions});
}

TEST(CuptiAbi, NumbersOfProfilersEqualTheHeaders) {
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

TEST(CuptiAbi, NumbersEqualTheHeaders) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
