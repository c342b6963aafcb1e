// The source of kernels' code, if a run recorded it (docs/kernel-names.md).

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// Each list in the order of recording, each text once.
struct KernelSource {
  // "file:line" of the first instruction. Modules may share a kernel's name.
  std::vector<std::string> lines{};
  // For torch.compile: the nodes of the model's graph, and the "file:line" of
  // the model for each.
  std::vector<std::string> operators{};
  std::vector<std::string> model_lines{};
};

struct KernelSources {
  // The run read the line tables of its modules.
  bool recorded = false;
  std::map<std::string, KernelSource, std::less<>> by_kernel{};  // demangled

  // Null: the source is unknown.
  const KernelSource* Find(std::string_view kernel) const;
  void Add(const KernelSources& other);
};

}  // namespace rangefinder
