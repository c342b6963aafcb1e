// The version of Rangefinder, for bug reports.

#pragma once

namespace rangefinder {

// "0.2.0 (commit 0123456789ab)"; "-dirty" after a commit with uncommitted
// changes, "0.2.0 (unknown commit)" without git. Defined in a file that
// cmake/Version.cmake writes at every build.
const char* VersionText();

}  // namespace rangefinder
