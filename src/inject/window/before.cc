#include "inject/window/before.h"

#include <string.h>

#include "inject/counters/counting.h"
#include "inject/counters/open_path.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint32_t kMostNodes = 1 << 20;
constexpr std::uint32_t kMostFrames = 1 << 16;
constexpr std::uint32_t kRoot = 0xFFFFFFFF;  // of no frame
// The number of records written under one lock of the names: threads of the
// program wait for the lock.
constexpr std::uint32_t kAtOnce = 512;

// A range inside of others: a path from the outermost range on.
struct Frame {
  std::uint32_t outer = kRoot;
  LabelKey label{};
  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Node {
  std::uint64_t id = 0, original = 0;
  std::uint32_t frame = kRoot;  // the innermost
};

// An open start/end range, within kProbed places behind the place of its id.
struct Started {
  std::uint64_t id = 0;     // 0: the place is free
  std::uint32_t epoch = 0;  // of the trace that has its begin; 0: none
  LabelSpelling spelling{};
  char text[224] = {};  // of the spelling
};
constexpr std::uint64_t kMostStarted = 4096, kProbed = 16;

// Under the lock of the names.
struct Before {
  Grown<Node> nodes{};
  Grown<Frame> frames{};
  IdTable frame_ids{};
  std::uint64_t left_out = 0;  // nodes
  Started* started = nullptr;  // kMostStarted of them
};
constinit Before before{};

// The id of a frame. If there is no room, that of the frame around it.
std::uint32_t FrameOf(const Frame& frame) {
  const std::uint32_t id =
      FindOrAdd(before.frames, before.frame_ids, frame, kMostFrames);
  return id != IdTable::kNone ? id : frame.outer;
}

// The place near that of `id` that holds the range `wanted`; 0: a free place.
// Null: there is none.
Started* PlaceOf(std::uint64_t id, std::uint64_t wanted) {
  for (std::uint64_t i = 0; i < kProbed; ++i) {
    Started& one = before.started[(id + i) % kMostStarted];
    if (one.id == wanted) return &one;
  }
  return nullptr;
}

// Writes the ranges of a path as open, or as closed again.
void WritePath(Names& names, ThreadLog& log, std::uint32_t frame, bool open) {
  if (frame == kRoot) return;
  const Frame one = before.frames[frame];
  if (open) WritePath(names, log, one.outer, true);
  if (open)
    log.Record(File(), wire::Event::kInherit, names.Label(File(), one.label));
  else
    log.Record(File(), wire::Event::kPop, one.label.domain);
  if (!open) WritePath(names, log, one.outer, false);
}

LabelSpelling SpellingOf(const Started& one) {
  LabelSpelling spelling = one.spelling;
  spelling.text = one.text;
  return spelling;
}

void WriteStarted(Names& names, ThreadLog& log, std::uint32_t from) {
  for (std::uint32_t i = from; i < from + kAtOnce; ++i) {
    const Started& one = before.started[i];
    if (one.id == 0 || one.epoch == trace_epoch.load()) continue;
    const LabelSpelling spelling = SpellingOf(one);
    log.Record<1>(File(), wire::Event::kInheritStart,
                  names.Label(File(), spelling), one.id);
  }
}

void WriteNodes(Names& names, ThreadLog& log, std::uint32_t from) {
  std::uint32_t open = kRoot;
  for (std::uint32_t i = from; i < before.nodes.size() && i < from + kAtOnce;
       ++i) {
    const Node& node = before.nodes[i];
    if (node.frame != open) {
      WritePath(names, log, open, false);
      WritePath(names, log, node.frame, true);
      open = node.frame;
    }
    log.Record<2>(File(), wire::Event::kNode, 1, node.id, node.original);
  }
  WritePath(names, log, open, false);
}

}  // namespace

void KeepNode(const ThreadLog& log, std::uint64_t id, std::uint64_t original) {
  WithNames([&](Names& names, TraceFile& file) {
    std::uint32_t frame = kRoot;
    for (std::size_t i = 0; i < log.open_count(); ++i)
      frame = FrameOf({frame, names.LastingLabel(file, log.kept(i))});
    if (before.nodes.size() == kMostNodes ||
        !before.nodes.Add({id, original, frame}))
      ++before.left_out;
  });
}

void KeepStart(const LabelSpelling& spelling, std::uint64_t id, bool recorded) {
  WithNames([&](Names&, TraceFile&) {
    if (before.started == nullptr)
      before.started =
          static_cast<Started*>(MapMemory(kMostStarted * sizeof(Started)));
    Started* const one = before.started != nullptr ? PlaceOf(id, 0) : nullptr;
    if (one == nullptr) return;
    one->id = id;
    one->epoch = recorded ? trace_epoch.load() : 0;
    one->spelling = spelling;
    if (spelling.length > sizeof one->text)
      one->spelling.length = sizeof one->text;
    memcpy(one->text, spelling.text, one->spelling.length);
  });
}

void DropStart(std::uint64_t id) {
  WithNames([&](Names&, TraceFile&) {
    if (before.started == nullptr || id == 0) return;
    if (Started* const one = PlaceOf(id, id)) one->id = 0;
  });
}

void WriteBefore() {
  ThreadLog* const log = EnterLog();
  if (log == nullptr) return;
  bool has_more = log->records();
  for (std::uint32_t from = 0; has_more; from += kAtOnce) {
    has_more = WithNames([&](Names& names, TraceFile& file) {
                 if (from == 0)
                   Count(file.live().dropped_events, before.left_out);
                 if (before.started != nullptr && from < kMostStarted)
                   WriteStarted(names, *log, from);
                 WriteNodes(names, *log, from);
                 has_more = from + kAtOnce < before.nodes.size() ||
                            (before.started != nullptr &&
                             from + kAtOnce < kMostStarted);
               }) &&
               has_more;
  }
  log->Leave();
}

void BeginCounts() {
  ThreadLog* const log = EnterLog();
  if (log == nullptr) return;
  WithNames([&](Names& names, TraceFile& file) {
    for (std::uint64_t i = 0; before.started != nullptr && i < kMostStarted;
         ++i) {
      const Started& one = before.started[i];
      if (one.id != 0)
        RangeStarted(*log, names.Label(file, SpellingOf(one)), one.id);
    }
    WakeCounting();
  });
  log->Leave();
}

}  // namespace rangefinder::inject
