#include "inject/nvtx/labels.h"

#include <cstring>

#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint64_t kDomainMark = 0xD5;
constexpr std::uint64_t kStringMark = 0x5A;

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
    LabelKey key{.domain = spelling.domain,
                 .string = 0,
                 .color = spelling.color,
                 .category = spelling.category};
    line.used = false;
    line.spelling = spelling;
    if (spelling.handle != 0) {
      const std::uint64_t string = spelling.handle >> 8;
      key.string = (spelling.handle & 0xFF) == kStringMark &&
                           string < names.string_count()
                       ? static_cast<std::uint32_t>(string)
                       : names.String(file, "(unknown registered string)");
    } else {
      key.string = names.String(file, {spelling.text, spelling.length});
      const std::string_view kept = names.TextOf(key.string);
      // A name that was cut, or exceeds the limit of names, is not cached.
      line.used = kept == std::string_view{spelling.text, spelling.length};
      line.spelling.text = kept.data();
    }
    line.used = line.used || spelling.handle != 0;
    line.hash = hash;
    line.label = names.Label(file, key);
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

std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const char* text) {
  if (text == nullptr) text = "";
  LabelSpelling spelling;
  spelling.text = text;
  spelling.length = static_cast<std::uint32_t>(
      strnlen(text, std::size_t{wire::kMaxName} + 1));
  spelling.domain = domain;
  return LabelOf(log, spelling);
}

std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const Utf8& text) {
  LabelSpelling spelling;
  spelling.text = text.view().data();
  spelling.length = static_cast<std::uint32_t>(text.view().size());
  spelling.domain = domain;
  return LabelOf(log, spelling);
}

std::optional<std::uint32_t> LabelOf(ThreadLog& log, std::uint32_t domain,
                                     const nvtx::EventAttributes* attributes) {
  if (attributes == nullptr || attributes->size < sizeof *attributes) {
    return LabelOf(log, domain, "");
  }
  LabelSpelling spelling;
  spelling.domain = domain;
  spelling.category = attributes->category;
  if (attributes->color_type == nvtx::kColorArgb) {
    spelling.color = attributes->color;
  }
  const auto text = [&](const char* bytes) {
    spelling.text = bytes;
    spelling.length = static_cast<std::uint32_t>(
        strnlen(bytes, std::size_t{wire::kMaxName} + 1));
  };
  if (attributes->message == nullptr) return LabelOf(log, spelling);
  switch (attributes->message_type) {
    case nvtx::kAscii:
      text(static_cast<const char*>(attributes->message));
      return LabelOf(log, spelling);
    case nvtx::kRegistered:
      spelling.handle = reinterpret_cast<std::uintptr_t>(attributes->message);
      return LabelOf(log, spelling);
    case nvtx::kUnicode: {
      const Utf8 utf8(static_cast<const wchar_t*>(attributes->message));
      spelling.text = utf8.view().data();
      spelling.length = static_cast<std::uint32_t>(utf8.view().size());
      return LabelOf(log, spelling);
    }
    default:
      return LabelOf(log, spelling);
  }
}

}  // namespace rangefinder::inject
