// Runs other programs, through an interface that tests replace.
//
// A command runs in a process group of its own, with the standard input, output
// and error of this process unless Command says otherwise. An interrupt, a time
// limit or Watch::on_tick ends it in steps: first the whole group gets a
// request to end, then the descendants of the command are ended, and only then
// the command itself, so that a profiler has time to write its report.

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/error.h"
#include "base/interrupt.h"

namespace rangefinder {

struct Command {
  enum class Output {
    kInherit,  // that of this process
    kCapture,  // into Finished
    kDiscard,
  };

  std::vector<std::string> argv{};
  // Variables to set, or without a value to unset; all others are inherited.
  std::map<std::string, std::optional<std::string>> environment{};
  std::filesystem::path cwd{};  // empty: that of this process
  Output out = Output::kInherit;
  Output err = Output::kInherit;
  bool reads_nothing = false;  // standard input is /dev/null
  // The last bytes that Finished keeps of each captured output; 0: all.
  std::size_t most_captured = 0;
  // A file that the command writes during its run, or empty. Appended bytes go
  // to Watch::on_bytes.
  std::filesystem::path follow{};
  double timeout_s = 0;  // 0: none
  double grace_s = 20;   // between asking to end and ending by force
};

// Why a command ended.
enum class Ending {
  kExited,       // by itself
  kTimedOut,     // Command::timeout_s
  kInterrupted,  // Ctrl-C, SIGTERM or SIGHUP to this process
  kStopped,      // Watch::on_tick returned false
};

struct Finished {
  Ending ending = Ending::kExited;
  int status = 0;  // the exit status, or 128 + signal, as in a shell
  int signal = 0;  // the signal that ended it, or 0
  double seconds = 0;
  std::string out{};
  std::string err{};

  bool ok() const { return ending == Ending::kExited && status == 0; }
};

// The end of a program that is not ok(): "ended with status 3" or "was ended by
// signal 9 (Killed)".
std::string EndText(const Finished& finished);

// Why `finished` is not ok(): its time limit, the last bytes of its error
// output (at most `most`), or EndText().
std::string FailureText(const Finished& finished, double timeout_s,
                        std::size_t most);

// Called in the thread that called Run.
struct Watch {
  std::function<void(std::string_view bytes)> on_bytes{};
  // Some ten times a second; false ends the command.
  std::function<bool(double seconds)> on_tick{};
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // Runs `command` to its end. Error: it could not be started or waited for. A
  // command that ran and failed is a Finished.
  virtual Result<Finished> Run(const Command& command, const Watch& watch) = 0;
  Result<Finished> Run(const Command& command) { return Run(command, {}); }

  // The file that `program` names: `program` itself if it has a slash, else the
  // first executable of that name in the folders of PATH.
  virtual std::optional<std::filesystem::path> Find(
      const std::string& program) = 0;
};

// The living processes of the group that `leader` leads, and all its
// descendants, including those that have left the group; without `leader`
// itself.
std::vector<pid_t> ProcessesUnder(pid_t leader);

// Whether the process has ended: /proc has no process of this id, or a zombie.
bool HasEnded(pid_t id);

// Makes a write beyond the file size limit fail, instead of SIGXFSZ ending this
// process. Commands of a SystemRunner start with the signal action that this
// process was started with.
void IgnoreFileSizeSignal();

class SystemRunner final : public ProcessRunner {
 public:
  using ProcessRunner::Run;
  Result<Finished> Run(const Command& command, const Watch& watch) override;
  std::optional<std::filesystem::path> Find(
      const std::string& program) override;
};

}  // namespace rangefinder
