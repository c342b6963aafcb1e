// Running other programs: the one place where this program meets the machine
// through an interface, so that tests can stand in for it.
//
// A command runs in a process group of its own, with the standard input, output
// and error of this process unless it is told otherwise. Ctrl-C, a time limit
// or the watcher's word end it gently at first: the whole group is asked, then
// what the command started is ended, and only then the command itself, so that
// a profiler has the time to write what it has.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"

namespace rangefinder {

struct Command {
  enum class Output {
    kInherit,  // ours
    kCapture,  // into Finished
    kDiscard,
  };

  std::vector<std::string> argv{};
  // Variables to set, or with no value to unset; the rest is inherited.
  std::map<std::string, std::optional<std::string>> environment{};
  std::filesystem::path cwd{};  // empty: ours
  Output out = Output::kInherit;
  Output err = Output::kInherit;
  // A file that the command writes while it runs, or empty. What is appended to
  // it goes to Watch::on_bytes.
  std::filesystem::path follow{};
  double timeout_s = 0;  // 0: none
  double grace_s = 20;   // between asking to end and ending by force
};

// How and why a command ended.
enum class Ending {
  kExited,       // by itself
  kTimedOut,     // Command::timeout_s
  kInterrupted,  // Ctrl-C, SIGTERM or SIGHUP, ours
  kStopped,      // Watch::on_tick said so
};

struct Finished {
  Ending ending = Ending::kExited;
  int status = 0;  // as a shell has it: the exit status, or 128 + signal
  int signal = 0;  // that ended it, or 0
  double seconds = 0;
  std::string out{};
  std::string err{};

  bool ok() const { return ending == Ending::kExited && status == 0; }
};

// Called in the thread that called Run.
struct Watch {
  std::function<void(std::string_view bytes)> on_bytes{};
  // Some ten times a second; false ends the command.
  std::function<bool(double seconds)> on_tick{};
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // Runs `command` to its end. An Error means that it could not be started, or
  // not be waited for; a command that failed is a Finished.
  virtual Result<Finished> Run(const Command& command, const Watch& watch) = 0;
  Result<Finished> Run(const Command& command) { return Run(command, {}); }

  // The file that `program` names: itself where there is a slash in it, or else
  // the first executable of that name in the folders of PATH.
  virtual std::optional<std::filesystem::path> Find(
      const std::string& program) = 0;
};

// The real one.
class SystemRunner final : public ProcessRunner {
 public:
  using ProcessRunner::Run;
  Result<Finished> Run(const Command& command, const Watch& watch) override;
  std::optional<std::filesystem::path> Find(
      const std::string& program) override;
};

}  // namespace rangefinder
