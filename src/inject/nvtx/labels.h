// From the arguments of an NVTX call to the id of a label.

#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "inject/nvtx/nvtx_abi.h"
#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// A wide text in UTF-8, cut at the size of the buffer. Null is the empty text.
class Utf8 {
 public:
  explicit Utf8(const wchar_t* text);
  operator std::string_view() const { return {bytes_, length_}; }

 private:
  char bytes_[4096];
  std::size_t length_ = 0;
};

std::uint32_t DomainOf(nvtx::Domain handle);
nvtx::Domain DomainHandle(std::uint32_t domain);
nvtx::String StringHandle(std::uint32_t string);

// The id of a label; nothing: the library is off.
std::optional<std::uint32_t> LabelOf(ThreadLog& log,
                                     const LabelSpelling& spelling);

// Calls `work(spelling)` with the label that an NVTX call names, and returns
// its result. The spelling is valid during `work`.
template <typename Work>
auto Spelled(std::uint32_t domain, const char* text, Work work) {
  LabelSpelling spelling{.domain = domain};
  if (text != nullptr) {
    spelling.text = text;
    spelling.length = static_cast<std::uint32_t>(
        strnlen(text, std::size_t{wire::kMaxName} + 1));
  }
  return work(spelling);
}
// Not inlined: the text in UTF-8 takes a large frame.
template <typename Work>
__attribute__((noinline)) auto SpelledWide(LabelSpelling spelling,
                                           const wchar_t* text, Work work) {
  const Utf8 utf8(text);
  const std::string_view view = utf8;
  spelling.text = view.data();
  spelling.length = static_cast<std::uint32_t>(view.size());
  return work(spelling);
}
template <typename Work>
auto Spelled(std::uint32_t domain, const wchar_t* text, Work work) {
  return SpelledWide({.domain = domain}, text, work);
}
template <typename Work>
auto Spelled(std::uint32_t domain, const nvtx::EventAttributes* attributes,
             Work work) {
  LabelSpelling spelling{.domain = domain};
  if (attributes == nullptr || attributes->size < sizeof *attributes)
    return work(spelling);
  spelling.category = attributes->category;
  if (attributes->color_type == nvtx::kColorArgb)
    spelling.color = attributes->color;
  const void* const message = attributes->message;
  if (message == nullptr) return work(spelling);
  if (attributes->message_type == nvtx::kUnicode) [[unlikely]]
    return SpelledWide(spelling, static_cast<const wchar_t*>(message), work);
  if (attributes->message_type == nvtx::kAscii) {
    spelling.text = static_cast<const char*>(message);
    spelling.length = static_cast<std::uint32_t>(
        strnlen(spelling.text, std::size_t{wire::kMaxName} + 1));
  } else if (attributes->message_type == nvtx::kRegistered) {
    spelling.handle = reinterpret_cast<std::uintptr_t>(message);
  }
  return work(spelling);
}

}  // namespace rangefinder::inject
