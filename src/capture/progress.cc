#include "capture/progress.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/cost.h"

namespace rangefinder {
namespace {

constexpr std::string_view kPrefix = "==PROF== ";

// The number at the start of `text`; 0 if there is none.
std::uint64_t LeadingNumber(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The number before the last '%': 50 for "0%....50%".
int LastPercent(std::string_view text) {
  const std::size_t end = text.rfind('%');
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && IsAsciiDigit(text[begin - 1])) --begin;
  return static_cast<int>(LeadingNumber(text.substr(begin, end - begin)));
}

constexpr std::string_view kSlow = "is taking more time than expected";

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsAsciiDigit);
}

// `"NAME" - INDEX: REST`; with kernels selected by name, `"NAME": REST`; with
// --kernel-id, `"CONTEXT:STREAM:NAME:NUMBER": REST`. A name may contain
// anything, also `" - 7: `.
struct Profiling {
  std::string_view name{};
  std::optional<std::uint64_t> index{};
  std::string_view rest{};
};

// NAME of CONTEXT:STREAM:NAME:NUMBER; other names unchanged.
std::string_view WithoutNumbers(std::string_view name) {
  const std::size_t context = name.find(':');
  const std::size_t stream = name.find(':', context + 1);
  const std::size_t number = name.rfind(':');
  if (context == std::string_view::npos || number <= stream ||
      !IsNumber(name.substr(0, context)) ||
      !IsNumber(name.substr(context + 1, stream - context - 1)) ||
      !IsNumber(name.substr(number + 1)))
    return name;
  return name.substr(stream + 1, number - stream - 1);
}

bool ParseProfiling(std::string_view line, Profiling& out) {
  if (!line.starts_with("Profiling \"")) return false;
  line.remove_prefix(std::string_view("Profiling \"").size());
  const std::size_t dash = line.rfind("\" - ");
  const std::size_t quote = line.rfind("\": ");
  if (quote != std::string_view::npos &&
      (dash == std::string_view::npos || dash < quote)) {
    out = {.name = WithoutNumbers(line.substr(0, quote)),
           .rest = line.substr(quote + 3)};
    return true;
  }
  if (dash == std::string_view::npos) return false;
  const std::string_view after = line.substr(dash + 4);
  const std::size_t colon = after.find(": ");
  if (after.empty() || !IsAsciiDigit(after[0])) return false;
  out = {.name = line.substr(0, dash), .index = LeadingNumber(after)};
  if (colon != std::string_view::npos) out.rest = after.substr(colon + 2);
  return true;
}

}  // namespace

bool NcuLog::Feed(std::string_view bytes) {
  const Progress before = progress_;
  const bool zero_before = at_zero_;
  text_ += bytes;
  while (true) {
    const std::size_t end = text_.find('\n', line_);
    const bool complete = end != std::string::npos;
    const std::string_view line =
        std::string_view(text_).substr(line_, complete ? end - line_ : end);
    if (line.starts_with(kPrefix))
      ReadLine(line.substr(kPrefix.size()), complete);
    else if (slow_ && !line.starts_with("==") &&
             line.find('%') != std::string_view::npos)
      ReadSlow(line, complete);
    if (line.find(kSlow) != std::string_view::npos) at_zero_ = true;
    if (!complete) break;
    line_ = end + 1;
  }
  return progress_ != before || at_zero_ != zero_before;
}

void NcuLog::ReadLine(std::string_view line, bool complete) {
  ReadProfiling(line, complete);
  if (!complete) return;
  if (line.starts_with("Connected to process")) ++progress_.processes;
  if (line.starts_with("Disconnected from process")) {
    progress_.processes = std::max(0, progress_.processes - 1);
    progress_.measuring = false;
    at_zero_ = false;
  }
}

void NcuLog::ReadProfiling(std::string_view line, bool complete) {
  Profiling at;
  if (!ParseProfiling(line, at)) return;
  constexpr std::string_view kReplay = "Application replay pass ";
  progress_.kernel = at.name;
  if (at.rest.starts_with(kReplay)) {
    // Every pass repeats the same ranges.
    if (!complete) return;
    progress_.replay_pass =
        static_cast<int>(LeadingNumber(at.rest.substr(kReplay.size())));
    progress_.results = std::max(progress_.results, at.index.value_or(0) + 1);
    return;
  }
  slow_ = at.rest.find(kSlow) != std::string_view::npos;
  ReadPercents(at.rest, complete && !slow_);
  if (!complete || slow_) return;
  progress_.results = at.index ? std::max(progress_.results, *at.index + 1)
                               : progress_.results + 1;
}

void NcuLog::ReadSlow(std::string_view line, bool complete) {
  ReadPercents(line, complete);
  if (!complete) return;
  ++progress_.results;
  slow_ = false;
}

void NcuLog::ReadPercents(std::string_view rest, bool complete) {
  progress_.percent = LastPercent(rest);
  progress_.measuring = !complete;
  at_zero_ = !complete && progress_.percent == 0;
  if (!complete) return;
  const std::size_t passes = rest.rfind(" - ");
  if (passes != std::string_view::npos) {
    progress_.passes = static_cast<int>(LeadingNumber(rest.substr(passes + 3)));
  }
}

// ---- Pace ------------------------------------------------------------------

namespace {

constexpr std::size_t kBarCells = 16;

std::string UnitText(const Pace& pace) {
  const auto& forecast = pace.forecast();
  if (!forecast || forecast->units < pace.measured())
    return fmt::format("{} measured", pace.measured());
  return fmt::format("{} of {} {}{}", pace.measured(), forecast->units,
                     forecast->unit, forecast->units == 1 ? "" : "s");
}

// The current work, behind the times.
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
    // The program runs once per pass, and every pass measures all kernels.
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
  // A mean of the forecast and the time at the speed so far. The weight of the
  // speed grows with the finished share, since a program may begin slowly.
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

std::function<void(const Progress&)> ShowProgress(
    const Listener& listener, std::optional<Forecast> forecast) {
  return [listener, pace = std::make_shared<Pace>(std::move(forecast))](
             const Progress& progress) {
    pace->See(progress);
    listener.progress(listener.live ? PaceLine(*pace, listener.unicode)
                                    : PaceText(*pace));
  };
}

}  // namespace rangefinder
