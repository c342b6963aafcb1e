#include "insight/kernel_kinds.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <re2/re2.h>

#include "ranks/rank_records.h"

namespace rangefinder {
namespace {

bool HasAny(std::string_view name,
            std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

// `name`: of a kernel, demangled, with its template arguments.
bool HasNameOf(KernelKind kind, std::string_view name) {
  switch (kind) {
    case KernelKind::kCollective:
      return !CollectiveKind(name).empty();
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
              !HasAny(name, {"FillFunctor", "elementwise_kernel_with_index",
                             "scatter_gather"})) ||
             HasNameOf(KernelKind::kTensorCopy, name);
    case KernelKind::kUnalignedProduct: {
      // Of CUTLASS, which counts elements: one of FP64 or of complex numbers
      // has 8 or 16 bytes.
      static const RE2 unaligned(R"(tensorop.*_align[12](?:\D|$))");
      return RE2::PartialMatch(name, unaligned) &&
             !HasAny(name, {"tensorop_d", "tensorop_z", "tensorop_c"});
    }
    case KernelKind::kNarrowProduct: {
      // The names of cuBLAS's kernels begin with the tile:
      // nvjet_sm90_tst_64x8_.
      static const RE2 narrow_tile(
          R"(nvjet(?:_[a-z0-9]+)?_[a-z]+_(?:(?:8|16)x\d+|\d+x(?:8|16))_)");
      return HasAny(name, {"gemv", "mul_mat_vec"}) ||
             RE2::PartialMatch(name, narrow_tile);
    }
    case KernelKind::kIndexAdd:
      return HasAny(name, {"indexFunc", "scatter_gather"}) &&
             HasAny(name, {"ReduceAdd"});
  }
  return false;
}

}  // namespace

KernelKinds::KernelKinds(const Profile& profile) {
  std::set<StringId> kernels;
  for (const auto* list : {&profile.measurements, &profile.traced})
    for (const Measurement& m : *list) kernels.insert(m.demangled_name);
  for (const StringId kernel : kernels) {
    for (std::size_t kind = 0; kind < kernels_.size(); ++kind) {
      if (HasNameOf(static_cast<KernelKind>(kind), profile.Name(kernel)))
        kernels_[kind].insert(kernel);
    }
  }
}

}  // namespace rangefinder
