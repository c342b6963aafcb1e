#include "ingest/csv_cursor.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace rangefinder {

Error ErrorAtLine(std::size_t line, std::string_view message) {
  return Error(ErrorCode::kCorrupt, fmt::format("line {}: {}", line, message));
}

Result<std::vector<std::string>> CsvCursor::Next() {
  std::vector<std::string> fields;
  while (true) {
    fields.push_back(TRY(Field()));
    if (AtEnd()) return fields;
    const char c = text_[at_++];
    if (c == ',') continue;
    if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    return fields;
  }
}

Result<std::string> CsvCursor::Field() {
  if (AtEnd() || text_[at_] != '"') {
    const std::size_t end =
        std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }
  const std::size_t opened = line_;
  std::string field;
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c != '"') {
      field += c;
    } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      field += '"';
      ++at_;
    } else {
      ++at_;
      if (!AtEnd() &&
          std::string_view(",\r\n").find(text_[at_]) == std::string_view::npos)
        return ErrorAtLine(line_, "text after a closing quote");
      return field;
    }
  }
  return ErrorAtLine(opened, "a quote is never closed");
}

}  // namespace rangefinder
