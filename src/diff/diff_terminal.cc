#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "diff/writers.h"
#include "profile/short_name.h"
#include "report/terminal_table.h"

namespace rangefinder {
namespace {

constexpr std::size_t kTopParts = 8;
constexpr std::size_t kHalfBar = 6;  // cells on either side of zero

enum class DiffTone { kPlain, kBold, kDim, kBad, kGood, kWarn };

DiffTone ToneOf(DiffVerdict verdict) {
  switch (verdict) {
    case DiffVerdict::kSlower:
      return DiffTone::kBad;
    case DiffVerdict::kFaster:
      return DiffTone::kGood;
    case DiffVerdict::kAmbiguous:
    case DiffVerdict::kNew:
    case DiffVerdict::kGone:
    case DiffVerdict::kRenamed:
      return DiffTone::kWarn;
    case DiffVerdict::kSame:
    case DiffVerdict::kIncomparable:
      break;
  }
  return DiffTone::kDim;
}

// A bar from the middle to the left for less time, to the right for more;
// `share` of the greatest change shown, -1 to 1.
std::string ZeroBar(double share, bool unicode) {
  const auto cells =
      std::min(kHalfBar, static_cast<std::size_t>(std::lround(
                             std::abs(share) * static_cast<double>(kHalfBar))));
  const std::string full = unicode ? "█" : "#";
  std::string bar;
  for (std::size_t i = 0; i < cells; ++i) bar += full;
  const std::string empty(kHalfBar - cells, ' ');
  const std::string zero = unicode ? "│" : "|";
  const std::string none(kHalfBar, ' ');
  return share < 0 ? empty + bar + zero + none : none + zero + bar + empty;
}

class DiffTerminal {
 public:
  DiffTerminal(const DiffView& view, const DiffTableOptions& options,
               std::ostream& out)
      : view_(view),
        comparison_(view.comparison),
        options_(options),
        out_(out) {}

  void All() {
    Headline();
    for (const Caveat& caveat : comparison_.caveats)
      Lines(caveat.fatal ? DiffTone::kBad : DiffTone::kWarn,
            (caveat.fatal ? "cannot be compared: " : "bear in mind: ") +
                caveat.text);
    out_ << '\n';
    Table();
    Parts();
    Facts();
    Guesses();
    Gate();
  }

 private:
  std::string Toned(DiffTone tone, std::string text) const {
    static constexpr std::array<std::string_view, 6> kCodes = {
        "", "1", "2", "1;31", "32", "33"};
    if (!options_.color || tone == DiffTone::kPlain) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m",
                       kCodes[static_cast<std::size_t>(tone)], text);
  }

  void Lines(DiffTone tone, const std::string& text, std::size_t indent = 0) {
    const std::string blanks(indent, ' ');
    for (const std::string& line :
         Wrapped(text, std::max<std::size_t>(20, options_.width - indent)))
      out_ << blanks << Toned(tone, line) << '\n';
  }

  std::string Runs(const std::vector<std::string>& sources) const {
    if (sources.size() == 1) return Printable(sources.front());
    return fmt::format("{} runs ({}, …)", sources.size(),
                       Printable(sources.front()));
  }

  void Headline() {
    const RegionChange& whole = comparison_.regions.front();
    std::string text = "GPU time of a run ";
    if (whole.time.ratio) {
      text += fmt::format("{} → {}, {}", FormatNs(whole.time.base),
                          FormatNs(whole.time.other), ChangeText(whole.time));
      if (whole.time.interval)
        text += fmt::format(" (95 %: {:+.1f} to {:+.1f} %)",
                            100 * (whole.time.interval->low - 1),
                            100 * (whole.time.interval->high - 1));
    } else {
      text += "is not known on both sides";
    }
    Lines(DiffTone::kBold, text);
    Lines(DiffTone::kDim,
          fmt::format("base {}; new {}", Runs(comparison_.base_sources),
                      Runs(comparison_.other_sources)));
    Lines(DiffTone::kPlain, VerdictSummary(comparison_));
  }

  // What a whole bar stands for: the greatest change of those shown, but no
  // less than what would count of the whole.
  double Greatest(const std::vector<std::size_t>& order) const {
    double most = comparison_.rules.threshold.relative *
                  comparison_.regions.front().base_mean_ns;
    for (const std::size_t i : order)
      most = std::max(most, std::abs(comparison_.regions[i].change_ns()));
    return most;
  }

  void Table() {
    std::vector<std::size_t> order = DiffOrder(comparison_, options_);
    if (order.empty()) {
      out_ << (options_.only_changed ? "no region changed\n\n"
                                     : "there are no regions\n\n");
      return;
    }
    const std::size_t all = order.size();
    if (order.size() > options_.max_rows) order.resize(options_.max_rows);
    std::vector<std::size_t> depths;
    for (const std::size_t i : order)
      depths.push_back(comparison_.regions[i].depth - 1);
    const std::vector<std::string> lines = TreeLines(depths, options_.unicode);
    const double most = Greatest(order);
    std::size_t name_width = 6;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < order.size(); ++k) {
      names.push_back(lines[k] + comparison_.regions[order[k]].frame);
      name_width = std::max(name_width, DisplayWidth(names.back()));
    }
    // Two times, the change, the bar and the verdict take this much.
    constexpr std::size_t kRest = 12 + 12 + 10 + 2 * kHalfBar + 3 + 13;
    const std::size_t room = options_.width > kRest + kNarrowestName
                                 ? options_.width - kRest
                                 : kNarrowestName;
    name_width = std::min(name_width, room);
    out_ << Toned(DiffTone::kDim,
                  PadRight("region", name_width) + PadLeft("base", 12) +
                      PadLeft("new", 12) + PadLeft("change", 10) +
                      std::string(2 * kHalfBar + 4, ' ') + "verdict")
         << '\n';
    for (std::size_t k = 0; k < order.size(); ++k)
      Row(comparison_.regions[order[k]],
          PadRight(Ellipsize(names[k], name_width), name_width), most);
    if (all > order.size())
      out_ << Toned(DiffTone::kDim,
                    fmt::format("… {} more regions: --format json has all\n",
                                all - order.size()));
    out_ << '\n';
  }

  void Row(const RegionChange& region, std::string name, double most) {
    const TimeChange& time = region.time;
    out_ << name << PadLeft(MedianText(time.base_ns, time.base), 12)
         << PadLeft(MedianText(time.other_ns, time.other), 12)
         << PadLeft(ChangeText(time), 10) << "  "
         << ZeroBar(most > 0 ? region.change_ns() / most : 0, options_.unicode)
         << ' '
         << Toned(ToneOf(region.verdict),
                  std::string(DiffVerdictName(region.verdict)));
    if (time.per_instance) out_ << Toned(DiffTone::kDim, " each time");
    out_ << '\n';
    if (!region.base_path.empty() && region.by != PairedBy::kName)
      Lines(DiffTone::kDim, "was " + region.base_path, region.depth * 2 + 2);
    // That there are few runs is said once, below.
    // Of few runs the last line speaks, but not of how many would tell.
    if (!region.why.empty() &&
        (!region.why.starts_with("fewer than") || region.time.runs_needed > 0))
      Lines(DiffTone::kDim, region.why, region.depth * 2 + 2);
  }

  std::string Where(std::size_t region) const {
    const std::string& path = comparison_.regions[region].path;
    return path.empty() ? "the whole run" : path;
  }

  void Parts() {
    if (comparison_.contributions.empty()) return;
    const double whole = comparison_.regions.front().change_ns();
    out_ << Toned(DiffTone::kBold,
                  fmt::format("where the change of {} comes from",
                              SignedNs(whole)))
         << '\n';
    std::size_t shown = 0;
    double rest = whole;
    for (const Contribution& one : comparison_.contributions) {
      if (shown++ == kTopParts) break;
      rest -= one.change_ns;
      const std::string what = one.kernel.empty()
                                   ? "measured as a whole"
                                   : Printable(ShortKernelName(one.kernel));
      Lines(DiffTone::kPlain,
            fmt::format("{}  {}: {}", PadLeft(SignedNs(one.change_ns), 11),
                        Where(one.region), what));
      for (const std::string& text : one.with) Lines(DiffTone::kDim, text, 13);
    }
    if (comparison_.contributions.size() > kTopParts)
      Lines(DiffTone::kDim,
            fmt::format("{}  {} more parts: --format json has all",
                        PadLeft(SignedNs(rest), 11),
                        comparison_.contributions.size() - kTopParts));
    out_ << '\n';
  }

  void Facts() {
    bool any = false;
    for (const std::size_t i : DiffOrder(comparison_, options_)) {
      for (const Fact& fact : comparison_.regions[i].facts) {
        if (!any)
          out_ << Toned(DiffTone::kBold, "what is no matter of noise") << '\n';
        any = true;
        Lines(DiffTone::kPlain, fmt::format("{}: {}", Where(i), fact.text), 2);
      }
    }
    if (any) out_ << '\n';
  }

  void Guesses() {
    std::size_t guesses = 0;
    for (const RegionChange& region : comparison_.regions) {
      guesses += region.by == PairedBy::kGuess;
      for (const KernelPair& pair : region.kernels)
        guesses += pair.by == PairedBy::kGuess;
    }
    if (guesses > 0)
      Lines(DiffTone::kDim,
            fmt::format(
                "{} paired by what {} like, not by name: --match FILE "
                "says otherwise, --strict forbids it",
                guesses == 1 ? "one was" : fmt::format("{} were", guesses),
                guesses == 1 ? "it looks" : "they look"));
  }

  void Gate() {
    for (const Crossing& crossing : view_.crossings) {
      const bool fails = crossing.accepted.empty();
      Lines(fails && view_.gated ? DiffTone::kBad : DiffTone::kWarn,
            fmt::format("{}{}: {}{}", fails ? "worse: " : "accepted: ",
                        Where(crossing.region), crossing.text,
                        fails ? "" : " (" + crossing.accepted + ")"));
    }
    const std::size_t least = comparison_.rules.least_runs;
    if (std::min(comparison_.base_runs(), comparison_.other_runs()) < least)
      Lines(DiffTone::kDim,
            fmt::format("of times nothing is gated with fewer than {} runs a "
                        "side: rangefinder compare --runs {} -- A ::: B",
                        least, least));
  }

  const DiffView& view_;
  const Comparison& comparison_;
  const DiffTableOptions& options_;
  std::ostream& out_;
};

}  // namespace

void WriteDiffTerminal(const DiffView& view, const DiffTableOptions& options,
                       std::ostream& out) {
  DiffTerminal(view, options, out).All();
}

}  // namespace rangefinder
