#include <algorithm>
#include <cmath>
#include <limits>

#include "base/digest.h"
#include "summary/bodies.h"
#include "summary/sections.h"

namespace rangefinder {
namespace {

constexpr std::size_t kDeepestNode = 256;

constexpr std::uint64_t RankRegion::*kRegionColumns[] = {
    &RankRegion::instances,     &RankRegion::kernels,
    &RankRegion::wall_ns,       &RankRegion::compute_ns,
    &RankRegion::overlapped_ns, &RankRegion::exposed_ns,
    &RankRegion::copy_ns,       &RankRegion::idle_ns,
    &RankRegion::latency_ns};

Error Damaged(const char* what) {
  return Error(ErrorCode::kCorrupt, what);
}

std::int64_t Difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

// Whole hertz; 0: unknown.
std::uint64_t Hertz(const std::optional<double>& clock) {
  if (!clock || !(*clock >= 0.5) || *clock > 1e15) return 0;
  return static_cast<std::uint64_t>(std::llround(*clock));
}

void WriteCollectives(ByteWriter& out, const std::vector<Collective>& all) {
  out.Number(all.size());
  WriteColumn(out, all, &Collective::region);
  WriteColumn(out, all, &Collective::kind);
  WriteColumn(out, all, &Collective::channel);
  std::uint64_t last = 0;
  for (const Collective& one : all) {
    out.Signed(Difference(one.start_ns, last));
    last = one.start_ns;
  }
  for (const Collective& one : all)
    out.Signed(Difference(one.end_ns, one.start_ns));
  for (const Collective& one : all) {
    out.Number(one.launch_ns != 0);
    if (one.launch_ns != 0) out.Signed(Difference(one.start_ns, one.launch_ns));
  }
}

void ReadCollectives(ByteReader& in, RankRecord& record) {
  std::vector<Collective>& all = record.collectives;
  all.resize(in.Length(6));
  constexpr std::uint64_t kAny = std::uint64_t{1} << 32;
  for (Collective& one : all) one.region = in.Below(record.regions.size());
  for (Collective& one : all) one.kind = in.Below(record.kinds.size());
  for (Collective& one : all) one.channel = in.Below(kAny);
  std::uint64_t last = 0;
  for (Collective& one : all) {
    last += static_cast<std::uint64_t>(in.Signed());
    one.start_ns = last;
  }
  for (Collective& one : all)
    one.end_ns = one.start_ns + static_cast<std::uint64_t>(in.Signed());
  for (Collective& one : all) {
    if (in.Below(2) == 0) continue;
    one.launch_ns = one.start_ns - static_cast<std::uint64_t>(in.Signed());
  }
  if (!std::ranges::is_sorted(all, {}, &Collective::start_ns)) in.SetDamaged();
  for (const Collective& one : all) {
    if (one.end_ns < one.start_ns) in.SetDamaged();
  }
}

template <typename Texts>
void WriteTexts(ByteWriter& out, const Texts& texts) {
  out.Number(texts.size());
  for (const std::string& text : texts) out.Text(text);
}

void ReadTexts(ByteReader& in, std::vector<std::string>& texts) {
  texts.resize(in.Length());
  for (std::string& text : texts) text = in.Text();
}

std::int32_t SmallFrom(ByteReader& in, std::int32_t least) {
  const std::int64_t number = in.Signed();
  if (number >= least && number <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::int32_t>(number);
  in.SetDamaged();
  return least;
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
  out.Number(tree.nodes.size());
  for (const RankTree::Node& node : tree.nodes) out.Number(node.parent);
  for (const RankTree::Node& node : tree.nodes) out.Text(node.domain);
  for (const RankTree::Node& node : tree.nodes) out.Text(node.name);
  return out.Take();
}

std::string TreeDigest(std::string_view tree_bytes) {
  return Sha256(tree_bytes);
}

Result<RankTree> ReadTree(const SummarySection& section) {
  const std::string body = TRY(BodyOf(section));
  if (section.head != TreeDigest(body))
    return Damaged("a tree of regions has another digest than it says");
  ByteReader in(body);
  RankTree tree;
  tree.nodes.resize(in.Length(3));
  // The path from the root to the previous node. It has the parent of the next
  // node, since the inner nodes follow their parent at once.
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const std::uint32_t parent = in.Below(std::max(i, 1U));
    while (!open.empty() && open.back() != parent) open.pop_back();
    if (open.empty() != (i == 0) || open.size() > kDeepestNode) in.SetDamaged();
    tree.nodes[i].parent = parent;
    open.push_back(i);
  }
  for (RankTree::Node& node : tree.nodes) node.domain = in.Text();
  for (RankTree::Node& node : tree.nodes) node.name = in.Text();
  if (in.damaged() || !in.done() || tree.nodes.empty())
    return Damaged("a tree of regions is damaged");
  return tree;
}

std::string RankHeadBytes(const RankHead& head) {
  ByteWriter out;
  out.Signed(head.key.rank);
  out.Text(head.key.host);
  out.Number(head.key.pid);
  out.Number(head.key.started_ns);
  out.Text(head.tree);
  return out.Take();
}

Result<RankHead> ReadRankHead(const SummarySection& section) {
  ByteReader in(section.head);
  RankHead head;
  head.key.rank = SmallFrom(in, -1);
  head.key.host = in.Text();
  head.key.pid = in.Number();
  head.key.started_ns = in.Number();
  head.tree = in.Text();
  if (in.damaged() || !in.done()) return Damaged("a rank is damaged");
  return head;
}

std::string RankBytes(const RankRecord& record) {
  ByteWriter out;
  out.Signed(record.world);
  WriteTexts(out, record.devices);
  out.Number(record.regions.size());
  for (const auto column : kRegionColumns)
    WriteColumn(out, record.regions, column);
  for (const RankRegion& region : record.regions)
    out.Number(Hertz(region.sm_clock_hz));
  WriteTexts(out, record.kinds);
  WriteCollectives(out, record.collectives);
  out.Number(record.lost_collectives);
  WriteTexts(out, record.notes);
  return out.Take();
}

Result<RankRecord> ReadRank(const SummarySection& section, std::size_t nodes) {
  const RankHead head = TRY(ReadRankHead(section));
  const std::string body = TRY(BodyOf(section));
  ByteReader in(body);
  RankRecord record{.rank = head.key.rank,
                    .world = SmallFrom(in, 0),
                    .host = head.key.host,
                    .pid = head.key.pid,
                    .started_ns = head.key.started_ns};
  ReadTexts(in, record.devices);
  record.regions.resize(in.Length(10));
  if (record.regions.size() != nodes)
    return Damaged("a rank has other regions than its tree");
  for (const auto column : kRegionColumns)
    ReadColumn(in, record.regions, column);
  for (RankRegion& region : record.regions) {
    if (const std::uint64_t hertz = in.Number(); hertz != 0)
      region.sm_clock_hz = static_cast<double>(hertz);
  }
  ReadTexts(in, record.kinds);
  ReadCollectives(in, record);
  record.lost_collectives = in.Number();
  ReadTexts(in, record.notes);
  if (in.damaged() || !in.done()) return Damaged("a rank is damaged");
  return record;
}

}  // namespace rangefinder
