#include "base/notes.h"

#include <array>
#include <utility>

namespace rangefinder {

std::string_view SeverityName(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"info", "warning",
                                                      "data_loss"};
  return kNames[static_cast<std::size_t>(severity)];
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
