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
    };
  };
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
