#include "insight/growth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace rangefinder {
namespace {

constexpr std::size_t kFewest = 16;
// The last quarter's mean must exceed the first one's by this many standard
// errors: a few long instances are no growth.
constexpr double kErrors = 4;

struct Mean {
  double ns = 0;        // of an instance
  double variance = 0;  // squared standard error
};

Mean MeanOf(std::span<const TimeSpan> spans) {
  double ns = 0, instances = 0;
  for (const TimeSpan& span : spans) {
    ns += static_cast<double>(span.busy_ns);
    instances += static_cast<double>(span.count);
  }
  if (instances <= 0) return {};
  Mean mean{.ns = ns / instances};
  double squares = 0;
  for (const TimeSpan& span : spans) {
    const double distance = static_cast<double>(span.busy_ns) -
                            mean.ns * static_cast<double>(span.count);
    squares += distance * distance;
  }
  // Of a ratio: Cochran, "Sampling Techniques", section 6.4.
  const auto n = static_cast<double>(spans.size());
  mean.variance = squares * n / ((n - 1) * instances * instances);
  return mean;
}

}  // namespace

std::optional<Growth> GrowthOf(std::span<const TimeSpan> spans) {
  const std::size_t n = spans.size();
  if (n < kFewest) return std::nullopt;
  std::array<Mean, 4> quarters{};
  for (std::size_t i = 0; i < quarters.size(); ++i)
    quarters[i] = MeanOf(spans.subspan(i * n / 4, (i + 1) * n / 4 - i * n / 4));
  const Mean& first = quarters.front();
  const Mean& last = quarters.back();
  if (first.ns <= 0 || !std::ranges::is_sorted(quarters, {}, &Mean::ns) ||
      last.ns - first.ns <= kErrors * std::sqrt(first.variance + last.variance))
    return std::nullopt;
  double above = 0;
  for (const TimeSpan& span : spans)
    above += static_cast<double>(span.busy_ns) -
             first.ns * static_cast<double>(span.count);
  return Growth{.ratio = last.ns / first.ns, .ns = std::max(0.0, above)};
}

}  // namespace rangefinder
