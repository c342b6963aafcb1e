// Notes: left-out input, and caveats about the numbers.
//
// Skipping is allowed, silent skipping is not: code that leaves input out adds
// a note. Notes of the same kind and text are counted and keep the place of the
// first. A Listener receives messages during long work.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rangefinder {

enum class Severity {
  kInfo,      // worth knowing
  kWarning,   // a number may mislead without it
  kDataLoss,  // the input had data that the report lacks
};

std::string_view SeverityName(
    Severity severity);  // "info" "warning" "data_loss"

// Kinds of notes that explain why nothing is measured or reported; a report
// shows them in a section of their own.
inline constexpr std::string_view kNoMatchingRegions = "no_matching_regions";
inline constexpr std::string_view kNoMatchingKernels = "no_matching_kernels";
inline constexpr std::string_view kNothingSelected = "nothing_selected";
inline constexpr std::string_view kNoKernelSelected = "no_kernel_selected";

struct Note {
  Severity severity = Severity::kInfo;
  std::string kind{};   // stable word for scripts: "truncated_file"
  std::string text{};   // for people, a sentence without a full stop
  std::string where{};  // of the first: "run.ncu-rep: block 3"; may be empty
  std::uint64_t count = 1;  // number of occurrences
};

class Notes {
 public:
  // Adds a note, or counts a further occurrence of the note with this kind and
  // text.
  void Add(Severity severity, std::string_view kind, std::string_view text,
           std::string_view where = {}, std::uint64_t count = 1);

  void Merge(const Notes& other);

  // In order of first appearance.
  const std::vector<Note>& all() const { return notes_; }
  bool empty() const { return notes_.empty(); }

 private:
  std::vector<Note> notes_;
  std::unordered_map<std::string, std::size_t> places_;  // by kind and text
};

// ---- Listener --------------------------------------------------------------

// Receives the messages of long work: app's console prints them, tests ignore
// them.
struct Listener {
  using Hear = std::function<void(std::string_view text)>;

  Hear say = [](std::string_view) {};     // a line
  Hear detail = [](std::string_view) {};  // a line that only experts need
  // A line that the next one replaces; an empty text ends it.
  Hear progress = [](std::string_view) {};
  std::function<void(const Notes&)> notes = [](const Notes&) {};
  bool live = false;    // lines of progress are really replaced
  bool unicode = true;  // more than ASCII can be shown
};

}  // namespace rangefinder
