#include "app/rank_report.h"

#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analysis/ranks.h"
#include "app/run_report.h"
#include "base/text.h"

namespace rangefinder {

void ReportRank(const Rank& rank, const Settings& settings,
                const Console& console) {
  const std::filesystem::path run_dir(settings.run_dir);
  const std::string again =
      fmt::format("`rangefinder report {}` puts the ranks together",
                  ShellQuote(std::string_view(settings.run_dir)));
  const auto report = [&](const RanksDone& done) {
    console.Say(fmt::format("rank {} is the last of {}: reporting them all",
                            rank.rank, done.world));
    Status status = ReportRunDirectory(run_dir, true, settings, console);
    if (!status.ok()) {
      console.Say(
          fmt::format("no report: {}\n{}", status.error().message(), again));
    }
    return status;
  };
  const RanksDone done = FinishRank(run_dir, rank, report);
  if (!done.known()) {
    console.Say(again);
  } else if (!done.all()) {
    console.Say(fmt::format(
        "rank {}: {} of {} ranks are done; the last one writes the report, and "
        "{}",
        rank.rank, done.finished, done.world, again));
  }
}

}  // namespace rangefinder
