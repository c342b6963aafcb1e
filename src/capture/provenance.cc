#include "capture/provenance.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/machine.h"
#include "capture/ncu.h"

extern char** environ;

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Of all files together: hashing a checkpoint takes minutes, before the program
// starts.
constexpr std::uintmax_t kHashed = std::uintmax_t{256} << 20;

constexpr std::array<std::string_view, 14> kKeptVariables = {
    "CUDA_",    "NVIDIA_",   "NV_COMPUTE", "NCCL_",  "NVTX_",
    "NVSHMEM_", "TORCH_",    "PYTORCH_",   "XLA_",   "JAX_",
    "TRITON_",  "SLURM_JOB", "OMP_",       "CUBLAS_"};

// Variables with these words may hold secrets, which a report must not show.
bool IsSecret(std::string_view variable) {
  const std::string name = AsciiLower(variable);
  constexpr std::array<std::string_view, 5> kWords = {"token", "key", "secret",
                                                      "passw", "credential"};
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

Json KeptEnvironment() {
  std::vector<std::string> kept;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const bool wanted = std::ranges::any_of(
        kKeptVariables, [&](auto prefix) { return entry.starts_with(prefix); });
    if (wanted && !IsSecret(entry.substr(0, entry.find('='))))
      kept.emplace_back(entry);
  }
  std::ranges::sort(kept);
  Json json = Json::object();
  for (const std::string& entry : kept) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    json[entry.substr(0, equals)] =
        equals < entry.size() ? entry.substr(equals + 1) : "";
  }
  return json;
}

// A JSON string is a YAML string.
std::string Yaml(const std::string& text) {
  return JsonDocument(Json(text));
}

// `hashed`: the bytes that may still be read for checksums. Files of the kernel
// have size 0, and reading them may take from them, or never end.
std::string FileYaml(const fs::path& path, std::string_view indent,
                     std::uintmax_t& hashed) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  std::string text = fmt::format("{}path: {}\n", indent,
                                 Yaml(error ? path.string() : real.string()));
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return text + fmt::format("{}sha256: null\n", indent);
  text += fmt::format("{}size: {}\n", indent, size);
  std::string sum = "null";
  if (size > 0 && size <= hashed) {
    hashed -= size;
    if (const auto file = MappedFile::Open(path); file.ok())
      sum = Sha256(file.value().bytes());
  }
  return text + fmt::format("{}sha256: {}\n", indent, sum);
}

// Keeps only environment variables that change how CUDA programs run.
std::string EnvironmentJson(const CaptureOptions& options,
                            const Machine& machine, const fs::path& ncu,
                            const std::string& ncu_version) {
  Json gpus = Json::array();
  for (const Gpu& gpu : machine.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"name", gpu.name},
                    {"uuid", gpu.uuid},
                    {"memory", gpu.memory},
                    {"compute_capability", gpu.compute},
                    {"mig", gpu.mig}});
  }
  const Json json = {
      {"schema", "rangefinder.env/1"},
      {"time", Now()},
      {"host", machine.host},
      {"system", machine.system},
      {"kernel", machine.kernel},
      {"cpu", machine.cpu},
      {"cores", machine.cores},
      {"driver", machine.driver},
      {"gpus", gpus},
      {"tools",
       {{"rangefinder", options.version},
        {"ncu", {{"path", ncu.string()}, {"version", ncu_version}}}}},
      {"environment", KeptEnvironment()}};
  return JsonDocument(json, 2) + "\n";
}

// Arguments that are files are listed too: for an interpreter, an argument is
// the real program.
std::string InputsYaml(const CaptureOptions& options, const fs::path& program) {
  std::error_code error;
  const fs::path cwd = options.StartFolder();
  std::uintmax_t hashed = kHashed;
  std::string text = "program:\n" + FileYaml(cwd / program, "  ", hashed);
  text += "argv:\n";
  for (const std::string& word : options.program)
    text += "  - " + Yaml(word) + "\n";
  text += "cwd: " + Yaml(cwd.string()) + "\n";
  std::string files;
  for (std::size_t i = 1; i < options.program.size(); ++i) {
    const fs::path path = cwd / options.program[i];
    if (options.program[i].empty() || !fs::is_regular_file(path, error))
      continue;
    // A list item begins with a dash instead of its indent.
    std::string item = FileYaml(path, "    ", hashed);
    item.replace(0, 4, "  - ");
    files += item;
  }
  return text + (files.empty() ? "files: []\n" : "files:\n" + files);
}

}  // namespace

std::string Now() {
  return TimeText(std::time(nullptr));
}

std::string TimeText(std::time_t time) {
  return UtcText(time, "%Y-%m-%dT%H:%M:%SZ");
}

Status WriteProvenance(const CaptureOptions& options, const fs::path& program,
                       const fs::path& ncu, const std::string& ncu_version,
                       ProcessRunner& runner) {
  const auto write = [&](const std::string& stem, const char* extension,
                         const std::string& text) {
    return WriteBelow(options.run_dir, RankedStem(options, stem) + extension,
                      text);
  };
  if (!options.config_yaml.empty())
    TRY(write("config", ".yaml", options.config_yaml));
  TRY(write("env", ".json",
            EnvironmentJson(options, ProbeMachine(runner), ncu, ncu_version)));
  return write("inputs", ".yaml", InputsYaml(options, program));
}

}  // namespace rangefinder
