// Digests that identify files, names and settings; not for secrets.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// SHA-256 (FIPS 180-4) and MD5 (RFC 1321) in lower-case hexadecimal. MD5 is
// only for the folder names that users of the predecessor expect.
std::string Sha256(std::string_view bytes);
std::string Md5(std::string_view bytes);

}  // namespace rangefinder
