#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_cursor.h"
#include "base/json_members.h"
#include "base/text.h"
#include "diff/run_facts.h"
#include "region/tree.h"

namespace rangefinder {
namespace {

using nlohmann::json;

// A number; nothing for a value that no time in ns and no counter can have: the
// file is damaged, and sums with it would not be finite.
std::optional<double> NumberOf(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  const double size = std::abs(number);
  if (size > 1e30 || (size > 0 && size < 1e-30)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> CountOf(const json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

// The members of an object, or of each element of an array, to keep; other
// members are dropped. Without members: all are kept.
struct Wanted {
  std::vector<std::pair<std::string_view, const Wanted*>> members{};

  const Wanted* Find(std::string_view key) const {
    if (members.empty()) return this;
    const auto found = std::ranges::find(
        members, key, &std::pair<std::string_view, const Wanted*>::first);
    return found == members.end() ? nullptr : found->second;
  }
};
const Wanted kAll;
const Wanted kSpread = {{{"instances", &kAll}, {"total", &kAll}}};
const Wanted kGpu = {{{"copy_bytes", &kAll}}};
const Wanted kTimes = {{{"instances", &kAll},
                        {"cpu_ns", &kSpread},
                        {"wall_ns", &kAll},
                        {"gpu", &kGpu}}};
const Wanted kInclusive = {{{"kernel_count", &kAll},
                            {"gpu_time_ns", &kAll},
                            {"without_time", &kAll},
                            {"metrics", &kAll}}};
const Wanted kExclusive = {
    {{"kernel_count", &kAll}, {"gpu_time_ns", &kAll}, {"without_time", &kAll}}};
const Wanted kKernel = {{{"kernel_name", &kAll},
                         {"calls", &kAll},
                         {"own_calls", &kAll},
                         {"total_ms", &kAll},
                         {"own_total_ms", &kAll},
                         {"traced", &kAll}}};
const Wanted kRegion = {{{"id", &kAll},
                         {"parent_id", &kAll},
                         {"name", &kAll},
                         {"path", &kAll},
                         {"inclusive", &kInclusive},
                         {"exclusive", &kExclusive},
                         {"times", &kTimes},
                         {"summary", &kAll},
                         {"kernels", &kKernel},
                         {"selection", &kAll}}};
const Wanted kScope = {{{"scope", &kAll},
                        {"totals", &kInclusive},
                        {"exclusive", &kExclusive},
                        {"times", &kTimes},
                        {"regions", &kRegion}}};
const Wanted kDocument = {
    {{"capture", &kAll}, {"scopes", &kScope}, {"notes", &kAll}}};

// Parses a document. Keeps only the wanted members, only the first scope, and
// each region only until `take` has read it, so that a report of 100 MB is
// never in memory as a whole.
class DocumentParser {
 public:
  using Take = std::function<Status(const json&)>;

  DocumentParser(JsonCursor& cursor, const Wanted& wanted, Take take = {})
      : cursor_(cursor), wanted_(wanted), take_(std::move(take)) {}

  Status Parse() {
    if (json::sax_parse(cursor_.begin(), cursor_.end(), this)) return Ok();
    return error_.value_or(Error(ErrorCode::kCorrupt, "this is no JSON"));
  }

  // The document, without the regions.
  const json& document() const { return document_; }
  std::size_t scopes() const { return scopes_; }

  bool null() { return Value(nullptr); }
  bool boolean(bool value) { return Value(value); }
  bool number_integer(json::number_integer_t value) { return Value(value); }
  bool number_unsigned(json::number_unsigned_t value) { return Value(value); }
  bool number_float(json::number_float_t value, const std::string& /*text*/) {
    return Value(value);
  }
  bool string(std::string& value) {
    return NextWanted() == nullptr || Value(std::move(value));
  }
  bool binary(json::binary_t& /*value*/) { return true; }
  bool start_object(std::size_t /*size*/) { return Start(json::object()); }
  bool end_object() { return End(); }
  bool start_array(std::size_t /*size*/) { return Start(json::array()); }
  bool end_array() { return End(); }
  bool key(std::string& key) {
    if (skipped_ > 0) return true;
    Open& open = open_.back();
    open.next = open.wanted->Find(key);
    if (open.next != nullptr) open.key = std::move(key);
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const json::exception& problem) {
    error_ = Error(ErrorCode::kCorrupt, problem.what());
    return false;
  }

 private:
  struct Open {
    json value{};
    const Wanted* wanted = nullptr;
    const Wanted* next = nullptr;  // for the next value; null: drop it
    std::string key{};             // of the next value, in an object
  };

  const Wanted* NextWanted() const {
    if (skipped_ > 0) return nullptr;
    return open_.empty() ? &wanted_ : open_.back().next;
  }

  template <typename Given>
  bool Value(Given&& value) {
    if (NextWanted() != nullptr) Put(json(std::forward<Given>(value)));
    return true;
  }

  void Put(json value) {
    if (open_.empty())
      document_ = std::move(value);
    else if (open_.back().value.is_array())
      open_.back().value.push_back(std::move(value));
    else
      open_.back().value[open_.back().key] = std::move(value);
  }

  bool Start(json value) {
    const Wanted* const wanted = NextWanted();
    const bool other_scope =
        wanted == &kScope && value.is_object() && ++scopes_ > 1;
    if (wanted == nullptr || other_scope) {
      ++skipped_;
      cursor_.SkipValue();
      return true;
    }
    Open open{.value = std::move(value), .wanted = wanted};
    if (open.value.is_array()) open.next = wanted;
    open_.push_back(std::move(open));
    return true;
  }

  bool End() {
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    Open open = std::move(open_.back());
    open_.pop_back();
    if (open.wanted != &kRegion || open.value.is_array()) {
      Put(std::move(open.value));
      return true;
    }
    cursor_.ForgetRead();
    Status taken = take_(open.value);
    if (!taken.ok()) error_ = std::move(taken).error();
    return taken.ok();
  }

  JsonCursor& cursor_;
  const Wanted& wanted_;  // for the whole document
  Take take_;             // a region
  json document_{};
  std::vector<Open> open_{};  // objects and arrays, outermost first
  std::size_t skipped_ = 0;   // levels inside a value that is not kept
  std::size_t scopes_ = 0;
  std::optional<Error> error_{};
};

class Reading {
 public:
  explicit Reading(RunFacts& run) : run_(run) { run_.regions.emplace_back(); }

  // The document around the regions, after all regions. Throws
  // json::exception.
  Status Document(const json& document, std::size_t count) {
    const json& scopes = At(document, "scopes");
    if (!scopes.is_array() || scopes.empty())
      return Error(
          ErrorCode::kUnsupported,
          "a report.json without scopes: that of a whole run has them, "
          "of a region's folder not");
    const json& scope = scopes.front();
    if (count > 1 && At(scope, "scope") != "aggregate")
      return Error(ErrorCode::kUnsupported,
                   "a report.json of several processes without their "
                   "aggregate (regions.aggregate=false)");
    Settings(At(document, "capture"));
    for (const json& note : At(document, "notes"))
      TakeNote(TextOf(At(note, "severity")), TextOf(At(note, "kind")),
               TextOf(At(note, "text")), run_);
    RegionFacts& whole = run_.regions.front();
    Amounts(scope, At(scope, "totals"), whole);
    Times(At(scope, "times"), whole);
    return Ok();
  }

  // A region of the first scope. Throws json::exception.
  Status Region(const json& region) {
    RegionFacts facts;
    const json& path = At(region, "path");
    const auto id = CountOf(At(region, "id"));
    if (!path.is_array() || !id)
      return Error(ErrorCode::kCorrupt, "a region without a path or an id");
    facts.frame = path.empty() ? std::string(RegionTree::kUnattributed)
                               : Printable(TextOf(path.back()));
    if (At(region, "name") == "") facts.frame += "\"\"";  // as RegionName()
    if (const auto parent = CountOf(At(region, "parent_id"))) {
      const auto known = places_.find(*parent);
      if (known == places_.end())
        return Error(ErrorCode::kCorrupt,
                     fmt::format("region {}: its parent {} does not come "
                                 "before it",
                                 *id, *parent));
      facts.parent = known->second;
    }
    Amounts(region, At(region, "inclusive"), facts);
    Times(At(region, "times"), facts);
    // `summary` has the same numbers as `inclusive` and `exclusive`, or better
    // ones.
    const json& summary = At(region, "summary");
    const bool of_baseline = At(summary, "source") == "undisturbed";
    if (summary.is_object()) {
      const bool by_kernel = At(summary, "source") == "kernels";
      const auto take = [&](std::string_view key, std::string_view amounts) {
        return by_kernel && IsPartlyTimed(At(region, amounts))
                   ? std::nullopt
                   : NumberOf(At(summary, key));
      };
      facts.time_ns = take("gpu_time_ns", "inclusive");
      facts.own_ns = take("own_gpu_time_ns", "exclusive");
      facts.launches = CountOf(At(summary, "launches"));
      facts.own_launches = CountOf(At(summary, "own_launches"));
    }
    for (const json& kernel : At(region, "kernels"))
      Kernel(kernel, of_baseline, facts);
    of_baseline_ = of_baseline_ || of_baseline;
    if (places_.empty()) selection_ = At(region, "selection");
    places_[*id] = run_.regions.size();
    run_.regions.push_back(std::move(facts));
    return Ok();
  }

 private:
  void Set(std::string name, const std::string& value) {
    if (!value.empty())
      run_.settings.push_back({std::move(name), Printable(value)});
  }

  // The same settings as AddSettings() takes from a report.
  void Settings(const json& capture) {
    std::set<std::string> models;
    const json& devices = At(capture, "devices");
    for (const json& device : devices) {
      const std::string text = TextOf(device);
      const std::size_t colon = text.find(": ");
      models.insert(colon == text.npos ? text : text.substr(colon + 2));
    }
    std::set<std::uint64_t> processes;
    for (const json& process : At(capture, "processes"))
      processes.insert(CountOf(At(process, "pid")).value_or(0));
    Set("device", fmt::format("{}", fmt::join(models, ", ")));
    Set("devices", std::to_string(devices.size()));
    Set("processes", std::to_string(processes.size()));
    Set("mode", of_baseline_ ? "trace" : TextOf(At(capture, "mode")));
    Set("clock control", TextOf(At(capture, "clock_control")));
    Set("cache control", TextOf(At(capture, "cache_control")));
    Selections(selection_);
    const json& tools = At(capture, "tools");
    if (!tools.is_object()) return;
    for (const auto& [tool, version] : tools.items())
      if (tool != "mode") Set(tool, TextOf(version));
  }

  void Selections(const json& selection) {
    const auto texts = [&](std::string_view key) {
      std::vector<std::string> list;
      for (const json& text : At(selection, key)) list.push_back(TextOf(text));
      return list;
    };
    Set("regions",
        Selected(texts("include_patterns"), texts("exclude_patterns")));
    Set("kernels", Selected(texts("kernel_include_patterns"),
                            texts("kernel_exclude_patterns")));
  }

  // Whether launches without a duration are missing in the time of `amounts`.
  static bool IsPartlyTimed(const json& amounts) {
    return CountOf(At(amounts, "without_time")).value_or(0) > 0;
  }

  void Amounts(const json& object, const json& inclusive, RegionFacts& facts) {
    const auto time = [](const json& amounts) {
      return IsPartlyTimed(amounts) ? std::nullopt
                                    : NumberOf(At(amounts, "gpu_time_ns"));
    };
    facts.time_ns = time(inclusive);
    facts.launches = CountOf(At(inclusive, "kernel_count"));
    const json& exclusive = At(object, "exclusive");
    facts.own_ns = time(exclusive);
    facts.own_launches = CountOf(At(exclusive, "kernel_count"));
    const json& metrics = At(inclusive, "metrics");
    if (!metrics.is_object()) return;
    for (const auto& [name, cell] : metrics.items()) Counter(name, cell, facts);
  }

  void Counter(const std::string& name, const json& cell, RegionFacts& facts) {
    const auto value = NumberOf(At(cell, "value"));
    const std::string how = TextOf(At(cell, "how"));
    const bool is_partial = CountOf(At(cell, "missing")).value_or(0) > 0;
    if (!value || how == "absent" || is_partial || !IsOfTheProgram(name))
      return;
    CounterFacts counter{.value = *value,
                         .exact = how == "measured" || how == "exact"};
    if (how == "estimated") {
      counter.error = NumberOf(At(cell, "standard_error"));
      counter.reach = NumberOf(At(cell, "high")).value_or(*value) - *value;
    }
    facts.counters.emplace(name, counter);
    run_.units.emplace(name, TextOf(At(cell, "unit")));
  }

  void Times(const json& times, RegionFacts& facts) {
    const auto instances = CountOf(At(times, "instances"));
    if (instances && *instances > 0) facts.instances = instances;
    const auto total = [&](std::string_view key) -> std::optional<double> {
      const json& spread = At(times, key);
      if (CountOf(At(spread, "instances")).value_or(0) == 0)
        return std::nullopt;
      return NumberOf(At(spread, "total"));
    };
    facts.cpu_ns = total("cpu_ns");
    if (const json& wall = At(times, "wall_ns"); wall.is_object()) {
      WallTime& parts = facts.wall.emplace();
      for (std::size_t part = 0; part < kWallParts; ++part)
        parts.ns[part] =
            CountOf(At(wall, NameOf(static_cast<WallPart>(part)))).value_or(0);
    }
    LeaveOutProfiler(facts);
    facts.copy_bytes = CountOf(At(At(times, "gpu"), "copy_bytes"));
  }

  void Kernel(const json& kernel, bool of_baseline, RegionFacts& facts) {
    const std::uint64_t calls = CountOf(At(kernel, "calls")).value_or(0);
    const std::uint64_t own = CountOf(At(kernel, "own_calls")).value_or(calls);
    const json& traced = At(kernel, "traced");
    const bool of_trace = of_baseline && traced.is_object();
    if (own == 0 || own > calls) return;
    const double all_ms =
        NumberOf(At(of_trace ? traced : kernel, "total_ms")).value_or(0);
    double own_ms = NumberOf(At(kernel, "own_total_ms")).value_or(all_ms);
    std::uint64_t launches = own;
    if (of_trace) {  // no exclusive times: in proportion
      const double share =
          static_cast<double>(own) / static_cast<double>(calls);
      own_ms = all_ms * share;
      const auto all =
          static_cast<double>(CountOf(At(traced, "calls")).value_or(calls));
      launches = static_cast<std::uint64_t>(std::min(1e18, all * share + 0.5));
    }
    KernelFacts& row = facts.kernels[TextOf(At(kernel, "kernel_name"))];
    row.is_timed = row.is_timed && At(kernel, "total_ms").is_number();
    row.launches += launches;
    row.time_ns += own_ms * 1e6;
  }

  RunFacts& run_;
  std::map<std::uint64_t, std::size_t> places_{};  // by id of the document
  bool of_baseline_ = false;  // some region's time is from a baseline run
  json selection_{};          // of the first region
};

}  // namespace

Result<RunFacts> FactsOfDocument(std::string_view text, std::string source,
                                 std::function<void(std::string_view)> forget) {
  RunFacts run{.source = std::move(source)};
  try {
    Reading reading(run);
    JsonCursor cursor(text, std::move(forget));
    DocumentParser parser(cursor, kDocument, [&](const json& region) {
      return reading.Region(region);
    });
    TRY(parser.Parse());
    TRY(reading.Document(parser.document(), parser.scopes()));
  } catch (const json::exception& e) {
    return Error(ErrorCode::kCorrupt, e.what());
  }
  return run;
}

}  // namespace rangefinder
