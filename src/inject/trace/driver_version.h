// The version of the loaded NVIDIA driver, from /proc/driver/nvidia/version.
// Nothing here allocates.

#pragma once

#include <cstddef>
#include <cstring>

namespace rangefinder::inject {

// Finds the version in the first line: "580.159.04" in "NVRM version: NVIDIA
// UNIX Open Kernel Module for x86_64  580.159.04  Release …". False, and
// `version` unchanged: there is none, or it is too long.
template <std::size_t kSize>
bool DriverVersionIn(const char* text, char (&version)[kSize]) {
  const char* const end = text + strcspn(text, "\n");
  while (text < end) {
    const std::size_t length = strcspn(text, " \t\n");
    if (length > 3 && length < kSize && *text >= '1' && *text <= '9' &&
        memchr(text, '.', length) != nullptr) {
      memcpy(version, text, length);
      version[length] = '\0';
      return true;
    }
    text += length + 1;
  }
  return false;
}

}  // namespace rangefinder::inject
