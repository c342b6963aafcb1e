// Windows in armed processes: a program that runs on, and clients that open
// windows in it.

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_file.h"
#include "capture/armed.h"
#include "capture/tracer.h"
#include "region/path.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Environment = std::map<std::string, std::string>;

// An armed program that runs in the background.
class ArmedPrograms : public testing::TestWithParam<Traced> {
 protected:
  ~ArmedPrograms() override {
    if (pid_ > 0) Kill();
  }

  void Start(const std::vector<std::string>& arguments) {
    Environment environment = {
        {"NVTX_INJECTION64_PATH", GetParam().library},
        {"CUDA_INJECTION64_PATH", GetParam().library},
        {"RANGEFINDER_INJECT_MODE", "armed"},
        {"RANGEFINDER_INJECT_ARM", arm_},
        {"RANGEFINDER_SOCKET_DIR", sockets().string()},
        {"RANGEFINDER_CUPTI_PATH", GetParam().fake_cupti},
        {"FAKE_DRIVER", INJECT_FAKE_DRIVER},
        {"TSAN_OPTIONS", "die_after_fork=0:halt_on_error=1"}};
    environment.insert(more_.begin(), more_.end());
    pid_ = fork();
    if (pid_ != 0) return;
    for (const auto& [name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words{const_cast<char*>(GetParam().program.c_str())};
    for (const std::string& word : arguments)
      words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  // A server with so many threads.
  void StartServer(int threads, const std::string& how = "") {
    Start({"live", "120000", std::to_string(threads), how});
  }
  // Its exit status, or -1 - the signal that ended it.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1 - WTERMSIG(status);
  }
  void Kill() {
    kill(pid_, SIGKILL);
    Wait();
  }

  fs::path sockets() const { return folder_.path() / "sockets"; }
  // The process and its descendants, once `wanted` of them listen.
  std::vector<ArmedProcess> Armed(std::size_t wanted = 1) const {
    const auto getenv = [this](const char* name) -> const char* {
      static std::string folder;
      folder = sockets().string();
      return std::string_view(name) == "RANGEFINDER_SOCKET_DIR" ? folder.c_str()
                                                                : nullptr;
    };
    for (int i = 0; i < 600; ++i) {
      auto found = FindArmed(std::to_string(pid_), getenv);
      if (found.ok() && found.value().size() >= wanted) return found.value();
      usleep(50000);
    }
    ADD_FAILURE() << "nobody listens";
    return {};
  }

  // A window whose traces go into the folder `name`. Windows are long enough
  // for sanitizers on a machine that does much else.
  Result<WindowOutcome> Measure(const std::string& name, double seconds,
                                Environment more = {},
                                const std::string& mode = "trace") {
    const fs::path to = folder_.path() / name;
    fs::create_directories(to);
    WindowRequest request{.settings = TracerSettings(to, mode, "", {}),
                          .seconds = seconds};
    for (const auto& [key, value] : more) request.settings[key] = value;
    if (armed_.empty()) armed_ = Armed();
    return MeasureWindow(armed_, request, [](std::string_view) {});
  }
  Profile Window(const std::string& name, double seconds = 0.6,
                 Environment more = {}, const std::string& mode = "trace") {
    const auto outcome = Measure(name, seconds, std::move(more), mode);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message();
    notes_ = Notes();
    return ReadTraces(folder_.path() / name, notes_);
  }

  Environment Counting(const std::string& rows) const;
  std::size_t Resident() const {
    std::ifstream in(fmt::format("/proc/{}/statm", pid_));
    std::size_t all = 0, pages = 0;
    in >> all >> pages;
    return pages * 4096;
  }

  int Connect() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Armed().at(0).socket.string().copy(address.sun_path,
                                       sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address),
                      sizeof address),
              0);
    return fd;
  }
  static std::string Ask(int fd, const std::string& text) {
    EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    char answer[600] = {};
    return recv(fd, answer, sizeof answer - 1, 0) > 0 ? answer : "";
  }

  Folder folder_;
  Notes notes_;
  std::vector<ArmedProcess> armed_;
  std::string arm_ = "light";
  Environment more_{};
  pid_t pid_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Builds, ArmedPrograms,
                         testing::ValuesIn(TracedBuilds()),
                         [](const auto& one) { return one.param.name; });

// Without printing megabytes.
bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The ranges in which the kernel's node of a graph was made.
std::string Captured(const Profile& profile, const Measurement& kernel) {
  Measurement inside{};
  inside.process = kernel.process;
  inside.thread = kernel.captured_thread;
  inside.nvtx = kernel.captured;
  std::string path;
  for (const Frame& frame : PathOf(profile, inside))
    path += (path.empty() ? "" : "/") + FrameText(profile, frame);
  return path;
}

TEST_P(ArmedPrograms, AWindowHasWhatHappensInIt) {
  StartServer(2);
  const Profile profile = Window("one", 0.6, {{"AFTER", "step:200"}});
  const std::string visits = DrawVisits(profile);
  // The range that was open before is known, and none of its instances is.
  EXPECT_TRUE(Has(visits, "p0 t0 serve / step x"));
  EXPECT_TRUE(Has(visits, "p0 t1 serve / step x"));
  EXPECT_FALSE(Has(visits, "serve x"));
  EXPECT_TRUE(Has(visits, " / LLM@forward x1"));
  EXPECT_GT(profile.measurements.size(), 10U);
  EXPECT_TRUE(profile.processes.at(0).ends_early);
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(ArmedPrograms, APushWithoutMemoryKeepsErrno) {
  Start({"live", "1", "1", "narrow"});
  EXPECT_EQ(Wait(), 0);
}

TEST_P(ArmedPrograms, EachWindowHasItsOwnNames) {
  StartServer(1);
  Window("one");
  const Profile second = Window("two");
  EXPECT_GT(second.measurements.size(), 10U);
  EXPECT_EQ(DrawNotes(notes_), "");
  const std::string first_visits =
      DrawVisits(ReadTraces(folder_.path() / "one", notes_));
  const std::string file =
      ReadFile(TracesIn(folder_.path() / "two").at(0)).value();
  EXPECT_TRUE(Has(file, "forward"));
  const std::size_t at = first_visits.find("request ");
  ASSERT_NE(at, std::string::npos);
  const std::string gone =
      first_visits.substr(at, first_visits.find(' ', at + 8) - at);
  EXPECT_FALSE(Has(file, gone + std::string(1, '\0')));
}

TEST_P(ArmedPrograms, WindowsSampleTheContextsThatAreThere) {
  StartServer(1, "context");
  for (const char* const name : {"one", "two"}) {
    const Profile profile =
        Window(name, 0.8, {{"METRICS", "sm__inst_executed.sum"}}, "sample");
    ASSERT_EQ(profile.counter_samples.size(), 1U) << DrawNotes(notes_);
    EXPECT_GT(profile.counter_samples[0].size(), 100U);
    EXPECT_EQ(DrawNotes(notes_), "");
  }
  // Other metrics, and none.
  const Profile other = Window(
      "three", 0.8, {{"METRICS", "sm__cycles_active.avg,dram__bytes_read.sum"}},
      "sample");
  ASSERT_EQ(other.counter_samples.size(), 1U);
  EXPECT_EQ(other.counter_samples[0].metrics.size(), 2U);
  EXPECT_EQ(Window("four").counter_samples.size(), 0U);
}

// The window's settings that count each instance of the regions `rows`, which
// are lines of a plan.
Environment ArmedPrograms::Counting(const std::string& rows) const {
  const std::string plan = (folder_.path() / "plan").string();
  EXPECT_TRUE(WriteFile(plan, "rangefinder-count\t1\n" + rows).ok());
  return {{"METRICS", "one.sum,two.avg"}, {"COUNT_PLAN", plan}};
}

constexpr char kSteps[] = "row\t0\t1\t0\t0\t1\twhole\t\tserve\t\tstep\n";

// Each region on a line, with its values: serve/step 7 14.
std::string DrawWindowCounts(const Profile& profile) {
  std::string text;
  for (const Measurement& m : profile.measurements) {
    if (m.mode != ReplayMode::kCounters) continue;
    for (const Frame& frame : PathOf(profile, m))
      text += FrameText(profile, frame) + " ";
    for (const Sample& sample : profile.SamplesOf(m))
      text += fmt::format("{:g} ", *sample.value().number());
  }
  return text;
}

TEST_P(ArmedPrograms, WindowsCountExactly) {
  for (const char* const arm : {"light", "graphs"}) {
    arm_ = arm;
    StartServer(1, "context");
    const auto count = [&](const std::string& name) {
      const Profile profile =
          Window(arm_ + name, 0.8, Counting(kSteps), "count");
      EXPECT_EQ(DrawWindowCounts(profile), "serve step 7 14 ");
      for (const Measurement& m : profile.measurements)
        EXPECT_GT(m.counted, 20U);
      EXPECT_EQ(profile.processes.size(), 1U);
      EXPECT_THAT(DrawNotes(notes_), testing::StartsWith("counted"))
          << name << ": " << notes_.all().at(0).text;
    };
    count("first");
    EXPECT_EQ(Window(arm_ + "sampled", 0.8, {{"METRICS", "one.sum"}}, "sample")
                  .counter_samples.size(),
              1U);
    count("second");
    EXPECT_GT(Window(arm_ + "traced").measurements.size(), 10U);
    count("third");
    count("fourth");
    Kill();
    armed_.clear();
  }
}

TEST_P(ArmedPrograms, AWindowAfterOneThatCouldNotCount) {
  StartServer(1, "context");
  const auto count = [this](const std::string& name, Environment settings) {
    const Profile profile = Window(name, 0.8, std::move(settings), "count");
    std::string notes;
    for (const Note& note : notes_.all()) notes += note.text + "\n";
    return DrawWindowCounts(profile) + notes;
  };
  EXPECT_THAT(count("no plan", {{"METRICS", "one.sum"}}),
              HasSubstr("RANGEFINDER_INJECT_COUNT_PLAN: it is not set"));
  Environment unknown = Counting(kSteps);
  unknown["METRICS"] = "unknown.sum";
  EXPECT_THAT(count("no metric", unknown), HasSubstr("no metric unknown.sum"));
  EXPECT_THAT(count("good", Counting(kSteps)), HasSubstr("serve step 7 14"));
  Environment pipe = Counting(kSteps);
  pipe["COUNT_PLAN"] = (folder_.path() / "plan.pipe").string();
  ASSERT_EQ(mkfifo(pipe["COUNT_PLAN"].c_str(), 0600), 0);
  EXPECT_THAT(count("pipe", pipe), HasSubstr("the file cannot be read"));
  // A region that does not come, and one that was open before.
  EXPECT_THAT(count("none", Counting("row\t0\t1\t0\t0\t1\twhole\t\tserve\n")),
              HasSubstr("this process counted no region"));
  EXPECT_THAT(count("again", Counting(kSteps)), HasSubstr("serve step 7 14"));
}

// The records that it writes then belong to no window.
TEST_P(ArmedPrograms, AThreadMayStayInTheProfilerBeyondItsWindow) {
  more_ = {{"FAKE_RANGES", "slow=11500"}};
  StartServer(1, "context");
  Window("one", 0.8, Counting(kSteps), "count");
  usleep(3000000);
  EXPECT_EQ(DrawWindowCounts(Window("two", 0.8, Counting(kSteps), "count")),
            "serve step 7 14 ");
}

TEST_P(ArmedPrograms, AStartEndRangeThatBeganBeforeIsPartOfACountedPath) {
  StartServer(1, "graph");
  const std::string row =
      "row\t0\t1\t0\t0\t1\twhole\t\tserve\t\tshift\t\tstep\n";
  for (const char* const name : {"one", "two"}) {
    Environment counting = Counting(row);
    counting["UNTIL"] = "serve/step:2000";
    EXPECT_EQ(DrawWindowCounts(Window(name, 60, counting, "count")),
              "serve shift step 7 14 ");
  }
  EXPECT_EQ(DrawWindowCounts(Window("none", 0.8, Counting(kSteps), "count")),
            "");
}

TEST_P(ArmedPrograms, AProgramThatEndsOrIsKilledInAWindowHasItsCounts) {
  for (const bool kills : {false, true}) {
    Start({"live", kills ? "120000" : "4000", "4", "context"});
    Armed();
    std::thread killer([&] {
      usleep(3000000);
      if (kills) kill(pid_, SIGKILL);
    });
    const std::string name = kills ? "killed" : "ended";
    const Profile profile = Window(name, 60, Counting(kSteps), "count");
    killer.join();
    EXPECT_EQ(Wait(), kills ? -1 - SIGKILL : 4);
    // Work of other threads is counted too.
    EXPECT_TRUE(Has(DrawWindowCounts(profile), "serve step "))
        << DrawNotes(notes_);
    armed_.clear();
  }
}

TEST_P(ArmedPrograms, AWindowEndsAfterInstances) {
  StartServer(1);
  const auto outcome =
      Measure("one", 60, {{"AFTER", "step:1"}, {"UNTIL", "serve/step:20"}});
  ASSERT_TRUE(outcome.ok());
  EXPECT_LT(outcome.value().seconds, 30);
  EXPECT_TRUE(outcome.value().over);
  const Profile profile = ReadTraces(folder_.path() / "one", notes_);
  EXPECT_GE(profile.measurements.size(), 20U);
  // Names of registered strings, and a wait for them.
  const auto later =
      Measure("two", 60, {{"AFTER", "forward:30"}, {"UNTIL", "forward:1"}});
  ASSERT_TRUE(later.ok());
  EXPECT_LT(later.value().seconds, 30);
  // A region that never occurs does not end a window.
  const auto never = Measure("three", 0.5, {{"UNTIL", "none:1"}});
  ASSERT_TRUE(never.ok());
  EXPECT_FALSE(never.value().over);
}

// The thread nearly always waits in a call of CUDA when a window closes.
TEST_P(ArmedPrograms, LaunchesOfAThreadThatWaitsHaveTheirOwnIdsInEachWindow) {
  for (const char* const api : {"calls", "none"}) {
    StartServer(1, "waits");
    for (int window = 0; window < 4; ++window) {
      const Profile profile =
          Window(fmt::format("{}{}", api, window), 0.3, {{"API", api}});
      std::set<std::uint64_t> calls;
      for (const Measurement& one : profile.measurements)
        calls.insert(one.api_call);
      EXPECT_GT(calls.size(), 10U);
      EXPECT_EQ(calls.size(), profile.measurements.size());
      EXPECT_EQ(DrawNotes(notes_), "");
    }
    Kill();
    armed_.clear();
  }
}

TEST_P(ArmedPrograms, AGraphThatWasCapturedBeforeHasItsRegions) {
  arm_ = "graphs";
  StartServer(1, "graph");
  for (const char* const name : {"one", "two"}) {
    const Profile profile = Window(name, 0.6, {{"AFTER", "step:1"}});
    ASSERT_GT(profile.measurements.size(), 10U);
    std::set<std::string> places;
    for (const Measurement& one : profile.measurements)
      places.insert(Captured(profile, one));
    EXPECT_THAT(places, testing::ElementsAre("capture/attn", "capture/mlp"));
    // A launch that was under way when the window opened is unknown.
    EXPECT_THAT(DrawNotes(notes_), testing::AnyOf("", "launch_unknown 1\n"));
  }
}

TEST_P(ArmedPrograms, AStartEndRangeThatBeganBeforeIsKnown) {
  StartServer(1, "graph");
  const Profile profile = Window("one", 0.6, {{"AFTER", "step:1"}});
  const std::string visits = DrawVisits(profile);
  EXPECT_TRUE(Has(visits, "serve / shift* / step x"));
  EXPECT_FALSE(Has(visits, "shift x"));
  // A step that was open as the window began has no instance, and is before
  // the range: of two that are inherited, the start/end range comes last.
  std::istringstream lines(visits);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(!Has(line, "step") || Has(line, " x0") || Has(line, "shift*"))
        << visits;
  EXPECT_FALSE(Has(visits, "over before"));
  EXPECT_EQ(DrawNotes(notes_), "");
}

TEST_P(ArmedPrograms, CallsOfTheProfilerOpenAndCloseAWindow) {
  const Environment calls = {{"AFTER", "cudaProfilerStart:1"},
                             {"UNTIL", "cudaProfilerStop:1"}};
  arm_ = "graphs";
  StartServer(1, "graph");
  const auto outcome = Measure("one", 60, calls);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_LT(outcome.value().seconds, 30);
  EXPECT_GT(ReadTraces(folder_.path() / "one", notes_).measurements.size(), 9U);
}

TEST_P(ArmedPrograms, CallsOfTheProfilerAreNotSeenByAProgramThatIsArmedLight) {
  StartServer(1, "graph");
  const auto outcome = Measure("one", 60, {{"AFTER", "cudaProfilerStart:1"}});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message(), HasSubstr("--arm=graphs"));
}

TEST_P(ArmedPrograms, ARegionThatIsNoneIsRefused) {
  StartServer(1);
  for (const char* const wanted : {"step", "step:", ":5", "step:0", "step:x"}) {
    const auto outcome = Measure("one", 1, {{"UNTIL", wanted}});
    ASSERT_FALSE(outcome.ok()) << wanted;
    EXPECT_THAT(outcome.error().message(), HasSubstr("REGION:N"));
  }
  EXPECT_GT(Window("two").measurements.size(), 10U);
}

TEST_P(ArmedPrograms, ManyWindowsNeedNoMoreMemory) {
  StartServer(4, "context");
  std::size_t before = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    const Profile profile =
        i % 3 == 2 ? Window(name, 0.02, Counting(kSteps), "count")
                   : Window(name, 0.02, {}, i % 3 == 0 ? "trace" : "sample");
    EXPECT_TRUE(i % 3 == 2 || !profile.visits.empty());
    fs::remove_all(folder_.path() / name);
    if (i == 9) before = Resident();
  }
  if (GetParam().name == "plain") {
    EXPECT_LT(Resident(), before + (4U << 20));
  }
}

// Some of many threads read a plan whenever a window ends.
TEST_P(ArmedPrograms, PlansOfWindowsThatAreOverNeedNoMemory) {
  if (GetParam().name != "plain")
    GTEST_SKIP() << "NOT MEASURED: sanitizers keep freed memory";
  StartServer(100, "context");
  std::string rows = kSteps;
  for (int i = 0; i < 4000; ++i)
    rows += fmt::format("row\t0\t1\t0\t0\t1\twhole\t\tother{}\n", i);
  // A plan that a thread still reads is freed later, so memory varies with the
  // machine's load: the least of the first windows against that of the last.
  constexpr int kWindows = 60;
  std::size_t first = ~std::size_t{0}, last = first;
  for (int i = 0; i < kWindows; ++i) {
    EXPECT_TRUE(Measure("one", 0.02, Counting(rows), "count").ok());
    fs::remove_all(folder_.path() / "one");
    if (i < kWindows / 3) first = std::min(first, Resident());
    if (i >= kWindows / 3 * 2) last = std::min(last, Resident());
  }
  // It grows by 55 MiB if no plan is freed.
  EXPECT_LT(last, first + (25U << 20));
}

TEST_P(ArmedPrograms, AProgramThatEndsInAWindowHasItsTrace) {
  Start({"live", "4000", "2"});
  const auto outcome = Measure("one", 60);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_TRUE(outcome.value().programs_ended);
  EXPECT_EQ(Wait(), 4);
  const Profile profile = ReadTraces(folder_.path() / "one", notes_);
  EXPECT_GT(profile.measurements.size(), 10U);
  EXPECT_TRUE(fs::is_empty(sockets()));
}

TEST_P(ArmedPrograms, AProgramThatIsKilledInAWindowHasItsTrace) {
  StartServer(2);
  Armed();
  std::thread killer([this] {
    usleep(2000000);
    kill(pid_, SIGKILL);
  });
  const auto outcome = Measure("one", 60);
  killer.join();
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_EQ(Wait(), -1 - SIGKILL);
  EXPECT_GT(DrawVisits(ReadTraces(folder_.path() / "one", notes_)).size(),
            100U);
  // The socket stays, and nobody listens.
  const auto later = MeasureWindow(
      {{.pid = 1, .socket = fs::directory_iterator(sockets())->path()}}, {},
      [](std::string_view) {});
  ASSERT_FALSE(later.ok());
  EXPECT_THAT(later.error().message(), HasSubstr("no process listens on"));
}

TEST_P(ArmedPrograms, AForkedChildIsArmed) {
  StartServer(1, "fork");
  armed_ = Armed(2);
  ASSERT_EQ(armed_.size(), 2U);
  const Profile profile = Window("one");
  // The parent waits for the child, and writes nothing but its range.
  EXPECT_EQ(TracesIn(folder_.path() / "one").size(), 2U);
  EXPECT_TRUE(Has(DrawVisits(profile), "parent / serve / step x"));
  kill(static_cast<pid_t>(armed_[1].pid), SIGKILL);
}

TEST_P(ArmedPrograms, AProgramMayChangeItsEnvironment) {
  StartServer(1, "cleared");
  // CUPTI, which the first window loads, is found by a variable.
  EXPECT_GT(Window("one").measurements.size(), 10U);
}

TEST_P(ArmedPrograms, AProgramMayCloseOurDescriptors) {
  StartServer(1, "close");
  usleep(1500000);  // it listens again
  EXPECT_GT(Window("one").measurements.size(), 10U);
}

TEST_P(ArmedPrograms, WhatTheProgramOpensInPlaceOfOurDescriptorsIsItsOwn) {
  Start({"live", "4000", "1", "reuse"});
  const fs::path to = folder_.path() / "one";
  fs::create_directories(to);
  const int client = Connect();
  EXPECT_EQ(Ask(client, "open\nRANGEFINDER_INJECT_DIR=" + to.string() + "\n\n"),
            "opened\n");
  kill(pid_, SIGUSR1);
  EXPECT_EQ(Wait(), 4);
  close(client);
}

TEST_P(ArmedPrograms, AClientOfAProgramWithoutDescriptorsCostsNoTime) {
  StartServer(1, "full");
  Armed();
  kill(pid_, SIGUSR1);
  usleep(500000);
  // The program works in its first thread alone.
  const auto ticks = [this] {
    unsigned long all = 0;
    for (const auto& one :
         fs::directory_iterator(fmt::format("/proc/{}/task", pid_))) {
      std::ifstream in(one.path() / "stat");
      std::string word;
      std::vector<unsigned long> numbers;
      while (in >> word)
        numbers.push_back(std::strtoul(word.c_str(), nullptr, 10));
      if (one.path().filename() != std::to_string(pid_))
        all += numbers.at(13) + numbers.at(14);
    }
    return all;
  };
  const unsigned long before = ticks();
  const int client = Connect();
  usleep(2000000);
  EXPECT_LT(ticks() - before, 15U);
  close(client);
}

TEST_P(ArmedPrograms, AClientThatLeavesClosesItsWindow) {
  StartServer(1);
  const fs::path to = folder_.path() / "one";
  fs::create_directories(to);
  const int client = Connect();
  EXPECT_EQ(Ask(client, "open\nRANGEFINDER_INJECT_DIR=" + to.string() + "\n\n"),
            "opened\n");
  // A second one is told so.
  const int other = Connect();
  EXPECT_THAT(Ask(other, "open\n\n"), HasSubstr("another window is open"));
  close(other);
  close(client);
  EXPECT_GT(Window("two").measurements.size(), 10U);
  EXPECT_FALSE(ReadTraces(to, notes_).visits.empty());
}

TEST_P(ArmedPrograms, HostileClientsAreAnsweredOrLeft) {
  StartServer(1);
  const struct {
    std::string request, answer;
  } cases[] = {
      {"open\n\n", "failed the trace folder has no absolute path\n"},
      {"open\nRANGEFINDER_INJECT_DIR=relative\n\n",
       "failed the trace folder has no absolute path\n"},
      {"open\nRANGEFINDER_INJECT_DIR=/no/such/folder\n\n",
       "failed the trace folder cannot be written\n"},
      {"what\n\n", "failed this is no request\n"},
      {"\n\n", "failed this is no request\n"},
      {std::string(15, '\0') + "\n\n", "failed this is no request\n"},
      {std::string(16 * 1024, 'x'), "failed the request is too long\n"},
  };
  for (const auto& [request, answer] : cases) {
    const int client = Connect();
    EXPECT_EQ(Ask(client, request), answer) << request.substr(0, 80);
    close(client);
  }
  close(Connect());
  const int slow = Connect();  // is left after two seconds
  EXPECT_EQ(Ask(slow, "open\n"), "");
  close(slow);
  EXPECT_GT(Window("one").measurements.size(), 10U);
}

// Windows that open and close while threads come, call and go.
TEST_P(ArmedPrograms, WindowsAtAnyMomentDoNoHarm) {
  Start({"live", "4000", "8", "context"});
  Armed();
  int windows = 0;
  for (;; ++windows) {
    const auto outcome =
        windows % 3 == 1
            ? Measure(std::to_string(windows), 0.001 * (1 + windows % 7),
                      Counting(kSteps), "count")
            : Measure(std::to_string(windows), 0.001 * (1 + windows % 7), {},
                      windows % 3 == 0 ? "sample" : "trace");
    if (!outcome.ok() || outcome.value().programs_ended) break;
  }
  EXPECT_EQ(Wait(), 4);
  EXPECT_GT(windows, 3);
}

// CUPTI's libraries are gone when the program has not ended yet.
TEST_P(ArmedPrograms, NoWindowOpensInAProgramThatEnds) {
  Start({"live", "2000", "1", "lingers"});
  Armed();
  EXPECT_TRUE(Measure("one", 0.01, {}, "sample").ok());
  EXPECT_TRUE(Measure("two", 0.01).ok());
  const int client = Connect();
  while (!fs::is_empty(sockets())) usleep(10000);
  EXPECT_EQ(Ask(client,
                "open\nRANGEFINDER_INJECT_MODE=sample\n"
                "RANGEFINDER_INJECT_DIR=" +
                    (folder_.path() / "two").string() + "\n\n"),
            "failed the program ends\n");
  close(client);
  EXPECT_EQ(Wait(), 4);
}

TEST_P(ArmedPrograms, AWindowThatIsOpenWhenTheProgramEndsCallsCuptiNoMore) {
  for (const char* const mode : {"trace", "sample", "count"}) {
    Start({"live", "2000", "1", "lingers"});
    const fs::path to = folder_.path() / mode;
    fs::create_directories(to);
    const int client = Connect();
    std::string request = "open\nRANGEFINDER_INJECT_DIR=" + to.string() +
                          "\nRANGEFINDER_INJECT_MODE=" + mode + "\n";
    for (const auto& [name, value] : Counting(kSteps))
      request += "RANGEFINDER_INJECT_" + name + "=" + value + "\n";
    EXPECT_EQ(Ask(client, request + "\n"), "opened\n");
    while (!fs::is_empty(sockets())) usleep(10000);
    EXPECT_EQ(Ask(client, "close\n\n"), "closed\n");
    close(client);
    EXPECT_EQ(Wait(), 4) << mode;
    EXPECT_EQ(ReadTraces(to, notes_).processes.size(), 1U);
  }
}

TEST_P(ArmedPrograms, AProgramMayEndWhileAWindowLoadsCupti) {
  for (const char* const mode : {"trace", "sample", "count"}) {
    more_ = {{"FAKE_CUPTI", "ends"}};
    Start({"live", "500", "1", "lingers"});
    const auto outcome = Measure(mode, 60, Counting(kSteps), mode);
    EXPECT_TRUE(outcome.ok() && outcome.value().programs_ended) << mode;
    EXPECT_EQ(Wait(), 4) << mode;
    const Profile profile = ReadTraces(folder_.path() / mode, notes_);
    EXPECT_EQ(profile.processes.size(), 1U);
    armed_.clear();
  }
}

TEST(Window, WhatIsNotArmedIsRefused) {
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  const auto self = FindArmed(std::to_string(getpid()), nothing);
  ASSERT_FALSE(self.ok());
  EXPECT_EQ(self.error().code(), ErrorCode::kUsage);
  EXPECT_THAT(self.error().message(), HasSubstr("rangefinder run -- PROGRAM"));
  EXPECT_THAT(FindArmed("4194305", nothing).error().message(),
              HasSubstr("there is no such process\n  next: look for"));
  EXPECT_THAT(FindArmed("server", nothing).error().message(),
              HasSubstr("neither the number of a process"));
  EXPECT_THAT(FindArmed("/no/such.sock", nothing).error().message(),
              HasSubstr("is no socket"));
  for (const char* const run : {"4194305", "server", "/no/such.sock"})
    EXPECT_EQ(CheckRun(run).error().message(),
              FindArmed(run, nothing).error().message());
  EXPECT_TRUE(CheckRun(std::to_string(getpid())).ok());  // it may be armed yet
}

TEST(Window, AnArmedProgramIsWhatItIsWithoutUs) {
  const Folder folder;
  const auto run = [&](const std::string& library) {
    return RunProgram(
        {INJECT_PROGRAM, "output"}, library, folder.path(),
        {{"RANGEFINDER_INJECT_MODE", "armed"},
         {"RANGEFINDER_SOCKET_DIR", (folder.path() / "sockets").string()}});
  };
  const ProgramRun bare = run(""), armed = run(INJECT_LIBRARY);
  EXPECT_EQ(armed.status, bare.status);
  EXPECT_EQ(armed.output, bare.output);
  EXPECT_EQ(armed.errors, bare.errors);
  EXPECT_TRUE(TracesIn(folder.path()).empty());
}

}  // namespace
}  // namespace rangefinder
