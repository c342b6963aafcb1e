#include "inject/counters/collector.h"

#include <initializer_list>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

namespace rangefinder::inject {

std::uint8_t* MapPages(std::size_t size) {
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED ? static_cast<std::uint8_t*>(at) : nullptr;
}

bool Collector::Fail(const char* step, cupti::Code code) {
  tools_.cupti->SayFailure(step, code, reason_, sizeof reason_);
  return false;
}

// ---- Once ------------------------------------------------------------------

bool Collector::FindChip(const Tools& tools, std::uint32_t device) {
  tools_ = tools;
  cupti::ProfilerInitialize begun;
  cupti::Code code = (*tools_.host)(begun);
  if (code != cupti::kSuccess) return Fail(begun.kFunction, code);
  cupti::DeviceChipName name;
  name.device = device;
  code = (*tools_.host)(name);
  if (code != cupti::kSuccess) return Fail(name.kFunction, code);
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
  const cupti::Code code = (*tools_.host)(made);
  host = made.host;
  return code == cupti::kSuccess || Fail(made.kFunction, code);
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
bool Collector::NameBadMetric() {
  for (std::size_t i = 0; i < settings().count; ++i) {
    cupti::HostDeinitialize done;
    if (!MakeHost(done.host)) return false;
    const cupti::Code code = Add(done.host, &metrics()[i], 1);
    (*tools_.host)(done);
    if (code == cupti::kSuccess) continue;
    snprintf(reason_, sizeof reason_,
             "%s has no metric %.150s that can be %s (%s, %d)",
             *chip_ != '\0' ? chip_ : "the GPU", metrics()[i],
             type_ == cupti::ProfilerType::kRange ? "counted" : "sampled",
             tools_.cupti->NameOf(code), code);
    return true;
  }
  return false;
}

bool Collector::MakeConfig() {
  cupti::HostConfigImageSize size;
  size.host = host_;
  cupti::Code code = (*tools_.host)(size);
  if (code != cupti::kSuccess) return Fail(size.kFunction, code);
  config_size_ = size.size;
  config_ = MapPages(config_size_);
  if (config_ == nullptr)
    return Fail("memory for the configuration", cupti::kOutOfMemory);
  cupti::HostConfigImage image;
  image.host = host_;
  image.size = config_size_;
  image.image = config_;
  code = (*tools_.host)(image);
  if (code != cupti::kSuccess) return Fail(image.kFunction, code);
  cupti::HostPasses passes;
  passes.size = config_size_;
  passes.image = config_;
  code = (*tools_.host)(passes);
  passes_ = passes.passes;
  return code == cupti::kSuccess || Fail(passes.kFunction, code);
}

// ---- Images ----------------------------------------------------------------

std::uint8_t* Collector::MapImage(std::size_t size) {
  image_size_ = size;
  image_ = MapPages(size);
  pristine_ = MapPages(size);
  if (image_ == nullptr || pristine_ == nullptr) {
    FreeImage();
    Fail("memory for counters", cupti::kOutOfMemory);
  }
  return pristine_;
}

void Collector::ResetImage() {
  memcpy(image_, pristine_, image_size_);
}

void Collector::FreeImage() {
  for (std::uint8_t** image : {&image_, &pristine_}) {
    if (*image != nullptr) munmap(*image, image_size_);
    *image = nullptr;
  }
}

cupti::Code Collector::Evaluate(std::size_t index, double* values) const {
  auto evaluated = OfImage<cupti::HostEvaluate>();
  evaluated.host = host_;
  evaluated.index = index;
  evaluated.metrics = metrics();
  evaluated.count = settings().count;
  evaluated.values = values;
  return (*tools_.host)(evaluated);
}

}  // namespace rangefinder::inject
