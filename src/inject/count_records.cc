#include "inject/count_records.h"

#include <bit>

#include <string.h>

#include "inject/recorder.h"

namespace rangefinder::inject {
namespace {

struct CountOutput {
  Stream stream{};
  bool started = false;
  // Of each row and reason, what was written last.
  std::uint64_t skipped[wire::kMostCountRows][wire::kCountSkips] = {};
};
constinit CountOutput output{};

bool Write(wire::CountRecord kind, std::uint32_t operand,
           const std::uint64_t* words, std::size_t count) {
  TraceFile& file = File();
  if (!output.started) {
    output.stream.Start(file, wire::BlockKind::kCounts, 0);
    output.started = true;
  }
  std::uint64_t* const at = output.stream.Reserve(file, count + 1);
  if (at == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) Stream::Put(at, i + 1, words[i]);
  output.stream.Commit(at, wire::CountWord(kind, 0, operand, count), count + 1);
  return true;
}

std::uint32_t StringOf(const char* text) {
  std::uint32_t id = 0;
  if (*text != '\0') {
    WithNames([&](Names& names, TraceFile& file) {
      id = names.String(file, {text, strlen(text)});
    });
  }
  return id;
}

void WriteRow(const CountPlan& plan, std::uint32_t number) {
  const PlannedRow& row = plan.row(number);
  std::uint64_t words[wire::kCountRowWords + wire::kDeepestCount] = {
      wire::Pack(row.skip, row.every), wire::Pack(row.most, row.slot),
      wire::Pack(row.slots, row.split ? wire::kRowIsSplit : 0)};
  for (std::uint32_t i = 0; i < row.depth; ++i) {
    const PlannedFrame& frame = plan.frame(row.frames[i]);
    words[wire::kCountRowWords + i] =
        wire::Pack(StringOf(frame.domain), StringOf(frame.name));
  }
  Write(wire::CountRecord::kRow, number, words,
        wire::kCountRowWords + row.depth);
}

}  // namespace

void CountRecords::Plan(const CountPlan& plan) {
  for (std::uint32_t i = 0; i < plan.rows(); ++i) WriteRow(plan, i);
}

void CountRecords::Begin(const SampleSettings& settings, const Set& set) {
  std::uint64_t words[wire::kCountSetWords + SampleSettings::kMostMetrics / 2] =
      {wire::Pack(set.device, settings.count),
       wire::Pack(set.passes, set.ranges), set.device_bytes,
       StringOf(set.chip)};
  for (std::size_t i = 0; i < settings.count; ++i) {
    words[wire::kCountSetWords + i / 2] |=
        std::uint64_t{StringOf(settings.metrics[i])} << (i % 2 * 32);
  }
  Write(wire::CountRecord::kSet, 0, words,
        wire::kCountSetWords + (settings.count + 1) / 2);
}

void CountRecords::Started(std::uint32_t pass, std::uint64_t held_up_ns) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns};
  Write(wire::CountRecord::kStarted, pass, words, wire::kCountStartWords);
}

bool CountRecords::Counts(const CountedInstance& instance, std::uint32_t pass,
                          const double* values, std::size_t metrics) {
  const bool inside = instance.outer_row != kNoPlace;
  std::uint64_t words[wire::kCountWords + SampleSettings::kMostMetrics] = {
      wire::Pack(pass, 1),
      instance.number,
      instance.start_ns,
      instance.end_ns,
      instance.held_up_ns,
      instance.thread,
      inside ? std::uint64_t{instance.outer_row} + 1 : 0,
      inside ? instance.outer_number : 0};
  for (std::size_t i = 0; i < metrics; ++i)
    words[wire::kCountWords + i] = std::bit_cast<std::uint64_t>(values[i]);
  if (!Write(wire::CountRecord::kCounts, instance.row, words,
             wire::kCountWords + metrics))
    return false;
  Count(File().live().counted);
  return true;
}

void CountRecords::Skipped(const CountPlan& plan) {
  for (std::uint32_t row = 0; row < plan.rows(); ++row) {
    for (std::size_t why = 0; why < wire::kCountSkips; ++why) {
      const std::uint64_t count =
          plan.row(row).skipped[why].load(std::memory_order_relaxed);
      if (count == output.skipped[row][why]) continue;
      const std::uint64_t words[] = {why, count};
      if (Write(wire::CountRecord::kSkipped, row, words, wire::kCountSkipWords))
        output.skipped[row][why] = count;
    }
  }
}

void CountRecords::Stopped(std::uint64_t held_up_ns, const char* reason) {
  const std::uint64_t words[] = {RealtimeNs(), held_up_ns, StringOf(reason)};
  Write(wire::CountRecord::kStopped, 0, words, wire::kCountStopWords);
}

void CountRecords::Seal() {
  if (output.started) output.stream.Seal(File());
}

}  // namespace rangefinder::inject
