#include "capture/progress.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rangefinder {
namespace {

constexpr std::string_view kPrefix = "==PROF== ";

// The number that `text` begins with; 0 when it begins with none.
std::uint64_t LeadingNumber(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The number before the last '%': "0%....50%" is at 50.
int LastPercent(std::string_view text) {
  const std::size_t end = text.rfind('%');
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  return static_cast<int>(LeadingNumber(text.substr(begin, end - begin)));
}

constexpr std::string_view kSlow = "is taking more time than expected";

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// `"NAME" - INDEX: REST`, or where kernels are chosen by name `"NAME": REST`,
// or by --kernel-id `"CONTEXT:STREAM:NAME:NUMBER": REST`. A name may hold
// anything, also `" - 7: `.
struct Profiling {
  std::string_view name{};
  std::optional<std::uint64_t> index{};
  std::string_view rest{};
};

// NAME of CONTEXT:STREAM:NAME:NUMBER; another name as it is.
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
  if (after.empty() || after[0] < '0' || after[0] > '9') return false;
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
  return before.kernel != progress_.kernel ||
         before.results != progress_.results ||
         before.percent != progress_.percent ||
         before.measuring != progress_.measuring ||
         before.replay_pass != progress_.replay_pass ||
         before.processes != progress_.processes || zero_before != at_zero_;
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
    // The same ranges come again in every pass.
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

}  // namespace rangefinder
