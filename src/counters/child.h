// Runs work that may crash, hang or leave something behind in a child process:
// calls to the driver of an unknown machine.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// The output of a child, complete or up to its death.
struct ChildAnswer {
  std::string text{};
  bool timed_out = false;
  int signal = 0;  // that ended the child; 0: none
  int status = 0;  // its exit status; 0 where `work` returned

  bool complete() const { return !timed_out && signal == 0 && status == 0; }
};

// Sends a text to the parent at once, so that the parent has it even if the
// child's next call never returns.
using Say = std::function<void(std::string_view text)>;

// Runs `work` in a fork of this process, whose standard streams are /dev/null,
// and waits at most `timeout_s` seconds for it. The child ends without exit
// handlers. kSystem: no child can be made. Not to be called while other threads
// run.
Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s);

}  // namespace rangefinder
