// SHA-256 (FIPS 180-4): what tells the files and settings of two runs apart.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// The digest in lower-case hexadecimal.
std::string Sha256(std::string_view bytes);

}  // namespace rangefinder
