#include "inject/counters/open_path.h"

#include <pthread.h>
#include <string.h>

#include "inject/process/own_call.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint32_t kMostOpen = 64;  // start/end ranges

struct OpenStart {
  std::uint64_t id = 0;
  std::uint64_t ticks = 0;
  std::uint32_t label = 0;
};

struct OpenStarts {
  std::atomic<std::uint32_t> count{0};  // includes ranges that are not kept
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  OpenStart open[kMostOpen] = {};  // by time of opening
  std::uint32_t kept = 0;
};
constinit OpenStarts starts{};

// A thread that was cancelled at any instruction, or whose handler jumped away,
// would keep the lock.
class StartsLock {
 public:
  StartsLock() { pthread_mutex_lock(&starts.mutex); }
  ~StartsLock() { pthread_mutex_unlock(&starts.mutex); }
  StartsLock(const StartsLock&) = delete;
  StartsLock& operator=(const StartsLock&) = delete;

 private:
  QuietCall call_{Faults::kWait};
};

std::uint32_t LookUp(const CountPlan& plan, std::uint32_t label) {
  std::uint32_t frame = kNoPlace;
  WithNames([&](Names& names, TraceFile&) {
    const LabelKey& key = names.KeyOf(label);
    frame =
        plan.FrameOf(names.DomainName(key.domain), names.TextOf(key.string));
  });
  return frame;
}

std::uint32_t FrameOf(const CountPlan& plan, std::uint32_t label) {
  // 0: not known, 1: no frame of the plan, else 2 + the frame.
  std::atomic<std::uint32_t>* const kept = plan.Known(label);
  if (kept == nullptr) return LookUp(plan, label);
  const std::uint32_t known = kept->load(std::memory_order_relaxed);
  if (known != 0) return known - 2;  // 1 gives kNoPlace
  const std::uint32_t frame = LookUp(plan, label);
  kept->store(frame + 2, std::memory_order_relaxed);
  return frame;
}
static_assert(kNoPlace + 2 == 1);

// Goes one frame deeper; false: the plan has no such path.
bool Step(const CountPlan& plan, std::uint32_t label, std::uint32_t& node) {
  const std::uint32_t frame = FrameOf(plan, label);
  if (frame == kNoPlace) return false;
  node = plan.Child(node, frame);
  return node != kNoPlace;
}

std::uint32_t Among(const CountPlan& plan, const ThreadLog& log,
                    const OpenStart* open, std::uint32_t count) {
  std::uint32_t node = 0, next = 0;
  for (std::size_t i = 0; i < log.open_count(); ++i) {
    const ThreadLog::Open& range = log.open()[i];
    for (; next < count && open[next].ticks <= range.ticks; ++next) {
      if (!Step(plan, open[next].label, node)) return kNoPlace;
    }
    if (!Step(plan, range.label, node)) return kNoPlace;
  }
  return plan.RowOf(node);
}

}  // namespace

std::uint32_t OpenRow(const CountPlan& plan, const ThreadLog& log) {
  const std::size_t depth = log.depth();
  if (depth == 0 || depth > wire::kDeepestCount ||
      FrameOf(plan, log.open()[depth - 1].label) == kNoPlace)
    return kNoPlace;
  if (starts.count.load(std::memory_order_relaxed) == 0)
    return Among(plan, log, nullptr, 0);
  OpenStart open[kMostOpen];
  std::uint32_t kept = 0;
  bool all = false;
  {
    const StartsLock lock;
    kept = starts.kept;
    all = kept == starts.count.load(std::memory_order_relaxed);
    memcpy(open, starts.open, kept * sizeof *open);
  }
  return all ? Among(plan, log, open, kept) : kNoPlace;
}

void ForgetRanges() {
  const StartsLock lock;
  starts.count.store(0, std::memory_order_relaxed);
  starts.kept = 0;
}

void RangeStarted(const ThreadLog& log, std::uint32_t label, std::uint64_t id) {
  const StartsLock lock;
  if (!log.is_current()) return;
  for (std::uint32_t i = 0; i < starts.kept; ++i)
    if (starts.open[i].id == id) return;
  starts.count.fetch_add(1, std::memory_order_relaxed);
  if (starts.kept < kMostOpen)
    starts.open[starts.kept++] = {id, Ticks(), label};
}

void RangeEnded(const ThreadLog& log, std::uint64_t id) {
  const StartsLock lock;
  if (!log.is_current()) return;
  std::uint32_t at = 0;
  while (at < starts.kept && starts.open[at].id != id) ++at;
  const bool kept = at < starts.kept;
  // Ranges that are not kept: those beyond the limit, and those opened before
  // CUDA was initialised.
  if (kept || starts.count.load(std::memory_order_relaxed) > starts.kept)
    starts.count.fetch_sub(1, std::memory_order_relaxed);
  if (kept) {
    --starts.kept;
    memmove(&starts.open[at], &starts.open[at + 1],
            (starts.kept - at) * sizeof starts.open[0]);
  }
}

}  // namespace rangefinder::inject
