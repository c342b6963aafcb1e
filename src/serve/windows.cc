#include "serve/windows.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/lists.h"
#include "base/text.h"
#include "base/write_file.h"
#include "config/override.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Reading and reporting a window takes longer than the window itself.
constexpr double kMostReportSeconds = 600;
constexpr std::size_t kMostSaid = 1000;

double UnixSeconds() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class WindowOpener {
 public:
  WindowOpener(const WindowsOptions& options, Served& served,
               const WindowsSurroundings& surroundings)
      : options_(options),
        served_(served),
        around_(surroundings),
        ended_(options.runs.size()) {}

  void All() {
    using Clock = std::chrono::steady_clock;
    while (true) {
      const auto begin = Clock::now();
      for (std::size_t i = 0; i < options_.runs.size(); ++i) {
        if (ended_[i]) continue;
        if (!One(i)) return;
      }
      const double took =
          std::chrono::duration<double>(Clock::now() - begin).count();
      if (!around_.wait(std::max(0.0, options_.every_s - took))) return;
    }
  }

 private:
  // A window of a run. False: interrupted.
  bool One(std::size_t run) {
    const Result<fs::path> folder = NewFolder();
    const Status measured =
        folder.ok() ? Measure(run, folder.value()) : Status(folder.error());
    if (measured.ok()) return true;
    std::error_code ignored;
    if (folder.ok()) fs::remove_all(folder.value(), ignored);
    if (measured.error().code() == ErrorCode::kInterrupted) return false;
    Failed(run, measured.error().message());
    return true;
  }

  Status Measure(std::size_t run, const fs::path& folder) {
    const double start = UnixSeconds();
    const Command command = CommandOf(run, folder);
    const Finished finished = TRY(around_.runner.Run(command));
    if (finished.ending == Ending::kInterrupted || InterruptGuard::Count() > 0)
      return Error(ErrorCode::kInterrupted, "interrupted");
    if (!finished.ok())
      return Error(ErrorCode::kOther,
                   FailureText(finished, command.timeout_s, kMostSaid));
    const fs::path report = folder / "ncu/regions/report.json";
    std::ifstream in(report, std::ios::binary);
    if (!in) return ErrnoError(Printable(report.string()), "cannot open");
    std::vector<RegionFigures> figures =
        TRY(FiguresOfReport(in).In(Printable(report.string())));
    served_.Measured(run,
                     {.number = number_,
                      .run = options_.runs[run],
                      .start_unix_s = start,
                      .seconds = options_.length_s,
                      .folder = folder},
                     std::move(figures));
    return Ok();
  }

  Command CommandOf(std::size_t run, const fs::path& folder) const {
    Command command{
        .argv = {options_.program, "window", options_.runs[run],
                 "--for=" + options_.length, "--quiet", "--color=never"},
        .out = Command::Output::kDiscard,
        .err = Command::Output::kCapture,
        .reads_nothing = true,
        .most_captured = std::size_t{64} << 10,
        .timeout_s = options_.length_s + kMostReportSeconds};
    command.argv.insert(command.argv.end(), options_.words.begin(),
                        options_.words.end());
    command.argv.push_back("hydra.run.dir=" +
                           QuoteOverrideValue(folder.string()));
    command.argv.emplace_back("report.formats=[json,html]");
    return command;
  }

  void Failed(std::size_t run, const std::string& why) {
    const std::string name = Printable(options_.runs[run]);
    if (!HasEnded(options_.runs[run])) {
      served_.Failed(run, why);
      around_.say(fmt::format("{}: the window failed: {}", name, why));
      return;
    }
    ended_[run] = true;
    served_.Ended(run);
    around_.say(name + " has ended");
    if (!Has(ended_, false))
      around_.say(
          "all runs have ended; the last windows are served until this "
          "program is ended");
  }

  // A new folder; the folders of an earlier server stay.
  Result<fs::path> NewFolder() {
    TRY(MakeDirectories(options_.folder));
    while (true) {
      const fs::path folder =
          options_.folder / fmt::format("window-{:04}", ++number_);
      std::error_code error;
      if (fs::create_directory(folder, error)) return folder;
      if (error && error != std::errc::file_exists)
        return Error(ErrorCode::kSystem, error.message())
            .In(Printable(folder.string()));
    }
  }

  const WindowsOptions& options_;
  Served& served_;
  const WindowsSurroundings& around_;
  std::vector<bool> ended_;
  std::uint64_t number_ = 0;
};

}  // namespace

bool HasEnded(const std::string& run) {
  if (run.find_first_not_of("0123456789") == run.npos)
    return HasEnded(ParseNumber<pid_t>(run).value_or(0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() || run.size() >= sizeof address.sun_path) return false;
  run.copy(address.sun_path, run.size());
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                   sizeof address) != 0 &&
         (errno == ECONNREFUSED || errno == ENOENT);
}

void OpenWindows(const WindowsOptions& options, Served& served,
                 const WindowsSurroundings& surroundings) {
  WindowOpener(options, served, surroundings).All();
}

}  // namespace rangefinder
