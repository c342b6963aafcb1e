// Asking in a process of its own what may crash, hang or leave something
// behind: the driver of a machine that one knows nothing of.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// What a child wrote, whole or up to its end.
struct ChildAnswer {
  std::string text{};
  bool timed_out = false;
  int signal = 0;  // that ended it; 0: none did
  int status = 0;  // its exit status; 0 where `work` returned

  bool complete() const { return !timed_out && signal == 0 && status == 0; }
};

// Hands what is said to the parent at once, so that it is known even if the
// next call never returns.
using Say = std::function<void(std::string_view text)>;

// Runs `work` in a fork of this process, whose standard streams are /dev/null,
// and waits `timeout_s` seconds for it at most. The child ends without exit
// handlers. kSystem where none can be made. Not to be called while other
// threads run.
Result<ChildAnswer> AskChild(const std::function<void(const Say& say)>& work,
                             double timeout_s);

}  // namespace rangefinder
