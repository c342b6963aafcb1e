#include "inject/nvtx/labels.h"

#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint64_t kDomainMark = 0xD5;

std::uint64_t Hash(const LabelSpelling& spelling) {
  const std::uint64_t seed =
      Mix(std::uint64_t{spelling.color} << 32 | spelling.category,
          0x85EBCA77C2B2AE63) ^
      (spelling.handle + (std::uint64_t{spelling.domain} << 40));
  return HashText(spelling.text, spelling.length, seed);
}

__attribute__((noinline)) bool Learn(ThreadLog::CachedLabel& line,
                                     std::uint64_t hash,
                                     const LabelSpelling& spelling) {
  return WithNames([&](Names& names, TraceFile& file) {
    line.used = false;
    line.spelling = spelling;
    line.hash = hash;
    line.label = names.Label(file, spelling);
    if (spelling.handle == 0) {
      const std::string_view kept =
          names.TextOf(names.KeyOf(line.label).string);
      line.spelling.text = kept.data();
      // A name that was cut, or exceeds the limit of names, is not cached.
      if (kept != std::string_view{spelling.text, spelling.length}) return;
    }
    line.used = true;
  });
}

}  // namespace

Utf8::Utf8(const wchar_t* text) {
  if (text == nullptr) return;
  const auto put = [this](std::uint32_t byte) {
    bytes_[length_++] = static_cast<char>(byte);
  };
  for (; *text != 0 && length_ + 4 <= sizeof bytes_; ++text) {
    auto code = static_cast<std::uint32_t>(*text);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | code >> 6);
      put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      put(0xE0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3F));
      put(0x80 | (code & 0x3F));
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
      put(0x80 | (code >> 6 & 0x3F));
      put(0x80 | (code & 0x3F));
    }
  }
}

std::uint32_t DomainOf(nvtx::Domain handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  if (bits == 0) return 0;
  if ((bits & 0xFF) != kDomainMark || bits >> 8 >= wire::kNoDomain) {
    return wire::kNoDomain;
  }
  return static_cast<std::uint32_t>(bits >> 8);
}

nvtx::Domain DomainHandle(std::uint32_t domain) {
  return reinterpret_cast<nvtx::Domain>(std::uintptr_t{domain} << 8 |
                                        kDomainMark);
}

nvtx::String StringHandle(std::uint32_t string) {
  return reinterpret_cast<nvtx::String>(std::uintptr_t{string} << 8 |
                                        kStringMark);
}

std::optional<std::uint32_t> LabelOf(ThreadLog& log,
                                     const LabelSpelling& spelling) {
  const std::uint64_t hash = Hash(spelling);
  ThreadLog::CachedLabel& line = log.CacheLine(hash);
  if (ThreadLog::Same(line, hash, spelling)) [[likely]]
    return line.label;
  if (!Learn(line, hash, spelling)) return std::nullopt;
  return line.label;
}

}  // namespace rangefinder::inject
