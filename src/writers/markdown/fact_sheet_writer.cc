#include "writers/markdown/fact_sheet_writer.h"

#include <algorithm>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>

#include "writers/markdown/markdown_writer.h"

namespace rangefinder {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;

std::string TextOf(const FactSheet& sheet, std::size_t most,
                   std::uint64_t all_tokens) {
  std::ostringstream out;
  WriteMarkdown(DocumentOf(sheet, most, all_tokens), out);
  return std::move(out).str();
}

}  // namespace

void WriteFactSheet(const FactSheet& sheet, std::uint64_t tokens,
                    std::ostream& out) {
  std::string text = TextOf(sheet, sheet.facts.size(), 0);
  const std::uint64_t all = (text.size() + kBytesPerToken - 1) / kBytesPerToken;
  if (tokens > 0 && all > tokens && !sheet.facts.empty()) {
    const auto fits = [&](std::size_t most) {
      return TextOf(sheet, most, all).size() <= kBytesPerToken * tokens;
    };
    // With more facts the text is longer, so that few texts have to be made.
    const auto counts = std::views::iota(std::size_t{1}, sheet.facts.size());
    const auto most = std::ranges::partition_point(counts, fits);
    text = TextOf(sheet, static_cast<std::size_t>(most - counts.begin()), all);
  }
  out << text;
}

}  // namespace rangefinder
