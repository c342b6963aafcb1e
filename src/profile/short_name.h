// Names of kernels that a person can read.
//
//   void at::native::vectorized_elementwise_kernel<(int)4, at::native::
//   BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<
//   float>>, std::array<char *, (unsigned long)3>>(int, T2, T3)
//
// is `vectorized_elementwise_kernel<…MulFunctor<float>>`. What has no template
// arguments and no parameters stays as it is: Triton's, cuBLAS's, cuDNN's.
// docs/kernel-names.md has a table.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// Without return type, namespaces and parameters, and of the template arguments
// the one that says what is computed, or the first few. Equal names may come of
// different kernels. `name` itself where it is not understood.
std::string ShortKernelName(std::string_view name);

// The same for the rows of one table: where two kernels would look the same,
// with more of the template arguments, and in the end the whole names.
std::vector<std::string> ShortKernelNames(
    std::span<const std::string_view> names);

}  // namespace rangefinder
