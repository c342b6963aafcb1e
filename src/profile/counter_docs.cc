#include "profile/counter_docs.h"

#include <algorithm>
#include <array>

namespace rangefinder {
namespace {

struct CounterWords {
  std::string_view name;
  std::string_view words;
};

// By what stands before the suffix.
constexpr std::array kCounters = {
    CounterWords{"sm__inst_executed",
                 "Instructions that the SMs executed, counted once for the 32 "
                 "threads of a warp"},
    CounterWords{"smsp__inst_executed",
                 "Instructions that the SMs executed, counted once for the 32 "
                 "threads of a warp"},
    CounterWords{"dram__bytes_read",
                 "Bytes that were read from the GPU's memory, past its caches"},
    CounterWords{"dram__bytes_write",
                 "Bytes that were written to the GPU's memory while it ran: "
                 "part of them the L2 cache held from what ran before"},
    CounterWords{"sm__cycles_active",
                 "Clock cycles in which an SM had at least one warp"},
    CounterWords{"sm__cycles_elapsed",
                 "Clock cycles of an SM that passed, whether it had work or "
                 "not"},
    CounterWords{"lts__t_sectors",
                 "Sectors of 32 bytes that the L2 cache was asked for, reads "
                 "and writes"},
    CounterWords{"l1tex__t_sectors",
                 "Sectors of 32 bytes that the L1 caches were asked for"},
    CounterWords{"l1tex__t_sectors_lookup_hit",
                 "Sectors of 32 bytes that were found in the L1 caches"},
    CounterWords{"sm__pipe_tensor_cycles_active",
                 "Clock cycles in which the tensor cores of an SM worked"},
    CounterWords{"nvltx__bytes",
                 "Bytes that were sent over NVLink, protocol included"},
    CounterWords{"nvlrx__bytes",
                 "Bytes that were received over NVLink, protocol included"},
    CounterWords{"nvltx__bytes_data_user",
                 "Bytes of the program's data that were sent over NVLink"},
    CounterWords{"nvlrx__bytes_data_user",
                 "Bytes of the program's data that were received over "
                 "NVLink"}};

}  // namespace

std::string CounterDoc(std::string_view metric) {
  const std::size_t dot = std::min(metric.find('.'), metric.size());
  const auto* const known =
      std::ranges::find(kCounters, metric.substr(0, dot), &CounterWords::name);
  if (known == kCounters.end()) return {};
  std::string doc(known->words);
  const std::string_view suffix = metric.substr(dot);
  if (suffix == ".avg" && metric.starts_with("sm__"))
    return doc + "; the mean over all SMs";
  if (suffix == ".sum" || suffix.empty()) return doc;
  return {};
}

}  // namespace rangefinder
