#include "report/writers.h"

#include <algorithm>
#include <array>

namespace rangefinder {
namespace {

constexpr std::array kFormats = std::to_array<Format>({
    {"md", ".md", WriteMarkdown},
    {"json", ".json", WriteJson},
    {"html", ".html", WriteHtml},
});

}  // namespace

std::span<const Format> Formats() {
  return kFormats;
}

const Format* FindFormat(std::string_view name) {
  const auto* const format = std::ranges::find(kFormats, name, &Format::name);
  return format == kFormats.end() ? nullptr : format;
}

}  // namespace rangefinder
