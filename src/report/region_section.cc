// The section of one region in one scope: times, kernels, metrics, sections and
// the findings of rules.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "insight/members.h"
#include "insight/times.h"
#include "insight/whole_spread.h"
#include "report/documents.h"
#include "report/kernel_names.h"
#include "report/sentences.h"
#include "rollup/roofline.h"

namespace rangefinder {
namespace {

using Kind = TableColumn::Kind;

// Most rows of tables that report.json has completely.
constexpr std::size_t kMostStreams = 8;
constexpr std::size_t kMostNames = 16;
constexpr std::size_t kMostFindings = 10;

template <typename Count>
TableCell NsCell(Count ns) {
  return TimeOf(static_cast<double>(ns));
}

TableColumn Named(std::string_view heading) {
  return {.heading = std::string(heading), .kind = Kind::kText};
}

TableColumn Numbers(std::string_view heading) {
  return {.heading = std::string(heading)};
}

class RegionSection {
 public:
  RegionSection(Document& document, const Report& report,
                const ScopeRollup& scope, RegionId id, AbsenceReasons& reasons,
                std::size_t most_kernels)
      : document_(document),
        report_(report),
        rollup_(*report.rollup),
        scope_(scope),
        id_(id),
        rolled_(scope.regions[Index(id)]),
        reasons_(reasons),
        most_kernels_(
            std::min<std::size_t>(most_kernels, report.options.max_rows)) {}

  void Add() {
    AddSummary();
    if (const auto times = TimesOf(report_, scope_.scope, id_))
      AddTimes(*times);
    AddMembers(document_, report_, scope_.scope, id_);
    AddCoverage();
    const Amounts& shown = ShownOf(rolled_);
    AddVerdict(shown);
    AddKernels();
    AddMetrics();
    AddBeside();
    AddOverTime();
    AddWholes();
    AddSections(shown);
    AddRoofline();
    AddFindings();
  }

 private:
  void Say(Text text, Tone tone = Tone::kPlain) {
    document_.AddParagraph(std::move(text), tone);
  }

  // ---- The row of the region in sentences ----

  void AddSummary() {
    const RegionRow row = report_.rows->Of(scope_, id_);
    const auto kernels = [](std::uint64_t count) {
      return Plural(count, "kernel", "kernels");
    };
    if (row.source == TimeSource::kBaseline ||
        row.source == TimeSource::kKernels) {
      Say(fmt::format(
          "{} in {}, {} of {}{}; {}.", FormatNs(*row.time_ns),
          kernels(*row.launches), row.share ? FormatShare(*row.share, 1) : "–",
          WholeText(report_),
          HasTwoRuns(report_) ? ", in the baseline run" : "",
          row.launches == row.own_launches
              ? "all of it exclusive"
              : fmt::format("exclusive: {} in {}",
                            row.own_ns ? FormatNs(*row.own_ns) : "–",
                            kernels(*row.own_launches))));
    } else if (row.source == TimeSource::kRange) {
      Say(fmt::format("{} over {} measured as a whole.", FormatNs(*row.time_ns),
                      row.wholes == 1
                          ? "one execution"
                          : FormatCount(row.wholes) + " executions"));
    }
    if (!row.reason.empty()) Say("No counters: " + row.reason + ".");
  }

  // The cause of the region's wall time; without one, the limit of its kernels.
  void AddVerdict(const Amounts& shown) {
    const Cause* cause = report_.diagnosis.MainCause(id_);
    if (&scope_ == rollup_.scopes.data() && cause != nullptr) {
      Say(fmt::format("{}{}, {}", cause->certain ? "" : "perhaps ",
                      cause->title, cause->text),
          cause->certain ? Tone::kStrong : Tone::kPlain);
      return;
    }
    const LimitVerdict verdict = VerdictOf(rollup_, shown);
    if (!verdict.text.empty()) Say(verdict.text, Tone::kStrong);
  }

  // ---- Times ----

  void AddTimes(const RegionTimes& times) {
    if (times.instances > 0) {
      Say(fmt::format(
          "{}{}.", Plural(times.instances, "instance", "instances"),
          times.unclosed > 0
              ? fmt::format("; {} never closed, so their CPU time is not known",
                            FormatCount(times.unclosed))
              : std::string()));
    }
    if (times.warmup) AddWarmup(*times.warmup);
    AddSpreads(times);
    AddBusy(times);
    AddSlowest(times);
    AddStreams(times);
  }

  void AddWarmup(const Warmup& warmup) {
    std::string steady = fmt::format(
        "Steady state: {}", warmup.steady_cpu_ns
                                ? FormatNs(*warmup.steady_cpu_ns) + " CPU"
                                : std::string("–"));
    if (warmup.steady_gpu_ns)
      steady += fmt::format(", {} of kernels", FormatNs(*warmup.steady_gpu_ns));
    steady +=
        fmt::format(" per instance, over {}.", FormatCount(warmup.steady));
    std::string first = fmt::format(
        " Warm-up, the first{}: {} CPU",
        warmup.instances == 1 ? "" : " " + FormatCount(warmup.instances),
        FormatNs(warmup.cpu_ns));
    if (warmup.gpu_ns > 0)
      first += fmt::format(", {} of kernels", FormatNs(warmup.gpu_ns));
    Say(Strong(steady) + (first + "; in all totals (") +
        Code("regions.warmup") + ").");
  }

  void AddSpreads(const RegionTimes& times) {
    Table table{.columns = {Named("time"), Numbers("total"), Numbers("of"),
                            Numbers("min"), Numbers("median"), Numbers("mean"),
                            Numbers("max"), Numbers("deviation")}};
    const auto add = [&](std::string_view what, const Spread& spread) {
      if (spread.count() == 0) return;
      table.rows.push_back(
          {.cells = {Text(what), NsCell(spread.sum()), CountOf(spread.count()),
                     NsCell(spread.min()), NsCell(spread.median().value_or(0)),
                     NsCell(spread.mean()), NsCell(spread.max()),
                     NsCell(spread.standard_deviation())}});
    };
    add("CPU per instance", times.cpu_ns);
    add("kernels per instance", times.gpu_ns);
    add("GPU span per instance", times.gpu_span_ns);
    add("GPU without its work per instance", times.gpu_idle_ns);
    add("launch to start per kernel", times.gpu.latency_ns);
    if (!table.rows.empty()) document_.AddTable(std::move(table));
  }

  void AddBusy(const RegionTimes& times) {
    const GpuUse& gpu = times.gpu;
    if (times.span_ns == 0) return;
    std::string text = fmt::format(
        "From the first start to the last end of its GPU work are {}: {} with "
        "it, {} ({}) without",
        FormatNs(times.span_ns), FormatNs(gpu.busy_ns),
        FormatNs(times.idle_ns()), FormatShare(times.idle_ns(), times.span_ns));
    if (const auto concurrency = times.concurrency();
        concurrency && *concurrency > 1.005) {
      text +=
          fmt::format("; {:.2f} activities at once while it ran", *concurrency);
    }
    text += ".";
    const auto add = [&](std::string_view what, std::uint64_t bytes,
                         std::uint64_t ns) {
      text += fmt::format(" {} of {} in {}.", what,
                          FormatValue(static_cast<double>(bytes), "byte"),
                          FormatNs(ns));
    };
    if (gpu.copies > 0)
      add(Plural(gpu.copies, "copy", "copies"), gpu.copy_bytes, gpu.copy_ns);
    if (gpu.sets > 0)
      add(Plural(gpu.sets, "memset", "memsets"), gpu.set_bytes, gpu.set_ns);
    Say(text);
  }

  void AddSlowest(const RegionTimes& times) {
    if (times.instances < 2 || times.slowest.empty()) return;
    Text text = "Slowest instances (counted from 0 in their thread):";
    const char* separator = " ";
    for (const PlacedInstance& one : times.slowest) {
      const std::uint64_t start = report_.profile->start_ns;
      text += fmt::format("{}{}", separator, FormatCount(one.times.ordinal));
      if (one.name != StringId{})
        text += fmt::format(" ({})", report_.profile->Name(one.name));
      text += fmt::format(
          " at {}, {} CPU, {} of kernels",
          FormatNs(one.times.start_ns > start ? one.times.start_ns - start : 0),
          FormatNs(one.times.cpu_ns), FormatNs(one.times.gpu_ns));
      separator = "; ";
    }
    Say(text + ".");
  }

  void AddStreams(const RegionTimes& times) {
    if (times.streams.size() < 2) return;
    Table table{.columns = {Numbers("process"), Numbers("device"),
                            Numbers("stream"), Numbers("kernels"),
                            Numbers("time"), Numbers("copies"),
                            Numbers("time of copies")}};
    for (const StreamTimes& stream : times.streams) {
      if (table.rows.size() == kMostStreams) break;
      const auto number = [](auto value) {
        return TableCell(fmt::format("{}", value));
      };
      table.rows.push_back(
          {.cells = {
               number(report_.profile->processes[Index(stream.process)].pid),
               number(stream.device), number(stream.use.stream),
               CountOf(stream.use.kernels), NsCell(stream.use.kernel_ns),
               CountOf(stream.use.copies), NsCell(stream.use.copy_ns)}});
    }
    document_.AddTable(std::move(table));
    AddLeftOut(document_, times.streams.size(), kMostStreams, "streams are");
  }

  // ---- The baseline run and the run with replay ----

  void AddCoverage() {
    if (!HasTwoRuns(report_)) return;
    if (const auto row = report_.rows->Of(scope_, id_); row.measured_ns)
      Say(fmt::format("Under replay: {} in {}.", FormatNs(*row.measured_ns),
                      Plural(*row.measured, "kernel", "kernels")));
    const std::string coverage = CoverageText(report_, scope_, id_);
    if (coverage.empty()) return;
    Say(coverage + ".", Tone::kStrong);
    AddScaled();
  }

  void AddScaled() {
    const auto metrics =
        report_.traced->Scaled(scope_, id_, report_.asked_columns);
    if (metrics.empty()) return;
    Table table{.columns = {Named("metric"), Numbers("measured launches"),
                            Numbers("scaled to all"),
                            Numbers("standard error")}};
    bool single = false;
    for (const ScaledMetric& metric : metrics) {
      const Column& column = rollup_.columns[metric.column];
      const Cells& cells = rolled_.inclusive.cells;
      single = single || metric.single > 0;
      TableCell error;
      if (metric.error) error = ValueOf(*metric.error, column.unit);
      if (metric.single > 0) error.text = "†";
      table.rows.push_back(
          {.cells = {Code(column.name),
                     metric.column < cells.size()
                         ? MetricCell(*report_.profile, cells[metric.column],
                                      column.unit)
                         : TableCell(),
                     Quantity{.value = metric.value,
                              .unit = column.unit,
                              .hint = Hint::kAbout},
                     error}});
    }
    document_.AddTable(std::move(table));
    std::string text =
        "Each kernel, grid and block counts as often as the baseline run "
        "launched it; a kernel that was never measured is not included.";
    if (single)
      text +=
          " † Some were measured only once: their spread is not known and not "
          "part of the error.";
    Say(text);
  }

  // ---- Kernels and metrics ----

  void AddKernels() {
    const ReportRows kernels = KernelsOf(report_, scope_, id_);
    if (kernels.rows.empty()) return;
    if (!rolled_.kernels_with_inner.empty())
      Say("Kernels, inner regions included; exclusive launches are outside all "
          "of them.");
    AddReportTable(document_, report_, scope_, kernels,
                   {.by = TableBy::kKernel, .top = most_kernels_},
                   {.full = true, .reasons = &reasons_});
  }

  void AddMetrics() {
    if (report_.table_columns.empty() ||
        (rolled_.inclusive.kernel_count == 0 && !rolled_.inclusive.estimated))
      return;
    Table table{.columns = {Named("metric"),
                            Numbers("inclusive"),
                            Numbers("exclusive"),
                            {.heading = "how", .kind = Kind::kProse}}};
    for (const std::size_t c : report_.table_columns) {
      const Column& column = rollup_.columns[c];
      const auto cell = [&](const Amounts& amounts) {
        if (c >= amounts.cells.size()) return TableCell();
        return MetricCell(*report_.profile, amounts.cells[c], column.unit);
      };
      table.rows.push_back(
          {.cells = {Code(column.name), cell(rolled_.inclusive),
                     cell(rolled_.exclusive),
                     HowText(rolled_.inclusive.cells[c])}});
    }
    document_.AddTable(std::move(table));
  }

  Text HowText(const Cell& cell) {
    Text text(HowName(cell.how));
    if (cell.how == How::kAbsent && !cell.has_spread) {
      if (const std::size_t number = reasons_.Add(cell.reason); number > 0)
        text += fmt::format(", reason {}", number);
      return text;
    }
    if (!cell.rule.empty())
      text += fmt::format(", {}", std::string_view(cell.rule));
    if (!cell.weight.empty()) text += Text(" by ") + Code(cell.weight);
    if (!cell.reason.empty())
      text += fmt::format(": {}", std::string_view(cell.reason));
    if (cell.how == How::kEstimated)
      text +=
          fmt::format("; {} launches, {} samples", FormatCount(cell.present),
                      FormatCount(cell.distinct));
    if (cell.missing > 0)
      text += fmt::format("; {} of {} measurements have it", cell.present,
                          cell.present + cell.missing);
    return text;
  }

  // Values that were both measured and estimated.
  void AddBeside() {
    if (rolled_.inclusive_beside.empty()) return;
    Say("Measured, and estimated from the baseline run:");
    Table table{.columns = {Named("metric"), Numbers("measured"),
                            Numbers("estimated"), Named("")}};
    for (const EstimateBeside& one : rolled_.inclusive_beside) {
      const Column& column = rollup_.columns[one.column];
      table.rows.push_back(
          {.cells = {
               Code(column.name),
               MetricCell(*report_.profile, rolled_.inclusive.cells[one.column],
                          column.unit),
               MetricCell(*report_.profile, one.cell, column.unit),
               !one.comparable ? "of different launches"
               : one.agrees    ? "agree"
                               : "differ beyond the error"}});
    }
    document_.AddTable(std::move(table));
  }

  void AddOverTime() {
    const std::vector<CounterTrend> trends =
        TrendsOf(report_, scope_.scope, id_);
    if (trends.empty()) return;
    Text text = "Per instance over the run: ";
    for (const CounterTrend& trend : trends) {
      if (&trend != trends.data()) text += ", ";
      text += Code(trend.metric) +
              fmt::format(" {} from {} to {}",
                          trend.last > trend.first ? "grows" : "falls",
                          FormatValue(std::max(trend.first, 0.0), trend.unit),
                          FormatValue(std::max(trend.last, 0.0), trend.unit));
    }
    Say(text + ".");
  }

  // ---- Executions measured as a whole ----

  void AddWholes() {
    if (rolled_.measured.empty()) return;
    Say("Measured as a whole, which is part of no sum:");
    const ReportColumns known(report_, scope_);
    const std::vector<ReportColumn> metrics = known.Metrics();
    Table table{.columns = {Named("mode"), Numbers("time")}};
    for (const ReportColumn& metric : metrics)
      table.columns.push_back(Numbers(metric.heading));
    for (const WholeRow& whole : rolled_.measured) {
      const ReportRow row{.counters = &whole.amounts};
      TableRow& out = table.rows.emplace_back();
      out.cells = {WholeText(whole), whole.amounts.without_time == 0
                                         ? NsCell(whole.amounts.gpu_time_ns)
                                         : TableCell()};
      for (const ReportColumn& metric : metrics)
        out.cells.push_back(metric.cell(row));
    }
    document_.AddTable(std::move(table));
    AddSpreadOfWholes();
    AddDeviations();
  }

  void AddSpreadOfWholes() {
    const auto spreads = SpreadOfWholes(rolled_, report_.table_columns);
    if (spreads.empty()) return;
    Say("Over the instances:");
    Table table{.columns = {Named("mode"), Named("metric"),
                            Numbers("instances"), Numbers("min"),
                            Numbers("median"), Numbers("max")}};
    for (const WholeSpread& spread : spreads) {
      const Column* const column =
          spread.column ? &rollup_.columns[*spread.column] : nullptr;
      const auto cell = [&](double value) {
        return ValueOf(value, column != nullptr ? column->unit : "ns");
      };
      table.rows.push_back(
          {.cells = {Text(ModeName(spread.mode)),
                     column != nullptr ? Code(column->name) : Text("time"),
                     CountOf(spread.instances), cell(spread.min),
                     cell(spread.median), cell(spread.max)}});
    }
    document_.AddTable(std::move(table));
  }

  // For regions whose single instances have values.
  void AddDeviations() {
    Table table{.columns = {Named("metric"), Numbers("instances"),
                            Numbers("mean"), Numbers("standard deviation")}};
    for (const WholeRow& row : rolled_.measured) {
      for (const WholeDeviation& deviation : row.deviations) {
        for (const std::size_t index : report_.table_columns) {
          const Column& column = rollup_.columns[index];
          const auto mean = ValueOfWhole(row, index);
          if (column.metric != deviation.metric || !mean) continue;
          table.rows.push_back(
              {.cells = {Code(column.name), CountOf(deviation.instances),
                         ValueOf(*mean, column.unit),
                         ValueOf(deviation.value, column.unit)}});
        }
      }
    }
    if (table.rows.empty()) return;
    Say("Over the instances that were counted one by one:");
    document_.AddTable(std::move(table));
  }

  // ---- Sections, roofline and rules ----

  void AddSections(const Amounts& amounts) {
    for (const SectionTable& section :
         report_.sections->TablesOf(id_, amounts)) {
      if (section.rows.empty()) continue;
      Table table{.columns = {Named(section.title), Numbers("")}};
      for (const SectionTableRow& row : section.rows)
        table.rows.push_back(
            {.cells = {Text(row.label),
                       MetricCell(*report_.profile, row.cell, row.unit)}});
      document_.AddTable(std::move(table));
    }
  }

  void AddRoofline() {
    const Roofline roofline(rollup_);
    const std::vector<RooflineRow> all = roofline.RowsOf(ShownOf(rolled_));
    if (all.empty()) return;
    Table table{.columns = {Named("roofline of"), Named("precision"),
                            Numbers("work"), Numbers("intensity"),
                            Numbers("achieved"), Numbers("roof"),
                            Numbers("% of roof"), Named("limit")}};
    const auto add = [&](const Text& of, const RooflineRow& row) {
      const std::string rate = row.unit + "/s";
      TableCell limit;
      if (row.limit) limit = row.memory_side ? "memory" : "compute";
      table.rows.push_back(
          {.cells = {
               of, row.precision, ValueOf(row.work, row.unit),
               ValueOf(row.intensity, row.unit + "/B"),
               ValueOf(row.achieved, rate),
               row.limit ? TableCell(ValueOf(*row.limit, rate)) : TableCell(),
               row.percent ? TableCell(ValueOf(*row.percent, "%"))
                           : TableCell(),
               limit}});
    };
    for (const RooflineRow& row : all) add(Strong("region"), row);
    const std::vector<KernelRow>& kernels = rolled_.all_kernels();
    // With many regions, the row of the region itself suffices.
    const std::size_t shown =
        kernels.size() <= most_kernels_ ? kernels.size() : 0;
    for (std::size_t i = 0; i < shown; ++i) {
      for (const RooflineRow& row : roofline.RowsOf(kernels[i].amounts))
        add(report_.kernel_names->Shown(kernels[i].name), row);
    }
    document_.AddTable(std::move(table));
    AddLeftOut(document_, kernels.size(), shown, "kernels are");
  }

  void AddFindings() {
    const std::vector<Finding> findings =
        FindingsIn(report_, scope_.scope, id_);
    if (findings.empty()) return;
    Say("Nsight Compute's rules, by estimated gain. A speedup is of the "
        "region's time, a local speedup of the part that the rule is about. "
        "The text is of the kernel that takes most time.");
    List list;
    for (const Finding& finding : findings) {
      if (list.items.size() == kMostFindings) break;
      Text text = Strong(finding.title.empty() ? finding.name : finding.title);
      if (finding.speedup_percent) {
        const double percent = *finding.speedup_percent;
        text += fmt::format(
            ", est. {}speedup {}", finding.speedup_is_global ? "" : "local ",
            percent < 0.01 ? "below 0.01 %" : FormatValue(percent, "%"));
      }
      text += fmt::format(", {}, {} of the region's time: {}",
                          Plural(finding.kernels, "kernel", "kernels"),
                          FormatShare(finding.time_share, 1), finding.text);
      list.items.push_back({.text = std::move(text)});
    }
    document_.AddList(std::move(list));
    AddLeftOut(document_, findings.size(), kMostFindings, "findings are");
  }

  Document& document_;
  const Report& report_;
  const Rollup& rollup_;
  const ScopeRollup& scope_;
  const RegionId id_;
  const RegionRollup& rolled_;
  AbsenceReasons& reasons_;
  const std::size_t most_kernels_;
};

}  // namespace

void AddMembers(Document& document, const Report& report, const Scope& scope,
                RegionId region) {
  const std::vector<MemberAmounts> members = MembersOf(report, scope, region);
  if (members.empty()) return;
  const auto name = [&](const MemberAmounts& member) {
    return std::string(report.profile->Name(member.name));
  };
  std::string text =
      fmt::format("{} of ranges {} merged here; the first is {}",
                  Plural(members.size(), "name", "names"),
                  members.size() == 1 ? "is" : "are", name(members.front()));
  if (const MemberAmounts* slowest = SlowestOf(members))
    text += fmt::format(", the slowest {}", name(*slowest));
  document.AddParagraph(text + ".");
  Table table{.columns = {Named("range"), Numbers("instances"),
                          Numbers("GPU time"), Numbers("kernels"),
                          Numbers("CPU")}};
  for (const MemberAmounts& member : members) {
    if (table.rows.size() == kMostNames) break;
    table.rows.push_back(
        {.cells = {name(member), CountOf(member.instances),
                   member.kernel_count > 0
                       ? TableCell(TimeOf(member.gpu_time_ns))
                       : TableCell(),
                   CountOf(member.kernel_count),
                   member.cpu_ns ? NsCell(*member.cpu_ns) : TableCell()}});
  }
  document.AddTable(std::move(table));
  AddLeftOut(document, members.size(), kMostNames, "ranges are");
}

void AddRegion(Document& document, const Report& report,
               const ScopeRollup& scope, RegionId region,
               AbsenceReasons& reasons, std::size_t most_kernels) {
  RegionSection(document, report, scope, region, reasons, most_kernels).Add();
}

}  // namespace rangefinder
