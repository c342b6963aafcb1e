// What ncu says while it works, read as it comes: which kernel it is at, how
// far, how many are done. Feeds the progress display and the watch for hangs.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

struct Progress {
  std::string run{};          // name of the planned run
  std::size_t run_index = 0;  // of run_count
  std::size_t run_count = 1;
  double seconds = 0;  // since the run began

  std::string kernel{};       // as ncu names it: being measured, or the last
  std::uint64_t results = 0;  // kernels or ranges measured to the end
  bool measuring = false;     // one is being measured now
  int percent = 0;            // of the one being measured
  int passes = 0;             // that the last finished one took
  int replay_pass = 0;        // of the program, where it is run again
  int processes = 0;          // connected now
};

class NcuLog {
 public:
  // Takes what was appended to the log, whole lines or not. True when the
  // progress is another one now.
  bool Feed(std::string_view bytes);

  const Progress& progress() const { return progress_; }
  // All that was fed.
  const std::string& text() const { return text_; }
  // A kernel was begun and no pass of it is over, or ncu itself says that it
  // takes longer than expected.
  bool at_zero() const { return at_zero_; }

 private:
  void ReadLine(std::string_view line, bool complete);
  void ReadProfiling(std::string_view line, bool complete);
  // The rest of a measurement's line, which a warning cut off.
  void ReadSlow(std::string_view line, bool complete);
  // "0%....50%....100% - 9 passes"
  void ReadPercents(std::string_view rest, bool complete);

  std::string text_;
  std::size_t line_ = 0;  // where the first incomplete line begins
  Progress progress_;
  bool at_zero_ = false;
  bool slow_ = false;  // a warning ended the line of what is measured now
};

}  // namespace rangefinder
