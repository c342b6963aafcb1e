#include "report/script_buffer.h"

#include <algorithm>
#include <string_view>

namespace rangefinder {

int ScriptBuffer::overflow(int c) {
  if (c == traits_type::eof()) return 0;
  const char byte = static_cast<char>(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize ScriptBuffer::xsputn(const char* bytes, std::streamsize count) {
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  // Each searched for by itself, many times as fast as both at once.
  std::size_t less = text.find('<');
  std::size_t ampersand = text.find('&');
  std::size_t written = 0;
  while (true) {
    const std::size_t at = std::min({less, ampersand, text.size()});
    out_ << text.substr(written, at - written);
    if (at == text.size()) break;
    out_ << (at == less ? "\\u003c" : "\\u0026");
    written = at + 1;
    if (at == less)
      less = text.find('<', written);
    else
      ampersand = text.find('&', written);
  }
  return out_ ? count : 0;
}

}  // namespace rangefinder
