#include "serve/windows.h"

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "tests/support/fake_runner.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The folder that a window is to be written to.
fs::path FolderOf(const Command& command) {
  for (const std::string& word : command.argv)
    if (word.starts_with("hydra.run.dir='"))
      return word.substr(15, word.size() - 16);
  return {};
}

// The files of `window`: one region that launched `launches` kernels.
Finished Leave(const Command& command, int launches) {
  const fs::path folder = FolderOf(command) / "ncu/regions";
  fs::create_directories(folder);
  std::ofstream(folder / "report.html") << "page " << launches;
  std::ofstream(folder / "report.json") << fmt::format(
      R"({{"schema": "rangefinder.report/2", "scopes": [{{"scope":
      "process:7/device:0", "process": 7, "device": "cuda:0", "regions": [
      {{"id": 1, "path": ["decode"], "inclusive": {{"gpu_time_ns": 1000,
      "kernel_count": {}}}}}]}}]}})",
      launches);
  return {};
}

std::set<std::string> Names(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

std::string BodyOf(const HttpAnswer& answer) {
  if (answer.status != 200) return fmt::format("{}", answer.status);
  if (answer.body != nullptr) return *answer.body;
  std::stringstream text;
  text << std::ifstream(answer.file).rdbuf();
  return text.str();
}

// A server of `runs`, whose windows `answer` makes, for `rounds` intervals.
class Serving {
 public:
  Serving(std::vector<std::string> runs, FakeRunner::Answer answer)
      : options{.program = "/bin/rangefinder",
                .runs = std::move(runs),
                .length = "2s",
                .length_s = 2,
                .every_s = 60,
                .words = {"regions.warmup=off"},
                .folder = folder / "runs"},
        runner(std::move(answer)),
        served(options.runs) {}

  void Go(int rounds) {
    OpenWindows(options, served,
                {.runner = runner,
                 .say = [&](const std::string& line) { said.push_back(line); },
                 .wait =
                     [&](double seconds) {
                       waited = seconds;
                       return --rounds > 0;
                     }});
  }

  std::string Get(const std::string& path, const std::string& accept = "") {
    return BodyOf(served.Answer({.path = path, .accept = accept}));
  }

  const TempDir folder{};
  WindowsOptions options;
  FakeRunner runner;
  Served served;
  std::vector<std::string> said{};
  double waited = 0;
};

const std::string kThis = std::to_string(::getpid());

TEST(Windows, AreOpenedByTheWindowCommand) {
  Serving serving({kThis}, [](const Command& command, const Watch&) {
    return Leave(command, 3);
  });
  serving.Go(1);
  const std::string run = (serving.folder / "runs/window-0001").string();
  EXPECT_THAT(
      serving.runner.commands.at(0).argv,
      ElementsAre("/bin/rangefinder", "window", kThis, "--for=2s", "--quiet",
                  "--color=never", "regions.warmup=off",
                  "hydra.run.dir='" + run + "'", "report.formats=[json,html]"));
  EXPECT_THAT(serving.said, ElementsAre());
  EXPECT_GT(serving.waited, 50);
  EXPECT_LE(serving.waited, 60);
  EXPECT_THAT(
      serving.Get("/metrics"),
      AllOf(HasSubstr(fmt::format("rangefinder_up{{run=\"{}\"}} 1\n", kThis)),
            HasSubstr(fmt::format("rangefinder_windows_total{{run=\"{}\"}} 1\n",
                                  kThis)),
            HasSubstr("region=\"decode\"} 3\n"), Not(HasSubstr("# EOF"))));
  EXPECT_THAT(
      serving.Get("/metrics", "application/openmetrics-text; version=1.0.0"),
      HasSubstr("# EOF\n"));
  EXPECT_EQ(serving.Get("/report.html"), "page 3");
  EXPECT_EQ(serving.Get("/windows/1/report.html"), "page 3");
  EXPECT_THAT(serving.Get("/report.json"), HasSubstr("\"decode\""));
  EXPECT_THAT(serving.Get("/"),
              AllOf(HasSubstr("<iframe src=\"/report.html\""),
                    HasSubstr("href=\"/windows/1/report.html\"")));
}

TEST(Windows, AreOpenedInEachRunInTurn) {
  std::vector<std::string> runs;
  Serving serving({kThis, "1"}, [&](const Command& command, const Watch&) {
    runs.push_back(command.argv[2]);
    return Leave(command, static_cast<int>(runs.size()));
  });
  serving.Go(2);
  EXPECT_THAT(runs, ElementsAre(kThis, "1", kThis, "1"));
  // The latest of each run, and the page of the latest of all.
  EXPECT_THAT(serving.Get("/metrics"),
              AllOf(HasSubstr("} 3\n"), HasSubstr("} 4\n"),
                    HasSubstr("rangefinder_windows_total{run=\"1\"} 2\n")));
  EXPECT_EQ(serving.Get("/report.html"), "page 4");
  EXPECT_EQ(serving.Get("/windows/2/report.html"), "page 2");
}

TEST(Windows, ThatFailAreCountedAndTriedAgain) {
  int tries = 0;
  Serving serving(
      {kThis}, [&](const Command& command, const Watch&) -> Result<Finished> {
        switch (++tries) {
          case 1:
            return Leave(command, 1);
          case 2:
            return Finished{.status = 4, .err = "<b>no\nCUPTI\n"};
          case 3:
            return Finished{.ending = Ending::kTimedOut};
          case 4:  // leaves nothing
            return Finished{};
          case 5:
            return Error(ErrorCode::kSystem, "cannot start");
          default:
            return Leave(command, 6);
        }
      });
  serving.Go(5);
  EXPECT_THAT(serving.said,
              ElementsAre(HasSubstr("the window failed: <b>no\nCUPTI"),
                          HasSubstr("time limit"), HasSubstr("report.json"),
                          HasSubstr("cannot start")));
  EXPECT_THAT(serving.Get("/metrics"),
              AllOf(HasSubstr("rangefinder_window_failures_total{run=\"" +
                              kThis + "\"} 4\n"),
                    HasSubstr("rangefinder_up{run=\"" + kThis + "\"} 0\n")));
  EXPECT_THAT(serving.Get("/"), HasSubstr("cannot start"));
  // The last window that was measured is still there, and no other folder.
  EXPECT_EQ(serving.Get("/report.html"), "page 1");
  EXPECT_THAT(Names(serving.folder / "runs"), ElementsAre("window-0001"));
  serving.Go(1);
  EXPECT_EQ(serving.Get("/report.html"), "page 6");
  EXPECT_THAT(serving.Get("/metrics"),
              HasSubstr("rangefinder_up{run=\"" + kThis + "\"} 1\n"));
}

TEST(Windows, BeyondTheLatestAreRemoved) {
  int tries = 0;
  Serving serving({kThis}, [&](const Command& command, const Watch&) {
    return Leave(command, ++tries);
  });
  // A folder of an earlier server, and a file of another program.
  fs::create_directories(serving.folder / "runs/window-0002");
  std::ofstream(serving.folder / "runs/window-0002/theirs");
  std::ofstream(serving.folder / "runs/notes.txt");
  serving.Go(25);
  std::set<std::string> left = Names(serving.folder / "runs");
  EXPECT_EQ(left.size(), kMostServedWindows + 2);
  EXPECT_TRUE(left.contains("window-0002"));
  EXPECT_TRUE(fs::exists(serving.folder / "runs/window-0002/theirs"));
  EXPECT_TRUE(left.contains("notes.txt"));
  EXPECT_TRUE(left.contains("window-0007"));
  EXPECT_TRUE(left.contains("window-0026"));
  EXPECT_EQ(serving.Get("/windows/26/report.html"), "page 25");
  EXPECT_EQ(serving.Get("/windows/6/report.html"), "404");
}

TEST(Windows, OfARunThatEndedAreNotTriedAgain) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  int tries = 0;
  Serving serving({std::to_string(child)},
                  [&](const Command& command, const Watch&) {
                    if (++tries == 1) return Leave(command, 1);
                    ::kill(child, SIGKILL);
                    ::waitpid(child, nullptr, 0);
                    return Finished{.status = 1, .err = "gone"};
                  });
  serving.Go(5);
  EXPECT_EQ(tries, 2);
  EXPECT_THAT(serving.said, ElementsAre(HasSubstr("has ended"),
                                        HasSubstr("all runs have ended")));
  EXPECT_EQ(serving.Get("/report.html"), "page 1");
  EXPECT_THAT(serving.Get("/metrics"), HasSubstr("} 0\n"));
  EXPECT_THAT(serving.Get("/"), HasSubstr("has ended"));
}

TEST(Windows, RecogniseEndedRuns) {
  EXPECT_FALSE(HasEnded(kThis));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(
      ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(HasEnded(std::to_string(child)));  // a zombie
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(HasEnded(std::to_string(child)));

  const TempDir folder;
  const std::string path = (folder / "socket").string();
  EXPECT_TRUE(HasEnded(path));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  {
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address),
                     sizeof address),
              0);
    ASSERT_EQ(::listen(socket.get(), 1), 0);
    EXPECT_FALSE(HasEnded(path));
  }
  EXPECT_TRUE(HasEnded(path));  // the file is left
}

TEST(Windows, EndWhenInterrupted) {
  Serving serving({kThis, "1"}, [&](const Command&, const Watch&) {
    return Finished{.ending = Ending::kInterrupted};
  });
  serving.Go(5);
  EXPECT_EQ(serving.runner.commands.size(), 1U);
  EXPECT_EQ(serving.waited, 0);
  EXPECT_THAT(serving.said, ElementsAre());
  EXPECT_THAT(Names(serving.folder / "runs"), ElementsAre());
}

TEST(Served, ServesNoOtherPaths) {
  Serving serving({kThis}, [&](const Command& command, const Watch&) {
    return Leave(command, 1);
  });
  EXPECT_EQ(serving.Get("/report.html"), "404");
  serving.Go(1);
  for (const char* path :
       {"/windows/", "/windows/1", "/windows/1/", "/windows/1/report.json",
        "/windows/01x/report.html", "/windows/-1/report.html",
        "/windows/2/report.html", "/windows/1/../1/report.html",
        "/windows/1/report.html/..",
        "/windows/99999999999999999999/report.html", "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/window-0001/ncu/regions/report.json", "", "/metrics/", "/index.html"})
    EXPECT_EQ(serving.Get(path), "404") << path;
}

TEST(Served, KeepsHostileNamesFromThePage) {
  const Served served({"<script>alert(1)</script>\"&\xff\x1b[2J"});
  const std::string page = BodyOf(served.Answer({.path = "/"}));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\x1b")),
                          HasSubstr("&lt;script&gt;")));
  EXPECT_TRUE(IsValidUtf8(page));
  EXPECT_THAT(served.Answer({.path = "/"}).policy,
              HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace rangefinder
