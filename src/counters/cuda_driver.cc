#include "counters/cuda_driver.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "counters/cupti_library.h"
#include "cupti/host_abi.h"

namespace rangefinder {

// ---- Child processes -------------------------------------------------------

namespace {

using Clock = std::chrono::steady_clock;

Error SystemError(const char* what) {
  return Error(ErrorCode::kSystem,
               fmt::format("{}: {}", what, std::strerror(errno)));
}

void WriteAll(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void BeChild(int answer, pid_t parent,
                          const std::function<void(const Say& say)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGPIPE, SIG_IGN);
  // A crash must end the child, whatever handlers this process has.
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::signal(crash, SIG_DFL);
  if (const int null = ::open("/dev/null", O_RDWR); null >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(null, stream);
  }
  try {
    work([answer](std::string_view text) { WriteAll(answer, text); });
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

// Reads until the other end is closed (true) or the timeout (false).
bool ReadUntil(int from, Clock::time_point end, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waits{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// The wait status of the child. A process that hangs inside the driver may
// survive SIGKILL; after some seconds it is left alone and reported as killed.
int Reap(pid_t child) {
  constexpr int kTries = 500;
  int status = 0;
  for (int i = 0; i < kTries; ++i) {
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    if (reaped == child) return status;
    if (reaped < 0 && errno != EINTR) break;
    if (i == kTries / 2) ::kill(child, SIGKILL);  // hangs while it exits
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return SIGKILL;
}

}  // namespace

Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const Error error = SystemError("fork");
    ::close(ends[0]);
    ::close(ends[1]);
    return error;
  }
  if (child == 0) {
    ::close(ends[0]);
    BeChild(ends[1], parent, work);
  }
  ::close(ends[1]);
  ChildAnswer answer;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  answer.timed_out = !ReadUntil(ends[0], end, answer.text);
  ::close(ends[0]);
  if (answer.timed_out) ::kill(child, SIGKILL);
  const int status = Reap(child);
  if (!answer.timed_out && WIFSIGNALED(status))
    answer.signal = WTERMSIG(status);
  if (!answer.timed_out && WIFEXITED(status))
    answer.status = WEXITSTATUS(status);
  return answer;
}

namespace {

using DeviceHandle = std::int32_t;
using Address = std::uint64_t;

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

}  // namespace

template <typename... Arguments>
Status CudaDriver::Call(const char* name, Arguments... arguments) const {
  using Function = int (*)(Arguments...);
  const auto function = reinterpret_cast<Function>(::dlsym(handle_, name));
  if (function == nullptr) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("{}: libcuda.so.1 does not have it", name));
  }
  const int error = function(arguments...);
  if (error == 0) return Ok();
  std::string message = fmt::format("{}: {}", name, ErrorName(error));
  if (error == kNoDevice)
    message +=
        ", there is no GPU that may be used (CUDA_VISIBLE_DEVICES hides some)";
  return Error(ErrorCode::kProfiler, std::move(message));
}

std::string CudaDriver::ErrorName(int error) const {
  using GetName = int (*)(int, const char**);
  const auto get =
      reinterpret_cast<GetName>(::dlsym(handle_, "cuGetErrorName"));
  const char* name = nullptr;
  if (get == nullptr || get(error, &name) != 0 || name == nullptr)
    return fmt::format("CUDA error {}", error);
  return fmt::format("{} ({})", name, error);
}

Result<CudaDriver> CudaDriver::Start() {
  void* handle = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error(ErrorCode::kProfiler,
                 "there is no driver of NVIDIA's here (libcuda.so.1)");
  }
  CudaDriver driver(handle);
  TRY(driver.Call("cuInit", 0U));
  int version = 0;
  if (driver.Call("cuDriverGetVersion", &version).ok())
    driver.version_ = version;
  return driver;
}

Result<int> CudaDriver::DeviceCount() const {
  int count = 0;
  TRY(Call("cuDeviceGetCount", &count));
  return count;
}

Result<std::string> CudaDriver::DeviceName(int device) const {
  DeviceHandle handle = 0;
  TRY(Call("cuDeviceGet", &handle, device));
  std::array<char, 256> name{};
  TRY(Call("cuDeviceGetName", name.data(), static_cast<int>(name.size()),
           handle));
  return std::string(name.data());
}

Result<void*> CudaDriver::NewContext(int device) const {
  DeviceHandle handle = 0;
  TRY(Call("cuDeviceGet", &handle, device));
  // The primary context: cuCtxCreate's parameters differ between versions.
  void* context = nullptr;
  TRY(Call("cuDevicePrimaryCtxRetain", &context, handle));
  TRY(Call("cuCtxSetCurrent", context));
  return context;
}

Status CudaDriver::Work() const {
  constexpr std::size_t kBytes = 1U << 20U;
  Address memory = 0;
  TRY(Call("cuMemAlloc_v2", &memory, kBytes));
  TRY(Call("cuMemsetD8_v2", memory, static_cast<unsigned char>(1), kBytes));
  TRY(Call("cuCtxSynchronize"));
  return Call("cuMemFree_v2", memory);
}

// ---- Chips of this machine -------------------------------------------------

namespace {

// A line of the child: a word, a tab and a text.
constexpr std::string_view kDevice = "device\t";
constexpr std::string_view kLoadFailed = "failed\t";

Status Ask(const Say& say) {
  const CudaDriver driver = TRY(CudaDriver::Start());
  const CuptiLibrary library = TRY(CuptiLibrary::Open());
  // Without this call, asking for a chip's name crashes.
  cupti::ProfilerInitialize initialize;
  TRY(library.Try(initialize));
  const int count = TRY(driver.DeviceCount());
  for (int device = 0; device < count; ++device) {
    cupti::DeviceChipName name;
    name.device = static_cast<std::size_t>(device);
    const cupti::Code code = library.Call(name);
    if (code != cupti::kSuccess || name.chip == nullptr) {
      return Error(ErrorCode::kProfiler,
                   fmt::format("{}: {}", name.kFunction, library.Name(code)));
    }
    say(fmt::format("{}{}\t{}\n", kDevice,
                    Printable(TRY(driver.DeviceName(device))), name.chip));
  }
  return Ok();
}

}  // namespace

Result<std::vector<DeviceChip>> ChipsOfMachine(double timeout_s) {
  const ChildAnswer answer = TRY(AskChild(
      [](const Say& say) {
        const Status asked = Ask(say);
        if (!asked.ok())
          say(fmt::format("{}{}\n", kLoadFailed,
                          Printable(asked.error().message())));
      },
      timeout_s));
  std::vector<DeviceChip> chips;
  for (const std::string& line : Split(answer.text, '\n')) {
    if (line.starts_with(kLoadFailed))
      return Error(ErrorCode::kProfiler, line.substr(kLoadFailed.size()));
    const std::vector<std::string> parts = Split(line, '\t');
    if (line.starts_with(kDevice) && parts.size() == 3)
      chips.push_back({.device = parts[1], .chip = parts[2]});
  }
  if (answer.timed_out) {
    return Error(ErrorCode::kProfiler,
                 fmt::format("the driver did not answer within {:g} s; try "
                             "nvidia-smi",
                             timeout_s));
  }
  if (!answer.complete()) {
    return Error(
        ErrorCode::kProfiler,
        answer.signal != 0
            ? fmt::format("asking the driver for its GPUs ended with "
                          "signal {}",
                          answer.signal)
            : "asking the driver for its GPUs ended without an answer");
  }
  if (chips.empty())
    return Error(ErrorCode::kProfiler, "the driver has no GPU");
  return chips;
}

}  // namespace rangefinder
