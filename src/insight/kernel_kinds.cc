#include "insight/kernel_kinds.h"

#include <algorithm>
#include <initializer_list>

namespace rangefinder {
namespace {

bool HasAny(std::string_view name,
            std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

}  // namespace

bool IsOfKind(KernelKind kind, std::string_view name) {
  switch (kind) {
    case KernelKind::kFp32Product:  // of cuBLAS and CUTLASS
      return HasAny(name, {"sgemm", "simt", "ffma"}) &&
             !HasAny(name, {"tf32", "1688"});
    case KernelKind::kTensorCopy:
      return HasAny(name, {"direct_copy_kernel", "copy_kernel_cuda",
                           "CatArrayBatchedCopy"});
    case KernelKind::kElementWise:
      // Kernels that fill a tensor read none.
      return (HasAny(name, {"elementwise_kernel", "softmax_warp_forward",
                            "softmax_warp_backward", "cunn_SoftMax"}) &&
              !HasAny(name,
                      {"FillFunctor", "elementwise_kernel_with_index"})) ||
             IsOfKind(KernelKind::kTensorCopy, name);
  }
  return false;
}

}  // namespace rangefinder
