#include "capture/groundwork.h"

#include <fmt/format.h>

namespace rangefinder {

std::string ForecastText(const Forecast& forecast) {
  std::string text = fmt::format(
      "{} {}{} x {} pass{}: about {}", forecast.units, forecast.unit,
      forecast.units == 1 ? "" : "s", forecast.passes,
      forecast.passes == 1 ? "" : "es", DurationText(forecast.seconds));
  if (forecast.runs > 1) text += fmt::format(", in {} runs", forecast.runs);
  return text;
}

}  // namespace rangefinder
