// Kinds of kernels that causes and facts tell apart.

#pragma once

#include <array>
#include <cstddef>
#include <set>

#include "profile/profile.h"

namespace rangefinder {

// What kernels do, as far as the names tell that libraries give them.
enum class KernelKind {
  kCollective,
  kFp32Product,  // matrix products in FP32 without tensor cores
  kTensorCopy,   // copies of PyTorch's tensors, with conversions of their type
  kElementWise,  // PyTorch's element-wise kernels, softmax and copies
  // Matrix products on tensor cores whose rows do not begin at multiples of 16
  // bytes.
  kUnalignedProduct,
  kNarrowProduct,  // matrix products of few rows, and with a vector
  kIndexAdd        // PyTorch's additions by index, with atomics
};

// The kernels of a profile by kind.
class KernelKinds {
 public:
  explicit KernelKinds(const Profile& profile);

  // Their demangled names. A kernel may be of several kinds.
  const std::set<StringId>& operator[](KernelKind kind) const {
    return kernels_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::set<StringId>, 7> kernels_{};  // by KernelKind
};

}  // namespace rangefinder
