#include "base/notes.h"

#include <utility>

namespace rangefinder {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kDataLoss:
      return "data_loss";
  }
  return "info";
}

void Notes::Add(Severity severity, std::string_view kind, std::string_view text,
                std::string_view where, std::uint64_t count) {
  std::string key(kind);
  key += '\0';
  key += text;
  const auto [place, is_new] =
      places_.try_emplace(std::move(key), notes_.size());
  if (!is_new) {
    notes_[place->second].count += count;
    return;
  }
  notes_.push_back({.severity = severity,
                    .kind = std::string(kind),
                    .text = std::string(text),
                    .where = std::string(where),
                    .count = count});
}

void Notes::Merge(const Notes& other) {
  for (const Note& note : other.notes_)
    Add(note.severity, note.kind, note.text, note.where, note.count);
}

}  // namespace rangefinder
