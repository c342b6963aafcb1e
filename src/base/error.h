// How this program fails.
//
// A function that can fail for a reason outside the program (a missing file, a
// malformed report, a profiler that exits non-zero) returns Result<T>. Nothing
// throws across a header: a library that throws is caught in the very function
// that calls it.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace rangefinder {

// What went wrong. There is one exit status per code; see docs/errors.md.
enum class ErrorCode {
  kOther,        // 1: none of the below
  kUsage,        // 2: the command line or the configuration is wrong
  kTarget,       // 3: the profiled program failed
  kProfiler,     // 4: ncu or CUPTI is missing, refused or failed
  kCorrupt,      // 5: a file is not what it claims to be
  kUnsupported,  // 6: a file is intact, but this build cannot read it
  kSystem,       // 7: the operating system said no
  kGate,         // 8: a diff gate was crossed
  kInterrupted,  // 130: Ctrl-C
};

// The process's exit status for an error of this code.
int ExitStatus(ErrorCode code);

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // Says where: In("run.ncu-rep") makes "truncated block" into
  // "run.ncu-rep: truncated block".
  Error In(std::string_view where) &&;

 private:
  ErrorCode code_;
  std::string message_;
};

// A T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }

  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  Result In(std::string_view where) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().In(where);
  }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status Ok() {
  return std::monostate{};
}

// The value of a Result; or returns its Error from the enclosing function.
// A GNU statement expression, which both our compilers have.
#define TRY(expression)                                         \
  __extension__({                                               \
    auto try_result = (expression);                             \
    if (!try_result.ok()) return std::move(try_result).error(); \
    std::move(try_result).value();                              \
  })

}  // namespace rangefinder
