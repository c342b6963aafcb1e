// Names of kernels in a readable form.
//
//   void at::native::vectorized_elementwise_kernel<(int)4, at::native::
//   BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<
//   float>>, std::array<char *, (unsigned long)3>>(int, T2, T3)
//
// becomes `vectorized_elementwise_kernel<…MulFunctor<float>>`. Names without
// template arguments and parameters (of Triton, cuBLAS, cuDNN) stay as they
// are. docs/kernel-names.md has a table.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// `name` without return type, namespaces and parameters. Of the template
// arguments it keeps the one that names the computation, or the first few.
// Different kernels may get equal names. A name that cannot be parsed stays as
// it is.
std::string ShortKernelName(std::string_view name);

// Short names for the rows of one table. Kernels whose names would be equal get
// more template arguments, or their full names if that does not suffice.
std::vector<std::string> ShortKernelNames(
    std::span<const std::string_view> names);

}  // namespace rangefinder
