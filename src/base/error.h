// Errors of this program.
//
// A function that can fail for a reason outside the program (a missing file, a
// malformed report, a profiler that exits non-zero) returns Result<T>. No
// exception crosses a header: the function that calls a throwing library
// catches.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace rangefinder {

// The kind of an error; its value is the exit status (docs/errors.md).
enum class ErrorCode {
  kOther = 1,          // none of the below
  kUsage = 2,          // the command line or the configuration is wrong
  kTarget = 3,         // the profiled program failed
  kProfiler = 4,       // ncu or CUPTI is missing, refused or failed
  kCorrupt = 5,        // a file is damaged, or of another format
  kUnsupported = 6,    // a file is intact, but this build cannot read it
  kSystem = 7,         // the operating system refused
  kGate = 8,           // a diff gate was crossed
  kInterrupted = 130,  // Ctrl-C
};

constexpr int ExitStatus(ErrorCode code) {
  return static_cast<int>(code);
}

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // Adds the place: In("run.ncu-rep") changes "truncated block" to
  // "run.ncu-rep: truncated block".
  Error In(std::string_view where) &&;

 private:
  ErrorCode code_;
  std::string message_;
};

// kSystem with errno's words: "run.ncu-rep: cannot open: Permission denied".
Error ErrnoError(std::string_view where, std::string_view what);

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
// A GNU statement expression, which GCC and clang have.
#define TRY(expression)                                         \
  __extension__({                                               \
    auto try_result = (expression);                             \
    if (!try_result.ok()) return std::move(try_result).error(); \
    std::move(try_result).value();                              \
  })

}  // namespace rangefinder
