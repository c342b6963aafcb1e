// The field numbers of `.ncu-rep` messages; no other file has them.
// docs/ncu-report-format.md says how each number was established.
//
// Enumerators are protobuf field numbers.

#pragma once

#include <cstdint>

#include <protozero/types.hpp>

namespace rangefinder::ncu {

using Tag = protozero::pbf_tag_type;

enum class FileHeader : Tag { kVersion = 1 };
inline constexpr std::uint32_t kNewestKnownVersion = 7;

enum class BlockHeader : Tag {
  kNumSources = 1,
  kNumResults = 2,
  kSessionDetails = 3,
  kStringTable = 4,
  kPayloadSize = 5,
  kProcessInfo = 6,
  kNumRangeResults = 7,
  kNumCommandListResults = 8,
  kNumGraphResults = 9,
};

enum class StringTable : Tag { kString = 1 };

enum class ProcessInfo : Tag {
  kProcessId = 1,
  kHostname = 2,
  kProcessName = 3
};

enum class Session : Tag {
  kProcessId = 1,
  kCreationTime = 2,
  kHostSystemInfo = 3,
  kTargetSystemInfo = 4,
  kDeviceProperties = 5,
  kDeviceAttributes = 6,
  kComments = 7,
  kVersionInfo = 8,
  kExecutableSettings = 9,
  kProfilerSettings = 10,
  kProfilerCommandLine = 11,
};

enum class VersionInfo : Tag { kProvider = 1, kVersion = 2 };

enum class DeviceAttributes : Tag { kId = 1, kName = 2, kAttribute = 3 };
enum class DeviceAttribute : Tag { kName = 1, kValue = 2 };

// The field numbers of a result; 0: the kind of result lacks the field. Default
// values are common to all kinds of results, or to all but kernels.
struct ResultFields {
  Tag thread = 1, api_call = 2, metric = 4, section = 7, nvtx = 10;
  Tag context = 11, stream = 0, rule = 0;
  Tag mangled_name = 0, function_name = 0, demangled_name = 0;
  Tag grid = 0, block = 0;
};
inline constexpr ResultFields kKernelFields = {
    .metric = 13,
    .section = 17,
    .nvtx = 21,
    .context = 22,
    .stream = 23,
    .rule = 19,
    .mangled_name = 5,
    .function_name = 6,
    .demangled_name = 7,
    .grid = 10,
    .block = 11,
};
inline constexpr ResultFields kRangeFields = {.rule = 20};
inline constexpr ResultFields kGraphFields = {.stream = 12, .rule = 22};
// A command list is shown by a name of its own.
inline constexpr ResultFields kCommandListFields = {
    .stream = 12, .rule = 21, .demangled_name = 18};
inline constexpr Tag kLargestKnownResultField = 35;

enum class Uint64x3 : Tag { kX = 1, kY = 2, kZ = 3 };

enum class MetricResult : Tag { kNameId = 1, kValue = 2, kInstance = 3 };
inline constexpr Tag kMetricCategory = 4;
enum class MetricInstance : Tag { kCorrelationId = 1, kValue = 2 };
enum class MetricValue : Tag {
  kString = 1,
  kFloat = 2,
  kDouble = 3,
  kUint32 = 4,
  kUint64 = 5,
};

enum class NvtxState : Tag {
  kDomain = 1,
  kThread = 2,
  kStartEndDomain = 3,
  kDefaultDomain = 4,
  kPushPopScope = 5,
};
enum class NvtxDomain : Tag { kId = 1, kName = 2 };
enum class NvtxThread : Tag { kThreadId = 1, kPushPopDomain = 2 };
enum class NvtxPushPopDomain : Tag { kDomainId = 1, kRange = 3 };
enum class NvtxPushPop : Tag { kName = 1, kLastApiCall = 3, kId = 4 };
enum class NvtxStartEndDomain : Tag { kDomainId = 1, kRange = 3 };
enum class NvtxStartEnd : Tag {
  kId = 1,
  kName = 2,
  kLastApiCall = 4,
  kStartThread = 5,
};

enum class Section : Tag {
  kIdentifier = 1,
  kDisplayName = 2,
  kOrder = 3,
  kHeader = 4,
};
enum class SectionHeader : Tag { kMetric = 2 };
enum class SectionMetric : Tag {
  kName = 1,
  kLabel = 2,
  kFilter = 6,
  kOption = 7  // another metric for other devices, repeated
};

enum class SectionOption : Tag { kName = 1, kFilter = 3 };

// Compute capabilities, 10 * major + minor.
enum class SectionFilter : Tag { kLeast = 1, kRange = 3 };
enum class SectionFilterRange : Tag { kFirst = 1, kLast = 2 };

enum class RuleResult : Tag {
  kIdentifier = 1,
  kDisplayName = 2,
  kBody = 3,
  kSection = 4,
};
enum class RuleBody : Tag { kItem = 1 };
enum class RuleItem : Tag { kMessage = 1, kSpeedup = 10 };
enum class RuleMessage : Tag { kText = 1, kType = 2, kId = 3, kName = 4 };
enum class RuleSpeedup : Tag { kType = 1, kPercent = 2 };

}  // namespace rangefinder::ncu
