#include "inject/counters/collector.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/process/own_memory.h"

namespace rangefinder::inject {

bool Collector::Fail(const char* step, cupti::Code code) {
  tools_.cupti->SayFailure(step, code, reason_, sizeof reason_);
  return false;
}

// ---- Once ------------------------------------------------------------------

bool Collector::FindChip(const Tools& tools, std::uint32_t device) {
  tools_ = tools;
  cupti::ProfilerInitialize begun;
  cupti::DeviceChipName name;
  name.device = device;
  if (!Call(*tools_.host, begun) || !Call(*tools_.host, name)) return false;
  if (name.chip != nullptr) chip_ = name.chip;
  return true;
}

bool Collector::SetUp(cupti::ProfilerType type,
                      const std::uint8_t* availability) {
  type_ = type;
  availability_ = availability;
  if (host_ != nullptr) {
    cupti::HostDeinitialize done;
    done.host = host_;
    (*tools_.host)(done);
    host_ = nullptr;
  }
  return MakeHost(host_) && AddMetrics() && MakeConfig();
}

bool Collector::MakeHost(void*& host) {
  cupti::HostInitialize made;
  made.profiler = type_;
  made.chip = chip_;
  made.availability = availability_;
  const bool good = Call(*tools_.host, made);
  host = made.host;
  return good;
}

cupti::Code Collector::Add(void* host, const char** metrics,
                           std::size_t count) {
  cupti::HostAddMetrics added;
  added.host = host;
  added.metrics = metrics;
  added.count = count;
  return (*tools_.host)(added);
}

bool Collector::AddMetrics() {
  const cupti::Code code = Add(host_, metrics(), settings().count);
  if (code == cupti::kSuccess) return true;
  Fail(cupti::HostAddMetrics::kFunction, code);
  NameBadMetric();
  return false;
}

// CUPTI says that a metric is unknown, but not which one: add each metric
// alone.
void Collector::NameBadMetric() {
  for (std::size_t i = 0; i < settings().count; ++i) {
    cupti::HostDeinitialize done;
    if (!MakeHost(done.host)) return;
    const cupti::Code code = Add(done.host, &metrics()[i], 1);
    (*tools_.host)(done);
    if (code == cupti::kSuccess) continue;
    snprintf(reason_, sizeof reason_,
             "%s has no metric %.150s that can be %s (%s, %d)",
             *chip_ != '\0' ? chip_ : "the GPU", metrics()[i],
             type_ == cupti::ProfilerType::kRange ? "counted" : "sampled",
             tools_.cupti->NameOf(code), code);
    return;
  }
}

bool Collector::MakeConfig() {
  cupti::HostConfigImageSize size;
  size.host = host_;
  if (!Call(*tools_.host, size)) return false;
  UnmapMemory(config_, config_size_);
  config_size_ = size.size;
  config_ = static_cast<std::uint8_t*>(MapMemory(config_size_));
  if (config_ == nullptr)
    return Fail("memory for the configuration", cupti::kOutOfMemory);
  cupti::HostConfigImage image;
  image.host = host_;
  image.size = config_size_;
  image.image = config_;
  if (!Call(*tools_.host, image)) return false;
  cupti::HostPasses passes;
  passes.size = config_size_;
  passes.image = config_;
  const bool good = Call(*tools_.host, passes);
  passes_ = passes.passes;
  return good;
}

// ---- Images ----------------------------------------------------------------

std::uint8_t* Collector::MapImages(const ImageSizes& sizes) {
  const auto whole = [](std::size_t size, std::size_t unit) {
    return (size + unit - 1) / unit * unit;
  };
  image_size_ = sizes.size;
  extra_at_ = whole(sizes.size, 64);
  stride_ = whole(extra_at_ + sizes.extra, kLargestPage);
  for (images_ = sizes.most; images_ >= sizes.least; images_ /= 2) {
    pristine_ = static_cast<std::uint8_t*>(MapMemory((images_ + 1) * stride_));
    if (pristine_ == nullptr) continue;
    // A child of the program does not sample, and copies no images.
    madvise(pristine_, (images_ + 1) * stride_, MADV_DONTFORK);
    return pristine_;
  }
  images_ = 0;
  Fail("memory for counters", cupti::kOutOfMemory);
  return nullptr;
}

void Collector::ResetImage(std::size_t number) {
  memcpy(Image(number), pristine_, image_size_);
}

void Collector::FreeImages() {
  UnmapMemory(pristine_, (images_ + 1) * stride_);
  pristine_ = nullptr;
  images_ = 0;
}

cupti::Code Collector::Evaluate(std::size_t number, std::size_t index,
                                double* values) const {
  auto evaluated = OfImage<cupti::HostEvaluate>(number);
  evaluated.host = host_;
  evaluated.index = index;
  evaluated.metrics = metrics();
  evaluated.count = settings().count;
  evaluated.values = values;
  return (*tools_.host)(evaluated);
}

}  // namespace rangefinder::inject
