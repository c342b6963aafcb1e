// SIGXFSZ, which ends a process that writes beyond the limit on file sizes.

#pragma once

namespace rangefinder {

// Makes it an error of that write from here on. Commands that a SystemRunner
// runs start with what this process was started with.
void IgnoreFileSizeSignal();

}  // namespace rangefinder
