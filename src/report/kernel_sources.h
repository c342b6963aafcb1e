// Which operators of a model are in a kernel of torch.compile, as Inductor
// writes it down (docs/kernel-names.md).

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

// By the kernel's name; nodes of the graph, in the order of the file, each
// once.
using KernelSources = std::map<std::string, std::vector<std::string>>;

// kCorrupt where it is no JSON, kUsage where no kernel is in it.
Result<KernelSources> ParseKernelSources(std::string_view json);

}  // namespace rangefinder
