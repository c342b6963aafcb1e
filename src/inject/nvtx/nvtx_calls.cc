#include "inject/nvtx/nvtx_calls.h"

#include <initializer_list>
#include <optional>
#include <type_traits>

#include "inject/counters/counting.h"
#include "inject/nvtx/labels.h"
#include "inject/nvtx/nccl_messages.h"
#include "inject/trace/recorder.h"
#include "inject/window/before.h"
#include "inject/window/watched_region.h"

namespace rangefinder::inject {
namespace {

using nvtx::EventAttributes;

// The log of this thread during one call; null: the library is off, or the
// thread is inside another of our calls.
class Call {
 public:
  Call() : log_(EnterLog()) {}
  ~Call() {
    if (log_ != nullptr) log_->Leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  explicit operator bool() const { return log_ != nullptr; }
  ThreadLog& log() const { return *log_; }

 private:
  ThreadLog* log_;
};

void Payload(ThreadLog& log, std::uint32_t domain,
             const EventAttributes* attributes) {
  if (attributes == nullptr || attributes->size < sizeof *attributes ||
      attributes->payload_type == 0) {
    return;
  }
  if (attributes->payload_type == nvtx::kExtendedPayload) {
    NcclMessage message;
    if (ReadNcclMessage(domain, *attributes, message))
      log.Record<2>(File(), wire::Event::kMessage, 0, message.communicator,
                    message.bytes);
    return;
  }
  log.Record<1>(File(), wire::Event::kPayload,
                static_cast<std::uint32_t>(attributes->payload_type),
                attributes->payload);
}

template <typename Text>
std::optional<std::uint32_t> LabelOfText(ThreadLog& log, std::uint32_t domain,
                                         const Text& text) {
  return Spelled(domain, text, [&](const LabelSpelling& spelling) {
    return LabelOf(log, spelling);
  });
}

template <typename Text>
int Push(std::uint32_t domain, Text text) {
  const Call call;
  if (!call) return nvtx::kNoTracking;
  ThreadLog& log = call.log();
  return Spelled(domain, text, [&](const LabelSpelling& spelling) {
    std::uint32_t label = 0;
    if (log.records()) [[likely]] {
      const auto known = LabelOf(log, spelling);
      if (!known) return nvtx::kNoTracking;
      label = *known;
      log.Record(File(), wire::Event::kPush, label);
      if constexpr (std::is_same_v<Text, const EventAttributes*>)
        Payload(log, domain, text);
    }
    const int level = log.Push(label, domain);
    if (IsArmed()) [[unlikely]]
      log.Keep(spelling);
    if (CountingIsOn()) [[unlikely]]
      CountPush(log);
    return level;
  });
}

int Pop(std::uint32_t domain) {
  const Call call;
  if (!call) return nvtx::kNoTracking;
  ThreadLog& log = call.log();
  if (CountingIsOn()) [[unlikely]]
    CountPop(log, domain);
  if (RegionIsWatched()) [[unlikely]]
    WatchPop(log, domain);
  if (log.records()) [[likely]]
    log.Record(File(), wire::Event::kPop, domain);
  return log.Pop(domain);
}

template <typename Text>
std::uint64_t Start(std::uint32_t domain, Text text) {
  const Call call;
  if (!call) return 0;
  const std::uint64_t id = NewRangeId();
  if (IsArmed()) [[unlikely]] {
    Spelled(domain, text, [&](const LabelSpelling& spelling) {
      KeepStart(spelling, id, call.log().records());
    });
  }
  if (!call.log().records()) [[unlikely]]
    return id;
  const auto label = LabelOfText(call.log(), domain, text);
  if (!label) return 0;
  call.log().Record<1>(File(), wire::Event::kStart, *label, id);
  if constexpr (std::is_same_v<Text, const EventAttributes*>) {
    Payload(call.log(), domain, text);
  }
  if (CountingIsOn()) [[unlikely]]
    CountStart(call.log(), *label, id);
  return id;
}

void End(std::uint32_t domain, std::uint64_t id) {
  const Call call;
  if (!call) return;
  if (IsArmed()) [[unlikely]]
    DropStart(id);
  if (!call.log().records()) return;
  call.log().Record<1>(File(), wire::Event::kEnd, domain, id);
  if (CountingIsOn()) [[unlikely]]
    CountEnd(call.log(), id);
}

template <typename Text>
void Mark(std::uint32_t domain, Text text) {
  const Call call;
  if (!call || !call.log().records()) return;
  const auto label = LabelOfText(call.log(), domain, text);
  if (!label) return;
  call.log().Record(File(), wire::Event::kMark, *label);
  if constexpr (std::is_same_v<Text, const EventAttributes*>) {
    Payload(call.log(), domain, text);
  }
}

std::string_view View(const char* text) {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

// Runs `work(names, file)` under the lock of the names, in a call of this
// thread.
template <typename Work>
void Tell(Work work) {
  const Call call;
  if (call) WithNames(work);
}

void NameCategory(std::uint32_t domain, std::uint32_t category,
                  std::string_view name) {
  Tell([&](Names& names, TraceFile& file) {
    const std::uint32_t string = names.LastingString(file, name);
    names.Note(file, wire::Name::kCategory, domain,
               wire::Pack(category, string), 0, false);
  });
}

void NameThread(std::uint32_t thread, std::string_view name) {
  Tell([&](Names& names, TraceFile& file) {
    names.Note(file, wire::Name::kThread, 0, thread,
               names.LastingString(file, name));
  });
}

void NameStream(void* stream, std::string_view name) {
  Tell([&](Names& names, TraceFile& file) {
    names.Note(file, wire::Name::kStream, 0,
               reinterpret_cast<std::uintptr_t>(stream),
               names.LastingString(file, name));
  });
}

nvtx::Domain CreateDomain(std::string_view name) {
  nvtx::Domain handle = nullptr;
  Tell([&](Names& names, TraceFile& file) {
    handle = DomainHandle(names.NewDomain(file, name));
  });
  return handle;
}

nvtx::String RegisterString(std::string_view text) {
  nvtx::String handle = nullptr;
  Tell([&](Names& names, TraceFile& file) {
    handle = StringHandle(names.LastingString(file, text));
  });
  return handle;
}

// ---- The functions themselves ----------------------------------------------

void MarkEx(const EventAttributes* a) {
  Mark(0, a);
}
void MarkA(const char* text) {
  Mark(0, text);
}
void MarkW(const wchar_t* text) {
  Mark(0, Utf8(text));
}
std::uint64_t RangeStartEx(const EventAttributes* a) {
  return Start(0, a);
}
std::uint64_t RangeStartA(const char* text) {
  return Start(0, text);
}
std::uint64_t RangeStartW(const wchar_t* text) {
  return Start(0, Utf8(text));
}
void RangeEnd(std::uint64_t id) {
  End(0, id);
}
int RangePushEx(const EventAttributes* a) {
  return Push(0, a);
}
int RangePushA(const char* text) {
  return Push(0, text);
}
int RangePushW(const wchar_t* text) {
  return Push(0, Utf8(text));
}
int RangePop() {
  return Pop(0);
}
void NameCategoryA(std::uint32_t category, const char* name) {
  NameCategory(0, category, View(name));
}
void NameCategoryW(std::uint32_t category, const wchar_t* name) {
  NameCategory(0, category, Utf8(name).view());
}
void NameOsThreadA(std::uint32_t thread, const char* name) {
  NameThread(thread, View(name));
}
void NameOsThreadW(std::uint32_t thread, const wchar_t* name) {
  NameThread(thread, Utf8(name).view());
}

void DomainMarkEx(nvtx::Domain domain, const EventAttributes* a) {
  Mark(DomainOf(domain), a);
}
std::uint64_t DomainRangeStartEx(nvtx::Domain domain,
                                 const EventAttributes* a) {
  return Start(DomainOf(domain), a);
}
void DomainRangeEnd(nvtx::Domain domain, std::uint64_t id) {
  End(DomainOf(domain), id);
}
int DomainRangePushEx(nvtx::Domain domain, const EventAttributes* a) {
  return Push(DomainOf(domain), a);
}
int DomainRangePop(nvtx::Domain domain) {
  return Pop(DomainOf(domain));
}

std::uint64_t PayloadSchemaRegister(nvtx::Domain domain,
                                    const nvtx::SchemaAttributes* schema) {
  std::uint64_t number = 0;
  Tell([&](Names&, TraceFile&) {
    number = LearnPayloadSchema(DomainOf(domain), schema);
  });
  return number;
}

// Calls with payloads, which are not recorded. A range that is opened by such a
// call has its name, if any, in the payload.
constexpr EventAttributes kNameless = {.version = 2,
                                       .size = sizeof(EventAttributes),
                                       .message_type = nvtx::kAscii,
                                       .message = "(payload)"};
int RangePushPayload(nvtx::Domain domain, const void*, std::size_t) {
  return Push(DomainOf(domain), &kNameless);
}
int RangePopPayload(nvtx::Domain domain, const void*, std::size_t) {
  return Pop(DomainOf(domain));
}
std::uint64_t RangeStartPayload(nvtx::Domain domain, const void*, std::size_t) {
  return Start(DomainOf(domain), &kNameless);
}
void RangeEndPayload(nvtx::Domain domain, std::uint64_t id, const void*,
                     std::size_t) {
  End(DomainOf(domain), id);
}

void DomainNameCategoryA(nvtx::Domain domain, std::uint32_t category,
                         const char* name) {
  NameCategory(DomainOf(domain), category, View(name));
}
void DomainNameCategoryW(nvtx::Domain domain, std::uint32_t category,
                         const wchar_t* name) {
  NameCategory(DomainOf(domain), category, Utf8(name).view());
}
nvtx::String DomainRegisterStringA(nvtx::Domain, const char* text) {
  return RegisterString(View(text));
}
nvtx::String DomainRegisterStringW(nvtx::Domain, const wchar_t* text) {
  return RegisterString(Utf8(text).view());
}
nvtx::Domain DomainCreateA(const char* name) {
  return CreateDomain(View(name));
}
nvtx::Domain DomainCreateW(const wchar_t* name) {
  return CreateDomain(Utf8(name).view());
}
// Ranges of a destroyed domain may still be open; its id is not used again.
void DomainDestroy(nvtx::Domain) {}

void NameCuStreamA(void* stream, const char* name) {
  NameStream(stream, View(name));
}
void NameCuStreamW(void* stream, const wchar_t* name) {
  NameStream(stream, Utf8(name).view());
}

// ---- Their places ----------------------------------------------------------

struct Replacement {
  unsigned index;
  nvtx::Function function;
};

template <typename Signature>
nvtx::Function Any(Signature* function) {
  return reinterpret_cast<nvtx::Function>(function);
}

bool Replace(const nvtx::ExportCallbacks& callbacks, nvtx::Module module,
             std::initializer_list<Replacement> replacements) {
  nvtx::FunctionTable table = nullptr;
  unsigned count = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &count) == 0 ||
      table == nullptr) {
    return false;
  }
  for (const auto& [index, function] : replacements) {
    if (index < count && table[index] != nullptr) *table[index] = function;
  }
  return true;
}

}  // namespace

bool ReplaceNvtxCalls(nvtx::GetExportTable get_export_table) {
  if (get_export_table == nullptr) return false;
  const auto* callbacks = static_cast<const nvtx::ExportCallbacks*>(
      get_export_table(nvtx::kExportCallbacks));
  if (callbacks == nullptr || callbacks->size < sizeof *callbacks ||
      callbacks->GetModuleFunctionTable == nullptr) {
    return false;
  }
  const bool core = Replace(*callbacks, nvtx::kCore,
                            {{nvtx::kMarkEx, Any(MarkEx)},
                             {nvtx::kMarkA, Any(MarkA)},
                             {nvtx::kMarkW, Any(MarkW)},
                             {nvtx::kRangeStartEx, Any(RangeStartEx)},
                             {nvtx::kRangeStartA, Any(RangeStartA)},
                             {nvtx::kRangeStartW, Any(RangeStartW)},
                             {nvtx::kRangeEnd, Any(RangeEnd)},
                             {nvtx::kRangePushEx, Any(RangePushEx)},
                             {nvtx::kRangePushA, Any(RangePushA)},
                             {nvtx::kRangePushW, Any(RangePushW)},
                             {nvtx::kRangePop, Any(RangePop)},
                             {nvtx::kNameCategoryA, Any(NameCategoryA)},
                             {nvtx::kNameCategoryW, Any(NameCategoryW)},
                             {nvtx::kNameOsThreadA, Any(NameOsThreadA)},
                             {nvtx::kNameOsThreadW, Any(NameOsThreadW)}});
  if (!core) return false;
  Replace(*callbacks, nvtx::kCore2,
          {{nvtx::kDomainMarkEx, Any(DomainMarkEx)},
           {nvtx::kDomainRangeStartEx, Any(DomainRangeStartEx)},
           {nvtx::kDomainRangeEnd, Any(DomainRangeEnd)},
           {nvtx::kDomainRangePushEx, Any(DomainRangePushEx)},
           {nvtx::kDomainRangePop, Any(DomainRangePop)},
           {nvtx::kDomainNameCategoryA, Any(DomainNameCategoryA)},
           {nvtx::kDomainNameCategoryW, Any(DomainNameCategoryW)},
           {nvtx::kDomainRegisterStringA, Any(DomainRegisterStringA)},
           {nvtx::kDomainRegisterStringW, Any(DomainRegisterStringW)},
           {nvtx::kDomainCreateA, Any(DomainCreateA)},
           {nvtx::kDomainCreateW, Any(DomainCreateW)},
           {nvtx::kDomainDestroy, Any(DomainDestroy)}});
  Replace(*callbacks, nvtx::kCuda,
          {{nvtx::kNameCuStreamA, Any(NameCuStreamA)},
           {nvtx::kNameCuStreamW, Any(NameCuStreamW)}});
  Replace(*callbacks, nvtx::kCudart,
          {{nvtx::kNameCudaStreamA, Any(NameCuStreamA)},
           {nvtx::kNameCudaStreamW, Any(NameCuStreamW)}});
  return true;
}

bool ReplaceExtensionCalls(const nvtx::ExtensionModule* module) {
  if (module == nullptr || module->size < sizeof *module ||
      module->module != nvtx::kPayloadExtension || module->segment_count == 0 ||
      module->segments == nullptr || module->segments->slots == nullptr)
    return false;
  const nvtx::ExtensionSegment& segment = *module->segments;
  const auto replace = [&](std::size_t slot, auto* function) {
    if (slot < segment.slot_count)
      segment.slots[slot] = reinterpret_cast<std::intptr_t>(function);
  };
  replace(nvtx::kPayloadSchemaRegister, PayloadSchemaRegister);
  replace(nvtx::kRangePushPayload, RangePushPayload);
  replace(nvtx::kRangePopPayload, RangePopPayload);
  replace(nvtx::kRangeStartPayload, RangeStartPayload);
  replace(nvtx::kRangeEndPayload, RangeEndPayload);
  return true;
}

}  // namespace rangefinder::inject
