#include "capture/target.h"

#include <cstdlib>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/embedded.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/ncu_messages.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedExamples();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBundled = "shallow_resnet";

fs::path EnvironmentPath(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

fs::path ThisProgram() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

// Each version of the sources has a folder of its own.
fs::path CacheFolder() {
  fs::path cache = EnvironmentPath("XDG_CACHE_HOME");
  if (!cache.is_absolute()) {
    const fs::path home = EnvironmentPath("HOME");
    cache = home.empty() ? fs::temp_directory_path() : home / ".cache";
  }
  std::string sources;
  for (const EmbeddedFile& file : EmbeddedExamples()) sources += file.content();
  return cache / "rangefinder" / Sha256(sources).substr(0, 16);
}

std::optional<fs::path> FindNvcc(ProcessRunner& runner) {
  if (auto nvcc = runner.Find("nvcc")) return nvcc;
  std::error_code error;
  for (const fs::path& cuda :
       {EnvironmentPath("CUDA_HOME"), EnvironmentPath("CUDA_PATH"),
        fs::path("/usr/local/cuda")}) {
    const fs::path nvcc = cuda / "bin" / "nvcc";
    if (!cuda.empty() && fs::is_regular_file(nvcc, error)) return nvcc;
  }
  return std::nullopt;
}

Error NotBuilt(const std::string& why, const std::string& next) {
  return {
      ErrorCode::kUsage,
      Explained(fmt::format("no program to profile was given, and the bundled "
                            "workload {} is not built",
                            kBundled),
                why,
                next + "; or put a program of your own after --, as in: "
                       "rangefinder profile -- ./program")};
}

Status Compile(const fs::path& nvcc, const fs::path& program,
               ProcessRunner& runner) {
  const fs::path folder = program.parent_path();
  TRY(MakeDirectories(folder));
  for (const EmbeddedFile& file : EmbeddedExamples())
    TRY(WriteFile(folder / file.path, std::string(file.content())));
  // Of two concurrent builds, the later one stays.
  const fs::path part = fmt::format("{}.{}.part", program.string(), ::getpid());
  std::vector<std::string> argv = {nvcc.string(), "-O2", "-std=c++17",
                                   "-lineinfo",   "-o",  part.string()};
  std::error_code error;
  if (fs::exists("/dev/nvidiactl", error)) argv.emplace_back("-arch=native");
  argv.push_back((folder / fmt::format("{}.cu", kBundled)).string());
  argv.emplace_back("-ldl");
  const Finished built = TRY(runner.Run({.argv = argv,
                                         .out = Command::Output::kCapture,
                                         .err = Command::Output::kCapture}));
  if (built.ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted, "interrupted while nvcc ran");
  if (!built.ok()) {
    fs::remove(part, error);
    return NotBuilt(fmt::format("{} failed: {}", nvcc.string(),
                                (built.err + built.out).substr(0, 2000)),
                    "build it with examples/build.sh");
  }
  fs::rename(part, program, error);
  if (error) {
    return Error(ErrorCode::kSystem,
                 fmt::format("{}: {}", program.string(), error.message()));
  }
  return Ok();
}

// The path at which BuildBundled() puts the program.
fs::path CachedBundled() {
  return CacheFolder() / kBundled;
}

// The bundled program if it is built: in RANGEFINDER_EXAMPLES, next to this
// program, where examples/build.sh puts it, or in the cache.
std::optional<fs::path> FindBundled() {
  const fs::path here = ThisProgram().parent_path();
  std::error_code error;
  for (const fs::path& folder :
       {EnvironmentPath("RANGEFINDER_EXAMPLES"), here, here / "examples",
        here.parent_path() / "examples",
        here.parent_path() / "share/rangefinder/examples", CacheFolder()}) {
    if (!folder.empty() && fs::is_regular_file(folder / kBundled, error))
      return folder / kBundled;
  }
  return std::nullopt;
}

}  // namespace

Status BuildBundled(ProcessRunner& runner, const Listener& listener) {
  if (FindBundled()) return Ok();
  const auto nvcc = FindNvcc(runner);
  if (!nvcc) {
    return NotBuilt("there is no CUDA compiler (nvcc) to build it with",
                    "install the CUDA toolkit, or put nvcc on PATH");
  }
  listener.say(fmt::format(
      "compiling the bundled workload {} for this machine, once", kBundled));
  return Compile(*nvcc, CachedBundled(), runner);
}

Result<ProgramToStart> ProgramToRun(const std::vector<std::string>& program,
                                    const Workload& workload,
                                    const std::string& run_dir) {
  ProgramToStart start;
  if (workload.RunsBundled(program)) {
    start.argv = {FindBundled().value_or(CachedBundled()).string()};
    start.argv.insert(start.argv.end(), workload.bundled_arguments.begin(),
                      workload.bundled_arguments.end());
  } else {
    if (!workload.OnFirstDevice()) {
      return Error(
          ErrorCode::kUsage,
          Explained(
              fmt::format("device={} has no effect on this program",
                          Printable(workload.device)),
              "it is where the bundled workload runs; a program of your "
              "own chooses its device itself",
              "leave it out; CUDA_VISIBLE_DEVICES chooses the devices of a "
              "program, pipeline.ncu.ncu_cli.devices the devices that "
              "ncu measures"));
    }
    start.argv = program.empty() ? workload.argv : program;
  }
  if (!workload.start_in_run_dir) return start;
  start.cwd = run_dir;
  std::error_code error;
  std::string& name = start.argv.front();
  if (name.find('/') != std::string::npos)
    name = fs::absolute(name, error).lexically_normal().string();
  return start;
}

// ---- Standard input --------------------------------------------------------

StandardInput::StandardInput() {
  struct stat about {};
  if (::fstat(STDIN_FILENO, &about) != 0) return;
  if (S_ISREG(about.st_mode)) {
    const off_t at = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (at >= 0) offset_ = at;
  }
  if (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode)) return;
  // Many launchers leave a pipe without a writer, which counts as no input.
  struct pollfd input {
    STDIN_FILENO, POLLIN, 0
  };
  int bytes = 0;
  once_ = ::poll(&input, 1, 0) > 0 && (input.revents & POLLIN) != 0 &&
          ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

void StandardInput::ReadAgain() const {
  if (offset_) ::lseek(STDIN_FILENO, *offset_, SEEK_SET);
}

}  // namespace rangefinder
