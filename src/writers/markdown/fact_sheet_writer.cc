#include "writers/markdown/fact_sheet_writer.h"

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
  std::size_t most = sheet.facts.size();
  std::string text = TextOf(sheet, most, 0);
  const std::uint64_t all = (text.size() + kBytesPerToken - 1) / kBytesPerToken;
  while (tokens > 0 && text.size() > kBytesPerToken * tokens && most > 0)
    text = TextOf(sheet, --most, all);
  out << text;
}

}  // namespace rangefinder
