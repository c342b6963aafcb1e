// The progress of a capture: of a run, read from ncu's log while it is written,
// and of all runs, compared with the plan's forecast.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/notes.h"
#include "capture/plan.h"

namespace rangefinder {

struct Progress {
  std::string run{};          // name of the planned run
  std::size_t run_index = 0;  // of run_count
  std::size_t run_count = 1;
  double seconds = 0;  // since the run began

  std::string kernel{};       // the current or the last kernel; ncu's name
  std::uint64_t results = 0;  // finished kernels or ranges
  bool measuring = false;     // a kernel is being measured
  int percent = 0;            // of the current kernel
  int passes = 0;             // of the last finished kernel
  int replay_pass = 0;        // of the program, in application replay
  int processes = 0;          // connected now

  friend bool operator==(const Progress&, const Progress&) = default;
};

// Reads ncu's log.
class NcuLog {
 public:
  // Takes bytes that were appended to the log, also parts of lines. Returns
  // whether the progress changed.
  bool Feed(std::string_view bytes);

  const Progress& progress() const { return progress_; }
  // The log so far.
  const std::string& text() const { return text_; }
  // No pass of the current kernel is finished, or ncu says that the kernel
  // takes longer than expected.
  bool at_zero() const { return at_zero_; }

 private:
  void ReadLine(std::string_view line, bool complete);
  void ReadProfiling(std::string_view line, bool complete);
  // Reads the rest of a measurement's line after a warning has split it.
  void ReadSlow(std::string_view line, bool complete);
  // "0%....50%....100% - 9 passes"
  void ReadPercents(std::string_view rest, bool complete);

  std::string text_;
  std::size_t line_ = 0;  // start of the first incomplete line
  Progress progress_;
  bool at_zero_ = false;
  bool slow_ = false;  // a warning split the line of the current kernel
};

// The progress of all runs of a capture, and the remaining time: the forecast,
// corrected by the speed so far.
class Pace {
 public:
  explicit Pace(std::optional<Forecast> forecast = std::nullopt);

  // Takes each progress, in order.
  void See(const Progress& progress);

  // The finished share of the work of all runs, at most 0.99 before the end.
  // Nothing without a forecast, or if more was measured than it said.
  std::optional<double> fraction() const;
  // Nothing also if the forecast time is over and nothing was measured.
  std::optional<double> seconds_left() const;

  std::uint64_t measured() const { return earlier_results_ + last_.results; }
  double seconds() const { return earlier_seconds_ + last_.seconds; }
  const std::optional<Forecast>& forecast() const { return forecast_; }
  const Progress& last() const { return last_; }

 private:
  std::optional<Forecast> forecast_;
  Progress last_{};
  std::uint64_t earlier_results_ = 0;  // of finished runs
  double earlier_seconds_ = 0;
};

// "41 %, about 2 min left; 354 of 840 kernels, saxpy(int, float)": one line
// that may be cut at its end.
std::string PaceText(const Pace& pace);
// The line for a terminal, with a bar.
std::string PaceLine(const Pace& pace, bool unicode);

// For RunCapture(): tells `listener` of the progress, with the time left where
// there is a forecast.
std::function<void(const Progress&)> ShowProgress(
    const Listener& listener, std::optional<Forecast> forecast = std::nullopt);

}  // namespace rangefinder
