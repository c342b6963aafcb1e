#include <array>

#include "diff/writers.h"
#include "writers/json/json_stream.h"

namespace rangefinder {
namespace {

std::string_view PairedName(PairedBy by) {
  constexpr std::array kNames{"name", "given", "guess"};
  return kNames[static_cast<std::size_t>(by)];
}

std::string_view FactName(FactKind kind) {
  constexpr std::array kNames{"instances",    "launches",        "kernel_new",
                              "kernel_gone",  "kernel_replaced", "kernel_moved",
                              "launch_shape", "copy_bytes"};
  return kNames[static_cast<std::size_t>(kind)];
}

class DiffJson {
 public:
  DiffJson(const DiffView& view, std::ostream& out)
      : view_(view), comparison_(view.comparison), json_(out) {}

  void All() {
    json_.BeginObject();
    json_.Field("schema", "rangefinder.diff/1");
    json_.Field("comparable", comparison_.comparable());
    json_.Field("summary", VerdictSummary(comparison_));
    Caveats();
    Side("base", comparison_.base_sources, comparison_.base_settings);
    Side("new", comparison_.other_sources, comparison_.other_settings);
    Rules();
    Gate();
    json_.BeginRows("regions");
    for (std::size_t i = 0; i < comparison_.regions.size(); ++i) Region(i);
    json_.EndArray();
    Contributions();
    json_.EndObject();
  }

 private:
  // Writes null for an empty text.
  void OptionalText(std::string_view key, std::string_view text) {
    json_.Field(key, OptionalIf(!text.empty(), text));
  }

  void Caveats() {
    json_.Lines("caveats", comparison_.caveats, [&](const Caveat& caveat) {
      json_.Field("fatal", caveat.fatal);
      json_.Field("text", caveat.text);
    });
  }

  void Side(std::string_view key, const std::vector<std::string>& sources,
            const std::vector<RunSetting>& settings) {
    json_.BeginObject(key);
    json_.Field("runs", sources);
    json_.BeginObject("settings");
    for (const RunSetting& setting : settings)
      json_.Field(setting.name, setting.value);
    json_.EndObject();
    json_.EndObject();
  }

  void Rules() {
    const DiffRules& rules = comparison_.rules;
    json_.BeginLine("rules");
    json_.Field("time", rules.threshold.relative);
    json_.Field("absolute_ns", rules.threshold.absolute_ns);
    json_.Field("alpha", rules.alpha);
    json_.Field("least_runs", rules.least_runs);
    json_.Field("tested", comparison_.tested);
    json_.EndObject();
  }

  void Gate() {
    json_.BeginObject("gate");
    json_.Field("asked", view_.gated);
    json_.Field("passed",
                OptionalIf(comparison_.comparable(), !Fails(view_.crossings)));
    json_.Lines("crossings", view_.crossings, [&](const Crossing& crossing) {
      json_.Field("region", crossing.region);
      json_.Field("path", comparison_.regions[crossing.region].path);
      json_.Field("what", crossing.what);
      json_.Field("text", crossing.text);
      OptionalText("accepted", crossing.accepted);
    });
    json_.EndObject();
  }

  void Region(std::size_t at) {
    const RegionChange& region = comparison_.regions[at];
    json_.BeginObject();
    json_.Field("id", at);
    json_.Field("parent", OptionalIf(at > 0, region.parent));
    json_.Field("path", region.path);
    json_.Field("name", region.frame);
    OptionalText("base_path", region.base_path);
    json_.Field("paired_by", PairedName(region.by));
    json_.Field("depth", region.depth);
    json_.Field("verdict", DiffVerdictName(region.verdict));
    OptionalText("why", region.why);
    Time(region);
    Facts(region);
    Kernels(region);
    Counters(region);
    json_.EndObject();
  }

  void Time(const RegionChange& region) {
    const TimeChange& time = region.time;
    json_.BeginObject("time");
    json_.Field("per_instance", time.per_instance);
    json_.Field("base_ns", time.base_ns);
    json_.Field("new_ns", time.other_ns);
    json_.Field("base_median_ns", OptionalIf(!time.base_ns.empty(), time.base));
    json_.Field("new_median_ns",
                OptionalIf(!time.other_ns.empty(), time.other));
    json_.Field("base_mean_ns",
                OptionalIf(!time.base_ns.empty(), region.base_mean_ns));
    json_.Field("new_mean_ns",
                OptionalIf(!time.other_ns.empty(), region.other_mean_ns));
    json_.Field("ratio", time.ratio);
    if (time.interval)
      json_.Field("interval",
                  std::array{time.interval->low, time.interval->high});
    else
      json_.NullField("interval");
    json_.Field("chance", time.chance);
    json_.Field("cycles_ratio", time.cycles);
    json_.Field("runs_needed",
                OptionalIf(time.runs_needed > 0, time.runs_needed));
    const bool known = region.knows_change();
    json_.Field("change_ns", OptionalIf(known, region.change_ns()));
    json_.Field("own_change_ns", OptionalIf(known, region.own_change_ns()));
    Wall(region);
    json_.EndObject();
  }

  void Wall(const RegionChange& region) {
    json_.Field("base_wall_ns",
                OptionalIf(region.base_wall_ns > 0, region.base_wall_ns));
    json_.Field("new_wall_ns",
                OptionalIf(region.other_wall_ns > 0, region.other_wall_ns));
    if (region.base_wall_ns <= 0 || region.other_wall_ns <= 0) return;
    json_.BeginObject("wall_change_ns");
    for (std::size_t part = 0; part < kWallParts; ++part) {
      if (region.wall_change_ns[part] != 0)
        json_.Field(NameOf(static_cast<WallPart>(part)),
                    region.wall_change_ns[part]);
    }
    json_.EndObject();
  }

  void Facts(const RegionChange& region) {
    json_.Lines("facts", region.facts, [&](const Fact& fact) {
      json_.Field("kind", FactName(fact.kind));
      json_.Field("text", fact.text);
      OptionalText("kernel", fact.kernel);
      json_.Field("base", fact.base);
      json_.Field("new", fact.other);
    });
  }

  void Kernels(const RegionChange& region) {
    json_.Lines("kernels", region.kernels, [&](const KernelPair& pair) {
      OptionalText("base", pair.base.value_or(""));
      OptionalText("new", pair.other.value_or(""));
      json_.Field("paired_by", PairedName(pair.by));
      json_.Field("base_launches", pair.before.launches);
      json_.Field("new_launches", pair.after.launches);
      const auto time = [](const Side::Kernel& kernel) {
        return OptionalIf(kernel.is_timed, kernel.time_ns);
      };
      json_.Field("base_ns", time(pair.before));
      json_.Field("new_ns", time(pair.after));
    });
  }

  void Counters(const RegionChange& region) {
    json_.Lines("counters", region.counters, [&](const CounterChange& counter) {
      json_.Field("metric", counter.metric);
      json_.Field("unit", counter.unit);
      json_.Field("base", counter.base);
      json_.Field("new", counter.other);
      json_.Field("base_standard_error", counter.base_error);
      json_.Field("new_standard_error", counter.other_error);
      json_.Field("ratio", counter.ratio);
      json_.Field("changed", counter.changed);
    });
  }

  void Contributions() {
    json_.Lines("contributions", comparison_.contributions,
                [&](const Contribution& one) {
                  json_.Field("region", one.region);
                  json_.Field("path", comparison_.regions[one.region].path);
                  OptionalText("kernel", one.kernel);
                  json_.Field("change_ns", one.change_ns);
                  json_.Field("with", one.with);
                });
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
