#include "capture/machine.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "capture/ncu_messages.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// "580.65.06" of "NVRM version: NVIDIA UNIX … Module  580.65.06  Release …".
std::string DriverVersion(const std::string& text) {
  for (const std::string& word : Split(Split(text, '\n')[0], ' ')) {
    if (word.size() > 3 && word[0] >= '1' && word[0] <= '9' &&
        word.find('.') != std::string::npos)
      return word;
  }
  return "";
}

std::vector<Gpu> AskNvidiaSmi(ProcessRunner& runner) {
  if (!runner.Find("nvidia-smi")) return {};
  const auto finished = runner.Run(
      {.argv = {"nvidia-smi",
                "--query-gpu=index,name,uuid,memory.total,compute_cap,"
                "mig.mode.current",
                "--format=csv,noheader"},
       .out = Command::Output::kCapture,
       .err = Command::Output::kDiscard,
       .timeout_s = 30});
  if (!finished.ok() || !finished.value().ok()) return {};
  std::vector<Gpu> gpus;
  for (const std::string& line : Split(finished.value().out, '\n')) {
    std::vector<std::string> cells = Split(line, ',');
    if (cells.size() < 6) continue;
    for (std::string& cell : cells) cell = std::string(Trim(cell));
    gpus.push_back(
        {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return gpus;
}

std::vector<Gpu> ReadProc(const fs::path& root) {
  std::vector<Gpu> gpus;
  for (const fs::path& gpu : PathsIn(root / "proc/driver/nvidia/gpus")) {
    const std::string text = SystemText(gpu / "information");
    gpus.push_back({.index = SystemValue(text, "Device Minor", ':'),
                    .name = SystemValue(text, "Model", ':'),
                    .uuid = SystemValue(text, "GPU UUID", ':')});
  }
  std::ranges::sort(gpus, {}, &Gpu::index);
  return gpus;
}

// Numbers compare as numbers: 2025.10 is newer than 2025.9.
std::vector<int> VersionOf(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (!IsAsciiDigit(text[i])) {
      ++i;
      continue;
    }
    int number = 0;
    for (; i < text.size() && IsAsciiDigit(text[i]); ++i)
      number = std::min(number * 10 + (text[i] - '0'), 100'000'000);
    numbers.push_back(number);
  }
  return numbers;
}

std::optional<fs::path> NewestIn(const fs::path& root,
                                 const InstallFolder& install) {
  std::optional<fs::path> best;
  std::vector<int> best_version;
  std::error_code absent;
  for (const fs::path& folder : PathsIn(root / install.folder)) {
    const std::string name = folder.filename().string();
    const fs::path candidate = folder / install.below;
    if (!name.starts_with(install.prefix) ||
        !fs::is_regular_file(candidate, absent))
      continue;
    std::vector<int> version = VersionOf(name);
    if (best && version <= best_version) continue;
    best = candidate;
    best_version = std::move(version);
  }
  return best;
}

}  // namespace

Machine ProbeMachine(ProcessRunner& runner, const fs::path& root) {
  Machine machine;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0)
    machine.host = host.data();
  struct utsname names {};
  if (::uname(&names) == 0)
    machine.kernel = fmt::format("{} {}", names.sysname, names.release);
  machine.system =
      SystemValue(SystemText(root / "etc/os-release"), "PRETTY_NAME", '=');
  machine.cpu =
      SystemValue(SystemText(root / "proc/cpuinfo"), "model name", ':');
  machine.cores = std::thread::hardware_concurrency();
  machine.driver =
      DriverVersion(SystemText(root / "proc/driver/nvidia/version"));
  machine.gpus = AskNvidiaSmi(runner);
  if (machine.gpus.empty()) machine.gpus = ReadProc(root);
  return machine;
}

std::optional<fs::path> FindNvidiaTool(
    ProcessRunner& runner, const std::string& name, std::string_view tool,
    const fs::path& root, std::initializer_list<InstallFolder> folders) {
  std::error_code error;
  if (name.find('/') != std::string::npos) {
    if (fs::is_regular_file(name, error)) return fs::path(name);
    return std::nullopt;
  }
  if (auto found = runner.Find(name)) return found;
  if (name != tool) return std::nullopt;
  const fs::path usual = root / "usr/local/cuda/bin" / tool;
  if (fs::is_regular_file(usual, error)) return usual;
  for (const InstallFolder& install : folders) {
    if (auto newest = NewestIn(root, install)) return newest;
  }
  return std::nullopt;
}

Result<fs::path> FindNcu(ProcessRunner& runner, const std::string& name,
                         const fs::path& root) {
  if (const auto found =
          FindNvidiaTool(runner, name, "ncu", root,
                         {{"usr/local", "cuda-", "bin/ncu"},
                          {"opt/nvidia/nsight-compute", "", "ncu"}}))
    return *found;
  return Error(
      ErrorCode::kProfiler,
      Explained(
          fmt::format("Nsight Compute was not found ({})", ShellQuote(name)),
          name == "ncu" ? "there is no ncu in PATH, in /usr/local/cuda*/bin or "
                          "in /opt/nvidia/nsight-compute"
                        : "pipeline.ncu.path names no such program",
          "install it (Debian, Ubuntu: apt install nsight-compute; it is also "
          "part of the CUDA toolkit), or say where it is with "
          "pipeline.ncu.path=/path/to/ncu"));
}

Result<std::string> NcuVersion(ProcessRunner& runner, const fs::path& ncu) {
  const Finished finished = TRY(runner.Run({.argv = {ncu.string(), "--version"},
                                            .out = Command::Output::kCapture,
                                            .err = Command::Output::kCapture,
                                            .timeout_s = 60}));
  if (finished.ending == Ending::kInterrupted) {
    return Error(ErrorCode::kInterrupted,
                 "interrupted while ncu was asked for its version");
  }
  for (const std::string& line : Split(finished.out, '\n')) {
    const std::vector<std::string> words = Split(Trim(line), ' ');
    if (words.size() >= 2 && words[0] == "Version") return words[1];
  }
  return Error(ErrorCode::kProfiler,
               Explained(ncu.string() + " does not say its version",
                         Ellipsize(Printable(finished.out + finished.err), 300),
                         "see that it runs: ncu --version"));
}

std::string SystemText(const fs::path& path) {
  auto text = ReadFile(path);
  return text.ok() ? std::move(text).value() : "";
}

std::string SystemValue(std::string_view text, std::string_view key,
                        char separator) {
  for (const std::string& line : Split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || Trim(line.substr(0, at)) != key) continue;
    std::string value(Trim(std::string_view(line).substr(at + 1)));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return "";
}

}  // namespace rangefinder
