// How far all runs of a capture are together, and how long the rest will take:
// by what the plan forecast, corrected by how fast it goes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/listener.h"
#include "capture/capture.h"
#include "capture/groundwork.h"
#include "capture/progress.h"

namespace rangefinder {

class Pace {
 public:
  explicit Pace(std::optional<Forecast> forecast = std::nullopt);

  // To be told of every progress, in order.
  void See(const Progress& progress);

  // Of the work of all runs, at most 0.99: only the end is the end. Nothing
  // where there is no forecast, or more was measured than it said.
  std::optional<double> fraction() const;
  // Nothing, too, where the forecast is used up and nothing was measured.
  std::optional<double> seconds_left() const;

  std::uint64_t measured() const { return earlier_results_ + last_.results; }
  double seconds() const { return earlier_seconds_ + last_.seconds; }
  const std::optional<Forecast>& forecast() const { return forecast_; }
  const Progress& last() const { return last_; }

 private:
  std::optional<Forecast> forecast_;
  Progress last_{};
  std::uint64_t earlier_results_ = 0;  // of the runs before this one
  double earlier_seconds_ = 0;
};

// "41 %, about 2 min left; 354 of 840 kernels, saxpy(int, float)": as much as
// is known, for one line that is cut at its end.
std::string PaceText(const Pace& pace);
// The same behind a bar, in a terminal's line.
std::string PaceLine(const Pace& pace, bool unicode);

// For RunCapture(): tells `listener` of the progress, with the time left where
// there is a forecast.
ProgressCallback ShowProgress(const Listener& listener,
                              std::optional<Forecast> forecast = std::nullopt);

}  // namespace rangefinder
