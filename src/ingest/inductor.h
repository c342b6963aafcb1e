// The origins of kernels in the files of Inductor, the compiler of
// torch.compile (docs/kernel-names.md).

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "profile/kernel_source.h"

namespace rangefinder {

// Reads inductor_provenance_tracking_node_mappings.json, the plain map of
// kernels to nodes of earlier versions, a log of TORCH_TRACE, or a text of
// InductorText(). kCorrupt: the text has none of these forms. kUsage: it has no
// kernel.
Result<KernelSources> ParseInductor(std::string_view text);

// Operators and lines of the model, as JSON.
std::string InductorText(const KernelSources& sources);

}  // namespace rangefinder
