// Each key of the configuration is read by something, or refused with a reason.

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/settings.h"
#include "app/settings_keys.h"
#include "base/text.h"
#include "config/node.h"

namespace rangefinder {
namespace {

using testing::HasSubstr;

SettingsRequest Request(std::vector<std::string> overrides) {
  Surroundings around;
  around.environment = [](const std::string&) { return std::nullopt; };
  around.cwd = "/home/user/dir";
  return {.overrides = std::move(overrides), .surroundings = around};
}

Settings Loaded(std::vector<std::string> overrides) {
  auto settings = LoadSettings(Request(std::move(overrides)));
  EXPECT_TRUE(settings.ok())
      << (settings.ok() ? "" : settings.error().message());
  return settings.ok() ? std::move(settings).value() : Settings{};
}
// A value that the key takes and that is not the default one.
std::string Another(const SettingsKey& key, const Node& now) {
  if (!key.values.empty()) {
    for (const std::string& value : Split(key.values, '|')) {
      if (PythonStr(now) != value && PythonStr(now) != "['" + value + "']")
        return value;
    }
  }
  switch (key.type) {
    case KeyType::kBool:
      return now.kind == NodeKind::kBool && now.boolean ? "false" : "true";
    case KeyType::kNumber:
    case KeyType::kInteger:
    case KeyType::kDuration:
      return "7";
    case KeyType::kNames:
    case KeyType::kPatterns:
    case KeyType::kWords:
      return "[another]";
    case KeyType::kText:
      return "another";
  }
  return "";
}

// All that a command sees of the configuration, but for the texts that are kept
// of it.
std::string Seen(const Settings& s) {
  const auto option = [](const auto& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  std::string text;
  const auto add = [&](const auto&... values) {
    ((text += fmt::format("{}|", values)), ...);
  };
  const NcuSettings& n = s.ncu;
  add(n.enable, n.gating_nvtx, n.replay_mode, n.nvtx_include, n.nvtx_exclude,
      n.nvtx_native, n.sections, n.metrics, option(n.set), n.options,
      n.export_csv, n.fallback, n.exclude_communication, n.timeout_s, n.hang_s,
      option(n.budget_s), n.exact_rollup, n.ncu_path, option(n.kernel_config),
      option(n.kernel_top), n.kernel_launch_skip, n.kernel_launch_count,
      n.kernel_sections);
  const NsysSettings& y = s.nsys;
  add(y.enable, y.gating_nvtx, y.nsys_path, y.trace, y.sample, y.capture_range,
      option(y.capture_range_end), option(y.nvtx_capture));
  const RegionSettings& r = s.regions;
  add(r.include, r.exclude, r.domains_include, r.domains_exclude,
      r.kernels_include, r.kernels_exclude, r.kernels_base, r.aggregate,
      r.start_end, r.threads, r.graphs, r.merge.by_itself, r.merge.patterns,
      r.max_rows, static_cast<int>(r.warmup.kind), r.warmup.count,
      r.instances.skip, option(r.instances.count));
  const TableView& t = s.report.table;
  add(static_cast<int>(t.by), t.columns, t.sort, t.top, option(t.depth),
      t.min_share, t.flat, t.scope, s.report.format_kernel_names);
  const CounterSettings& c = s.counters;
  add(c.enable, c.mode ? NameOf(*c.mode) : "off", c.metrics, c.interval_ns,
      c.budget.is_share, c.budget.value, c.check);
  add(s.report.formats, s.report.format_metrics, s.report.metrics,
      s.report.max_folders, s.trace.enable, s.trace.mode, s.workload_argv,
      s.bundled.arguments, s.run_dir, s.start_in_run_dir);
  return text;
}

TEST(SettingsKeys, EveryKeyIsReadOrRefused) {
  for (const SettingsKey& key : SettingsKeys()) {
    // What a preset is for is for whoever reads it.
    if (key.path.ends_with(".description")) continue;
    if (key.path.starts_with("diff.")) continue;  // diff_settings_test.cc
    const auto composition = ComposeConfiguration(Request({}));
    ASSERT_TRUE(composition.ok());
    const Node tree = composition.value().ResolvedTask().value();
    const Node* now = tree.FindPath(key.path);
    const std::string word = fmt::format(
        "++{}={}", key.path, Another(key, now == nullptr ? Node() : *now));
    const auto other = LoadSettings(Request({word}));
    // Others are read where their like is on.
    const std::string on = key.path.starts_with("pipeline.nsys.") &&
                                   key.path != "pipeline.nsys.enable"
                               ? "++pipeline.nsys.enable=true"
                               : "++regions.max_rows=200";
    if (!other.ok()) {
      EXPECT_THAT(other.error().message(), HasSubstr(std::string(key.path)));
      continue;
    }
    EXPECT_NE(Seen(Loaded({on})), Seen(Loaded({on, word}))) << word;
  }
}

}  // namespace
}  // namespace rangefinder
