#include "inject/nvtx/nvtx_calls.h"

#include <initializer_list>
#include <optional>
#include <type_traits>

#include "inject/counters/counting.h"
#include "inject/counters/open_path.h"
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
    RangeStarted(call.log(), *label, id);
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
    RangeEnded(call.log(), id);
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

// Runs `work(names, file)` under the lock of the names, in a call of this
// thread.
template <typename Work>
void Tell(Work work) {
  const Call call;
  if (call) WithNames(work);
}

// Names a thread or a stream.
void NameOne(wire::Name kind, std::uint64_t id, std::string_view name) {
  Tell([&](Names& names, TraceFile& file) {
    names.Note(file, kind, 0, id, names.LastingString(file, name));
  });
}

// ---- The functions themselves ----------------------------------------------
//
// Texts are char or wchar_t; a range may also be named by its attributes.

std::string_view InUtf8(const char* text) {
  return text != nullptr ? std::string_view(text) : std::string_view();
}
Utf8 InUtf8(const wchar_t* text) {
  return Utf8(text);
}

template <typename Text>
void MarkNow(Text text) {
  Mark(0, text);
}
template <typename Text>
std::uint64_t RangeStart(Text text) {
  return Start(0, text);
}
void RangeEnd(std::uint64_t id) {
  End(0, id);
}
template <typename Text>
int RangePush(Text text) {
  return Push(0, text);
}
int RangePop() {
  return Pop(0);
}
template <typename Char>
void NameOsThread(std::uint32_t thread, const Char* name) {
  NameOne(wire::Name::kThread, thread, InUtf8(name));
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
template <typename Char>
void DomainNameCategory(nvtx::Domain domain, std::uint32_t category,
                        const Char* text) {
  const auto name = InUtf8(text);
  Tell([&](Names& names, TraceFile& file) {
    const std::uint32_t string = names.LastingString(file, name);
    names.Note(file, wire::Name::kCategory, DomainOf(domain),
               wire::Pack(category, string), 0, false);
  });
}
template <typename Char>
void NameCategory(std::uint32_t category, const Char* text) {
  DomainNameCategory(nullptr, category, text);
}
template <typename Char>
nvtx::String DomainRegisterString(nvtx::Domain, const Char* text) {
  const auto string = InUtf8(text);
  nvtx::String handle = nullptr;
  Tell([&](Names& names, TraceFile& file) {
    handle = StringHandle(names.LastingString(file, string));
  });
  return handle;
}
template <typename Char>
nvtx::Domain DomainCreate(const Char* text) {
  const auto name = InUtf8(text);
  nvtx::Domain handle = nullptr;
  Tell([&](Names& names, TraceFile& file) {
    handle = DomainHandle(names.NewDomain(file, name));
  });
  return handle;
}
// Ranges of a destroyed domain may still be open; its id is not used again.
void DomainDestroy(nvtx::Domain) {}

template <typename Char>
void NameStream(void* stream, const Char* name) {
  NameOne(wire::Name::kStream, reinterpret_cast<std::uintptr_t>(stream),
          InUtf8(name));
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
  const bool core =
      Replace(*callbacks, nvtx::kCore,
              {{nvtx::kMarkEx, Any(MarkNow<const EventAttributes*>)},
               {nvtx::kMarkA, Any(MarkNow<const char*>)},
               {nvtx::kMarkW, Any(MarkNow<const wchar_t*>)},
               {nvtx::kRangeStartEx, Any(RangeStart<const EventAttributes*>)},
               {nvtx::kRangeStartA, Any(RangeStart<const char*>)},
               {nvtx::kRangeStartW, Any(RangeStart<const wchar_t*>)},
               {nvtx::kRangeEnd, Any(RangeEnd)},
               {nvtx::kRangePushEx, Any(RangePush<const EventAttributes*>)},
               {nvtx::kRangePushA, Any(RangePush<const char*>)},
               {nvtx::kRangePushW, Any(RangePush<const wchar_t*>)},
               {nvtx::kRangePop, Any(RangePop)},
               {nvtx::kNameCategoryA, Any(NameCategory<char>)},
               {nvtx::kNameCategoryW, Any(NameCategory<wchar_t>)},
               {nvtx::kNameOsThreadA, Any(NameOsThread<char>)},
               {nvtx::kNameOsThreadW, Any(NameOsThread<wchar_t>)}});
  if (!core) return false;
  Replace(*callbacks, nvtx::kCore2,
          {{nvtx::kDomainMarkEx, Any(DomainMarkEx)},
           {nvtx::kDomainRangeStartEx, Any(DomainRangeStartEx)},
           {nvtx::kDomainRangeEnd, Any(DomainRangeEnd)},
           {nvtx::kDomainRangePushEx, Any(DomainRangePushEx)},
           {nvtx::kDomainRangePop, Any(DomainRangePop)},
           {nvtx::kDomainNameCategoryA, Any(DomainNameCategory<char>)},
           {nvtx::kDomainNameCategoryW, Any(DomainNameCategory<wchar_t>)},
           {nvtx::kDomainRegisterStringA, Any(DomainRegisterString<char>)},
           {nvtx::kDomainRegisterStringW, Any(DomainRegisterString<wchar_t>)},
           {nvtx::kDomainCreateA, Any(DomainCreate<char>)},
           {nvtx::kDomainCreateW, Any(DomainCreate<wchar_t>)},
           {nvtx::kDomainDestroy, Any(DomainDestroy)}});
  Replace(*callbacks, nvtx::kCuda,
          {{nvtx::kNameCuStreamA, Any(NameStream<char>)},
           {nvtx::kNameCuStreamW, Any(NameStream<wchar_t>)}});
  Replace(*callbacks, nvtx::kCudart,
          {{nvtx::kNameCudaStreamA, Any(NameStream<char>)},
           {nvtx::kNameCudaStreamW, Any(NameStream<wchar_t>)}});
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
