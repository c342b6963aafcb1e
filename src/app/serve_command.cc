// `serve RUN…`: windows at intervals, for Prometheus and a browser.

#include <filesystem>
#include <set>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <poll.h>

#include "app/commands.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/armed.h"
#include "serve/http_server.h"
#include "serve/served.h"
#include "serve/windows.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

Result<WindowsOptions> OptionsOf(const Invocation& asked) {
  if (asked.paths.empty())
    return UsageError(
        "serve needs the PID of an armed process, or the path of its socket: "
        "rangefinder serve PID");
  const std::set<std::string> names(asked.paths.begin(), asked.paths.end());
  if (names.size() < asked.paths.size())
    return UsageError("serve: a RUN is named twice");
  for (const std::string& run : asked.paths) TRY(CheckRun(run));
  WindowsOptions options{.runs = asked.paths, .length = asked.line.window};
  // The server sets the folder and the formats of each window.
  options.words = WordsOf(asked.request, {"hydra.run.dir", "report.formats"});
  constexpr const char* kTime = "2s or 1m";
  options.length_s = TRY(DurationOf("--window", asked.line.window, kTime));
  options.every_s = TRY(DurationOf("--every", asked.line.every, kTime));
  if (options.length_s > options.every_s)
    return UsageError("--window {} is longer than --every {}",
                      asked.line.window, asked.line.every);
  options.program = TRY(OwnProgram());
  std::error_code error;
  options.folder =
      fs::absolute(TRY(LoadSettings(asked.request)).run_dir, error);
  TRY(MakeDirectories(options.folder));
  return options;
}

// Returns false after an interrupt.
bool WaitFor(double seconds) {
  constexpr double kStep = 0.1;
  for (double waited = 0; waited < seconds; waited += kStep) {
    if (InterruptGuard::Count() > 0) return false;
    ::poll(nullptr, 0, static_cast<int>(kStep * 1e3));
  }
  return InterruptGuard::Count() == 0;
}

}  // namespace

Status DoServe(const Invocation& asked) {
  const Console& console = asked.console;
  const ListenAddress address = TRY(ParseListenAddress(asked.line.listen));
  const WindowsOptions options = TRY(OptionsOf(asked));
  const InterruptGuard guard;
  Served served(options.runs);
  const auto server =
      TRY(HttpServer::Start(address, [&](const HttpRequest& request) {
        return served.Answer(request);
      }));
  console.Say(fmt::format("serving {}, windows in {}", server->address().Url(),
                          Printable(options.folder.string())));
  if (!address.is_loopback())
    console.Say("warning: everybody who reaches that address can read it");
  SystemRunner runner;
  OpenWindows(options, served,
              {.runner = runner,
               .say = [&](const std::string& line) { console.Say(line); },
               .wait = WaitFor});
  // For a server, an interrupt is the normal end.
  InterruptGuard::Heed();
  return Ok();
}

void AddServeOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--listen", line.listen,
                  "address and port (127.0.0.1:9760); on others than loopback "
                  "ones everybody who reaches it can read it")
      ->type_name("ADDRESS:PORT");
  command
      .add_option("--every", line.every,
                  "time from the beginning of a window to that of the next "
                  "one (60s)")
      ->type_name("TIME");
  command.add_option("--window", line.window, "length of a window (2s)")
      ->type_name("TIME");
}

}  // namespace rangefinder
