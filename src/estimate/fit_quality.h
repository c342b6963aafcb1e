// How well the launches of a run explain its samples, and in words whether
// estimates from them can be relied on: what a report says first.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rangefinder {

enum class FitVerdict {
  kGood,
  kDoubtful,  // shown with its reasons beside
  kBad,       // estimates are not to be shown as results
};

// The fit of one metric, over the samples that were used.
struct MetricQuality {
  double r2 = 0;        // share of the samples' variance that is explained
  double residual = 0;  // root mean square by the samples' mean; 0: no count
  // The hardware's total over the used samples, and where it went. They add up:
  // hardware = launches + tracer + outside + unexplained.
  double hardware = 0;
  double launches = 0;     // what the launches' estimates amount to there
  double tracer = 0;       // its own instructions, where they are taken out
  double outside = 0;      // no launch of ours
  double unexplained = 0;  // 0 but for rounding and for counts held at 0
  // Two halves of the run, in turns of a block of time, fitted each by itself:
  // the mean square of their differences by what the errors claim. About 1.
  double halves = 0;
  FitVerdict verdict = FitVerdict::kGood;
};

// How well samples and launches agree with the samples' clock moved.
struct ClockShift {
  double shift_ns = 0;  // added to the samples' times
  double r2 = 0;        // mean over the metrics, of a small model
};

// A time within the run that no sample covers, and what was lost in it.
struct FitGap {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t samples = 0;  // by the median interval
};

struct FitQuality {
  FitVerdict verdict = FitVerdict::kGood;
  // Why it is not good, the worst first: sentences without full stops.
  std::vector<std::string> reasons{};
  std::vector<MetricQuality> metrics{};  // as the input's metrics

  std::uint64_t samples = 0;       // given
  std::uint64_t samples_used = 0;  // those beside gaps, and damaged ones, not
  // Of those not used, the ones that lack most of a counter.
  std::uint64_t samples_damaged = 0;
  std::uint64_t samples_lost = 0;       // in gaps, by the median interval
  std::vector<FitGap> gaps{};           // in the order of time
  double interval_ns = 0;               // median
  std::uint64_t launches = 0;           // given
  std::uint64_t launches_left_out = 0;  // without a length, or outside the run
  std::size_t groups = 0;
  std::size_t groups_split = 0;   // launches of one kernel told apart
  std::size_t groups_merged = 0;  // solved with another
  std::size_t columns = 0;        // counts that are fitted
  // Groups beyond the limit of columns: their launches share one count by time,
  // and are so much of all launches' time.
  std::size_t groups_by_time = 0;
  double share_by_time = 0;
  bool background = false;  // counts while launches run that are not theirs

  // What is added to the launches' times: when their work begins and ends.
  double start_offset_ns = 0;
  double end_offset_ns = 0;
  // By how much work lies off the middle of its window, a standard deviation
  // over groups; the systematic errors are made of it. Largest of the metrics.
  double window_error_ns = 0;

  std::vector<ClockShift> shifts{};  // ascending; empty: not looked for
  double clock_shift_ns = 0;         // the one that fits best
  double clock_drift_ns = 0;         // last third of the run less its first
  // With the clocks moved so, of a model of few columns, as are all of
  // `shifts`: the mean of the metrics' R2.
  double moved_r2 = 0;

  // What it took: overlaps of launches with samples, and products of two
  // groups in one sample. Grows as launches and samples do.
  std::uint64_t operations = 0;
};

// "good", "doubtful", "bad".
const char* FitVerdictName(FitVerdict verdict);

}  // namespace rangefinder
