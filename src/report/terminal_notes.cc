#include "report/terminal_notes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 14> kExpert = {
    "cost_estimate",        "cut_names",     "free_clocks",
    "instances_in_report",  "nvtx_marks",    "nvtx_translation",
    "reentrant_calls",      "rollup_inputs", "second_trace_left_out",
    "slow_launch",          "unknown_field", "unmatched_end",
    "traced_process_alone", "unmatched_pop"};

constexpr std::size_t kIndent = 2;

std::string_view Lead(Severity severity) {
  switch (severity) {
    case Severity::kDataLoss:
      return "left out: ";
    case Severity::kWarning:
      return "warning: ";
    case Severity::kInfo:
      break;
  }
  return "";
}

// What an error says in several lines is so in its note, too.
std::vector<std::string> LinesOf(const Note& note, std::size_t width) {
  std::string text = std::string(Lead(note.severity)) + note.text;
  if (note.count > 1) text += fmt::format(" ({} of them)", note.count);
  if (!note.where.empty()) text += " [" + note.where + "]";
  std::vector<std::string> lines;
  for (const std::string& part : Split(text, '\n')) {
    for (std::string& line :
         Wrapped(Printable(Trim(part)), width - std::min(width / 2, kIndent)))
      lines.push_back((lines.empty() ? "" : std::string(kIndent, ' ')) + line);
  }
  return lines;
}

}  // namespace

bool IsForExperts(const Note& note) {
  return note.severity == Severity::kInfo &&
         std::ranges::find(kExpert, note.kind) != kExpert.end();
}

std::vector<TerminalNote> NotesForTerminal(const Notes& notes, bool verbose,
                                           std::size_t width) {
  std::vector<const Note*> order;
  for (const Note& note : notes.all()) {
    if (verbose || !IsForExperts(note)) order.push_back(&note);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), &Note::severity);
  std::vector<TerminalNote> out;
  for (const Note* note : order) {
    out.push_back({.warns = note->severity != Severity::kInfo,
                   .lines = LinesOf(*note, width)});
  }
  return out;
}

}  // namespace rangefinder
