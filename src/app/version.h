// Which Rangefinder this is, for people who report a bug.

#pragma once

namespace rangefinder {

// "0.2.0 (commit 0123456789ab)"; "-dirty" behind a commit that was built with
// changes, "0.2.0 (unknown commit)" where there was nobody to ask. Defined in
// what cmake/Version.cmake writes at every build.
const char* VersionText();

}  // namespace rangefinder
