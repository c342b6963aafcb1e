// Windows in armed processes: programs that run with the injection library and
// record nothing until a window opens (inject/window/control.h has the
// protocol).

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/rank.h"

namespace rangefinder {

// The variables that arm a program and the programs that it starts; `arm`:
// "light" or "graphs" (docs/live.md). kProfiler as for TracerEnvironment().
Result<std::map<std::string, std::string>> ArmingEnvironment(
    const std::filesystem::path& library, const std::string& arm,
    const Getenv& getenv);

struct ArmedProcess {
  std::int64_t pid = 0;  // 0: not known
  std::filesystem::path socket{};
};

// kUsage, in the words of FindArmed(): `run` is neither the number of a running
// process, armed or not, nor the path of a socket.
Status CheckRun(const std::string& run);

// The armed processes among the process `asked` and its descendants; or the
// process of the socket `asked`, a path. kUsage, with the next step, if there
// are none.
Result<std::vector<ArmedProcess>> FindArmed(const std::string& asked,
                                            const Getenv& getenv);

struct WindowRequest {
  // Settings of the injection library: NAME of RANGEFINDER_INJECT_NAME, and its
  // value.
  std::map<std::string, std::string> settings{};
  double seconds = 0;  // after the first process has opened; 0: no limit
};

struct WindowOutcome {
  double seconds = 0;  // from the first opening to the end
  bool over = false;   // one ended by itself (setting UNTIL)
  bool interrupted = false;
  bool programs_ended = false;  // all of them, before the window
};

// Opens a window in each process, and closes all of them together: after
// `seconds`, when one ends by itself (setting UNTIL), or after an interrupt.
// kProfiler, with the reason, if no process opened one.
Result<WindowOutcome> MeasureWindow(
    const std::vector<ArmedProcess>& processes, const WindowRequest& request,
    const std::function<void(std::string_view text)>& say);

}  // namespace rangefinder
