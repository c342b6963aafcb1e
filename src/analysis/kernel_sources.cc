#include "analysis/kernel_sources.h"

#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/numbers.h"
#include "base/write_file.h"
#include "capture/tracer.h"
#include "ingest/inductor.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKept = "kernel_sources.";  // before a process id

// Inductor's names begin with the kind of the kernel: pointwise, reduction, ...
bool IsOfInductor(std::string_view kernel) {
  return kernel.starts_with("triton_") &&
         kernel.find("_fused_") != std::string_view::npos;
}

}  // namespace

Status KeepKernelSources(const fs::path& trace_dir) {
  const fs::path folder = TorchTraceFolder(trace_dir);
  KernelSources sources;
  std::vector<fs::path> read;
  std::error_code error;
  for (const fs::path& log : PathsIn(folder)) {
    if (!fs::is_regular_file(log, error)) continue;
    const auto file = MappedFile::Open(log);
    if (!file.ok()) continue;
    const auto found = ParseInductor(file.value().bytes());
    if (found.ok()) sources.Add(found.value());
    // The logs of a program without compiled kernels have no kernels.
    if (found.ok() || found.error().code() == ErrorCode::kUsage)
      read.push_back(log);
  }
  if (!sources.by_kernel.empty()) {
    TRY(WriteFile(trace_dir / fmt::format("{}{}.json", kKept, ::getpid()),
                  InductorText(sources)));
  }
  for (const fs::path& log : read) fs::remove(log, error);
  fs::remove(folder, error);  // fails if it is not empty
  return Ok();
}

void ReadKernelSources(const std::vector<fs::path>& files,
                       KernelSources& sources, Notes& notes) {
  std::set<fs::path> folders;
  for (const fs::path& file : files) folders.insert(file.parent_path());
  std::set<fs::path> kept;
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (const fs::path& path : PathsIn(folder.empty() ? "." : folder)) {
      const std::string name = path.filename();
      // A run directory may come from anywhere, so links are not followed.
      if (name.starts_with(kKept) && name.ends_with(".json") &&
          fs::symlink_status(path, error).type() == fs::file_type::regular)
        kept.insert(path);
    }
  }
  for (const fs::path& path : kept) {
    const auto text = ReadFile(path);
    const auto found = text.ok() ? ParseInductor(text.value())
                                 : Result<KernelSources>(text.error());
    if (found.ok()) {
      sources.Add(found.value());
    } else {
      notes.Add(
          Severity::kWarning, "kernel_sources",
          "the lines of the model are not known: " + found.error().message(),
          path.string());
    }
  }
}

void NoteKernelSources(const Profile& profile, Notes& notes) {
  const KernelSources& sources = profile.kernel_sources;
  if (!sources.recorded) return;
  std::map<StringId, double> ns_of;
  for (const Measurement& m : profile.measurements) {
    if (m.kind == MeasurementKind::kKernel)
      ns_of[m.demangled_name] += DurationNs(profile, m).value_or(0);
  }
  std::size_t known = 0, of_inductor = 0, without_operators = 0;
  double known_ns = 0, all_ns = 0;
  for (const auto& [name, ns] : ns_of) {
    const KernelSource* const source = sources.Find(profile.Name(name));
    const bool has_line = source != nullptr && !source->lines.empty();
    known += has_line ? 1 : 0;
    known_ns += has_line ? ns : 0;
    all_ns += ns;
    if (!IsOfInductor(profile.Name(name))) continue;
    ++of_inductor;
    if (source == nullptr || source->operators.empty()) ++without_operators;
  }
  if (ns_of.empty()) return;
  notes.Add(
      Severity::kInfo, "source_lines",
      fmt::format("the lines of {} of {} kernels are known, {} of the "
                  "kernels' time{}",
                  known, ns_of.size(), FormatShare(known_ns, all_ns),
                  known < ns_of.size()
                      ? "; the code of the others has no line table (nvcc "
                        "makes one with -lineinfo)"
                      : ""));
  if (without_operators > 0) {
    notes.Add(
        Severity::kInfo, "model_lines",
        fmt::format("PyTorch logged no operators of {} of {} kernels that "
                    "Inductor made: code from a cache that was filled without "
                    "INDUCTOR_PROVENANCE=1 has none "
                    "(TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 compiles again)",
                    without_operators, of_inductor));
  }
}

}  // namespace rangefinder
