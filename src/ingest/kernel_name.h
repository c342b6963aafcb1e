// Names of kernels: mangled, demangled, and the function's own name.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// The name as in the source, with template arguments and parameters; `mangled`
// itself if it is not a mangled name.
std::string Demangle(std::string_view mangled);

// The function's own name, without return type, namespace, template arguments
// and parameters: `f` for `void at::f<int>(T*)`.
std::string FunctionName(std::string_view demangled);

}  // namespace rangefinder
