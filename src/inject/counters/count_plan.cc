#include "inject/counters/count_plan.h"

#include <initializer_list>
#include <new>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/process/own_memory.h"
#include "inject/process/system_calls.h"
#include "wire/checksum.h"

namespace rangefinder::inject {
namespace {

constexpr std::size_t kLargestPlan = 16 * 1024 * 1024;
constexpr std::uint32_t kRowWords = 7;  // before the path
constexpr std::size_t kReason = 256;

bool Say(char* reason, const char* why) {
  snprintf(reason, kReason, "RANGEFINDER_INJECT_COUNT_PLAN: %s", why);
  return false;
}

bool Number(const char* text, std::uint32_t& number) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  const unsigned long long value = strtoull(text, &end, 10);
  number = static_cast<std::uint32_t>(value);
  return *end == '\0' && value < 0xFFFFFFFF;
}

// Resolves escapes in place.
void Unescape(char* text) {
  char* to = text;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at != '\\' || at[1] == '\0') {
      *to++ = *at;
      continue;
    }
    ++at;
    *to++ = *at == 't' ? '\t' : *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at;
  }
  *to = '\0';
}

}  // namespace

CountPlan* CountPlan::Make() {
  void* const at = MapMemory(sizeof(CountPlan));
  return at != nullptr ? new (at) CountPlan : nullptr;
}

void CountPlan::Free() {
  for (const Mapping& mapping : mappings_)
    UnmapMemory(mapping.at, mapping.size);
  UnmapMemory(this, sizeof *this);
}

template <typename T>
T* CountPlan::Pages(std::size_t count) {
  const std::size_t size = count * sizeof(T) + 1;
  void* const at = MapMemory(size);
  mappings_[mapping_count_++] = {at, size};
  return static_cast<T*>(at);
}

// The file's text with a 0 behind it, or null.
char* CountPlan::ReadText(const char* path) {
  // Without O_NONBLOCK, open() waits for the writer of a pipe.
  const int fd = OpenFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat facts {};
  char* text = nullptr;
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<std::size_t>(facts.st_size) <= kLargestPlan)
    text = Pages<char>(static_cast<std::size_t>(facts.st_size));
  ssize_t got = 0;
  const ssize_t size = static_cast<ssize_t>(facts.st_size);
  while (text != nullptr && got < size) {
    const ssize_t more =
        ReadFile(fd, text + got, static_cast<std::size_t>(size - got));
    if (more <= 0) break;
    got += more;
  }
  CloseFile(fd);
  if (text != nullptr) text[got] = '\0';
  return text;
}

std::uint32_t* CountPlan::FrameSlot(std::string_view domain,
                                    std::string_view name) const {
  const std::uint64_t hash = wire::Checksum(domain.data(), domain.size()) * 31 +
                             wire::Checksum(name.data(), name.size());
  for (auto i = static_cast<std::uint32_t>(hash);; ++i) {
    std::uint32_t* slot = &frame_slots_[i & slots_mask_];
    if (*slot == 0) return slot;
    const PlannedFrame& known = frames_[*slot - 1];
    if (known.domain == domain && known.name == name) return slot;
  }
}

std::uint32_t* CountPlan::NodeSlot(std::uint32_t parent,
                                   std::uint32_t frame) const {
  std::uint64_t hash = (std::uint64_t{parent} << 32 | frame);
  hash *= 0x9E3779B185EBCA87;
  for (auto i = static_cast<std::uint32_t>(hash >> 32);; ++i) {
    std::uint32_t* slot = &node_slots_[i & slots_mask_];
    if (*slot == 0) return slot;
    const Node& known = nodes_[*slot - 1];
    if (known.parent == parent && known.frame == frame) return slot;
  }
}

std::uint32_t CountPlan::AddFrame(std::string_view domain,
                                  std::string_view name) {
  std::uint32_t* slot = FrameSlot(domain, name);
  if (*slot == 0) {
    frames_[frame_count_] = {domain, name};
    *slot = ++frame_count_;
  }
  return *slot - 1;
}

std::uint32_t CountPlan::AddNode(std::uint32_t parent, std::uint32_t frame) {
  std::uint32_t* slot = NodeSlot(parent, frame);
  if (*slot == 0) {
    nodes_[node_count_] = {parent, frame, kNoPlace};
    *slot = ++node_count_;
  }
  return *slot - 1;
}

bool CountPlan::AddRow(char** words, std::uint32_t count, char* reason) {
  if (count < kRowWords + 2 || (count - kRowWords) % 2 != 0 ||
      count > kRowWords + 2 * wire::kDeepestCount)
    return Say(reason, "a row has too few or too many words");
  PlannedRow& row = *new (&rows_[row_count_]) PlannedRow;
  char** word = words;
  for (std::uint32_t* const number :
       {&row.skip, &row.every, &row.most, &row.slot, &row.slots}) {
    if (!Number(*++word, *number))
      return Say(reason, "a row has something else where a number belongs");
  }
  row.split = strcmp(words[6], "split") == 0;
  if (row.every == 0 || row.slots == 0 || row.slot >= row.slots ||
      (!row.split && strcmp(words[6], "whole") != 0))
    return Say(reason, "a row's numbers make no sense");
  row.frames = path_frames_ + path_count_;
  std::uint32_t node = 0;
  for (std::uint32_t i = kRowWords; i < count; i += 2) {
    Unescape(words[i]);
    Unescape(words[i + 1]);
    const std::uint32_t frame = AddFrame(words[i], words[i + 1]);
    path_frames_[path_count_++] = frame;
    node = AddNode(node, frame);
    ++row.depth;
  }
  if (nodes_[node].row != kNoPlace) return Say(reason, "a row is there twice");
  nodes_[node].row = row_count_++;
  return true;
}

// `line` ends with a 0.
bool CountPlan::ParseLine(char* line, char* reason) {
  if (*line == '#' || *line == '\0') return true;
  constexpr std::uint32_t kMostWords = kRowWords + 2 * wire::kDeepestCount + 1;
  char* words[kMostWords];
  std::uint32_t count = 0;
  for (char* at = line; at != nullptr && count < kMostWords;) {
    words[count++] = at;
    at = strchr(at, '\t');
    if (at != nullptr) *at++ = '\0';
  }
  const auto is = [&](const char* word, std::uint32_t size) {
    return strcmp(words[0], word) == 0 && count == size;
  };
  if (!headed_) {
    headed_ = is("rangefinder-count", 2) && strcmp(words[1], "1") == 0;
    return headed_ || Say(reason, "it is no plan of this version");
  }
  if (is("ranges", 2))
    return (Number(words[1], ranges_) && ranges_ >= kFewestRanges &&
            ranges_ <= kMostRanges) ||
           Say(reason, "`ranges` is no number from 4 to 1024");
  if (is("instances", 2))
    return (Number(words[1], instances_) && instances_ > 0) ||
           Say(reason, "`instances` is no number");
  if (strcmp(words[0], "row") == 0) return AddRow(words, count, reason);
  return true;  // of a later version
}

// Room for the most that the text can hold.
bool CountPlan::Allocate(const char* text, char* reason) {
  std::size_t rows = 1, words = 1;
  for (const char* at = text; *at != '\0'; ++at) {
    rows += *at == '\n';
    words += *at == '\t';
  }
  if (rows > wire::kMostCountRows)
    return Say(reason, "it has more than 4095 lines");
  std::size_t slots = 64;
  while (slots < 2 * (words + 2)) slots *= 2;
  slots_mask_ = static_cast<std::uint32_t>(slots - 1);
  rows_ = Pages<PlannedRow>(rows);
  frames_ = Pages<PlannedFrame>(words);
  nodes_ = Pages<Node>(words + 2);
  path_frames_ = Pages<std::uint32_t>(words);
  frame_slots_ = Pages<std::uint32_t>(slots);
  node_slots_ = Pages<std::uint32_t>(slots);
  known_ = Pages<std::atomic<std::uint32_t>>(kKnownLabels);
  for (std::uint32_t i = 0; i < mapping_count_; ++i)
    if (mappings_[i].at == nullptr)
      return Say(reason, "there is no memory for it");
  return true;
}

void CountPlan::FindOutermost() {
  for (std::uint32_t i = 0; i < row_count_; ++i) {
    std::uint32_t node = 0;
    for (std::uint32_t d = 0; d < rows_[i].depth; ++d) {
      node = Child(node, rows_[i].frames[d]);
      if (nodes_[node].row == kNoPlace) continue;
      rows_[i].outermost = nodes_[node].row;
      break;
    }
  }
}

bool CountPlan::Parse(char* text, char* reason) {
  if (!Allocate(text, reason)) return false;
  nodes_[node_count_++] = {};  // the empty path
  for (char* line = text; line != nullptr;) {
    char* const end = strchr(line, '\n');
    if (end != nullptr) *end = '\0';
    if (!ParseLine(line, reason)) return false;
    line = end != nullptr ? end + 1 : nullptr;
  }
  if (!headed_) return Say(reason, "it is no plan of this version");
  if (row_count_ == 0) return Say(reason, "it has no row");
  FindOutermost();
  return true;
}

bool CountPlan::Read(const char* path, char* reason) {
  if (path == nullptr || *path == '\0')
    return Say(reason, "it is not set, and mode `count` needs it");
  char* text = ReadText(path);
  if (text == nullptr) return Say(reason, "the file cannot be read");
  return Parse(text, reason);
}

}  // namespace rangefinder::inject
