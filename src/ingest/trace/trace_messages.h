// The communicator and message size of NCCL's calls, from the payloads of
// NCCL's ranges.
//
// A single call launches its kernel inside its range. Calls between
// ncclGroupStart and ncclGroupEnd launch one kernel or several inside the range
// of ncclGroupEnd.

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ingest/trace/trace_names.h"

namespace rangefinder {

struct TraceMessage {
  std::uint64_t communicator = 0;  // NCCL's hash; 0: not known
  std::uint64_t bytes = 0;         // 0: not known
};

// Messages of kernels, by correlation id of the launch or node of a graph.
using TraceMessages = std::unordered_map<std::uint64_t, TraceMessage>;

// The calls of one thread whose kernel is not launched yet.
class NcclCalls {
 public:
  // Adds a call; its range, of this label, is the innermost open range.
  void Call(const TraceNames& names, std::uint32_t label,
            TraceMessage message) {
    const TraceLabel range = names.Label(label);
    const std::string_view name = names.Text(range.string);
    // A rank may send and receive different numbers of bytes.
    if (name == "ncclSend" || name == "ncclRecv") message.bytes = 0;
    if (calls_++ == 0) {
      message_ = message;
    } else {
      if (message_.communicator != message.communicator)
        message_.communicator = 0;
      message_.bytes = 0;
    }
    domain_ = range.domain;
  }

  // `key` is launched or captured while `domain` is the domain of the innermost
  // range.
  void Launch(std::uint32_t domain, std::uint64_t key, TraceMessages& out) {
    if (calls_ == 0 || domain != domain_) return;
    launched_ = true;
    if (message_.communicator != 0) out[key] = message_;
  }

  void Pop(std::uint32_t domain) {
    if (launched_ && domain == domain_) *this = {};
  }

 private:
  TraceMessage message_{};
  std::uint64_t calls_ = 0;
  std::uint32_t domain_ = 0;
  bool launched_ = false;
};

}  // namespace rangefinder
