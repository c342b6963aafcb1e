// fmt's formatting itself is compiled in its library, not here.
//
// fmt 9 leaves out this one declaration, without which every file that formats
// into an iterator or a stream compiles all of fmt again: two to three seconds
// and 80 kB each. Nobody includes this; cmake/Precompiled.cmake puts it before
// the sources.

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
