// One process of an export of Nsight Systems, as a Trace in memory: its rows
// become the records that the injection library would have written, so that the
// same code makes profiles of both.

#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/trace/trace_blocks.h"
#include "profile/value.h"

namespace rangefinder {

// SQLite has no unsigned numbers.
inline std::uint64_t Unsigned(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

// An NVTX range of one thread. Times are those of the export.
struct NsysRange {
  static constexpr std::int64_t kNeverClosed =
      std::numeric_limits<std::int64_t>::max();

  std::int64_t start = 0;
  std::int64_t end = kNeverClosed;
  std::uint64_t id = 0;         // of a start/end range; 0: a push/pop range
  std::uint32_t label = 0;      // NsysProcess::LabelOf()
  std::uint32_t closed_by = 0;  // thread that ended it
};

// A call of CUDA.
struct NsysCall {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t correlation = 0;
  StringId name{};
};

class NsysProcess {
 public:
  // The ids in the trace. New labels, places and shapes are added to it.
  std::uint32_t LabelOf(std::uint64_t domain, StringId name);
  std::uint32_t PlaceOf(const TracePlace& place);
  std::uint32_t ShapeOf(const TraceShape& shape);
  void NameDomain(std::uint64_t domain, StringId name);

  // Adds GPU work by the fields of its record. Add all GPU work before the
  // calls.
  void AddWork(const TraceGpuRecord& record, std::int64_t start,
               std::int64_t end);
  // Adds a migration of unified memory, or a page fault.
  void AddMigration(std::int64_t start, std::int64_t end);
  // Returns whether the call launched GPU work of the process; `kind` follows
  // from its name.
  bool AddCall(std::uint32_t thread, const NsysCall& call,
               wire::TimedCall kind);
  // Adds a time in which a thread did `kind`.
  void AddTimed(wire::TimedCall kind, std::uint32_t thread,
                const NsysCall& call);
  void AddRange(std::uint32_t thread, const NsysRange& range);

  // Whether there is content for a report.
  bool has_content() const { return !launched_.empty() || has_ranges_; }
  // The first moment; all GPU work begins after it.
  std::int64_t first() const { return first_; }

  // The process with all times moved by `shift`. `strings`: all texts by
  // StringId. The trace is valid as long as the process and its strings.
  Trace Finish(std::uint64_t shift, std::vector<std::string_view> strings);

  // Push/pop ranges that overlapped another range of their thread and domain
  // without being inside it; known after Finish().
  std::uint64_t crossing() const { return crossing_; }

  std::uint64_t pid = 0;

 private:
  struct Launch {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t correlation = 0;
    wire::Call kind{};
  };
  struct Thread {
    std::vector<NsysRange> ranges{};
    std::vector<Launch> launches{};
    // Start/end ranges of all threads that this thread ended.
    std::vector<NsysRange> ended{};
    std::vector<std::uint64_t> words{};  // of its events
  };

  void See(std::int64_t moment) { first_ = std::min(first_, moment); }
  void PutGpu(wire::Gpu kind, std::uint32_t operand,
              std::initializer_list<std::uint64_t> words);
  void NumberDomains();
  void MoveGpuTimes(std::uint64_t shift);
  void WriteThread(Thread& thread, std::uint64_t shift);

  std::map<std::uint32_t, Thread> threads_;
  std::vector<std::uint64_t> gpu_;
  // Correlation ids of GPU work; sorted when the first call comes.
  std::vector<std::pair<std::uint32_t, wire::Call>> launched_;
  bool launched_sorted_ = false;
  bool has_ranges_ = false;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t crossing_ = 0;
  TraceNames names_;

  struct Domain {
    std::uint32_t seen = 0;  // in order of appearance
    StringId name{};
  };
  Domain& DomainOf(std::uint64_t domain);

  // By the export's number. 0, the default domain, always exists.
  std::map<std::uint64_t, Domain> domains_{{0, {}}};
  // The ids given so far. TraceLabel::domain is Domain::seen.
  std::map<TraceLabel, std::uint32_t> labels_;
  std::map<TracePlace, std::uint32_t> places_;
  std::map<TraceShape, std::uint32_t> shapes_;
};

}  // namespace rangefinder
