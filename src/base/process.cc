#include "base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

extern char** environ;

namespace rangefinder {
namespace {

using Clock = std::chrono::steady_clock;
using Output = Command::Output;

Error SystemError(std::string_view what, int number) {
  return Error(ErrorCode::kSystem, std::strerror(number)).In(what);
}

std::vector<std::string> Environment(const Command& command) {
  std::vector<std::string> result;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::string name(entry.substr(0, entry.find('=')));
    if (!command.environment.contains(name)) result.emplace_back(entry);
  }
  for (const auto& [name, value] : command.environment) {
    if (value) result.push_back(name + "=" + *value);
  }
  return result;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words)
    result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

// An output stream of the command, and the text captured from it.
struct Stream {
  Descriptor ours{};
  Descriptor theirs{};
  std::string text{};
  std::size_t most = 0;  // see Command::most_captured

  Status Open(Output where) {
    if (where == Output::kInherit) return Ok();
    if (where == Output::kDiscard) {
      theirs = Descriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
      return Ok();
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
    ours = Descriptor(ends[0]);
    theirs = Descriptor(ends[1]);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    return Ok();
  }

  void KeepEnd() {
    if (most > 0 && text.size() > most) text.erase(0, text.size() - most);
  }

  void Drain() {
    std::array<char, 1 << 16> buffer;
    while (ours.get() >= 0) {
      const ssize_t n = ::read(ours.get(), buffer.data(), buffer.size());
      if (n > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(n));
        if (most > 0 && text.size() > 2 * most) KeepEnd();
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        ours.Close();
      } else if (errno == EAGAIN) {
        return;
      }
    }
  }
};

// Reads a file as it grows.
class Follower {
 public:
  explicit Follower(std::filesystem::path path) : path_(std::move(path)) {}

  void Read(const Watch& watch) {
    if (path_.empty()) return;
    if (fd_.get() < 0)
      fd_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 1 << 16> buffer;
    while (fd_.get() >= 0) {
      const ssize_t n = ::read(fd_.get(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      if (watch.on_bytes)
        watch.on_bytes({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

 private:
  std::filesystem::path path_;
  Descriptor fd_;
};

// ---- descendants, as /proc has them ----------------------------------------

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
};

// Reads /proc/ID/stat: "ID (name) S PARENT GROUP …". The name may have ") " in
// it, so the fields begin after the last one.
std::optional<Process> ReadStat(pid_t id) {
  const auto read = ReadFile("/proc/" + std::to_string(id) + "/stat");
  if (!read.ok()) return std::nullopt;  // it has ended
  const std::string& text = read.value();
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  Process process{.id = id};
  char state = 0;
  if (std::sscanf(text.c_str() + close + 1, " %c %d %d", &state,
                  &process.parent, &process.group) != 3)
    return std::nullopt;
  if (state == 'Z' || state == 'X') return std::nullopt;
  return process;
}

std::vector<Process> AllProcesses() {
  std::vector<Process> all;
  for (const std::filesystem::path& path : PathsIn("/proc")) {
    const auto id = ParseNumber<pid_t>(path.filename().string());
    if (!id) continue;
    if (const auto process = ReadStat(*id)) all.push_back(*process);
  }
  std::ranges::sort(all, {}, &Process::id);
  return all;
}

}  // namespace

std::string EndText(const Finished& finished) {
  if (finished.signal != 0)
    return fmt::format("was ended by signal {} ({})", finished.signal,
                       ::strsignal(finished.signal));
  return fmt::format("ended with status {}", finished.status);
}

std::string FailureText(const Finished& finished, double timeout_s,
                        std::size_t most) {
  if (finished.ending == Ending::kTimedOut)
    return fmt::format("ended after {:.0f} s, the time limit", timeout_s);
  if (finished.ending == Ending::kInterrupted) return "interrupted";
  const std::string_view said = Trim(finished.err);
  if (said.empty()) return EndText(finished);
  return ValidUtf8(said.substr(said.size() - std::min(said.size(), most)));
}

bool HasEnded(pid_t id) {
  return !ReadStat(id);
}

std::vector<pid_t> ProcessesUnder(pid_t leader) {
  const std::vector<Process> all = AllProcesses();
  std::set<pid_t> found{leader};
  // Most parents have smaller ids than their children: one or two rounds
  // suffice.
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const Process& process : all) {
      if (process.group == leader || found.contains(process.parent))
        found.insert(process.id);
    }
  }
  found.erase(leader);
  return {found.begin(), found.end()};
}

namespace {

// ---- a running command -----------------------------------------------------

// Ends a command in steps; each further Ctrl-C takes the next step at once.
class Terminator {
 public:
  Terminator(pid_t leader, double grace_s)
      : leader_(leader), grace_s_(grace_s) {}

  bool begun() const { return stage_ > 0; }

  // Takes the steps that are due `seconds` after the command was asked to end.
  void Advance(double seconds, int asked) {
    int due = 1;
    if (seconds >= grace_s_ / 2) due = 2;
    if (seconds >= grace_s_) due = 3;
    if (seconds >= grace_s_ * 1.25) due = 4;
    due = std::max(due, std::min(asked, 4));
    while (stage_ < due) Take(++stage_);
  }

 private:
  void Take(int stage) const {
    // A stopped process has to run in order to end.
    if (stage == 1) ::kill(-leader_, SIGINT);
    if (stage == 1) ::kill(-leader_, SIGCONT);
    if (stage == 2) SignalOthers(SIGTERM);
    if (stage == 3) SignalOthers(SIGKILL);
    if (stage == 4) {
      SignalOthers(SIGKILL);
      ::kill(-leader_, SIGKILL);
    }
  }

  void SignalOthers(int signal) const {
    for (const pid_t id : ProcessesUnder(leader_)) ::kill(id, signal);
  }

  pid_t leader_;
  double grace_s_;
  int stage_ = 0;
};

// The terminal. It belongs to this process until the command reads from it;
// then the kernel stops the command, which is in another process group.
class Terminal {
 public:
  Terminal() = default;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (lent_) Give(::getpgrp());
  }

  bool lent() const { return lent_; }

  void Lend(pid_t group) {
    if (tty_.get() < 0)
      tty_ = Descriptor(::open("/dev/tty", O_RDWR | O_CLOEXEC));
    if (tty_.get() < 0 || ::tcgetpgrp(tty_.get()) != ::getpgrp()) return;
    lent_ = Give(group);
    ::kill(-group, SIGCONT);
  }

 private:
  // A process in the background that sets the terminal's group gets SIGTTOU.
  bool Give(pid_t group) const {
    sigset_t ttou;
    sigset_t before;
    sigemptyset(&ttou);
    sigaddset(&ttou, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &ttou, &before);
    const bool given = ::tcsetpgrp(tty_.get(), group) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return given;
  }

  Descriptor tty_;
  bool lent_ = false;
};

// Whether IgnoreFileSizeSignal() changed the action that commands start with.
bool file_size_signal_ignored = false;

void SetAttributes(posix_spawnattr_t& attributes) {
  short flags = POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setpgroup(&attributes, 0);
  if (file_size_signal_ignored) {
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    flags |= POSIX_SPAWN_SETSIGDEF;
  }
  posix_spawnattr_setflags(&attributes, flags);
}

Result<pid_t> Spawn(const Command& command, const std::string& program,
                    const Stream& out, const Stream& err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (command.reads_nothing)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (out.theirs.get() >= 0)
    posix_spawn_file_actions_adddup2(&actions, out.theirs.get(), 1);
  if (err.theirs.get() >= 0)
    posix_spawn_file_actions_adddup2(&actions, err.theirs.get(), 2);
  if (!command.cwd.empty())
    posix_spawn_file_actions_addchdir_np(&actions, command.cwd.c_str());
  SetAttributes(attributes);
  const std::vector<std::string> environment = Environment(command);
  pid_t id = -1;
  const int failed = ::posix_spawn(&id, program.c_str(), &actions, &attributes,
                                   Pointers(command.argv).data(),
                                   Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) return id;
  return SystemError("cannot run " + ShellQuote(command.argv[0]), failed);
}

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A started command until its end.
class Running {
 public:
  Running(pid_t id, const Command& command, const Watch& watch, Stream& out,
          Stream& err)
      : id_(id),
        command_(command),
        watch_(watch),
        out_(out),
        err_(err),
        log_(command.follow),
        terminator_(id, command.grace_s),
        exit_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))) {}

  Result<Finished> Wait() {
    int status = 0;
    while (true) {
      Attend();
      const pid_t changed = ::waitpid(id_, &status, WNOHANG | WUNTRACED);
      if (changed < 0 && errno != EINTR) return SystemError("waitpid", errno);
      if (changed == id_ && WIFSTOPPED(status)) {
        const int signal = WSTOPSIG(status);
        if (signal == SIGTTIN || signal == SIGTTOU) terminal_.Lend(id_);
      } else if (changed == id_) {
        break;
      }
    }
    if (ending_ == Ending::kInterrupted) InterruptGuard::Heed();
    // No descendant outlives a command that was asked to end.
    if (terminator_.begun()) {
      for (const pid_t id : ProcessesUnder(id_)) ::kill(id, SIGKILL);
    }
    log_.Read(watch_);
    out_.Drain();
    err_.Drain();
    return Describe(status);
  }

 private:
  // Waits 50 ms or until there is output, then reads it and checks the limits.
  void Attend() {
    std::array<pollfd, 3> files = {{{exit_.get(), POLLIN, 0},
                                    {out_.ours.get(), POLLIN, 0},
                                    {err_.ours.get(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), 50);
    out_.Drain();
    err_.Drain();
    log_.Read(watch_);
    const double now = Since(start_);
    if (InterruptGuard::Count() > seen_) End(Ending::kInterrupted, now);
    if (command_.timeout_s > 0 && now > command_.timeout_s)
      End(Ending::kTimedOut, now);
    if (!terminator_.begun() && watch_.on_tick && !watch_.on_tick(now))
      End(Ending::kStopped, now);
    if (terminator_.begun()) {
      const int again = InterruptGuard::Count() - seen_;
      terminator_.Advance(now - end_asked_, again);
    }
  }

  void End(Ending why, double now) {
    if (terminator_.begun()) return;
    ending_ = why;
    end_asked_ = now;
    terminator_.Advance(0, 1);
  }

  Finished Describe(int status) {
    Finished finished{.ending = ending_, .seconds = Since(start_)};
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFSIGNALED(status)) {
      finished.signal = WTERMSIG(status);
      finished.status = 128 + finished.signal;
    }
    // With the terminal lent, Ctrl-C goes to the command, not to this process.
    if (terminal_.lent() && finished.status == 128 + SIGINT)
      finished.ending = Ending::kInterrupted;
    out_.KeepEnd();
    err_.KeepEnd();
    finished.out = std::move(out_.text);
    finished.err = std::move(err_.text);
    return finished;
  }

  pid_t id_;
  const Command& command_;
  const Watch& watch_;
  Stream& out_;
  Stream& err_;
  Follower log_;
  Terminal terminal_{};
  Terminator terminator_;
  Descriptor exit_;  // a pidfd: readable when the command has ended
  Ending ending_ = Ending::kExited;
  double end_asked_ = 0;
  int seen_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

void IgnoreFileSizeSignal() {
  struct sigaction found {};
  ::sigaction(SIGXFSZ, nullptr, &found);
  if (found.sa_handler == SIG_IGN) return;
  found = {};
  found.sa_handler = SIG_IGN;
  file_size_signal_ignored = ::sigaction(SIGXFSZ, &found, nullptr) == 0;
}

Result<Finished> SystemRunner::Run(const Command& command, const Watch& watch) {
  if (command.argv.empty())
    return Error(ErrorCode::kUsage, "no program to run");
  const auto program = Find(command.argv[0]);
  if (!program) {
    return Error(ErrorCode::kSystem,
                 fmt::format("cannot run {}: no such program in PATH",
                             ShellQuote(command.argv[0])));
  }
  const InterruptGuard guard;
  Stream out{.most = command.most_captured};
  Stream err{.most = command.most_captured};
  TRY(out.Open(command.out));
  TRY(err.Open(command.err));
  const pid_t id = TRY(Spawn(command, program->string(), out, err));
  out.theirs.Close();
  err.theirs.Close();
  return Running(id, command, watch, out, err).Wait();
}

std::optional<std::filesystem::path> SystemRunner::Find(
    const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  for (const std::string& folder :
       Split(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path, ':')) {
    const std::filesystem::path file =
        std::filesystem::path(folder.empty() ? "." : folder) / program;
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return std::nullopt;
}

}  // namespace rangefinder
