#include "counters/child.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rangefinder {
namespace {

using Clock = std::chrono::steady_clock;

Error SystemError(const char* what) {
  return Error(ErrorCode::kSystem,
               fmt::format("{}: {}", what, std::strerror(errno)));
}

void WriteAll(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void BeChild(int answer, pid_t parent,
                          const std::function<void(const Say& say)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGPIPE, SIG_IGN);
  // A crash ends the child, whatever handlers this process has.
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::signal(crash, SIG_DFL);
  if (const int null = ::open("/dev/null", O_RDWR); null >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(null, stream);
  }
  try {
    work([answer](std::string_view text) { WriteAll(answer, text); });
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

// Reads until the other end is closed (true) or the timeout (false).
bool ReadUntil(int from, Clock::time_point end, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waits{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// The wait status of the child. A process that hangs inside the driver may
// survive SIGKILL; after some seconds it is left alone and reported as killed.
int Reap(pid_t child) {
  constexpr int kTries = 500;
  int status = 0;
  for (int i = 0; i < kTries; ++i) {
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    if (reaped == child) return status;
    if (reaped < 0 && errno != EINTR) break;
    if (i == kTries / 2) ::kill(child, SIGKILL);  // hangs while it exits
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return SIGKILL;
}

}  // namespace

Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const Error error = SystemError("fork");
    ::close(ends[0]);
    ::close(ends[1]);
    return error;
  }
  if (child == 0) {
    ::close(ends[0]);
    BeChild(ends[1], parent, work);
  }
  ::close(ends[1]);
  ChildAnswer answer;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  answer.timed_out = !ReadUntil(ends[0], end, answer.text);
  ::close(ends[0]);
  if (answer.timed_out) ::kill(child, SIGKILL);
  const int status = Reap(child);
  if (!answer.timed_out && WIFSIGNALED(status))
    answer.signal = WTERMSIG(status);
  if (!answer.timed_out && WIFEXITED(status))
    answer.status = WEXITSTATUS(status);
  return answer;
}

}  // namespace rangefinder
