// The totals of one or many ranks, region by region and kernel by kernel: small
// enough to keep and to send, and made so that two summaries can be added.
//
// Plain data. All members add without rounding, so any tree of merges gives the
// same summary (summary/merge.h). summary/summary_file.h writes and reads it;
// docs/summary-format.md has the format.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "profile/measurement.h"
#include "profile/rank_record.h"
#include "summary/exact_total.h"

namespace rangefinder {

// One start of one process: identifies the sources of summaries, so that no
// source counts twice.
struct RankKey {
  std::int32_t rank = -1;  // -1: none was given
  std::string host{};
  std::uint64_t pid = 0;
  std::uint64_t started_ns = 0;  // or another unique number of this start
  friend auto operator<=>(const RankKey&, const RankKey&) = default;
};

// A start of a process, and the time up to which it has data. Of two different
// summaries of one start, the later one counts: by end, then launches, then
// content.
struct SummarySource {
  RankKey key{};
  std::uint64_t until_ns = 0;  // end of its data, on its host's clock
  std::uint64_t launches = 0;
  // A digest of its part of the file, once its totals are added to others; 0
  // before.
  std::uint64_t content = 0;
  friend auto operator<=>(const SummarySource&, const SummarySource&) = default;
};

// An index into Summary::texts; 0 is the empty text.
using TextIndex = std::uint32_t;

// A region, summed over all ranks that have it. [0] is the whole run, without a
// name.
struct SummaryRegion {
  std::uint32_t parent = 0;   // index of a region before this one; of [0]: 0
  bool unattributed = false;  // launches outside of all ranges
  FrameKind kind = FrameKind::kPushPop;
  TextIndex domain = 0;  // "": the default one
  TextIndex name = 0;
  std::uint64_t instances = 0;
  std::uint64_t unclosed = 0;  // instances that were open at the end
  // cpu: of closed instances; the others: of instances that launched work. See
  // InstanceTimes.
  TimeStat cpu{}, gpu{}, span{}, idle{};
};

// The GPU work that a region launched on devices of one name, inner regions
// included, summed over processes and devices.
struct SummaryUse {
  std::uint32_t region = 0;
  TextIndex device = 0;
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t kernel_ns = 0, copy_ns = 0, set_ns = 0;
  std::uint64_t copy_bytes = 0, set_bytes = 0;
  std::uint64_t busy_ns = 0;  // time with a kernel, copy or set
  std::uint64_t span_ns = 0;  // from the first start to the last end
  TimeStat latency{};         // from the launch call to the start of the kernel
};
// A use without work: some process does not know the GPU work of the region,
// since work of other threads was placed there (regions.threads).
inline bool IsUnknown(const SummaryUse& use) {
  return use.kernels == 0 && use.copies == 0 && use.sets == 0;
}
// The numbers that are sums, in the order of a summary's file.
inline constexpr std::array kUseSums = {
    &SummaryUse::kernels,    &SummaryUse::copies,    &SummaryUse::sets,
    &SummaryUse::kernel_ns,  &SummaryUse::copy_ns,   &SummaryUse::set_ns,
    &SummaryUse::copy_bytes, &SummaryUse::set_bytes, &SummaryUse::busy_ns,
    &SummaryUse::span_ns};

// A value that all launches of a kernel row share: a launch attribute, a
// property of the chip, or a text.
struct SummaryValue {
  TextIndex metric = 0;
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;  // of the number, or a TextIndex
  friend auto operator<=>(const SummaryValue&, const SummaryValue&) = default;
};

// A kernel as it is launched. Launches of a region that agree in all members
// are one row.
struct SummaryKernel {
  TextIndex name = 0;    // demangled, as stored
  TextIndex device = 0;  // its name: "NVIDIA H200"
  MeasurementKind kind = MeasurementKind::kKernel;
  ReplayMode mode = ReplayMode::kUnknown;
  Dim3 grid{}, block{};
  std::uint32_t dynamic_shared = 0;
  std::vector<SummaryValue> attributes{};  // by metric
  friend auto operator<=>(const SummaryKernel&, const SummaryKernel&) = default;
};

// How the values of several launches are combined.
enum class Folding : std::uint8_t {
  kSum,
  kMean,  // weighted
};

// A metric of a kernel row.
struct SummaryMetric {
  TextIndex metric = 0;
  Folding folding = Folding::kSum;
  // kMean: the weight is the metric `weight`, multiplied by the metric `times`
  // if that is not "". Both "": all launches weigh the same.
  TextIndex weight = 0, times = 0;
  std::uint64_t present = 0;  // launches that have the metric and its weight
  ExactTotal sum{};           // kMean: of value times weight
  ExactTotal weights{};       // kMean: of the weights
  double low = 0, high = 0;   // of single launches

  // Metrics of one row differ in their keys.
  auto Key() const { return std::tuple(metric, folding, weight, times); }
};

// The launches of one kernel in one region, without inner regions.
struct SummaryRow {
  std::uint32_t region = 0;
  std::uint32_t kernel = 0;  // index into Summary::kernels
  std::uint64_t launches = 0;
  // Ranges with exact counts: the number of counted instances.
  std::uint64_t counted = 0;
  TimeStat time{};  // of launches with a known duration
  std::vector<SummaryMetric> metrics{};
};

// A property of captures: a tool and its version, a device and its chip, a
// mode, a command line; and the number of sources that have it.
struct SummaryFact {
  std::string kind{};  // "tool" "device" "mode" "command" "program" "world"
  std::string key{};
  std::string value{};
  std::uint64_t count = 0;
};

struct SummaryNote {
  std::uint8_t severity = 0;  // of Severity
  std::string kind{};
  std::string text{};
  std::string where{};  // the first by its bytes
  std::uint64_t count = 0;
};

struct Summary {
  std::vector<std::string> texts{{}};  // each once
  std::vector<SummaryRegion> regions{SummaryRegion{}};
  std::vector<SummaryUse> uses{};
  std::vector<SummaryKernel> kernels{};
  std::vector<SummaryRow> rows{};
  std::vector<SummaryFact> facts{};
  std::vector<SummaryNote> notes{};
  std::vector<SummarySource> sources{};  // each once, ascending
};

// Puts all lists into the one order in which a summary is written, so that
// equal summaries are equal bytes: texts by their bytes, regions by path
// (parents first, siblings by domain and name, launches outside of all regions
// last), kernels by content, rows and uses by region, facts, notes and sources.
// Drops texts and kernels that nothing refers to. No two entries of a list may
// be equal in the members that it is sorted by.
void SortSummary(Summary& summary);

}  // namespace rangefinder
