#include <cmath>

#include "diff/writers.h"
#include "writers/json/json_stream.h"

namespace rangefinder {
namespace {

std::string_view PairedName(PairedBy by) {
  switch (by) {
    case PairedBy::kName:
      return "name";
    case PairedBy::kGiven:
      return "given";
    case PairedBy::kGuess:
      return "guess";
  }
  return "";
}

class DiffJson {
 public:
  DiffJson(const DiffView& view, std::ostream& out)
      : view_(view), comparison_(view.comparison), json_(out) {}

  void All() {
    json_.BeginObject();
    json_.TextField("schema", "rangefinder.diff/1");
    Bool("comparable", comparison_.comparable());
    json_.TextField("summary", VerdictSummary(comparison_));
    Caveats();
    Side("base", comparison_.base_sources, comparison_.base_settings);
    Side("new", comparison_.other_sources, comparison_.other_settings);
    Rules();
    json_.Key("gate");
    Gate();
    json_.Key("regions");
    json_.BeginRows();
    for (std::size_t i = 0; i < comparison_.regions.size(); ++i) Region(i);
    json_.EndArray();
    Contributions();
    json_.EndObject();
    json_.Flush();
  }

 private:
  void Bool(bool value) {
    json_.Value([&](std::string& out) { out += value ? "true" : "false"; });
  }
  void Bool(std::string_view key, bool value) {
    json_.Key(key);
    Bool(value);
  }
  void Optional(std::string_view key, const std::optional<double>& value) {
    json_.Key(key);
    if (value)
      json_.Number(*value);
    else
      json_.Null();
  }
  void OptionalText(std::string_view key, const std::string& text) {
    json_.Key(key);
    if (text.empty())
      json_.Null();
    else
      json_.Text(text);
  }
  void Numbers(std::string_view key, const std::vector<double>& values) {
    json_.Key(key);
    json_.BeginLineArray();
    for (const double value : values) json_.Number(value);
    json_.EndArray();
  }

  void Caveats() {
    json_.Key("caveats");
    json_.BeginArray();
    for (const Caveat& caveat : comparison_.caveats) {
      json_.BeginLineObject();
      Bool("fatal", caveat.fatal);
      json_.TextField("text", caveat.text);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Side(std::string_view key, const std::vector<std::string>& sources,
            const std::vector<RunSetting>& settings) {
    json_.Key(key);
    json_.BeginObject();
    json_.TextsField("runs", sources);
    json_.Key("settings");
    json_.BeginObject();
    for (const RunSetting& setting : settings)
      json_.TextField(setting.name, setting.value);
    json_.EndObject();
    json_.EndObject();
  }

  void Rules() {
    const DiffRules& rules = comparison_.rules;
    json_.Key("rules");
    json_.BeginLineObject();
    json_.NumberField("time", rules.threshold.relative);
    json_.NumberField("absolute_ns", rules.threshold.absolute_ns);
    json_.NumberField("alpha", rules.alpha);
    json_.CountField("least_runs", rules.least_runs);
    json_.CountField("tested", comparison_.tested);
    json_.EndObject();
  }

  void Gate() {
    json_.BeginObject();
    Bool("asked", view_.gated);
    json_.Key("passed");
    if (!comparison_.comparable())
      json_.Null();
    else
      Bool(!Fails(view_.crossings));
    json_.Key("crossings");
    json_.BeginArray();
    for (const Crossing& crossing : view_.crossings) {
      json_.BeginLineObject();
      json_.CountField("region", crossing.region);
      json_.TextField("path", comparison_.regions[crossing.region].path);
      json_.TextField("what", crossing.what);
      json_.TextField("text", crossing.text);
      OptionalText("accepted", crossing.accepted);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Region(std::size_t at) {
    const RegionChange& region = comparison_.regions[at];
    json_.BeginObject();
    json_.CountField("id", at);
    json_.Key("parent");
    if (at == 0)
      json_.Null();
    else
      json_.Count(region.parent);
    json_.TextField("path", region.path);
    json_.TextField("name", region.frame);
    OptionalText("base_path", region.base_path);
    json_.TextField("paired_by", PairedName(region.by));
    json_.CountField("depth", region.depth);
    json_.TextField("verdict", DiffVerdictName(region.verdict));
    OptionalText("why", region.why);
    Time(region);
    Facts(region);
    Kernels(region);
    Counters(region);
    json_.EndObject();
  }

  void Time(const RegionChange& region) {
    const TimeChange& time = region.time;
    json_.Key("time");
    json_.BeginObject();
    Bool("per_instance", time.per_instance);
    Numbers("base_ns", time.base_ns);
    Numbers("new_ns", time.other_ns);
    Optional("base_median_ns",
             time.base_ns.empty() ? std::nullopt : std::optional(time.base));
    Optional("new_median_ns",
             time.other_ns.empty() ? std::nullopt : std::optional(time.other));
    Optional("base_mean_ns", time.base_ns.empty()
                                 ? std::nullopt
                                 : std::optional(region.base_mean_ns));
    Optional("new_mean_ns", time.other_ns.empty()
                                ? std::nullopt
                                : std::optional(region.other_mean_ns));
    Optional("ratio", time.ratio);
    json_.Key("interval");
    if (time.interval) {
      json_.BeginLineArray();
      json_.Number(time.interval->low);
      json_.Number(time.interval->high);
      json_.EndArray();
    } else {
      json_.Null();
    }
    Optional("chance", time.chance);
    Optional("cycles_ratio", time.cycles);
    json_.Key("runs_needed");
    if (time.runs_needed > 0)
      json_.Count(time.runs_needed);
    else
      json_.Null();
    json_.NumberField("change_ns", region.change_ns());
    json_.NumberField("own_change_ns", region.own_change_ns());
    WallChange(region);
    json_.EndObject();
  }

  void WallChange(const RegionChange& region) {
    if (region.base_wall_ns <= 0 || region.other_wall_ns <= 0) return;
    json_.Key("wall_change_ns");
    json_.BeginObject();
    for (std::size_t part = 0; part < kWallParts; ++part) {
      if (region.wall_change_ns[part] != 0)
        json_.NumberField(NameOf(static_cast<WallPart>(part)),
                          region.wall_change_ns[part]);
    }
    json_.EndObject();
  }

  void Facts(const RegionChange& region) {
    json_.Key("facts");
    json_.BeginArray();
    for (const Fact& fact : region.facts) {
      json_.BeginLineObject();
      json_.TextField("kind", FactName(fact.kind));
      json_.TextField("text", fact.text);
      OptionalText("kernel", fact.kernel);
      json_.NumberField("base", fact.base);
      json_.NumberField("new", fact.other);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Kernels(const RegionChange& region) {
    json_.Key("kernels");
    json_.BeginArray();
    for (const KernelPair& pair : region.kernels) {
      json_.BeginLineObject();
      OptionalText("base", pair.base.value_or(""));
      OptionalText("new", pair.other.value_or(""));
      json_.TextField("paired_by", PairedName(pair.by));
      json_.NumberField("base_launches", pair.before.launches);
      json_.NumberField("new_launches", pair.after.launches);
      json_.NumberField("base_ns", pair.before.time_ns);
      json_.NumberField("new_ns", pair.after.time_ns);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Counters(const RegionChange& region) {
    json_.Key("counters");
    json_.BeginArray();
    for (const CounterChange& counter : region.counters) {
      json_.BeginLineObject();
      json_.TextField("metric", counter.metric);
      json_.TextField("unit", counter.unit);
      json_.NumberField("base", counter.base);
      json_.NumberField("new", counter.other);
      Optional("base_standard_error", counter.base_error);
      Optional("new_standard_error", counter.other_error);
      Optional("ratio", std::isfinite(counter.ratio)
                            ? std::optional(counter.ratio)
                            : std::nullopt);
      Bool("changed", counter.changed);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Contributions() {
    json_.Key("contributions");
    json_.BeginArray();
    for (const Contribution& one : comparison_.contributions) {
      json_.BeginLineObject();
      json_.CountField("region", one.region);
      json_.TextField("path", comparison_.regions[one.region].path);
      OptionalText("kernel", one.kernel);
      json_.NumberField("change_ns", one.change_ns);
      json_.TextsField("with", one.with);
      json_.EndObject();
    }
    json_.EndArray();
  }

  const DiffView& view_;
  const Comparison& comparison_;
  JsonStream json_;
};

}  // namespace

void WriteDiffJson(const DiffView& view, std::ostream& out) {
  DiffJson(view, out).All();
}

}  // namespace rangefinder
