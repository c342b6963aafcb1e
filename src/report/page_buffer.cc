#include "report/page_buffer.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "report/script_buffer.h"

namespace rangefinder {

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
    ScriptBuffer script(out_);
    script.sputn(held_.data(), static_cast<std::streamsize>(held_.size()));
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
