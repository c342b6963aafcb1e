#include "tests/inject/traced_program.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "ingest/reader.h"
#include "region/path.h"

namespace rangefinder {
namespace fs = std::filesystem;

std::vector<Traced> TracedBuilds() {
  return {
      {"plain", INJECT_PROGRAM, INJECT_LIBRARY, INJECT_FAKE_CUPTI},
#ifdef INJECT_LIBRARY_TSAN
      {"tsan", INJECT_PROGRAM_TSAN, INJECT_LIBRARY_TSAN,
       INJECT_FAKE_CUPTI_TSAN},
      {"asan", INJECT_PROGRAM_ASAN, INJECT_LIBRARY_ASAN,
       INJECT_FAKE_CUPTI_ASAN},
#endif
  };
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "inject-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

ProgramRun RunProgram(const std::vector<std::string>& argv,
                      const std::string& library, const fs::path& folder,
                      const std::map<std::string, std::string>& environment) {
  ProgramRun run;
  const std::string out = (folder / "stdout").string();
  const std::string err = (folder / "stderr").string();
  const pid_t child = fork();
  if (child == 0) {
    if (!library.empty()) {
      setenv("NVTX_INJECTION64_PATH", library.c_str(), 1);
      setenv("CUDA_INJECTION64_PATH", library.c_str(), 1);
      setenv("RANGEFINDER_INJECT_DIR", folder.c_str(), 1);
    }
    for (const auto& [name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    dup2(open(out.c_str(), kFlags, 0644), 1);
    dup2(open(err.c_str(), kFlags, 0644), 2);
    std::vector<char*> words;
    for (const std::string& word : argv)
      words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  waitpid(child, &run.status, 0);
  run.output = ReadFile(out).value();
  run.errors = ReadFile(err).value();
  return run;
}

std::vector<fs::path> TracesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rftrace") files.push_back(entry.path());
  }
  std::ranges::sort(files);  // in the order of their processes
  return files;
}

Profile ReadTraces(const fs::path& folder, Notes& notes) {
  Result<Profile> profile = ReadArtifacts(TracesIn(folder), notes);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message());
  return profile.ok() ? std::move(profile).value() : Profile{};
}

std::string DrawVisits(const Profile& profile) {
  std::string text;
  std::vector<std::uint64_t> threads;
  for (const RangeVisits& row : profile.visits) {
    auto thread = std::ranges::find(threads, row.thread);
    if (thread == threads.end()) {
      threads.push_back(row.thread);
      thread = std::prev(threads.end());
    }
    text +=
        fmt::format("p{} t{}", Index(row.process), thread - threads.begin());
    Measurement inside{};
    inside.process = row.process;
    inside.thread = row.thread;
    inside.nvtx = row.nvtx;
    const char* separator = " ";
    for (const Frame& frame : PathOf(profile, inside)) {
      text += separator;
      text += FrameText(profile, frame);
      if (frame.kind == FrameKind::kStartEnd) text += "*";
      separator = " / ";
    }
    text += fmt::format(" x{}", row.instances);
    if (row.unclosed > 0) text += fmt::format(" open{}", row.unclosed);
    text += "\n";
  }
  return text;
}

std::string DrawNotes(const Notes& notes) {
  std::string text;
  for (const Note& note : notes.all())
    text += fmt::format("{} {}\n", note.kind, note.count);
  return text;
}

}  // namespace rangefinder
