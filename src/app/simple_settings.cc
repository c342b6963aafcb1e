#include "app/simple_settings.h"

#include <functional>
#include <map>

#include "base/text.h"

namespace rangefinder {

Result<Settings> LoadSimpleSettings(const std::vector<std::string>& overrides) {
  Settings s;
  s.run_dir = "tmp/profile-output/latest";
  const auto list = [](std::vector<std::string>& to) {
    return [&to](std::string_view value) {
      if (value.starts_with('[')) value = value.substr(1, value.size() - 2);
      to = Split(value, ',');
      std::erase(to, "");
      if (value == "null") to.clear();
    };
  };
  s.ncu.enable = true;
  s.ncu.metrics = {"gpu__time_duration.sum",
                   "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                   "dram__throughput.avg.pct_of_peak_sustained_elapsed"};
  s.ncu.options["force_overwrite"] = {};
  const std::string cli = "pipeline.ncu.ncu_cli.";
  const std::map<std::string, std::function<void(std::string_view)>> keys = {
      {"regions.include", list(s.regions.include)},
      {"regions.exclude", list(s.regions.exclude)},
      {"regions.kernels.include", list(s.regions.kernels_include)},
      {"regions.kernels.exclude", list(s.regions.kernels_exclude)},
      {"regions.domains.include", list(s.regions.domains_include)},
      {"regions.domains.exclude", list(s.regions.domains_exclude)},
      {"report.metrics", list(s.report.metrics)},
      {"report.formats", list(s.report.formats)},
      {"regions.aggregate",
       [&](std::string_view v) { s.regions.aggregate = v == "true"; }},
      {"regions.start_end",
       [&](std::string_view v) { s.regions.start_end = v; }},
      {"pipeline.ncu.enable",
       [&](std::string_view v) { s.ncu.enable = v == "true"; }},
      {cli + "replay_mode", [&](std::string_view v) { s.ncu.replay_mode = v; }},
      {cli + "nvtx.include", list(s.ncu.nvtx_include)},
      {cli + "metrics", list(s.ncu.metrics)},
      {cli + "sections", list(s.ncu.sections)},
      {cli + "set",
       [&](std::string_view v) {
         if (v != "null") s.ncu.set = std::string(v);
       }},
      {cli + "clock_control",
       [&](std::string_view v) {
         s.ncu.options["clock_control"] = {std::string(v)};
       }},
      {cli + "cache_control",
       [&](std::string_view v) {
         s.ncu.options["cache_control"] = {std::string(v)};
       }},
      {"pipeline.ncu.gating_nvtx",
       [&](std::string_view v) { s.ncu.gating_nvtx = v == "true"; }},
      {"hydra.run.dir", [&](std::string_view v) { s.run_dir = v; }},
  };
  for (const std::string& word : overrides) {
    const std::size_t at = word.find('=');
    const auto key = keys.find(word.substr(0, at));
    if (key == keys.end())
      return Error(ErrorCode::kUsage, word + ": unknown key");
    key->second(std::string_view(word).substr(at + 1));
  }
  return s;
}

}  // namespace rangefinder
