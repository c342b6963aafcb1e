#include "base/process_tree.h"

#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>

namespace rangefinder {
namespace {

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
};

// From /proc/ID/stat: "ID (name) S PARENT GROUP …". The name may hold anything,
// also ") ", so what counts comes after the last one.
std::optional<Process> ReadStat(pid_t id) {
  std::ifstream in("/proc/" + std::to_string(id) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
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
  std::error_code error;
  std::filesystem::directory_iterator it("/proc", error);
  for (; !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    pid_t id = 0;
    const auto [end, bad] =
        std::from_chars(name.data(), name.data() + name.size(), id);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    if (const auto process = ReadStat(id)) all.push_back(*process);
  }
  return all;
}

}  // namespace

std::vector<pid_t> ProcessesUnder(pid_t leader) {
  const std::vector<Process> all = AllProcesses();
  std::set<pid_t> found{leader};
  // Parents mostly have smaller ids than their children, so this settles in a
  // round or two.
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

}  // namespace rangefinder
