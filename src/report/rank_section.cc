// The ranks of a job: late ranks in sentences, and a table of regions over
// ranks.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/numbers.h"
#include "insight/late_ranks.h"
#include "insight/rank_matrix.h"
#include "insight/rank_names.h"
#include "report/documents.h"

namespace rangefinder {
namespace {

struct Scale {
  double ns;
  std::string_view unit;
};

Scale ScaleOf(double ns) {
  constexpr std::array<Scale, 3> kScales = {
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}}};
  for (const Scale& scale : kScales) {
    if (ns >= scale.ns) return scale;
  }
  return {1, "ns"};
}

// Three digits, or all digits before the point.
std::string Digits(double ns, const Scale& scale) {
  const double value = ns / scale.ns;
  if (scale.ns == 1 || value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : 2);
}

// In the unit that suits the maximum; one number if all ranks agree.
TableCell OverRanksCell(const std::optional<OverRanks>& over,
                        const RankNames& names) {
  if (!over || over->ranks == 0) return {};
  if (over->max <= 0) return "0";
  const Scale scale = ScaleOf(over->max);
  const std::string min = Digits(over->min, scale);
  const std::string max = Digits(over->max, scale);
  if (min == max) return fmt::format("{} {}", max, scale.unit);
  return fmt::format("{} – {} – {} {} ({})", min, Digits(over->median, scale),
                     max, scale.unit, names.ShortWho(over->max_at));
}

struct QuantityColumn {
  std::string_view heading;
  std::optional<OverRanks> (*of)(const RegionOverRanks&);
};

template <auto kMember>
std::optional<OverRanks> Over(const RegionOverRanks& region) {
  return region.*kMember;
}

constexpr std::array<QuantityColumn, 5> kColumns = {{
    {"compute", Over<&RegionOverRanks::compute>},
    {"waiting", Over<&RegionOverRanks::waiting>},
    {"exposed", Over<&RegionOverRanks::exposed>},
    {"overlapped", Over<&RegionOverRanks::overlapped>},
    {"idle", Over<&RegionOverRanks::idle>},
}};

bool IsAllZero(const RankAnalysis& analysis,
               const std::vector<std::size_t>& regions,
               const QuantityColumn& column) {
  return std::ranges::none_of(regions, [&](std::size_t region) {
    const auto over = column.of(analysis.regions[region]);
    return over && over->max > 0;
  });
}

std::string NobodyIsLate(const RankAnalysis& analysis) {
  if (!analysis.regions.empty() && analysis.regions[0].waiting)
    return "no rank makes the others wait";
  return "not known: no communication of the ranks was matched";
}

// Empty if all hosts had the same clock.
std::string ClocksText(const RankAnalysis& analysis) {
  double worst = 0;
  for (const HostClock& clock : analysis.clocks)
    worst = std::max(worst, clock.residual_ns);
  if (analysis.clocks.size() < 2) return {};
  return fmt::format(
      "The clocks of {} hosts were aligned by the ends of collectives, to {}.",
      analysis.clocks.size(), FormatNs(worst));
}

// The groups of ranks, in the order in which readers look for them.
std::string GroupsText(const Report& report, const RankNames& names) {
  const auto& groups = report.rank_analysis->groups;
  if (groups.size() < 2 || groups.size() == report.ranks->records.size())
    return {};
  std::string text = "Ranks that behave alike:";
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(kMost, groups.size()); ++i) {
    text += fmt::format("{} {} like {}", i > 0 ? "," : "",
                        FormatCount(groups[i].records.size()),
                        names.Who(groups[i].typical));
  }
  if (groups.size() > kMost)
    text += fmt::format(", {} more groups", FormatCount(groups.size() - kMost));
  return text + ".";
}

// A row for each of the regions with the most time; leaves out columns that are
// 0 everywhere.
void AddMatrix(Document& document, const Report& report, const RankNames& names,
               std::size_t most, std::string_view all) {
  using Kind = TableColumn::Kind;
  const RankAnalysis& analysis = *report.rank_analysis;
  const std::vector<std::size_t> regions = LongestRegions(analysis, most);
  std::vector<QuantityColumn> columns(kColumns.begin(), kColumns.end());
  std::erase_if(columns, [&](const QuantityColumn& column) {
    return IsAllZero(analysis, regions, column);
  });
  if (columns.empty()) return;
  document.AddHeading(
      3, fmt::format(
             "Minimum – median – maximum over {} ranks (rank of the maximum)",
             FormatCount(report.ranks->records.size())));
  Table table{.columns = {{.heading = "region", .kind = Kind::kText}},
              .hidden_columns = std::string(all)};
  for (std::size_t i = 0; i < columns.size(); ++i)
    table.columns.push_back({.heading = std::string(columns[i].heading),
                             .gives_way = static_cast<int>(i)});
  for (const std::size_t region : regions) {
    const RegionOverRanks& over = analysis.regions[region];
    TableRow& row = table.rows.emplace_back();
    row.depth = over.path.size();
    row.cells.emplace_back(names.Frame(region));
    for (const QuantityColumn& column : columns)
      row.cells.push_back(OverRanksCell(column.of(over), names));
  }
  document.AddTable(std::move(table));
  if (const std::size_t more = analysis.regions.size() - regions.size();
      more > 0)
    document.AddParagraph(
        Plural(more, "more region is", "more regions are") + " in report.json",
        Tone::kQuiet);
}

}  // namespace

LateSaid LateSentences(const Report& report, std::size_t most) {
  LateSaid said;
  if (!HasRanks(report)) return said;
  const RankAnalysis& analysis = *report.rank_analysis;
  const RankNames names(*report.ranks, analysis);
  const auto say = [&](std::string sentence) {
    if (said.sentences.size() < most)
      said.sentences.push_back(std::move(sentence));
    else
      ++said.more;
  };
  const std::vector<std::size_t> said_by = LateSaidBy(analysis, kMostLate);
  for (std::size_t i = 0; i < said_by.size(); ++i) {
    if (said_by[i] == i) say(LateSentence(names, analysis.late[i]));
  }
  for (const LatePart& part : analysis.slow_network)
    say(SlowNetworkSentence(names, part));
  if (said.sentences.empty()) said.sentences.push_back(NobodyIsLate(analysis));
  return said;
}

void AddRanks(Document& document, const Report& report, Detail detail) {
  if (!HasRanks(report)) return;
  const bool full = detail == Detail::kFull;
  const std::string_view all =
      full ? "report.json has all" : "--format md has all";
  const RankNames names(*report.ranks, *report.rank_analysis);
  document.AddHeading(2, "Who is late");
  const LateSaid said = LateSentences(report, full ? 8 : 3);
  List list;
  for (const std::string& sentence : said.sentences)
    list.items.push_back({.text = sentence});
  if (said.more > 0)
    list.items.push_back(
        {.text = fmt::format("{} more: {}", FormatCount(said.more), all)});
  document.AddList(std::move(list));
  if (full) {
    document.AddParagraph(GroupsText(report, names));
    document.AddParagraph(ClocksText(*report.rank_analysis));
  }
  AddMatrix(document, report, names, full ? 30 : 8, all);
  const std::vector<std::string>& notes = report.rank_analysis->notes;
  const std::size_t shown =
      full ? notes.size() : std::min<std::size_t>(3, notes.size());
  for (std::size_t i = 0; i < shown; ++i)
    document.AddParagraph(notes[i], Tone::kWarn);
  if (notes.size() > shown)
    document.AddParagraph(
        fmt::format("{} on ranks: {}",
                    Plural(notes.size() - shown, "more note", "more notes"),
                    all),
        Tone::kQuiet);
}

}  // namespace rangefinder
