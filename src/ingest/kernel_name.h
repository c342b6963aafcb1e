// What a compiler made of a kernel's name, taken apart again.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// The name as it was written, with its template arguments and parameters;
// `mangled` itself where it is not a mangled name.
std::string Demangle(std::string_view mangled);

// The function's own name: no return type, namespace, template argument or
// parameter. `void at::f<int>(T*)` is `f`.
std::string FunctionName(std::string_view demangled);

}  // namespace rangefinder
