// What we say of the Range Profiler's structures is what the installed headers
// say.

#include "inject/range_abi.h"

#include <gtest/gtest.h>

#if defined(HAVE_CUPTI_HEADERS) && __has_include(<cupti_range_profiler.h>)

#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>

namespace rangefinder::inject::cupti {
namespace {

#define SAME(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))

using Config = CUpti_RangeProfiler_SetConfig_Params;
SAME(RangeConfig, config, Config, pConfig);
SAME(RangeConfig, data, Config, pCounterDataImage);
SAME(RangeConfig, range, Config, range);
SAME(RangeConfig, replay, Config, replayMode);
SAME(RangeConfig, ranges_per_pass, Config, maxRangesPerPass);
SAME(RangeConfig, nesting_levels, Config, numNestingLevels);
SAME(RangeConfig, first_level, Config, minNestingLevel);
SAME(RangeConfig, pass, Config, passIndex);
SAME(RangeConfig, level, Config, targetNestingLevel);
SAME(RangeEnable, object, CUpti_RangeProfiler_Enable_Params,
     pRangeProfilerObject);
SAME(RangeObject, object, CUpti_RangeProfiler_Start_Params,
     pRangeProfilerObject);
using Size = CUpti_RangeProfiler_GetCounterDataSize_Params;
SAME(RangeDataSize, names, Size, pMetricNames);
SAME(RangeDataSize, most_ranges, Size, maxNumOfRanges);
SAME(RangeDataSize, tree_nodes, Size, maxNumRangeTreeNodes);
SAME(RangeDataSize, data_size, Size, counterDataSize);
using Image = CUpti_RangeProfiler_CounterDataImage_Initialize_Params;
SAME(RangeDataInitialize, data, Image, pCounterData);
SAME(RangePush, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
using StopParams = CUpti_RangeProfiler_Stop_Params;
SAME(RangeStop, pass, StopParams, passIndex);
SAME(RangeStop, all_passes, StopParams, isAllPassSubmitted);
SAME(RangeDecode, dropped, CUpti_RangeProfiler_DecodeData_Params,
     numOfRangeDropped);
SAME(RangeDataInfo, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params,
     numTotalRanges);
using Info = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params;
SAME(RangeInfo, index, Info, rangeIndex);
SAME(RangeInfo, name, Info, rangeName);

TEST(RangeAbi, SizesAndNumbersAreCuptis) {
  EXPECT_EQ(kSizeOf<RangeConfig>,
            CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeEnable>,
            CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeObject>, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeDataSize>,
            CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeDataInitialize>,
            CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangePush>,
            CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeStop>, CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeDecode>,
            CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeDataInfo>,
            CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  EXPECT_EQ(kSizeOf<RangeInfo>,
            CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE);
  EXPECT_EQ(kForRanges, int{CUPTI_PROFILER_TYPE_RANGE_PROFILER});
  EXPECT_EQ(kUserRange, int{CUPTI_UserRange});
  EXPECT_EQ(kUserReplay, int{CUPTI_UserReplay});
}

}  // namespace
}  // namespace rangefinder::inject::cupti

#else

TEST(RangeAbi, SizesAndNumbersAreCuptis) {
  GTEST_SKIP() << "no CUPTI headers: ITS STRUCTURES ARE NOT COMPARED";
}

#endif
