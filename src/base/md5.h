// MD5 (RFC 1321): names of folders that others expect, nothing that needs to be
// safe from forgery.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// The digest in lower-case hexadecimal.
std::string Md5(std::string_view bytes);

}  // namespace rangefinder
