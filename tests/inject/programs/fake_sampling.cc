// PM sampling of the CUPTI stand-in: a sample of every device in every interval
// from start to stop, whose values follow from its time (docs of the test).
//
// FAKE_SAMPLING=key=number,key=number:
//   STEP=RESULT    what a function returns, by the name in Check() below
//   passes=N       that any set of metrics takes
//   capacity=N     samples that the GPU's buffer holds, before it overflows
//   per_mib=N      the same, for each MiB of the buffer
//   most_mib=N     of a buffer: a larger one is refused
//   overflows=N    so many sessions overflow after their first 5 ms
//   tail=N         samples that stay incomplete until the next decoding
//   thin_below=NS  every 20th sample is missing, at intervals below NS
//   decode_ms=N    that decoding takes while the session runs
//   evaluate_us=N  that evaluating a sample takes
//   bytes=N        that a sample takes in an image, beside its time
//   enable_ms=N    that beginning a device takes
//
// The metric `unknown.sum` is not known: CUPTI says 1, an invalid parameter.
// Calls that CUPTI would not survive end the program with status 9: two at
// once about one device or one about none, any without its session, any after
// the destructors of the profiler's libraries have run.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <time.h>
#include <unistd.h>

#include "cupti/errors.h"
#include "cupti/host_abi.h"
#include "cupti/sampling_abi.h"

namespace {

using namespace rangefinder::cupti;

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "fake CUPTI: %s\n", why);
  _exit(9);
}

long Wish(const char* key, long otherwise) {
  const char* text = std::getenv("FAKE_SAMPLING");
  const std::string all = text != nullptr ? std::string(",") + text : "";
  const std::size_t at = all.find(std::string(",") + key + "=");
  if (at == std::string::npos) return otherwise;
  return std::atol(all.c_str() + at + std::strlen(key) + 2);
}

std::uint64_t Now() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct Session {
  bool enabled = false, configured = false, running = false;
  bool overflowed = false;
  std::uint64_t interval = 0, started = 0, stopped = 0;
  std::uint64_t capacity = 0;  // samples
  std::uint64_t taken = 0;     // samples that were decoded, completely or not
};
Session sessions[8];
std::atomic<long> overflows{0};  // so far
std::atomic<pid_t> loaded_in{0};
std::atomic<bool> destroyed{false};
std::atomic<int> inside[9] = {};  // calls, of each session and of none

std::size_t IndexOf(const void* object) {
  const auto* session = static_cast<const Session*>(object);
  if (session < sessions || session >= sessions + 8) Die("no such session");
  return static_cast<std::size_t>(session - sessions);
}

// One call at a time, and none too late. A call that reads an image reads that
// of a device.
class Check {
 public:
  enum class Of { kNone, kImage };
  Check(const char* step, std::size_t size, std::size_t expected,
        std::size_t device, Of of = Of::kNone)
      : result_(static_cast<Code>(Wish(step, 0))),
        inside_(of == Of::kImage ? nullptr : &inside[device]) {
    if (inside_ != nullptr && inside_->fetch_add(1) != 0)
      Die("two calls at once");
    if (destroyed) Die("called after its destructors");
    if (loaded_in != 0 && loaded_in != getpid()) Die("called in a child");
    if (size != expected) Die("a structure of the wrong size");
  }
  ~Check() {
    if (inside_ != nullptr) inside_->fetch_sub(1);
  }
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;
  Code result() const { return result_; }

 private:
  Code result_;
  std::atomic<int>* inside_;
};
constexpr std::size_t kNoDevice = 8;

Session& Of(void* object) {
  auto* session = static_cast<Session*>(object);
  if (session < sessions || session >= sessions + 8 || !session->enabled)
    Die("no such session");
  return *session;
}

// The content of a counter data image.
struct Slot {
  std::uint64_t start, end;
};
struct Image {
  std::uint64_t magic, total, populated, completed;
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
};
constexpr std::uint64_t kMagic = 0x656C706D6173;

Image& In(const std::uint8_t* data) {
  auto& image = *reinterpret_cast<Image*>(const_cast<std::uint8_t*>(data));
  if (image.magic != kMagic) Die("no image of counter data");
  return image;
}

void DestroyLibraries() {
  destroyed = true;
  if (getpid() != loaded_in) return;  // the sessions are the parent's
  for (const Session& session : sessions)
    if (session.enabled) Die("a session was open at the end");
}

}  // namespace

extern "C" {

bool FakeSessionIsOpen(int device) {
  return sessions[device].enabled && loaded_in == getpid();
}

Code samples_ProfilerInitialize(ProfilerInitialize* p) {
  const Check check("initialize", p->struct_size, 16, kNoDevice);
  // As the destructors of the libraries that are loaded here.
  if (loaded_in == 0) std::atexit(DestroyLibraries);
  loaded_in = getpid();
  return check.result();
}

Code samples_DeviceGetChipName(DeviceChipName* p) {
  const Check check("chip", p->struct_size, 32, kNoDevice);
  p->chip = "GH100";
  return check.result();
}

Code cuptiPmSamplingGetCounterAvailability(SamplingAvailability* p) {
  const Check check("availability", p->struct_size, 40, kNoDevice);
  if (p->image == nullptr)
    p->size = 100;
  else
    std::memset(p->image, 7, p->size);
  return check.result();
}

Code samples_ProfilerHostInitialize(HostInitialize* p) {
  const Check check("host", p->struct_size, 48, kNoDevice);
  if (p->profiler != ProfilerType::kPmSampling ||
      std::strcmp(p->chip, "GH100") != 0 || p->availability == nullptr ||
      p->availability[99] != 7)
    Die("a host object of nothing");
  p->host = &sessions;
  return check.result();
}
Code samples_ProfilerHostDeinitialize(HostDeinitialize* p) {
  const Check check("host_end", p->struct_size, 24, kNoDevice);
  return check.result();
}
Code samples_ProfilerHostConfigAddMetrics(HostAddMetrics* p) {
  const Check check("metrics", p->struct_size, 40, kNoDevice);
  for (std::size_t i = 0; i < p->count; ++i) {
    if (std::strcmp(p->metrics[i], "unknown.sum") == 0) return 1;
  }
  return check.result();
}
Code samples_ProfilerHostGetConfigImageSize(HostConfigImageSize* p) {
  const Check check("config_size", p->struct_size, 32, kNoDevice);
  p->size = 64;
  return check.result();
}
Code samples_ProfilerHostGetConfigImage(HostConfigImage* p) {
  const Check check("config_image", p->struct_size, 40, kNoDevice);
  std::memset(p->image, 8, p->size);
  return check.result();
}
Code samples_ProfilerHostGetNumOfPasses(HostPasses* p) {
  const Check check("count_passes", p->struct_size, 40, kNoDevice);
  p->passes = static_cast<std::size_t>(Wish("passes", 1));
  return check.result();
}

Code cuptiPmSamplingEnable(SamplingEnable* p) {
  const Check check("enable", p->struct_size, 32, p->device);
  if (check.result() != 0) return check.result();
  Session& session = sessions[p->device];
  if (session.enabled) Die("enabled twice");
  if (const long ms = Wish("enable_ms", 0); ms > 0)
    usleep(static_cast<useconds_t>(ms * 1000));
  session = {};
  session.enabled = true;
  p->object = &session;
  return 0;
}
Code cuptiPmSamplingSetConfig(SamplingConfig* p) {
  const Check check("configure", p->struct_size, 64, IndexOf(p->object));
  if (p->config[63] != 8 || p->trigger != 1 || p->append != 0 ||
      p->hardware_buffer < 16 * 1024 * 1024)
    Die("a configuration of nothing");
  Session& session = Of(p->object);
  const auto mib = static_cast<long>(p->hardware_buffer >> 20);
  if (mib > Wish("most_mib", mib)) return kOutOfMemory;
  const long per_mib = Wish("per_mib", 0);
  session.capacity = static_cast<std::uint64_t>(
      per_mib > 0 ? per_mib * mib : Wish("capacity", 1L << 40));
  session.interval = p->interval;
  session.configured = true;
  return check.result();
}
Code cuptiPmSamplingGetCounterDataSize(SamplingImageSize* p) {
  const Check check("data_size", p->struct_size, 56, IndexOf(p->object));
  Of(p->object);
  p->size =
      sizeof(Image) +
      p->samples * (sizeof(Slot) + static_cast<std::size_t>(Wish("bytes", 0)));
  return check.result();
}
Code cuptiPmSamplingCounterDataImageInitialize(SamplingImage* p) {
  const Check check("data", p->struct_size, 40, IndexOf(p->object));
  Of(p->object);
  const std::size_t slot =
      sizeof(Slot) + static_cast<std::size_t>(Wish("bytes", 0));
  *reinterpret_cast<Image*>(p->image) = {
      kMagic, (p->size - sizeof(Image)) / slot, 0, 0};
  return check.result();
}
Code cuptiPmSamplingStart(SamplingStart* p) {
  const Check check("start", p->struct_size, 24, IndexOf(p->object));
  Session& session = Of(p->object);
  if (!session.configured) Die("started before it was configured");
  session.running = true;
  session.started = Now() + 500000;
  return check.result();
}
Code cuptiPmSamplingStop(SamplingStop* p) {
  const Check check("stop", p->struct_size, 24, IndexOf(p->object));
  Session& session = Of(p->object);
  session.stopped = Now();
  session.running = false;
  return check.result();
}
Code cuptiPmSamplingDisable(SamplingDisable* p) {
  const Check check("disable", p->struct_size, 24, IndexOf(p->object));
  Of(p->object).enabled = false;
  return check.result();
}

Code cuptiPmSamplingDecodeData(SamplingDecode* p) {
  const Check check("decode", p->struct_size, 45, IndexOf(p->object));
  if (check.result() != 0) return check.result();
  Session& session = Of(p->object);
  Image& image = In(p->image);
  if (const long ms = Wish("decode_ms", 0); ms > 0 && session.running)
    usleep(static_cast<useconds_t>(ms * 1000));
  const std::uint64_t now = session.running ? Now() : session.stopped;
  const std::uint64_t made =
      now > session.started ? (now - session.started) / session.interval : 0;
  if (!session.overflowed && now > session.started + 5'000'000 &&
      overflows < Wish("overflows", 0)) {
    ++overflows;
    session.overflowed = true;
  }
  if (made - session.taken > session.capacity) session.overflowed = true;
  if (session.overflowed) return kOutOfMemory;
  while (session.taken < made && image.populated < image.total) {
    if (session.taken % 20 == 19 &&
        session.interval < static_cast<std::uint64_t>(Wish("thin_below", 0))) {
      ++session.taken;
      continue;
    }
    const std::uint64_t start =
        session.started + session.taken++ * session.interval;
    image.slots()[image.populated++] = {start, start + session.interval};
  }
  const bool full = session.taken < made;
  p->stop_reason = full ? kImageFull : kEndOfRecords;
  // Samples at the end wait for the next decoding; at the stop all are
  // complete.
  const auto tail =
      static_cast<std::uint64_t>(full || session.running ? Wish("tail", 0) : 0);
  image.completed = std::max(image.completed,
                             image.populated - std::min(image.populated, tail));
  return 0;
}
Code cuptiPmSamplingGetCounterDataInfo(SamplingImageInfo* p) {
  const Check check("data_info", p->struct_size, 56, kNoDevice,
                    Check::Of::kImage);
  const Image& image = In(p->image);
  p->total = image.total;
  p->populated = image.populated;
  p->completed = image.completed;
  return check.result();
}
Code cuptiPmSamplingCounterDataGetSampleInfo(SampleInfo* p) {
  const Check check("sample_info", p->struct_size, 64, IndexOf(p->object));
  Of(p->object);
  Image& image = In(p->image);
  if (p->index >= image.completed) Die("a sample that is not complete");
  p->start = image.slots()[p->index].start;
  p->end = image.slots()[p->index].end;
  return check.result();
}
Code samples_ProfilerHostEvaluateToGpuValues(HostEvaluate* p) {
  const Check check("evaluate", p->struct_size, 72, kNoDevice,
                    Check::Of::kImage);
  Image& image = In(p->image);
  if (p->index >= image.completed) Die("a sample that is not complete");
  if (const long us = Wish("evaluate_us", 0); us > 0)
    usleep(static_cast<useconds_t>(us));
  // Depends on the time alone, so that a test can compute the value that a
  // trace must have.
  for (std::size_t i = 0; i < p->count; ++i) {
    p->values[i] =
        static_cast<double>(image.slots()[p->index].start % 1000003) +
        static_cast<double>(i) / 4;
  }
  return check.result();
}

}  // extern "C"
