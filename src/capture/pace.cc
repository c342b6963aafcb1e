#include "capture/pace.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/cost.h"

namespace rangefinder {
namespace {

constexpr std::size_t kBarCells = 16;

std::string UnitText(const Pace& pace) {
  const auto& forecast = pace.forecast();
  if (!forecast || forecast->units < pace.measured())
    return fmt::format("{} measured", pace.measured());
  return fmt::format("{} of {} {}{}", pace.measured(), forecast->units,
                     forecast->unit, forecast->units == 1 ? "" : "s");
}

// What it is at, behind the times.
std::string WorkText(const Pace& pace) {
  const Progress& last = pace.last();
  std::string text = UnitText(pace);
  if (last.run_count > 1) {
    text += fmt::format(", run {} of {} ({})", last.run_index + 1,
                        last.run_count, last.run);
  }
  if (last.replay_pass > 0)
    text += fmt::format(", pass {} of the program", last.replay_pass);
  if (!last.kernel.empty()) text += ", " + Printable(last.kernel);
  return text;
}

std::string LeftText(const Pace& pace) {
  if (const auto left = pace.seconds_left())
    return fmt::format("about {} left", DurationText(*left));
  return fmt::format("{} so far", DurationText(pace.seconds()));
}

std::string Bar(double fraction, bool unicode) {
  const auto full = static_cast<std::size_t>(
      std::lround(fraction * static_cast<double>(kBarCells)));
  if (!unicode)
    return std::string(full, '#') + std::string(kBarCells - full, '.');
  std::string bar;
  for (std::size_t i = 0; i < kBarCells; ++i) bar += i < full ? "█" : "░";
  return bar;
}

int Percent(double fraction) {
  return static_cast<int>(std::lround(100 * fraction));
}

}  // namespace

Pace::Pace(std::optional<Forecast> forecast) : forecast_(std::move(forecast)) {}

void Pace::See(const Progress& progress) {
  if (progress.run_index != last_.run_index) {
    earlier_results_ += last_.results;
    earlier_seconds_ += last_.seconds;
  }
  last_ = progress;
}

std::optional<double> Pace::fraction() const {
  if (!forecast_ || forecast_->units == 0) return std::nullopt;
  double done = 0;
  if (last_.replay_pass > 0) {
    // The program runs again for every pass, and all is measured in each.
    const double passes = std::max(1, forecast_->passes);
    done = (static_cast<double>(last_.run_index) +
            static_cast<double>(last_.replay_pass - 1) / passes) /
           static_cast<double>(std::max<std::size_t>(1, last_.run_count));
  } else {
    const double begun = last_.measuring ? last_.percent / 100.0 : 0;
    done = (static_cast<double>(measured()) + begun) /
           static_cast<double>(forecast_->units);
  }
  if (done > 1) return std::nullopt;
  return std::min(done, 0.99);
}

std::optional<double> Pace::seconds_left() const {
  const auto done = fraction();
  if (!done) return std::nullopt;
  const double whole = forecast_->seconds;
  if (*done <= 0) {
    if (seconds() >= whole) return std::nullopt;
    return whole - seconds();
  }
  // The whole by the forecast, and by the speed so far, which counts for more
  // the longer it is known: a program may take its time to begin.
  const double by_speed = seconds() / *done;
  const double expected = (1 - *done) * whole + *done * by_speed;
  return (1 - *done) * expected;
}

std::string PaceText(const Pace& pace) {
  std::string text;
  if (const auto done = pace.fraction())
    text = fmt::format("{} %, ", Percent(*done));
  return text + LeftText(pace) + "; " + WorkText(pace);
}

std::string PaceLine(const Pace& pace, bool unicode) {
  std::string text;
  if (const auto done = pace.fraction()) {
    text = fmt::format("{} {:>3} %  ", Bar(*done, unicode), Percent(*done));
  }
  return text + LeftText(pace) + "  " + WorkText(pace);
}

ProgressCallback ShowProgress(const Listener& listener,
                              std::optional<Forecast> forecast) {
  return [listener, pace = std::make_shared<Pace>(std::move(forecast))](
             const Progress& progress) {
    pace->See(progress);
    listener.progress(listener.live ? PaceLine(*pace, listener.unicode)
                                    : PaceText(*pace));
  };
}

}  // namespace rangefinder
