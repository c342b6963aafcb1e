// From the arguments of an NVTX call to the id of a label.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "inject/nvtx/nvtx_abi.h"
#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// A wide text in UTF-8, cut at the size of the buffer.
class Utf8 {
 public:
  explicit Utf8(const wchar_t* text);
  std::string_view view() const { return {bytes_, length_}; }

 private:
  char bytes_[4096];
  std::size_t length_ = 0;
};

// Handles are numbers with a mark, so that invalid handles are recognised.
std::uint32_t DomainOf(nvtx::Domain handle);
nvtx::Domain DomainHandle(std::uint32_t domain);
nvtx::String StringHandle(std::uint32_t string);

// The id of a label; nothing: the library is off.
std::optional<std::uint32_t> LabelOf(ThreadLog& log,
                                     const LabelSpelling& spelling);
std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const char* text);
std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const Utf8& text);
std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const nvtx::EventAttributes* attributes);

}  // namespace rangefinder::inject
