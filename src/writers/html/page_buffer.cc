#include "writers/html/page_buffer.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace rangefinder {
namespace {

// Escapes the characters that a script element obeys.
void WriteForScript(std::string_view text, std::ostream& out) {
  // Searches for each character separately: much faster than for both at once.
  std::size_t less = text.find('<');
  std::size_t ampersand = text.find('&');
  std::size_t written = 0;
  while (true) {
    const std::size_t at = std::min({less, ampersand, text.size()});
    out << text.substr(written, at - written);
    if (at == text.size()) break;
    out << (at == less ? "\\u003c" : "\\u0026");
    written = at + 1;
    if (at == less)
      less = text.find('<', written);
    else
      ampersand = text.find('&', written);
  }
}

}  // namespace

int PageBuffer::overflow(int c) {
  if (c == traits_type::eof()) return 0;
  const char byte = static_cast<char>(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PageBuffer::xsputn(const char* bytes, std::streamsize count) {
  held_.append(bytes, static_cast<std::size_t>(count));
  if (held_.size() < large_) return count;
  if (!packed_) packed_.emplace();
  packed_->Append(held_);
  held_.clear();
  return count;
}

void PageBuffer::Finish() {
  if (!packed_) {
    WriteForScript(held_, out_);
    return;
  }
  packed_->Append(held_);
  held_.clear();
  const std::uint64_t bytes = packed_->bytes();
  fmt::print(out_,
             R"({{"packed":{{"encoding":"gzip+base64","bytes":{},"content":")",
             bytes);
  out_ << packed_->Finish() << "\"}}";
}

}  // namespace rangefinder
