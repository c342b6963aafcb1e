// Recognizes communication kernels and their collectives by name: exactly the
// kernels that pipeline.ncu.exclude_communication leaves out.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ranks/rank_records.h"

namespace rangefinder {
namespace {

constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Ignores case; `part` is in lower case.
bool Has(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return Lower(a) == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     same) != text.end();
}

// Parts of kernel names in lower case, and the kind that each stands for; the
// first match counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kKinds{{
    {"allreduce", "AllReduce"},
    {"all_reduce", "AllReduce"},
    {"reducescatter", "ReduceScatter"},
    {"reduce_scatter", "ReduceScatter"},
    {"allgather", "AllGather"},
    {"all_gather", "AllGather"},
    {"fcollect", "AllGather"},
    {"alltoall", "AllToAll"},
    {"all_to_all", "AllToAll"},
    {"sendrecv", "SendRecv"},
    {"broadcast", "Broadcast"},
    {"barrier", "Barrier"},
    {"notify_dispatch", "NotifyDispatch"},
    {"dispatch", "Dispatch"},
    {"combine", "Combine"},
    {"reduce", "Reduce"},
    {"gather", "Gather"},
    {"scatter", "Scatter"},
    {"put", "Put"},
    {"get", "Get"},
}};

}  // namespace

std::string_view CollectiveKind(std::string_view kernel_name) {
  constexpr std::array<std::string_view, 4> kLibraries{"nccl", "nvshmem",
                                                       "msccl", "deep_ep"};
  // The arguments name types of the libraries too.
  const std::string_view name = kernel_name.substr(0, kernel_name.find('('));
  if (std::ranges::none_of(kLibraries, [&](std::string_view library) {
        return Has(kernel_name, library);
      }))
    return {};
  for (const auto& [part, kind] : kKinds) {
    if (Has(name, part)) return kind;
  }
  return "Generic";
}

}  // namespace rangefinder
