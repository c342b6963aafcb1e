// Runs a program under the tracer, in a folder of its own, and draws its traces
// as text.

#pragma once

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

struct ProgramRun {
  int status = 0;        // as waitpid() gives it
  std::string output{};  // standard output
  std::string errors{};  // standard error
};

// A program and the library it is traced by; with sanitizers, both have them.
struct Traced {
  std::string name;
  std::string program;
  std::string library;
  std::string fake_cupti;

  friend void PrintTo(const Traced& traced, std::ostream* out) {
    *out << traced.name;
  }
};

// Without sanitizers, and with each that was built.
std::vector<Traced> TracedBuilds();

// An empty folder that is removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// `library` empty: untraced.
ProgramRun RunProgram(
    const std::vector<std::string>& argv, const std::string& library,
    const std::filesystem::path& folder,
    const std::map<std::string, std::string>& environment = {});

std::vector<std::filesystem::path> TracesIn(
    const std::filesystem::path& folder);

Profile ReadTraces(const std::filesystem::path& folder, Notes& notes);

// A region a line, processes and threads by order of appearance:
//   p0 t0 A / inner x3 k2
std::string DrawVisits(const Profile& profile);
std::string DrawNotes(const Notes& notes);  // kinds, with their counts

}  // namespace rangefinder
