// The Range Profiler of the stand-in for CUPTI: it counts the work of
// FakeLaunch() and FakeCount() in the open range.
//
// FAKE_RANGES=key=number,key=number:
//   STEP=RESULT    what a function returns, by the name in Check() below
//   passes=N       that any set of metrics takes: metric i is in pass i % N
//   drop=N         the Nth range after a start is dropped
//   slow=MS        that the first stop takes
//   raise=SIGNAL   comes in pushes, and must act at once without a handler
//
// Metric i counts (i + 1) times what was done. The metric `unknown.sum` is not
// known. Calls that CUPTI would not survive, or answers with nonsense, end the
// program with status 9: two at once, a push before the start or inside another
// range, a pop without a push, a stop with a range open, more ranges than were
// configured, any with a stream that is being captured, any after the
// destructors of the profiler's libraries have run.

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cupti/errors.h"
#include "cupti/host_abi.h"
#include "cupti/range_abi.h"

namespace {

using namespace rangefinder::cupti;

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "fake CUPTI: %s\n", why);
  _exit(9);
}

long Wish(const char* key, long otherwise) {
  const char* text = std::getenv("FAKE_RANGES");
  const std::string all = text != nullptr ? std::string(",") + text : "";
  const std::size_t at = all.find(std::string(",") + key + "=");
  if (at == std::string::npos) return otherwise;
  return std::atol(all.c_str() + at + std::strlen(key) + 2);
}

constexpr std::size_t kMostSlots = 1024;

// Counter data: the counts of all ranges of one name add up.
struct Slot {
  char name[60];
  std::uint64_t count, pass;
};
struct Image {
  std::uint64_t magic, room, used;
  Slot slots[kMostSlots];
};
constexpr std::uint64_t kMagic = 0x7365676E6172;

struct Profiler {
  void* context = nullptr;
  bool configured = false, started = false, open = false, fresh = false;
  std::size_t most = 0, pushes = 0, pass = 0;
  std::uint8_t* image = nullptr;
  std::size_t image_size = 0;
  char names[kMostSlots][60] = {};
  std::uint64_t counts[kMostSlots] = {};
  std::uint64_t before = 0;
};
Profiler profiler;
std::atomic<std::uint64_t> done{0};  // by the GPU, so far
std::atomic<int> captures{0};
std::atomic<bool> destroyed{false};
std::atomic<int> inside{0};
pid_t loaded_in = 0;
std::size_t metric_count = 0;

class Check {
 public:
  Check(const char* step, std::size_t size, std::size_t expected)
      : result_(static_cast<Code>(Wish(step, 0))) {
    if (inside.fetch_add(1) != 0) Die("two calls at once");
    if (destroyed) Die("called after its destructors");
    if (getpid() != loaded_in && loaded_in != 0) Die("called in a child");
    if (size != expected) Die("a structure of the wrong size");
  }
  ~Check() { inside.fetch_sub(1); }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  Code result() const { return result_; }

 private:
  Code result_;
};

Profiler& Of(void* object) {
  if (object != &profiler || profiler.context == nullptr)
    Die("no such profiler");
  return profiler;
}

// A place to be cancelled at.
void WaitForTheGpu() {
  poll(nullptr, 0, 0);
}

void Raise(int signal) {
  if (signal == 0) return;
  raise(signal);
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_DFL) Die("a signal without a handler waits");
}

Image& In(const std::uint8_t* data) {
  auto& image = *reinterpret_cast<Image*>(const_cast<std::uint8_t*>(data));
  if (image.magic != kMagic) Die("no image of counter data");
  return image;
}

void DestroyLibraries() {
  destroyed = true;
  if (getpid() == loaded_in && profiler.context != nullptr)
    Die("a profiler was enabled at the end");
}

}  // namespace

extern "C" {

bool FakeHostIsOfRanges(const void* host) {
  return host == &profiler;
}
void FakeCount(std::uint64_t more) {
  done += more;
}
void FakeCaptures(int more) {
  captures += more;
}
void FakeContextGone(void* context) {
  if (context == profiler.context) Die("a context with a profiler is gone");
}

Code ranges_ProfilerInitialize(ProfilerInitialize* p) {
  const Check check("initialize", p->struct_size, 16);
  if (loaded_in == 0) std::atexit(DestroyLibraries);
  loaded_in = getpid();
  return check.result();
}
Code ranges_DeviceGetChipName(DeviceChipName* p) {
  const Check check("chip", p->struct_size, 32);
  p->chip = "GH100";
  return check.result();
}
Code ranges_ProfilerHostInitialize(HostInitialize* p) {
  const Check check("host", p->struct_size, 48);
  if (p->profiler != ProfilerType::kRange || std::strcmp(p->chip, "GH100") != 0)
    Die("a host object of nothing");
  p->host = &profiler;
  return check.result();
}
Code ranges_ProfilerHostDeinitialize(HostDeinitialize* p) {
  const Check check("host_end", p->struct_size, 24);
  return check.result();
}
Code ranges_ProfilerHostConfigAddMetrics(HostAddMetrics* p) {
  const Check check("metrics", p->struct_size, 40);
  for (std::size_t i = 0; i < p->count; ++i) {
    if (std::strcmp(p->metrics[i], "unknown.sum") == 0) return 1;
  }
  return check.result();
}
Code ranges_ProfilerHostGetConfigImageSize(HostConfigImageSize* p) {
  const Check check("config_size", p->struct_size, 32);
  p->size = 64;
  return check.result();
}
Code ranges_ProfilerHostGetConfigImage(HostConfigImage* p) {
  const Check check("config_image", p->struct_size, 40);
  std::memset(p->image, 8, p->size);
  p->image[0] = 9;  // not that of samples
  return check.result();
}
Code ranges_ProfilerHostGetNumOfPasses(HostPasses* p) {
  const Check check("count_passes", p->struct_size, 40);
  p->passes = static_cast<std::size_t>(Wish("passes", 1));
  return check.result();
}
Code ranges_ProfilerHostEvaluateToGpuValues(HostEvaluate* p) {
  const Check check("evaluate", p->struct_size, 72);
  const Image& image = In(p->image);
  if (p->index >= image.used) Die("a range that is not there");
  const Slot& slot = image.slots[p->index];
  const auto passes = static_cast<std::size_t>(Wish("passes", 1));
  for (std::size_t i = 0; i < p->count; ++i) {
    p->values[i] = i % passes == slot.pass
                       ? static_cast<double>(slot.count * (i + 1))
                       : std::nan("");
  }
  return check.result();
}

Code cuptiRangeProfilerEnable(RangeEnable* p) {
  const Check check("enable", p->struct_size, 32);
  if (check.result() != 0) return check.result();
  if (profiler.context != nullptr || p->context == nullptr)
    Die("enabled twice, or on nothing");
  profiler = {};
  profiler.context = p->context;
  p->object = &profiler;
  return 0;
}
Code cuptiRangeProfilerDisable(RangeDisable* p) {
  const Check check("disable", p->struct_size, 24);
  Of(p->object).context = nullptr;
  return check.result();
}
Code cuptiRangeProfilerGetCounterDataSize(RangeImageSize* p) {
  const Check check("data_size", p->struct_size, 64);
  if (p->tree_nodes < p->ranges) Die("too few nodes");
  metric_count = p->count;
  p->size = sizeof(Image);
  return check.result();
}
Code cuptiRangeProfilerCounterDataImageInitialize(RangeImage* p) {
  const Check check("data", p->struct_size, 40);
  auto& image = *reinterpret_cast<Image*>(p->image);
  image.magic = kMagic;
  image.room = kMostSlots;
  image.used = 0;
  return check.result();
}
Code cuptiRangeProfilerSetConfig(RangeConfig* p) {
  const Check check("configure", p->struct_size, 90);
  Profiler& it = Of(p->object);
  if (it.started) Die("configured while started");
  if (p->config[63] != 8 || p->range != 2 || p->replay != 3 ||
      p->nesting_levels != 1 || p->first_level != 1 || p->level != 1)
    Die("a configuration of nothing");
  if (In(p->image).used != 0) Die("an image that was used before");
  it.most = p->ranges_per_pass;
  it.image = p->image;
  it.image_size = p->size;
  it.configured = it.fresh = true;
  return check.result();
}
Code cuptiRangeProfilerStart(RangeStart* p) {
  const Check check("start", p->struct_size, 24);
  if (check.result() != 0) return check.result();
  Profiler& it = Of(p->object);
  if (!it.configured || !it.fresh || it.started) Die("started out of turn");
  it.started = true;
  it.pushes = 0;
  return 0;
}
Code cuptiRangeProfilerPushRange(RangePush* p) {
  const Check check("push", p->struct_size, 32);
  Profiler& it = Of(p->object);
  if (!it.started) Die("pushed before the start");
  if (it.open) Die("pushed into another range");
  if (captures > 0) Die("pushed while a stream is captured");
  WaitForTheGpu();
  if (it.pushes == it.most) Die("more ranges than were configured");
  if (check.result() != 0 && it.pushes > 0) return check.result();
  if (std::strlen(p->name) > 59) Die("a name that is too long");
  if (it.pushes > 0) Raise(static_cast<int>(Wish("raise", 0)));
  std::strcpy(it.names[it.pushes], p->name);
  it.before = done;
  it.open = true;
  return 0;
}
Code cuptiRangeProfilerPopRange(RangePop* p) {
  const Check check("pop", p->struct_size, 24);
  Profiler& it = Of(p->object);
  if (!it.open) Die("popped without a push");
  if (captures > 0) Die("popped while a stream is captured");
  WaitForTheGpu();
  it.counts[it.pushes++] = done - it.before;
  it.open = false;
  return it.pushes > 1 ? check.result() : 0;
}
Code cuptiRangeProfilerStop(RangeStop* p) {
  const Check check("stop", p->struct_size, 41);
  Profiler& it = Of(p->object);
  if (!it.started) Die("stopped before the start");
  if (it.open) Die("stopped with a range open");
  static bool stopped = false;
  if (!stopped) poll(nullptr, 0, static_cast<int>(Wish("slow", 0)));
  stopped = true;
  it.started = false;
  p->all_passes = it.pass + 1 == static_cast<std::size_t>(Wish("passes", 1));
  return check.result();
}
Code cuptiRangeProfilerDecodeData(RangeDecode* p) {
  const Check check("decode", p->struct_size, 32);
  Profiler& it = Of(p->object);
  Image& image = In(it.image);
  const auto dropped = static_cast<std::size_t>(Wish("drop", 1 << 20));
  for (std::size_t i = 0; i < it.pushes; ++i) {
    if (i == dropped) {
      ++p->dropped;
      continue;
    }
    std::size_t at = 0;
    while (at < image.used && std::strcmp(image.slots[at].name, it.names[i]))
      ++at;
    if (at == image.used) {
      std::strcpy(image.slots[at].name, it.names[i]);
      image.slots[at].count = 0;
      image.slots[at].pass = it.pass;
      ++image.used;
    }
    image.slots[at].count += it.counts[i];
  }
  it.pass = (it.pass + 1) % static_cast<std::size_t>(Wish("passes", 1));
  it.fresh = false;
  return check.result();
}
Code cuptiRangeProfilerGetCounterDataInfo(RangeImageInfo* p) {
  const Check check("data_info", p->struct_size, 40);
  p->ranges = In(p->image).used;
  return check.result();
}
Code cuptiRangeProfilerCounterDataGetRangeInfo(RangeInfo* p) {
  const Check check("range_info", p->struct_size, 56);
  Image& image = In(p->image);
  if (p->index >= image.used) Die("a range that is not there");
  p->name = image.slots[p->index].name;
  return check.result();
}

}  // extern "C"
