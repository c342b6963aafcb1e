// Runs work in a child process that may crash, hang or keep resources: calls of
// an unknown driver.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// The output of a child, complete or up to its end.
struct ChildAnswer {
  std::string text{};
  bool timed_out = false;
  int signal = 0;  // that ended the child; 0: none
  int status = 0;  // exit status; 0 if `work` returned

  bool complete() const { return !timed_out && signal == 0 && status == 0; }
};

// Sends text to the parent at once, so that the parent has it even if the next
// call never returns.
using Say = std::function<void(std::string_view text)>;

// Runs `work` in a fork of this process with /dev/null as standard streams, and
// waits at most `timeout_s` seconds. The child ends without exit handlers.
// kSystem if fork fails. Do not call it while other threads run.
Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s);

}  // namespace rangefinder
