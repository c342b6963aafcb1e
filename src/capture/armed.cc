#include "capture/armed.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"
#include "capture/ncu_messages.h"
#include "capture/tracer.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kArmed = "armed";  // RANGEFINDER_INJECT_MODE
// Sampling needs half a second to begin, and CUPTI seconds to load.
constexpr double kMostForOpening = 60, kMostForClosing = 30;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The folder in which the injection library makes its socket.
fs::path SocketFolder(const Getenv& getenv) {
  const char* const wanted = getenv("RANGEFINDER_SOCKET_DIR");
  if (wanted != nullptr && *wanted != '\0') return wanted;
  const char* const runtime = getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  if (runtime != nullptr && runtime[0] == '/' &&
      fs::is_directory(runtime, error))
    return fs::path(runtime) / "rangefinder";
  return fmt::format("/tmp/rangefinder-{}", ::geteuid());
}

// Returns an invalid descriptor if no process listens on `socket`.
Descriptor Connect(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() >= sizeof address.sun_path) return Descriptor();
  path.copy(address.sun_path, path.size());
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.valid() &&
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0)
    fd.Close();
  return fd;
}

bool IsArmed(std::int64_t pid) {
  const auto all = ReadFile(fmt::format("/proc/{}/environ", pid));
  return all.ok() && all.value().find(fmt::format("{}MODE={}", kTracerVariable,
                                                  kArmed)) != std::string::npos;
}

Error NotArmed(pid_t pid) {
  std::string why;
  std::string next = "start it with: rangefinder run -- PROGRAM ARG…";
  const bool is_ours = ::kill(pid, 0) == 0;
  if (!is_ours && errno == ESRCH) {
    why = "there is no such process";
    next = "look for its number with: pgrep -a PROGRAM";
  } else if (is_ours && HasEnded(pid)) {
    why = "it has ended";
  } else if (IsArmed(pid)) {
    why = "it has called neither NVTX nor CUDA yet";
    next = "open the window when it has";
  } else {
    why = "it was not started armed, and a running program cannot be";
  }
  return Error(ErrorCode::kUsage,
               Explained(fmt::format("no window can open in process {}", pid),
                         why, next));
}

// The process of a RUN; 0: the RUN is a path.
Result<pid_t> ProcessOf(const std::string& run) {
  if (const auto pid = ParseNumber<pid_t>(run); pid && *pid > 0) return *pid;
  if (run.find('/') != std::string::npos) return pid_t{0};
  return Error(ErrorCode::kUsage,
               fmt::format("{} is neither the number of a process nor the "
                           "path of its socket",
                           Printable(run)));
}

bool IsSocket(const fs::path& path) {
  std::error_code error;
  return fs::is_socket(path, error);
}

Error NoSocket(const std::string& run) {
  return Error(ErrorCode::kUsage,
               fmt::format("{} is no socket", Printable(run)));
}

// A window in one process.
class Window {
 public:
  enum class State { kAsked, kOpen, kOver, kFailed, kGone };

  Window(const ArmedProcess& process, const WindowRequest& request)
      : pid_(process.pid), fd_(Connect(process.socket)) {
    std::string text = "open\n";
    for (const auto& [name, value] : request.settings)
      text += fmt::format("{}{}={}\n", kTracerVariable, name, value);
    if (is_closed() || !Send(text + "\n")) state_ = State::kGone;
  }

  State state() const { return state_; }
  const std::string& reason() const { return reason_; }
  std::int64_t pid() const { return pid_; }
  pollfd Asked() const { return {fd_.get(), POLLIN, 0}; }
  bool is_closed() const { return !fd_.valid(); }

  // The library's answers so far.
  void Read() {
    char bytes[1024];
    const ssize_t got = ::recv(fd_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return End();
    text_.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos;
         text_.erase(0, end + 1))
      Understand(std::string_view(text_).substr(0, end));
  }
  void Close() {
    if (!is_closed() && !Send("close\n\n")) End();
  }

 private:
  bool Send(const std::string& text) const {
    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  void Understand(std::string_view line) {
    if (line == "opened") state_ = State::kOpen;
    if (line == "over") state_ = State::kOver;
    if (line == "closed") End();
    if (!line.starts_with("failed")) return;
    reason_ = line.substr(std::min<std::size_t>(7, line.size()));
    state_ = State::kFailed;
  }
  // The program or its window has ended.
  void End() {
    fd_.Close();
    if (state_ == State::kAsked) state_ = State::kGone;
  }

  std::int64_t pid_;
  Descriptor fd_;
  State state_ = State::kAsked;
  std::string text_{}, reason_{};
};

bool Any(const std::vector<Window>& windows, Window::State state) {
  return std::ranges::find(windows, state, &Window::state) != windows.end();
}

bool AllAreClosed(const std::vector<Window>& windows) {
  return std::ranges::all_of(windows, &Window::is_closed);
}

void Listen(std::vector<Window>& windows) {
  std::vector<pollfd> asked;
  for (const Window& one : windows) asked.push_back(one.Asked());
  ::poll(asked.data(), asked.size(), 50);
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i].fd >= 0 && asked[i].revents != 0) windows[i].Read();
}

}  // namespace

Result<std::map<std::string, std::string>> ArmingEnvironment(
    const fs::path& library, const std::string& arm, const Getenv& getenv) {
  const std::string prefix(kTracerVariable);
  std::map<std::string, std::string> variables;
  variables[prefix + "MODE"] = kArmed;
  variables[prefix + "ARM"] = arm;
  for (const auto& [name, value] :
       TRY(TracerEnvironment(library, kArmed, getenv)))
    if (value) variables[name] = *value;
  return variables;
}

Status CheckRun(const std::string& run) {
  const pid_t pid = TRY(ProcessOf(run));
  if (pid > 0) return HasEnded(pid) ? Status(NotArmed(pid)) : Ok();
  return IsSocket(run) ? Ok() : Status(NoSocket(run));
}

Result<std::vector<ArmedProcess>> FindArmed(const std::string& asked,
                                            const Getenv& getenv) {
  const pid_t pid = TRY(ProcessOf(asked));
  std::vector<ArmedProcess> candidates;
  if (pid == 0) {
    candidates.push_back({.pid = 0, .socket = asked});
  } else {
    const fs::path folder = SocketFolder(getenv);
    std::vector<pid_t> ids = ProcessesUnder(pid);
    ids.insert(ids.begin(), pid);
    for (const pid_t id : ids)
      candidates.push_back(
          {.pid = id, .socket = folder / fmt::format("{}.sock", id)});
  }
  std::erase_if(candidates,
                [](const ArmedProcess& one) { return !IsSocket(one.socket); });
  if (!candidates.empty()) return candidates;
  if (pid > 0) return NotArmed(pid);
  return NoSocket(asked);
}

Result<WindowOutcome> MeasureWindow(
    const std::vector<ArmedProcess>& processes, const WindowRequest& request,
    const std::function<void(std::string_view text)>& say) {
  const InterruptGuard interrupts;
  std::vector<Window> windows;
  for (const ArmedProcess& process : processes)
    windows.emplace_back(process, request);
  if (AllAreClosed(windows) && !processes.empty()) {
    return Error(
        ErrorCode::kUsage,
        fmt::format("no process listens on {}: it was killed, or belongs to "
                    "another user",
                    Printable(processes.front().socket.string())));
  }
  WindowOutcome outcome;
  const auto begun = Clock::now();
  auto opened = begun;
  const bool waits = request.settings.contains("AFTER");
  bool is_open = false;
  while (!AllAreClosed(windows) && !Any(windows, Window::State::kOver)) {
    outcome.interrupted = InterruptGuard::Count() > 0;
    if (outcome.interrupted) break;
    if (!is_open && Any(windows, Window::State::kOpen)) {
      is_open = true;
      opened = Clock::now();
      say("the window is open");
    }
    if (is_open && request.seconds > 0 && Since(opened) >= request.seconds)
      break;
    if (!is_open && !waits && Since(begun) > kMostForOpening) break;
    Listen(windows);
  }
  outcome.seconds = Since(opened);
  outcome.programs_ended =
      AllAreClosed(windows) && !Any(windows, Window::State::kOver);
  const bool any_opened =
      Any(windows, Window::State::kOpen) || Any(windows, Window::State::kOver);
  for (Window& one : windows) one.Close();
  const auto closing = Clock::now();
  while (!AllAreClosed(windows) && Since(closing) < kMostForClosing)
    Listen(windows);
  outcome.over = Any(windows, Window::State::kOver);
  if (outcome.interrupted) InterruptGuard::Heed();
  for (const Window& one : windows) {
    if (one.state() != Window::State::kFailed) continue;
    const std::string text =
        fmt::format("process {}: {}", one.pid(), Printable(one.reason()));
    if (!any_opened) return Error(ErrorCode::kProfiler, text);
    say(text);
  }
  if (any_opened || outcome.interrupted) return outcome;
  return Error(ErrorCode::kProfiler,
               outcome.programs_ended
                   ? "the program ended before a window opened in it"
                   : "the window did not open");
}

}  // namespace rangefinder
