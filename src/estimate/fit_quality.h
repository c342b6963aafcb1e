// How well the launches of a run explain its samples, and in words whether
// estimates from them are reliable. A report says this first.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rangefinder {

enum class FitVerdict {
  kGood,
  kDoubtful,  // shown together with the reasons
  kBad,       // estimates must not be shown as results
};

// The fit of one metric, over the samples that were used.
struct MetricQuality {
  // The share of the samples' variance that is explained, and the root mean
  // square of the residuals over the samples' mean (0: no count). If the share
  // is larger without the worst hundredth of the samples with launches, both
  // leave these out.
  double r2 = 0;
  double residual = 0;
  // The hardware's total over the used samples, and its parts: hardware =
  // launches + tracer + outside + unexplained.
  double hardware = 0;
  double launches = 0;     // the estimates of the launches in these samples
  double tracer = 0;       // instructions of the tracer that were removed
  double outside = 0;      // counts of no launch of ours
  double unexplained = 0;  // 0 except for rounding and counts held at 0
  // Two halves of the run, which alternate by blocks of time, are fitted
  // separately: the mean square of their differences over the claimed errors,
  // or the same by the median if that is less; about 1.
  double halves = 0;
  // By which part of the counts the halves differ, in the median.
  double halves_part = 0;
  // Whether the verdict of the fit depends on this metric: launches cause its
  // counts, and these are more than little (`EstimatedMetric`).
  bool decides = false;
  FitVerdict verdict = FitVerdict::kGood;
};

// How well samples and launches agree after a shift of the samples' clock.
struct ClockShift {
  double shift_ns = 0;  // added to the samples' times
  double r2 = 0;        // mean over the metrics, of a small model
};

struct FitQuality {
  FitVerdict verdict = FitVerdict::kGood;
  // Why the fit is not good, the worst first: sentences without full stops.
  std::vector<std::string> reasons{};
  std::vector<MetricQuality> metrics{};  // as the input's metrics

  std::uint64_t samples_used = 0;  // without damaged ones and those beside gaps
  // Of the unused samples, those that lack most of a counter.
  std::uint64_t samples_damaged = 0;
  std::uint64_t samples_lost = 0;       // in gaps, by the median interval
  double interval_ns = 0;               // median
  std::uint64_t launches = 0;           // given
  std::uint64_t launches_left_out = 0;  // without a length, or outside the run
  std::size_t groups = 0;
  std::size_t groups_split = 0;   // groups that are parts of a split group
  std::size_t groups_merged = 0;  // groups solved together with another one
  std::size_t columns = 0;        // counts that are fitted
  // Groups beyond the limit of columns: their launches share one count by time.
  // `share_by_time` is their part of all launches' time.
  std::size_t groups_by_time = 0;
  double share_by_time = 0;
  bool background = false;  // other work counts while launches run

  // Added to the launches' times: when their work begins and ends.
  double start_offset_ns = 0;
  double end_offset_ns = 0;

  std::vector<ClockShift> shifts{};  // ascending; empty: no search was made
  double clock_shift_ns = 0;         // the shift that fits best
  // Shift of the run's last third minus that of its first.
  double clock_drift_ns = 0;
  // Mean R2 of the metrics by a model of few columns, with the clocks moved by
  // this shift and drift.
  double moved_r2 = 0;

  // Cost of the fit: overlaps of launches with samples, and products of two
  // groups in one sample. It grows linearly with launches and samples.
  std::uint64_t operations = 0;
};

// "good", "doubtful", "bad".
const char* FitVerdictName(FitVerdict verdict);

}  // namespace rangefinder
