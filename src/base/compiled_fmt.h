// Keeps fmt's formatting in fmt's library.
//
// fmt 9 lacks this one declaration. Without it, every file that formats into an
// iterator or a stream compiles all of fmt again: two to three seconds and 80
// kB each. No source includes this header; cmake/Precompiled.cmake does.

#pragma once

#include <fmt/format.h>

#if FMT_VERSION / 10000 == 9 && !defined(FMT_HEADER_ONLY)
FMT_BEGIN_NAMESPACE
namespace detail {
extern template void vformat_to(buffer<char>&, string_view,
                                basic_format_args<buffer_context<char>>,
                                locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
#endif
