// What kernels do, as far as the names tell that libraries give them.

#pragma once

#include <string_view>

namespace rangefinder {

enum class KernelKind {
  kFp32Product,  // matrix products in FP32 without tensor cores
  kTensorCopy,   // copies of PyTorch's tensors, with conversions of their type
  kElementWise   // PyTorch's element-wise kernels, softmax and copies
};

// `name`: demangled, with its template arguments.
bool IsOfKind(KernelKind kind, std::string_view name);

}  // namespace rangefinder
