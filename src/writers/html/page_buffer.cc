#include "writers/html/page_buffer.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/json_text.h"

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
  if (held_.size() >= large_) WritePart();
  return count;
}

void PageBuffer::WritePart() {
  out_ << (packed_ > 0 ? ",\n\""
                       : R"({"packed":{"encoding":"gzip+base64","content":[")")
       << Pack(held_).content << '"';
  packed_ += held_.size();
  held_.clear();
}

void PageBuffer::Finish(std::size_t beside) {
  if (packed_ == 0 && held_.size() + beside < large_) {
    WriteForScript(held_, out_);
    return;
  }
  if (!held_.empty()) WritePart();
  fmt::print(out_, R"(],"bytes":{}}}}})", packed_);
}

}  // namespace rangefinder
