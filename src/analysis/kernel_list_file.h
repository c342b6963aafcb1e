// A list of kernels as text: the YAML that `profile
// pipeline.ncu.kernel_config=FILE` reads, JSON, and a table for people.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/kernel_list.h"

namespace rangefinder {

// `kernels` is the head of a list of `all`.
struct KernelListView {
  std::span<const TopKernel> kernels{};
  std::size_t all = 0;
  std::vector<std::string> sources{};  // the files it was made of
};

std::string KernelListYaml(const KernelListView& view);
std::string KernelListJson(const KernelListView& view);
// For a terminal of `width` cells.
std::string KernelListTable(const KernelListView& view, std::size_t width);

// Reads a list: a map with `kernels`, each with `name` or `regex` or both, and
// optionally `description` and `mangled`. kCorrupt, with the place: the text is
// no such list.
Result<std::vector<ListedKernel>> ReadKernelList(std::string_view file_name,
                                                 std::string text);

}  // namespace rangefinder
