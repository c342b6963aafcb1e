// Each template below has the order of members once, for writing and for
// reading: `Io` is ByteWriter with constant data, or ByteReader.

#include <algorithm>
#include <cmath>

#include "base/digest.h"
#include "summary/bodies.h"
#include "summary/sections.h"

namespace rangefinder {
namespace {

constexpr std::size_t kDeepestNode = 256;

Error Damaged(const char* what) {
  return Error(ErrorCode::kCorrupt, what);
}

// `value` as its difference from `base`.
template <typename Io, typename Value>
void Near(Io& io, Value& value, std::uint64_t base) {
  auto difference = static_cast<std::int64_t>(value - base);
  io.Signed(difference);
  if constexpr (Io::kReads)
    value = base + static_cast<std::uint64_t>(difference);
}

template <typename Io, typename Lines>
void Texts(Io& io, Lines& texts) {
  io.Length(texts);
  for (auto& text : texts) io.Text(text);
}

template <typename Io, typename Record>
void Collectives(Io& io, Record& record) {
  auto& all = record.collectives;
  io.Length(all, 6);
  OneMember(io, all, &Collective::region, record.regions.size());
  OneMember(io, all, &Collective::kind, record.kinds.size());
  OneMember(io, all, &Collective::channel, std::uint64_t{1} << 32);
  std::uint64_t last = 0;
  for (auto& one : all) {
    Near(io, one.start_ns, last);
    last = one.start_ns;
  }
  for (auto& one : all) Near(io, one.end_ns, one.start_ns);
  for (auto& one : all) {
    bool is_known = one.launch_ns != 0;
    io.Below(is_known, 2);
    if (!is_known) continue;
    auto before = static_cast<std::int64_t>(one.start_ns - one.launch_ns);
    io.Signed(before);
    if constexpr (Io::kReads)
      one.launch_ns = one.start_ns - static_cast<std::uint64_t>(before);
  }
  if constexpr (Io::kReads) {
    if (!std::ranges::is_sorted(all, {}, &Collective::start_ns))
      io.SetDamaged();
    for (const Collective& one : all)
      if (one.end_ns < one.start_ns) io.SetDamaged();
  }
}

// As whole hertz; 0: unknown.
template <typename Io, typename Clock>
void SmClock(Io& io, Clock& clock) {
  const bool is_known = clock && *clock >= 0.5 && *clock <= 1e15;
  std::uint64_t hertz =
      is_known ? static_cast<std::uint64_t>(std::llround(*clock)) : 0;
  io.Number(hertz);
  if constexpr (Io::kReads)
    if (hertz != 0) clock = static_cast<double>(hertz);
}

template <typename Io, typename Record>
void Body(Io& io, Record& record) {
  io.AtLeast(record.world, 0);
  Texts(io, record.devices);
  io.Length(record.regions, 10);
  for (const auto column :
       {&RankRegion::instances, &RankRegion::kernels, &RankRegion::wall_ns,
        &RankRegion::compute_ns, &RankRegion::overlapped_ns,
        &RankRegion::exposed_ns, &RankRegion::copy_ns, &RankRegion::idle_ns,
        &RankRegion::latency_ns})
    OneMember(io, record.regions, column);
  for (auto& region : record.regions) SmClock(io, region.sm_clock_hz);
  Texts(io, record.kinds);
  Collectives(io, record);
  io.Number(record.lost_collectives);
  Texts(io, record.notes);
}

template <typename Io, typename Head>
void HeadOf(Io& io, Head& head) {
  io.AtLeast(head.key.rank, -1);
  io.Text(head.key.host);
  io.Number(head.key.pid);
  io.Number(head.key.started_ns);
  io.Text(head.tree);
}

template <typename Io, typename Tree>
void Nodes(Io& io, Tree& tree) {
  io.Length(tree.nodes, 3);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    io.Below(tree.nodes[i].parent, std::max<std::size_t>(i, 1));
  for (auto& node : tree.nodes) io.Text(node.domain);
  for (auto& node : tree.nodes) io.Text(node.name);
}

// Whether inner nodes follow their parent at once, and none is too deep.
bool IsInOrder(const RankTree& tree) {
  std::vector<std::uint32_t> open;  // the path from the root to the last node
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    while (!open.empty() && open.back() != tree.nodes[i].parent)
      open.pop_back();
    if (open.empty() != (i == 0) || open.size() > kDeepestNode) return false;
    open.push_back(i);
  }
  return !tree.nodes.empty();
}

}  // namespace

RankKey KeyOf(const RankRecord& record) {
  return {.rank = record.rank,
          .host = record.host,
          .pid = record.pid,
          .started_ns = record.started_ns};
}

std::string TreeBytes(const RankTree& tree) {
  ByteWriter out;
  Nodes(out, tree);
  return out.Take();
}

Result<RankTree> ReadTree(const SummarySection& section) {
  const std::string body = TRY(BodyOf(section));
  if (section.head != Sha256(body))
    return Damaged("a tree of regions has another digest than it says");
  ByteReader in(body);
  RankTree tree;
  Nodes(in, tree);
  if (in.damaged() || !in.done() || !IsInOrder(tree))
    return Damaged("a tree of regions is damaged");
  return tree;
}

std::string RankHeadBytes(const RankHead& head) {
  ByteWriter out;
  HeadOf(out, head);
  return out.Take();
}

Result<RankHead> ReadRankHead(const SummarySection& section) {
  ByteReader in(section.head);
  RankHead head;
  HeadOf(in, head);
  if (in.damaged() || !in.done()) return Damaged("a rank is damaged");
  return head;
}

std::string RankBytes(const RankRecord& record) {
  ByteWriter out;
  Body(out, record);
  return out.Take();
}

Result<RankRecord> ReadRank(const SummarySection& section, std::size_t nodes) {
  const RankHead head = TRY(ReadRankHead(section));
  const std::string body = TRY(BodyOf(section));
  ByteReader in(body);
  RankRecord record{.rank = head.key.rank,
                    .host = head.key.host,
                    .pid = head.key.pid,
                    .started_ns = head.key.started_ns};
  Body(in, record);
  if (record.regions.size() != nodes)
    return Damaged("a rank has other regions than its tree");
  if (in.damaged() || !in.done()) return Damaged("a rank is damaged");
  return record;
}

}  // namespace rangefinder
