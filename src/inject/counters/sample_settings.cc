#include "inject/counters/sample_settings.h"

#include <stdlib.h>
#include <string.h>

#include "inject/process/setting.h"

namespace rangefinder::inject {
namespace {

bool Contains(const SampleSettings& settings, const char* metric) {
  for (std::size_t i = 0; i < settings.count; ++i) {
    if (strcmp(settings.metrics[i], metric) == 0) return true;
  }
  return false;
}

// `asked` is shorter than `text`. False: there is no room for a metric.
bool AddMetrics(const char* asked, char* text, SampleSettings& settings) {
  strcpy(text, asked);
  for (char* at = text; *at != '\0';) {
    const std::size_t size = strcspn(at, ", ");
    char* const next = at + size + (at[size] != '\0' ? 1 : 0);
    at[size] = '\0';
    if (size > 0 && !Contains(settings, at)) {
      if (settings.count == SampleSettings::kMostMetrics) return false;
      settings.metrics[settings.count++] = at;
    }
    at = next;
  }
  return true;
}

// Null: success; else the reason of the failure.
const char* ReadMetrics(SampleSettings& settings) {
  const char* asked = Setting("RANGEFINDER_INJECT_METRICS");
  if (asked == nullptr || *asked == '\0') asked = kDefaultMetrics;
  const char* more = Setting("RANGEFINDER_INJECT_OPTIONAL");
  if (more == nullptr) more = "";
  if (strlen(asked) >= SampleSettings::kMostText ||
      strlen(more) >= SampleSettings::kMostText)
    return "RANGEFINDER_INJECT_METRICS or RANGEFINDER_INJECT_OPTIONAL is "
           "longer than 4095 bytes";
  bool has_room = AddMetrics(asked, settings.text, settings);
  settings.required = settings.count;
  has_room = has_room && AddMetrics(more, settings.optional_text, settings);
  if (settings.required == 0) return "RANGEFINDER_INJECT_METRICS names none";
  return has_room ? nullptr
                  : "RANGEFINDER_INJECT_METRICS names more than 64 metrics";
}

const char* ReadInterval(SampleSettings& settings) {
  const char* asked = Setting("RANGEFINDER_INJECT_SAMPLE_NS");
  if (asked == nullptr || *asked == '\0') return nullptr;
  char* end = nullptr;
  const unsigned long long ns = strtoull(asked, &end, 10);
  settings.widens = *end == '+';
  if (settings.widens) ++end;
  if (asked[0] < '0' || asked[0] > '9' || *end != '\0' ||
      ns < kShortestIntervalNs || ns > kLongestIntervalNs)
    return "RANGEFINDER_INJECT_SAMPLE_NS is no number of ns from 5000 to "
           "1000000000";
  settings.interval_ns = ns;
  return nullptr;
}

}  // namespace

const char* ReadSampleSettings(SampleSettings& settings) {
  const char* const failed = ReadMetrics(settings);
  return failed != nullptr ? failed : ReadInterval(settings);
}

}  // namespace rangefinder::inject
